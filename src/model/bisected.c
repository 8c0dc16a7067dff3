/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/bisected.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

/* What subtracting doubles leaves of nothing; no two different counts per operation are so close. */
#define NOTHING 1e-9

void bisected_finish(struct bisected *b)
{
	for (size_t i = 0; i < b->n_workloads; i++) {
		struct bisected_workload *w = &b->workloads[i];

		for (size_t k = 0; k < w->n_culprits; k++)
			free(w->culprits[k].not_alone);
		free(w->culprits);
		free(w->name);
		free(w->unit);
		free(w->points);
		free(w->ranges);
		for (size_t k = 0; w->replicates && k <= b->steps.n; k++)
			free(w->replicates[k]);
		free(w->replicates);
	}
	free(b->workloads);
	free(b->base);
	free(b->other);
	free(b->record);
	strv_finish(&b->steps);
	strv_finish(&b->skipped);
	*b = (struct bisected){ 0 };
}

char *bisected_steps(const struct bisected *b, size_t from, size_t to)
{
	struct str s = STR_INIT;

	for (size_t i = from; i < to; i++)
		str_addf(&s, "%s%s", s.len ? "; " : "", b->steps.v[i]);
	return str_take(&s);
}

size_t bisected_rungs(const struct bisected *b, const struct bisected_workload *w, struct bisected_rung **ret)
{
	struct bisected_rung *rungs = xcalloc(b->steps.n + 1, sizeof(*rungs));
	size_t n = 0, last = 0;

	for (size_t i = 1; i <= b->steps.n; i++) {
		if (isnan(w->points[i]))
			continue;
		rungs[n++] = (struct bisected_rung){ last, i, w->points[i] - w->points[last],
						     w->ranges[i] + w->ranges[last] };
		last = i;
	}
	*ret = rungs;
	return n;
}

/* What costs most first; ties as the steps are. */
static int by_cost(const void *a, const void *b)
{
	const struct bisected_rung *x = a, *y = b;

	return x->delta != y->delta ? (x->delta < y->delta ? 1 : -1) : (x->to > y->to) - (x->to < y->to);
}

/* Are the replicates of all four points there? Then the gap of each. */
static bool gaps_of(const struct bisected_workload *w, struct bisected_pair *p)
{
	const size_t points[] = { p->larger.to, p->larger.from, p->smaller.to, p->smaller.from };

	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		if (!w->replicates || !w->replicates[points[i]])
			return false;
	p->lo = INFINITY;
	p->hi = -INFINITY;
	for (size_t i = 0; i < w->n_replicates; i++) {
		double gap = w->replicates[points[0]][i] - w->replicates[points[1]][i] -
			     (w->replicates[points[2]][i] - w->replicates[points[3]][i]);

		p->lo = fmin(p->lo, gap);
		p->hi = fmax(p->hi, gap);
	}
	return w->n_replicates;
}

size_t bisected_unordered(const struct bisected *b, const struct bisected_workload *w, struct bisected_pair **ret)
{
	_cleanup_free_ struct bisected_rung *rungs = NULL;
	size_t n_all = bisected_rungs(b, w, &rungs), n_rungs = 0, n = 0;
	struct bisected_pair *pairs = xcalloc(n_all + 1, sizeof(*pairs));

	for (size_t i = 0; i < n_all; i++)
		if (fabs(rungs[i].delta) > NOTHING)
			rungs[n_rungs++] = rungs[i];
	qsort(rungs, n_rungs, sizeof(*rungs), by_cost);
	for (size_t i = 1; i < n_rungs; i++) {
		struct bisected_pair p = { .larger = rungs[i - 1], .smaller = rungs[i],
					   .gap = rungs[i - 1].delta - rungs[i].delta };

		if (!gaps_of(w, &p)) {
			p.lo = p.gap - (rungs[i - 1].range + rungs[i].range);
			p.hi = p.gap + (rungs[i - 1].range + rungs[i].range);
		}
		if (p.lo <= NOTHING)
			pairs[n++] = p;
	}
	*ret = pairs;
	return n;
}
