/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search for something in Debian's archive, be it a kernel, its source or
 * its configuration: what the cache knows, and for how long that holds; the
 * package lists, in groups of suites of which the first that has it wins; the
 * download; and what to do without a network. What is sought, and how it gets
 * from a package into the cache, is the caller's.
 */
#ifndef KTOLL_DEBSEARCH_H
#define KTOLL_DEBSEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "debian/debindex.h"
#include "debian/lists.h"
#include "debian/packages.h"
#include "kernel/debcache.h"

struct debsearch;

struct debsearch_ops {
	/* The package meant; NULL if there is none. */
	const struct package *(*choose)(const struct debsearch *s, const struct packages *p);
	/* Says why nothing was chosen, and what could be asked for instead. Returns -ENOENT. */
	int (*explain)(const struct debsearch *s, const struct packages *p, struct error *err);
	/* Is it in the cache, ready for use? */
	bool (*has)(const struct debsearch *s, const char *package, const char *version);
	/* Into the cache, from the .deb files in `dir`. Under the lock. */
	int (*store)(struct debsearch *s, const char *dir, const struct package *p,
		     struct error *err);
	/* Room that it takes in the cache beside the download of so many bytes. */
	uint64_t (*room_bytes)(uint64_t download_bytes);
};

struct debsearch {
	const struct debsearch_ops *ops;
	const void *subject; /* what is sought; the caller's */
	const char *arch;    /* whose package lists are read: "x86_64" */
	const char *key;     /* the name in the cache's index */
	struct debcache cache; /* of debcache_init() */
	debian_progress progress; /* may be NULL */
	void *data;
};

void debsearch_tell(const struct debsearch *s, const char *sentence);

/*
 * Has it in the cache and says which package it is; both are owned by the caller.
 * -ENOENT, -ENETUNREACH, -ENOKEY, -ENOSPC, -ECANCELED and what the caller's
 * functions say.
 */
int debsearch_find(struct debsearch *s, char **ret_package, char **ret_version, struct error *err);

/* The packages in the lists that were read at some time, of all groups; nothing else is asked. */
void debsearch_lists(const struct debcache *cache, const char *arch, struct packages *ret);

#endif
