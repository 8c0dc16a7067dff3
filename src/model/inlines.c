/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/inlines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/varint.h"
#include "model/code.h"

/* Ranges of inner sites come after those of outer ones, and have larger numbers. */
struct inline_range {
	uint64_t start, end;
	uint32_t site;
};

uint32_t inlines_enter(struct inlines *in, uint32_t outer, const char *name)
{
	if (!in->n_sites)
		ARRAY_ADD(in->sites, in->n_sites, in->cap_sites);
	*ARRAY_ADD(in->sites, in->n_sites, in->cap_sites) =
		(struct inline_site){ names_add(&in->names, name), outer };
	return (uint32_t)in->n_sites - 1;
}

void inlines_add_range(struct inlines *in, uint32_t site, uint64_t start, uint64_t end)
{
	if (start < end)
		*ARRAY_ADD(in->ranges, in->n_ranges, in->cap_ranges) =
			(struct inline_range){ start, end, site };
}

static int by_start(const void *a, const void *b)
{
	const struct inline_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	/* An outer site was entered before those inside it. */
	return (x->site > y->site) - (x->site < y->site);
}

static void add_span(struct inlines *in, uint64_t start, uint64_t end, uint32_t site)
{
	struct inline_span *last = in->n_spans ? &in->spans[in->n_spans - 1] : NULL;

	if (start >= end)
		return;
	if (last && last->end == start && last->site == site)
		last->end = end;
	else
		*ARRAY_ADD(in->spans, in->n_spans, in->cap_spans) =
			(struct inline_span){ start, end, site };
}

void inlines_build(struct inlines *in)
{
	struct inline_range **open = xcalloc(in->n_ranges + 1, sizeof(*open));
	uint64_t at = 0;
	size_t depth = 0;

	if (in->n_ranges)
		qsort(in->ranges, in->n_ranges, sizeof(*in->ranges), by_start);
	for (size_t i = 0; i <= in->n_ranges; i++) {
		struct inline_range *r = i < in->n_ranges ? &in->ranges[i] : NULL;

		/* Those that end before this one begins, innermost first. */
		while (depth && (!r || open[depth - 1]->end <= r->start)) {
			add_span(in, at, open[depth - 1]->end, open[depth - 1]->site);
			if (open[depth - 1]->end > at)
				at = open[depth - 1]->end;
			depth--;
		}
		if (!r)
			break;
		if (depth)
			add_span(in, at, r->start, open[depth - 1]->site);
		if (r->start > at)
			at = r->start;
		open[depth++] = r;
	}
	free(open);
	free(in->ranges);
	in->ranges = NULL;
	in->n_ranges = in->cap_ranges = 0;
}

static const struct inline_span *find(const struct inlines *in, uint64_t addr)
{
	size_t lo = 0, hi = in->n_spans;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (in->spans[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < in->n_spans && in->spans[lo].start <= addr ? &in->spans[lo] : NULL;
}

uint32_t inlines_find(const struct inlines *in, uint64_t addr)
{
	const struct inline_span *s = find(in, addr);

	return s ? s->site : 0;
}

/* A site and those around it, once: `map` says which are there already. */
static uint32_t take_site(const struct inlines *all, uint32_t site, uint32_t *map,
			  struct inlines *ret)
{
	if (site && !map[site]) {
		uint32_t outer = take_site(all, all->sites[site].outer, map, ret);

		map[site] = inlines_enter(ret, outer, all->sites[site].name);
	}
	return map[site];
}

void inlines_of_code(const struct inlines *all, const struct code *code, struct inlines *ret)
{
	_cleanup_free_ uint32_t *map = xcalloc(all->n_sites + 1, sizeof(*map));
	struct inlines in = { 0 };

	for (size_t i = 0; i < code->n; i++) {
		uint64_t addr = code->v[i].addr;
		uint32_t site = inlines_find(all, addr);

		if (site)
			add_span(&in, addr, addr + code->v[i].len, take_site(all, site, map, &in));
	}
	*ret = in;
}

void inlines_merge(struct inlines *to, const struct inlines *from)
{
	_cleanup_free_ uint32_t *map_to = xcalloc(to->n_sites + 1, sizeof(*map_to));
	_cleanup_free_ uint32_t *map_from = xcalloc(from->n_sites + 1, sizeof(*map_from));
	struct inlines in = { 0 };
	uint64_t at = 0;

	for (size_t i = 0, j = 0; i < to->n_spans || j < from->n_spans;) {
		bool is_from = i == to->n_spans || (j < from->n_spans && from->spans[j].start < to->spans[i].start);
		const struct inlines *of = is_from ? from : to;
		const struct inline_span *s = is_from ? &from->spans[j++] : &to->spans[i++];

		if (s->end <= at)
			continue;
		add_span(&in, s->start > at ? s->start : at, s->end, take_site(of, s->site, is_from ? map_from : map_to, &in));
		at = s->end;
	}
	inlines_finish(to);
	*to = in;
}

void inlines_finish(struct inlines *in)
{
	names_finish(&in->names);
	free(in->sites);
	free(in->spans);
	free(in->ranges);
	*in = (struct inlines){ 0 };
}

/* ---- stored: the names, the sites, the spans ---- */

static int by_text(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

void *inlines_encode(const struct inlines *in, size_t *ret_bytes)
{
	_cleanup_strv_ struct strv names = { 0 };
	struct str out = STR_INIT;
	uint64_t last = 0;

	/* Sorted, so that equal maps are equal bytes. */
	names_list(&in->names, &names);
	varint_put(&out, names.n);
	for (size_t i = 0; i < names.n; i++)
		str_add_bytes(&out, names.v[i], strlen(names.v[i]) + 1);
	varint_put(&out, in->n_sites ? in->n_sites - 1 : 0);
	for (size_t i = 1; i < in->n_sites; i++) {
		char *const *at = bsearch(&in->sites[i].name, names.v, names.n, sizeof(*names.v), by_text);

		varint_put(&out, (uint64_t)(at - names.v));
		varint_put(&out, in->sites[i].outer);
	}
	for (size_t i = 0; i < in->n_spans; i++) {
		varint_put(&out, in->spans[i].start - last);
		varint_put(&out, in->spans[i].end - in->spans[i].start);
		varint_put(&out, in->spans[i].site);
		last = in->spans[i].end;
	}
	*ret_bytes = out.len;
	return str_take(&out);
}

static bool decode_sites(const uint8_t **b, const uint8_t *end, struct inlines *in)
{
	_cleanup_free_ const char **names = NULL;
	uint64_t n_names, n, name, outer;

	if (!varint_get(b, end, &n_names) || n_names > (uint64_t)(end - *b))
		return false;
	names = xcalloc(n_names + 1, sizeof(*names));
	for (uint64_t i = 0; i < n_names; i++) {
		const uint8_t *zero = memchr(*b, 0, (size_t)(end - *b));
		_cleanup_free_ char *printable = NULL;

		if (!zero)
			return false;
		printable = xstrdup((const char *)*b);
		str_make_printable(printable);
		names[i] = names_add(&in->names, printable);
		*b = zero + 1;
	}
	if (!varint_get(b, end, &n) || n > (uint64_t)(end - *b))
		return false;
	for (uint64_t i = 1; i <= n; i++) {
		if (!varint_get(b, end, &name) || !varint_get(b, end, &outer) || name >= n_names ||
		    outer >= i)
			return false;
		inlines_enter(in, (uint32_t)outer, names[name]);
	}
	return true;
}

static bool decode_spans(const uint8_t *b, const uint8_t *end, struct inlines *in)
{
	uint64_t at = 0, gap, length, site;

	while (b < end) {
		if (!varint_get(&b, end, &gap) || !varint_get(&b, end, &length) ||
		    !varint_get(&b, end, &site) || at + gap < at || at + gap + length <= at + gap ||
		    !site || site >= in->n_sites)
			return false;
		at += gap;
		*ARRAY_ADD(in->spans, in->n_spans, in->cap_spans) =
			(struct inline_span){ at, at + length, (uint32_t)site };
		at += length;
	}
	return true;
}

int inlines_decode(const void *bytes, size_t n_bytes, struct inlines *ret, struct error *err)
{
	const uint8_t *b = bytes, *end = b + n_bytes;
	struct inlines in = { 0 };

	if (!decode_sites(&b, end, &in) || !decode_spans(b, end, &in)) {
		inlines_finish(&in);
		return error_set(err, EBADMSG, "a stored map of inlined functions is damaged");
	}
	*ret = in;
	return 0;
}
