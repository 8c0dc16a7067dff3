/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that is given back all at once: for parsers whose many small pieces
 * point at each other and live equally long. What comes out of an arena is
 * never freed by itself and never moves.
 */
#ifndef KTOLL_ARENA_H
#define KTOLL_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *blocks;
};

#define ARENA_INIT ((struct arena){ 0 })

/* Zeroed, aligned for any type. */
void *arena_alloc(struct arena *a, size_t n_bytes);
char *arena_strndup(struct arena *a, const char *s, size_t n_bytes);
void arena_finish(struct arena *a);

#endif
