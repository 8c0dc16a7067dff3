/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define BLOCK_BYTES 65536u
#define ALIGNMENT 16u

struct arena_block {
	struct arena_block *next;
	size_t used, size_bytes;
	_Alignas(ALIGNMENT) char bytes[];
};

void *arena_alloc(struct arena *a, size_t n_bytes)
{
	size_t n = (n_bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	struct arena_block *b = a->blocks;
	void *p;

	if (!b || b->size_bytes - b->used < n) {
		size_t size = n > BLOCK_BYTES ? n : BLOCK_BYTES;

		b = xcalloc(1, sizeof(*b) + size);
		b->size_bytes = size;
		b->next = a->blocks;
		a->blocks = b;
	}
	p = b->bytes + b->used;
	b->used += n;
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n_bytes)
{
	char *p = arena_alloc(a, n_bytes + 1);

	if (n_bytes)
		memcpy(p, s, n_bytes);
	return p;
}

void arena_finish(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *next = a->blocks->next;

		free(a->blocks);
		a->blocks = next;
	}
}
