/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "search/halving.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct work {
	const struct halving *h;
	struct halving_result *r;
	double *values; /* by point; NAN: not measured */
	bool *lost;     /* cannot be measured */
};

static int measure(struct work *w, size_t point, struct error *err)
{
	int r;

	if (!isnan(w->values[point]))
		return 0;
	if (w->lost[point])
		return -ENODATA;
	r = w->h->value(w->h->data, point, &w->values[point], err);
	if (r < 0)
		w->values[point] = NAN;
	if (r == -ENODATA) {
		w->lost[point] = true;
		error_finish(err);
	}
	w->r->n_values += r == 0;
	return r;
}

/* The part with the most to say that is not split yet. Ties: the first. */
static struct halving_part *largest(struct halving_result *r)
{
	struct halving_part *best = NULL;

	for (size_t i = 0; i < r->n_parts; i++)
		if (!r->parts[i].is_split && (!best || fabs(r->parts[i].delta) > fabs(best->delta)))
			best = &r->parts[i];
	return best;
}

/* What is in parts that are not split. */
static double unsplit(const struct halving_result *r)
{
	double sum = 0;

	for (size_t i = 0; i < r->n_parts; i++)
		sum += r->parts[i].is_split ? 0 : fabs(r->parts[i].delta);
	return sum;
}

static void split_at(struct work *w, size_t index, size_t point)
{
	struct halving_result *r = w->r;
	struct halving_part old = r->parts[index];

	r->parts = xrealloc(r->parts, (r->n_parts + 1) * sizeof(*r->parts));
	memmove(&r->parts[index + 1], &r->parts[index], (r->n_parts - index) * sizeof(*r->parts));
	r->n_parts++;
	r->parts[index] = (struct halving_part){ old.from, point, w->values[point] - w->values[old.from],
						 point == old.from + 1 };
	r->parts[index + 1] = (struct halving_part){ point, old.to, w->values[old.to] - w->values[point],
						     old.to == point + 1 };
}

/* At the wanted point, or as near to it as one can be measured. */
static int split(struct work *w, size_t index, size_t wanted, struct error *err)
{
	struct halving_part *p = &w->r->parts[index];

	for (size_t d = 0; d < p->to - p->from; d++)
		for (int side = -1; side <= 1; side += 2) {
			size_t point = side < 0 ? wanted - d : wanted + d;
			int r;

			if ((side < 0 && wanted < d) || point <= p->from || point >= p->to || (!d && side > 0))
				continue;
			r = measure(w, point, err);
			if (r == 0) {
				split_at(w, index, point);
				return 0;
			}
			if (r != -ENODATA)
				return r;
		}
	p->is_split = true;
	return 0;
}

int halving_run(const struct halving *h, struct halving_result *ret, struct error *err)
{
	struct halving_result result = { 0 };
	struct work w = { h, &result, xcalloc(h->n + 1, sizeof(*w.values)), xcalloc(h->n + 1, sizeof(*w.lost)) };
	struct halving_part *p;
	bool is_first = true;
	int r;

	for (size_t i = 0; i <= h->n; i++)
		w.values[i] = NAN;
	r = measure(&w, 0, err);
	if (r == 0)
		r = measure(&w, h->n, err);
	if (r == 0) {
		result.base = w.values[0];
		result.other = w.values[h->n];
		result.parts = xcalloc(1, sizeof(*result.parts));
		result.parts[0] = (struct halving_part){ 0, h->n, result.other - result.base, h->n <= 1 };
		result.n_parts = 1;
	}
	while (r == 0 && fabs(result.other - result.base) > h->floor && (p = largest(&result)) &&
	       unsplit(&result) > fabs(result.other - result.base) * (1 - h->share) && fabs(p->delta) > h->floor) {
		size_t middle = p->from + (p->to - p->from) / 2;

		if (is_first && h->first > p->from && h->first < p->to)
			middle = h->first;
		is_first = false;
		r = split(&w, (size_t)(p - result.parts), middle, err);
	}
	free(w.values);
	free(w.lost);
	if (r < 0)
		halving_finish(&result);
	else
		*ret = result;
	return r;
}

void halving_finish(struct halving_result *r)
{
	free(r->parts);
	*r = (struct halving_result){ 0 };
}

size_t halving_culprits(const struct halving_result *r, double share, double floor, size_t *ret)
{
	double wanted = fabs(r->other - r->base) * share, carried = 0;
	size_t n = 0;

	while (carried < wanted) {
		size_t best = SIZE_MAX;

		for (size_t i = 0; i < r->n_parts; i++) {
			bool taken = false;

			for (size_t k = 0; k < n; k++)
				taken |= ret[k] == i;
			if (!taken && r->parts[i].is_split && fabs(r->parts[i].delta) > floor &&
			    (best == SIZE_MAX || fabs(r->parts[i].delta) > fabs(r->parts[best].delta)))
				best = i;
		}
		if (best == SIZE_MAX)
			break;
		ret[n++] = best;
		carried += r->other > r->base ? r->parts[best].delta : -r->parts[best].delta;
	}
	return n;
}
