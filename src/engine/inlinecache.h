/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the debug information of a kernel says about inlined functions, read
 * once and kept in ktoll's cache: a file per build id.
 */
#ifndef KTOLL_INLINECACHE_H
#define KTOLL_INLINECACHE_H

#include <stdbool.h>

#include "base/error.h"
#include "model/inlines.h"

bool inlinecache_has(const char *build_id);
/*
 * Reads a vmlinux, which takes seconds and hundreds of MiB, and keeps what it says. -ENODATA
 * if it has no debug information.
 */
int inlinecache_make(const char *build_id, const char *vmlinux, struct error *err);
/* -ENOENT if it is not there. */
int inlinecache_get(const char *build_id, struct inlines *ret);

#endif
