/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static size_t hash(const char *name)
{
	uint64_t h = 0xcbf29ce484222325; /* FNV-1a */

	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * 0x100000001b3;
	return (size_t)h;
}

static char **place_of(const struct names *n, const char *name)
{
	size_t i = hash(name) & (n->size - 1);

	while (n->v[i] && strcmp(n->v[i], name) != 0)
		i = (i + 1) & (n->size - 1);
	return &n->v[i];
}

static void grow(struct names *n)
{
	struct names larger = { .n = n->n, .size = n->size ? n->size * 2 : 256 };

	larger.v = xcalloc(larger.size, sizeof(*larger.v));
	for (size_t i = 0; i < n->size; i++)
		if (n->v[i])
			*place_of(&larger, n->v[i]) = n->v[i];
	free(n->v);
	*n = larger;
}

const char *names_add(struct names *n, const char *name)
{
	char **at;

	if (n->n * 2 >= n->size)
		grow(n);
	at = place_of(n, name);
	if (!*at) {
		*at = xstrdup(name);
		n->n++;
	}
	return *at;
}

const char *names_find(const struct names *n, const char *name)
{
	return n->size ? *place_of(n, name) : NULL;
}

static int by_text(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

void names_list(const struct names *n, struct strv *ret)
{
	size_t before = ret->n;

	for (size_t i = 0; i < n->size; i++)
		if (n->v[i])
			strv_add(ret, n->v[i]);
	if (ret->n > before)
		qsort(ret->v + before, ret->n - before, sizeof(*ret->v), by_text);
}

void names_finish(struct names *n)
{
	for (size_t i = 0; i < n->size; i++)
		free(n->v[i]);
	free(n->v);
	*n = (struct names){ 0 };
}
