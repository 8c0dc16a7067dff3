/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run and its result by hand: variants, what each counted, and what that comes to. */
#ifndef KTOLL_MADE_H
#define KTOLL_MADE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/result.h"

#define MADE_CELLS 4096

struct made {
	struct run run;
	struct result r;
};

static inline void made_begin(struct made *m, const char *const *names, size_t n)
{
	*m = (struct made){ .run = { .n_variants = n, .complete = true } };
	m->run.variants = xcalloc(n + 1, sizeof(*m->run.variants));
	m->run.outcomes = xcalloc(n + 1, sizeof(*m->run.outcomes));
	for (size_t i = 0; i < n; i++) {
		m->run.variants[i].name = xstrdup(names[i]);
		m->run.variants[i].spec = xasprintf("debian:6.%zu", i + 1);
		m->run.variants[i].kernel.arch = "x86_64";
		m->run.outcomes[i].done = true;
	}
	m->r = (struct result){ .run = &m->run };
	/* Comparisons point to cells. */
	m->r.cells = xcalloc(MADE_CELLS, sizeof(*m->r.cells));
}

static inline void made_finish(struct made *m)
{
	result_finish(&m->r);
	run_finish(&m->run);
}

/* A cell that failed has a mean that is not a number. */
static inline void made_cell(struct made *m, const char *workload, size_t variant, double mean, double lo, double hi)
{
	m->r.cells[m->r.n_cells++] = (struct result_cell){
		.workload = xstrdup(workload), .variant = variant, .n = isnan(mean) ? 0 : 2, .ops = 1000,
		.insns = { mean, lo, hi }, .kernel = mean, .is_exact = lo == hi
	};
}

static inline const struct result_cell *made_find(const struct made *m, const char *workload, size_t variant)
{
	for (size_t i = 0; i < m->r.n_cells; i++)
		if (m->r.cells[i].variant == variant && m->r.cells[i].n && strcmp(m->r.cells[i].workload, workload) == 0)
			return &m->r.cells[i];
	return NULL;
}

static inline enum verdict made_verdict(const struct range *delta)
{
	if (delta->lo > 0)
		return VERDICT_MORE;
	if (delta->hi < 0)
		return VERDICT_LESS;
	return delta->lo == 0 && delta->hi == 0 ? VERDICT_IDENTICAL : VERDICT_UNDECIDED;
}

/* With what run_base() says. */
static inline struct result_comparison *made_compare(struct made *m, const char *workload, size_t other)
{
	size_t base = run_base(&m->run, other);
	const struct result_cell *a = made_find(m, workload, base), *b = made_find(m, workload, other);
	struct result_comparison *c;

	m->r.comparisons = xrealloc(m->r.comparisons, (m->r.n_comparisons + 1) * sizeof(*c));
	c = &m->r.comparisons[m->r.n_comparisons++];
	*c = (struct result_comparison){ .workload = xstrdup(workload), .base = base, .other = other, .base_cell = a,
					 .other_cell = b, .delta = { NAN, NAN, NAN }, .ratio = { NAN, NAN, NAN },
					 .verdict = VERDICT_NONE, .reason = xstrdup("it was made") };
	if (!a || !b)
		return c;
	c->delta = (struct range){ b->insns.mean - a->insns.mean, b->insns.lo - a->insns.hi, b->insns.hi - a->insns.lo };
	c->ratio = (struct range){ b->insns.mean / a->insns.mean, b->insns.lo / a->insns.hi, b->insns.hi / a->insns.lo };
	c->verdict = made_verdict(&c->delta);
	return c;
}

/* In place of what was counted: a time of each variant, and comparisons with an interval; NANs: none. */
static inline void made_clocked(struct made *m)
{
	m->r.clocked = xcalloc(1, sizeof(*m->r.clocked));
	m->r.clocked->run = &m->run;
}

static inline void made_timed(struct made *m, const char *workload, size_t variant, double ns)
{
	struct clocked *k = m->r.clocked;

	*ARRAY_ADD(k->cells, k->n_cells, k->cap_cells) = (struct clocked_cell){
		.workload = xstrdup(workload), .variant = variant, .n_blocks = 6, .n_boots = 3, .ns_per_op = ns, .spread = 0.01,
		.metric_mean = NAN
	};
}

static inline struct clocked_comparison *made_time_compare(struct made *m, const char *workload, size_t other,
							   double ratio, double lo, double hi)
{
	struct clocked *k = m->r.clocked;
	struct clocked_comparison *c = ARRAY_ADD(k->comparisons, k->n, k->cap);

	*c = (struct clocked_comparison){ .workload = xstrdup(workload), .quantity = xstrdup("time per operation"),
					  .unit = xstrdup("ns"), .base = run_base(&m->run, other), .other = other, .floor = NAN,
					  .p = { .n = 3, .ratio = { ratio, lo, hi }, .level = 0.95, .p = NAN }, .p_holm = NAN,
					  .level = isnan(lo) ? NULL : "boots", .verdict_name = lo > 1 ? "slower" : "undecided",
					  .reason = xstrdup("it was made") };
	return c;
}

#endif
