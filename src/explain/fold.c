/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain/fold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

__extension__ typedef __int128 s128;

/* Marks of parts and clones: gcc's, clang's with LTO, and the linker's of both. */
static bool is_suffix(const char *s)
{
	static const char *const marks[] = { "part", "isra",     "constprop",  "cold",
					     "llvm", "lto_priv", "localalias", "ipa" };

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		size_t n = strlen(marks[i]);

		if (strncmp(s, marks[i], n) == 0 && (s[n] == '.' || !s[n]))
			return true;
	}
	return false;
}

char *fold_plain_name(const char *symbol)
{
	/* A name may start with a dot (ppc64), so one character belongs to it in any case. */
	for (const char *dot = *symbol ? strchr(symbol + 1, '.') : NULL; dot;
	     dot = strchr(dot + 1, '.'))
		if (is_suffix(dot + 1))
			return xstrndup(symbol, (size_t)(dot - symbol));
	return xstrdup(symbol);
}

static int by_name(const void *a, const void *b)
{
	const struct fold_function *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void merge_names(struct fold *f)
{
	size_t m = 0;

	if (f->n)
		qsort(f->functions, f->n, sizeof(*f->functions), by_name);
	for (size_t i = 0; i < f->n; i++) {
		if (m && strcmp(f->functions[m - 1].name, f->functions[i].name) == 0) {
			f->functions[m - 1].insns += f->functions[i].insns;
			free(f->functions[i].name);
		} else {
			f->functions[m++] = f->functions[i];
		}
	}
	f->n = m;
}

/* Addresses are sorted, so those of one symbol follow each other: one entry for each such row. */
static void add_kernel(struct fold *f, const struct profile *p, const struct symbols *symbols,
		       int64_t sign)
{
	const struct symbol *last = NULL;
	struct fold_function *fn = NULL;

	for (size_t i = 0; i < p->n; i++) {
		const struct symbol *s;

		if (!profile_is_kernel(p->counts[i].addr))
			continue;
		s = symbols ? symbols_find(symbols, p->counts[i].addr) : NULL;
		if (!fn || s != last) {
			fn = ARRAY_ADD(f->functions, f->n, f->cap);
			fn->name = s ? fold_plain_name(s->name) : xstrdup(FOLD_UNKNOWN);
			last = s;
		}
		fn->insns += sign * (int64_t)profile_count_insns(&p->counts[i]);
	}
}

static void add(struct fold *f, const struct profile *p, const struct symbols *symbols,
		bool kernel_only, int64_t sign)
{
	struct profile_sums sums;

	add_kernel(f, p, symbols, sign);
	profile_sum(p, &sums);
	if (sums.user_insns && !kernel_only) {
		struct fold_function *fn = ARRAY_ADD(f->functions, f->n, f->cap);

		fn->name = xstrdup(FOLD_USER);
		fn->insns = sign * (int64_t)sums.user_insns;
	}
	merge_names(f);
}

void fold_add(struct fold *f, const struct profile *p, uint64_t ops, const struct symbols *symbols,
	      bool kernel_only)
{
	f->ops += ops;
	add(f, p, symbols, kernel_only, 1);
}

void fold_take(struct fold *f, const struct profile *p, uint64_t ops, const struct symbols *symbols,
	       bool kernel_only)
{
	f->ops -= ops;
	add(f, p, symbols, kernel_only, -1);
}

void fold_finish(struct fold *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->functions[i].name);
	free(f->functions);
	*f = (struct fold){ 0 };
}

static void add_change(struct fold_diff *d, const char *name, int64_t base, uint64_t base_ops,
		       int64_t other, uint64_t other_ops)
{
	struct fold_change *c;

	if (!base_ops)
		base = 0, base_ops = 1;
	if (!other_ops)
		other = 0, other_ops = 1;
	if ((s128)base * other_ops == (s128)other * base_ops)
		return;
	c = ARRAY_ADD(d->changes, d->n, d->cap);
	c->name = name;
	c->base_per_op = (double)base / (double)base_ops;
	c->other_per_op = (double)other / (double)other_ops;
}

static int by_size(const void *a, const void *b)
{
	const struct fold_change *x = a, *y = b;
	double dx = fabs(x->other_per_op - x->base_per_op);
	double dy = fabs(y->other_per_op - y->base_per_op);

	if (dx != dy)
		return dx > dy ? -1 : 1;
	return strcmp(x->name, y->name);
}

void fold_compare(const struct fold *base, const struct fold *other, struct fold_diff *ret)
{
	struct fold_diff d = { 0 };

	for (size_t b = 0, o = 0; b < base->n || o < other->n;) {
		const struct fold_function *fb = b < base->n ? &base->functions[b] : NULL;
		const struct fold_function *fo = o < other->n ? &other->functions[o] : NULL;
		int r = !fb ? 1 : !fo ? -1 : strcmp(fb->name, fo->name);

		add_change(&d, r <= 0 ? fb->name : fo->name, r <= 0 ? fb->insns : 0, base->ops,
			   r >= 0 ? fo->insns : 0, other->ops);
		b += r <= 0;
		o += r >= 0;
	}
	if (d.n)
		qsort(d.changes, d.n, sizeof(*d.changes), by_size);
	*ret = d;
}

void fold_diff_finish(struct fold_diff *d)
{
	free(d->changes);
	*d = (struct fold_diff){ 0 };
}
