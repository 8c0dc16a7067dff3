/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of stripped kernels, fetched from a guest once and kept in ktoll's
 * cache: a file per build id.
 */
#ifndef KTOLL_SYMCACHE_H
#define KTOLL_SYMCACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/str.h"

/* A build id comes from a guest and becomes a file name. */
bool symcache_is_build_id(const char *s);
bool symcache_has(const char *build_id);
/* The symbol text of a build id; -ENOENT if it is not cached. */
int symcache_get(const char *build_id, struct str *ret);
int symcache_put(const char *build_id, const char *text, size_t n_bytes, struct error *err);

#endif
