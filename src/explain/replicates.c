/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain/replicates.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

int replicate_compare(const struct replicate *a, const struct replicate *b)
{
	return a->at->null_boot != b->at->null_boot ? (a->at->null_boot > b->at->null_boot) - (a->at->null_boot < b->at->null_boot) :
						      (a->at->replicate > b->at->replicate) - (a->at->replicate < b->at->replicate);
}

/* By boot and replicate, the larger size first. */
static int by_replicate(const void *a, const void *b)
{
	const struct replicate *x = a, *y = b;
	int order = replicate_compare(x, y);

	return order ? order : (x->at->size < y->at->size) - (x->at->size > y->at->size);
}

/* The longer run has to have more of both. */
static bool is_difference(const struct sample *at, const struct sample *minus)
{
	return at->size != minus->size && at->ops > minus->ops &&
	       sample_insns(at) >= sample_insns(minus) &&
	       sample_string_iters(at) >= sample_string_iters(minus);
}

void replicates_collect(const struct outcome *o, const char *workload, struct replicates *ret)
{
	struct replicates w = { 0 };
	bool has_sizes = false;
	size_t m = 0;

	for (size_t i = 0; i < o->n_samples; i++) {
		if (!o->samples[i].ops || strcmp(o->samples[i].workload, workload) != 0)
			continue;
		ARRAY_ADD(w.v, w.n, w.cap)->at = &o->samples[i];
		has_sizes |= o->samples[i].size;
	}
	if (w.n)
		qsort(w.v, w.n, sizeof(*w.v), by_replicate);
	for (size_t i = 0; i < w.n; i++) {
		struct replicate e = w.v[i];

		if (m && replicate_compare(&w.v[m - 1], &e) == 0)
			continue;
		if (has_sizes) {
			const struct replicate *next = i + 1 < w.n ? &w.v[i + 1] : NULL;

			if (!next || replicate_compare(next, &e) != 0 ||
			    !is_difference(e.at, next->at))
				continue;
			e.minus = next->at;
		}
		w.v[m++] = e;
	}
	w.n = m;
	*ret = w;
}

void replicates_finish(struct replicates *r)
{
	free(r->v);
	*r = (struct replicates){ 0 };
}

uint64_t replicate_get(const struct replicate *r, uint64_t (*get)(const struct sample *))
{
	uint64_t at = get(r->at), minus = r->minus ? get(r->minus) : 0;

	return at > minus ? at - minus : 0;
}

uint64_t replicate_ops(const struct replicate *r)
{
	return r->minus && r->at->ops > r->minus->ops ? r->at->ops - r->minus->ops :
	       r->minus				      ? 0 : r->at->ops;
}
