/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A private apt: its own lists, cache and (empty) package status under one
 * folder, the sources that it is given, for any architecture. Needs no root,
 * changes nothing on the system; proxies, keyrings and passwords are the
 * system's. What is signed with an unknown key is not read. The caller sees to
 * it that one process at a time uses the folder.
 *
 * apt_open(), then apt_update() where apt_lists_age_s() says so, then
 * apt_packages() and apt_download().
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

/*
 * The errno (negative) and a sentence for what apt-get said on standard error;
 * `what` was tried: "fetch linux-image-amd64". Pure.
 */
int apt_explain(const char *what, const char *said, struct error *err);

#endif
