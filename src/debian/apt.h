/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A private apt: its own lists, cache and (empty) package status under one
 * folder, the sources that it is given, for any architecture. Needs no root,
 * changes nothing on the system; proxies, keyrings and passwords are the
 * system's. What is signed with an unknown key is not read. The caller sees to
 * it that one process at a time uses the folder. Started as root, apt runs what speaks to the network as its own user, _apt;
 * where it cannot, that is an error (-EPERM).
 *
 * apt_open(), then apt_update() where apt_lists_age_s() says so, then
 * apt_packages() and apt_download() for kernels, or apt_closure() and
 * apt_closure_download() for packages with all that they depend on.
 */
#ifndef KTOLL_APT_H
#define KTOLL_APT_H

#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "debian/aptsources.h"
#include "debian/packages.h"

struct apt;

/*
 * `dir` is created; `debian_arch` is "amd64" …. The sources are taken over, also
 * on failure.
 */
int apt_open(const char *dir, const char *debian_arch, struct apt_sources *sources,
	     struct apt **ret, struct error *err);
void apt_free(struct apt *a);

/* Seconds since the last complete apt_update(); UINT64_MAX if there was none. */
uint64_t apt_lists_age_s(const struct apt *a);

/*
 * -ENETUNREACH without a network, -ENOKEY for an unknown signature, -ENOSPC, -ECANCELED, -EIO for what else apt
 * says. After a failure the lists may be incomplete or old, but not broken.
 */
int apt_update(struct apt *a, struct error *err);

/*
 * Adds the kernel packages in the lists that are there to `ret`, which the caller starts with
 * { 0 } and finishes in any case. Without network.
 */
int apt_packages(struct apt *a, struct packages *ret, struct error *err);

/*
 * Downloads into `dir`, as NAME_VERSION_ARCH.deb. Errors as apt_update();
 * -ENOENT if the archive has it no longer, so that the lists are out of date.
 */
int apt_download(struct apt *a, const char *dir, const struct package *const *packages, size_t n,
		 struct error *err);

/* A package that would be fetched. */
struct apt_deb {
	char *name;    /* "libc6" */
	char *version; /* "2:1.0-1" */
	char *file;    /* "libc6_2%3a1.0-1_amd64.deb": the download's name */
	char *hash;    /* of its bytes, as apt writes it: "SHA256:…" */
	uint64_t size_bytes;
};

struct apt_debs {
	struct apt_deb *v;
	size_t n, cap;
};

void apt_debs_finish(struct apt_debs *d);

/* Packages to be had with all that they depend on. */
struct apt_wish {
	const struct strv *packages;
	const struct strv *there; /* names taken for installed: neither they nor what they need come along */
	const char *suite; /* "stable": what it has comes from there; NULL for the newest of all suites */
};

/*
 * What installing them on a machine with nothing but those of `there` would fetch: they
 * and their dependencies, without recommended ones, by file name. Without network. -ENOENT for
 * a package that the lists do not have or nothing of that name, and what else apt_explain()
 * knows.
 */
int apt_closure(struct apt *a, const struct apt_wish *wish, struct apt_debs *ret,
		struct error *err);

/* Downloads just that into `dir`. Errors as apt_download(). */
int apt_closure_download(struct apt *a, const char *dir, const struct apt_wish *wish,
			 struct error *err);

/*
 * The errno (negative) and a sentence for what apt-get said on standard error;
 * `what` was tried: "fetch linux-image-amd64". Pure.
 */
int apt_explain(const char *what, const char *said, struct error *err);

#endif
