/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the cache holds, for people: the folders that say by their file `about` what is in them. */
#ifndef KTOLL_CACHED_H
#define KTOLL_CACHED_H

#include <stddef.h>

#include "base/error.h"

struct cached {
	char *dir;
	char *arch;    /* "x86_64"; NULL for source, and if it does not say */
	char *release; /* uname -r; NULL likewise */
	char *what;    /* package and version, or the spec that first asked for it; NULL if it does not say */
};

/*
 * Debian's kernels, source trees, images and what was built, each sorted by folder. The array
 * is owned by the caller: cached_free(). Fails only where there can be no cache.
 */
int cached_list(struct cached **ret, size_t *ret_n, struct error *err);
void cached_free(struct cached *list, size_t n);

#endif
