/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of stripped kernels, fetched from a guest once per build id and kept
 * in ktoll's cache. A file per build id, and one per image that says which
 * build id it has: the image of a stripped kernel does not tell.
 */
#ifndef KTOLL_SYMCACHE_H
#define KTOLL_SYMCACHE_H

#include <stddef.h>

#include "base/error.h"
#include "base/str.h"

/* The symbol text of a build id; -ENOENT if it is not cached. */
int symcache_get(const char *build_id, struct str *ret);
/* The build id of an image whose symbols are cached, owned by the caller; NULL if unknown. */
char *symcache_build_id(const char *image_path);
int symcache_put(const char *image_path, const char *build_id, const char *text, size_t n_bytes,
		 struct error *err);

#endif
