/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which Debian kernel package is meant: the kernel packages in an archive's
 * Packages text and the choice among them. Pure text work, nothing outside is
 * looked at.
 *
 * A kernel package is named linux-image-ABI-FLAVOUR[-unsigned], for example
 * ABI "6.1.0-57" or "6.12.57+deb12", flavour "amd64" or "rt-amd64". A meta
 * package depends on another linux-image-. From Linux 6.19 on the named package
 * is empty and depends on linux-binary-… (image) and linux-base-… (.config).
 * linux-source-6.1 holds a source tree, linux-config-6.1 Debian's configurations.
 */
#ifndef KTOLL_PACKAGES_H
#define KTOLL_PACKAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct package {
	char *name;
	char *version;
	char *depends; /* "" for none */
	char *suite;   /* where it was read: "bookworm-security" */
	unsigned group; /* of suites, the first is preferred; 0 from packages_parse() */
	uint64_t size_bytes;
	char *release; /* of uname -r: "6.1.0-57-amd64"; this and the next two NULL for no kernel */
	char *abi;     /* "6.1.0-57" */
	char *flavour; /* "amd64" */
	char *follows; /* a meta package's target; NULL for a kernel */
	bool is_kernel;    /* holds or leads to one image: no meta, debug or template package */
	bool is_unsigned;
	bool is_backport; /* from a -backports suite */
	bool is_experimental; /* from Debian's experimental: release candidates, too */
};

struct packages {
	struct package *v;
	size_t n, cap;
};

/*
 * Adds the linux-image-, -binary-, -base-, -source- and -config- packages of a
 * Packages file (any bytes may be given) to `ret`, which the caller starts with { 0 }.
 */
void packages_parse(const char *text, size_t n_bytes, const char *suite, struct packages *ret);
void packages_finish(struct packages *p);

/* Has it only what Debian's policy allows in a name or version, so that it may be part of a path? */
bool package_name_is_valid(const char *name);
bool package_version_is_valid(const char *version);

/* Debian's flavour of the architecture that has no special purpose ("amd64"), static. */
const char *flavour_plain(const char *arch);

enum package_request_kind {
	REQUEST_NEWEST,  /* "" */
	REQUEST_SERIES,  /* "6.1", "6.1-rt" */
	REQUEST_PACKAGE, /* "linux-image-amd64" */
};

struct package_request {
	enum package_request_kind kind;
	char *series;  /* "6.1"; NULL unless a series */
	char *flavour; /* "rt", "rt-amd64"; NULL for the plain one */
	char *package; /* NULL unless a package */
};

/* What follows `debian:` in a spec. -EINVAL, blamed on usage. */
int package_request_parse(const char *name, struct package_request *ret, struct error *err);
void package_request_finish(struct package_request *r);

/*
 * The package meant, meta packages followed; NULL if there is none. The first
 * group of suites that has it wins, in it anything before experimental, then the
 * newest version, then a signed one. Package names look at a group's backports
 * last, "newest" does not look at backports.
 */
const struct package *packages_choose(const struct packages *p, const struct package_request *r,
				      const char *arch);

/* The highest version of the package of this name, kernels or not; NULL if there is none. */
const struct package *packages_named(const struct packages *p, const char *name);

/*
 * The one with this prefix, "linux-source-" or "linux-config-", for a version: a
 * series ("6.1") or the start of a package version ("6.1.190"). NULL if there is none.
 */
const struct package *packages_versioned(const struct packages *p, const char *prefix,
					 const char *version);

/* The series for which there is a package of this prefix, newest first. */
void packages_series(const struct packages *p, const char *prefix, struct strv *ret);

/*
 * The packages to fetch for a chosen one: itself, or those which hold its
 * image and .config. Borrowed pointers; `ret` has room for 2; the number.
 */
size_t packages_parts(const struct packages *p, const struct package *chosen,
		      const struct package *ret[2]);

/* Says why nothing was chosen and what could be asked for instead. Returns -ENOENT. */
int packages_explain_missing(const struct packages *p, const struct package_request *r,
			     const char *arch, struct error *err);

/* Every series and flavour offered, newest first: the package for `debian:6.1-rt` and that word. */
struct package_offer {
	char *spec; /* "debian:6.1-rt" */
	const struct package *package; /* borrowed from the packages */
};

/* Returns the number, `ret` is an array owned by the caller: package_offers_free(). */
size_t packages_offers(const struct packages *p, const char *arch, struct package_offer **ret);
void package_offers_free(struct package_offer *offers, size_t n);

#endif
