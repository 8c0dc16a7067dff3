/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/symbols.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

static int by_addr(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	/* The order of the text decides between names of one address. */
	return x->name < y->name ? -1 : x->name > y->name;
}

void symbols_parse(const char *text, size_t n_bytes, struct symbols *ret)
{
	struct symbols s = { .text = xmalloc(n_bytes + 1) };
	size_t cap = 0, m = 0;
	char *line, *next;

	memcpy(s.text, text, n_bytes);
	s.text[n_bytes] = 0;
	for (line = s.text; line < s.text + n_bytes; line = next) {
		char *end = memchr(line, '\n', (size_t)(s.text + n_bytes - line)), *after;
		uint64_t addr;

		next = end ? end + 1 : s.text + n_bytes;
		if (end)
			*end = 0;
		if (!isxdigit((unsigned char)*line))
			continue;
		addr = strtoull(line, &after, 16);
		if (*after != ' ' || !after[1] || !addr)
			continue;
		str_make_printable(after + 1);
		*ARRAY_ADD(s.list, s.n, cap) = (struct symbol){ addr, after + 1 };
	}
	if (s.n)
		qsort(s.list, s.n, sizeof(*s.list), by_addr);
	for (size_t i = 0; i < s.n; i++)
		if (!m || s.list[m - 1].addr != s.list[i].addr)
			s.list[m++] = s.list[i];
	s.n = m;
	*ret = s;
}

void symbols_finish(struct symbols *s)
{
	free(s->text);
	free(s->list);
	*s = (struct symbols){ 0 };
}

const struct symbol *symbols_find(const struct symbols *s, uint64_t addr)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->list[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &s->list[lo - 1] : NULL;
}

const struct symbol *symbols_named(const struct symbols *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->list[i].name, name) == 0)
			return &s->list[i];
	return NULL;
}
