/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of names, each there once: two of them are equal if their pointers
 * are. A name lives as long as its set and never moves.
 */
#ifndef KTOLL_NAMES_H
#define KTOLL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Starts as { 0 }. */
struct names {
	char **v; /* in no order, with NULLs between; open addressing, `size` is a power of two */
	size_t n, size;
};

const char *names_add(struct names *n, const char *name);
/* NULL if it is not there. */
const char *names_find(const struct names *n, const char *name);
/* Sorted copies. */
void names_list(const struct names *n, struct strv *ret);
void names_finish(struct names *n);

#endif
