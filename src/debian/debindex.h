/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What names that move ("debian:6.1") were last resolved to in Debian's archive: a file of lines
 * of arch, name, package, version, time, separated by tabs. Whoever writes holds the lock of its
 * cache, readers need none.
 */
#ifndef KTOLL_DEBINDEX_H
#define KTOLL_DEBINDEX_H

#include <stdint.h>

#include "base/error.h"

struct debindex_entry {
	char *arch;    /* "x86_64" */
	char *name;    /* "6.1-rt"; "" for the newest */
	char *package; /* what it was resolved to */
	char *version;
	uint64_t time_s; /* age of the lists it was read from, seconds since 1970 */
};

/* 0, or -ENOENT; lines that cannot be understood are passed over. */
int debindex_find(const char *text, const char *arch, const char *name,
		  struct debindex_entry *ret);
/* The text with this entry in place of an older one of its arch and name. Owned by the caller. */
char *debindex_replace(const char *text, const struct debindex_entry *e);
void debindex_entry_finish(struct debindex_entry *e);

/* The same with the file `index` in the folder; -ENOENT without a file, too. */
int debindex_resolved(const char *dir, const char *arch, const char *name,
		      struct debindex_entry *ret);
int debindex_remember(const char *dir, const struct debindex_entry *e, struct error *err);

#endif
