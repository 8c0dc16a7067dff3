/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "base/alloc.h"
#include "report/bisectedreport.h"
#include "report/number.h"
#include "report/textparts.h"

static char *rung_text(const struct bisected *b, const struct bisected_rung *r)
{
	return r->to - r->from > 4 ? xasprintf("%zu steps: %s ... %s", r->to - r->from, b->steps.v[r->from],
					       b->steps.v[r->to - 1]) :
				     bisected_steps(b, r->from, r->to);
}

static void add_head(const struct text *t, const struct bisected *b, const struct bisected_workload *w)
{
	double first = w->points[0], last = w->points[b->steps.n];

	text_line(t, "%s: %s -> %s instructions per %s (%s, %s %%), engine count", w->name, number_text(first, false).s,
		  number_text(last, false).s, w->unit, number_text(last - first, true).s,
		  number_percent(last / first - 1, true).s);
}

/* ---- what carries it ---- */

static void add_culprit(struct table *tb, const struct bisected *b, const struct bisected_workload *w,
			const struct bisected_culprit *c)
{
	_cleanup_free_ char *steps = bisected_steps(b, c->from, c->to);

	table_add_row(tb);
	table_set(tb, 0, steps);
	table_set(tb, 1, number_text(c->delta, true).s);
	table_set(tb, 2, number_percent(c->delta / w->points[0], true).s);
	table_set(tb, 3, number_percent(c->share, false).s);
	table_set(tb, 4, isnan(c->alone) ? (c->not_alone ? c->not_alone : "-") : number_text(c->alone, true).s);
}

static void add_culprits(const struct text *t, const struct bisected *b, const struct bisected_workload *w)
{
	_cleanup_table_ struct table *tb = table_new();
	double total = w->points[b->steps.n] - w->points[0], sum = 0, alone = 0;

	table_add_column(tb, b->is_kernels ? "step" : "option", TABLE_WRAP);
	table_add_column(tb, "delta", TABLE_RIGHT);
	table_add_column(tb, "% of the base", TABLE_RIGHT);
	table_add_column(tb, "% of the difference", TABLE_RIGHT);
	table_add_column(tb, b->is_kernels ? "" : "alone", TABLE_RIGHT);
	for (size_t i = 0; i < w->n_culprits; i++) {
		add_culprit(tb, b, w, &w->culprits[i]);
		sum += w->culprits[i].delta;
		alone += w->culprits[i].alone;
	}
	text_line(t, "carried by:");
	text_table(t, tb);
	text_line(t, "  together %s %% of the difference; what was not told apart or is smaller: %s",
		  number_percent(sum / total, false).s, number_text(total - sum, true).s);
	if (!isnan(w->together))
		text_line(t, "  on the base without anything else: %s", number_text(w->together, true).s);
	if (!isnan(alone) && !isnan(w->together) && w->n_culprits > 1)
		text_line(t, "  interaction (together less each alone): %s", number_text(w->together - alone, true).s);
}

static void add_search(const struct text *t, const struct bisected *b, const struct bisected_workload *w)
{
	double total = w->points[b->steps.n] - w->points[0];

	if (total == 0)
		text_line(t, "no difference: there is nothing to find");
	else if (!w->n_culprits)
		text_line(t, "nothing above %s: as much comes of tick phases and of code that only moves",
			  number_text(fmax(w->floor, fabs(total)), false).s);
	else
		add_culprits(t, b, w);
	if (w->floor > 0)
		text_line(t, "  floor: tick phases, and a change that only moves code, give up to %s",
			  number_text(w->floor, false).s);
}

/* ---- all that was measured ---- */

static void add_rung(struct table *tb, const struct bisected *b, const struct bisected_workload *w,
		     const struct bisected_rung *r)
{
	_cleanup_free_ char *steps = rung_text(b, r);
	double all = w->points[r->to] - w->points[0], total = w->points[b->steps.n] - w->points[0];

	table_add_row(tb);
	table_set(tb, 0, steps);
	table_set(tb, 1, number_text(w->points[r->to], false).s);
	table_set(tb, 2, number_text(r->delta, true).s);
	table_set(tb, 3, number_percent(r->delta / w->points[r->from], true).s);
	table_set(tb, 4, number_percent(total != 0 ? r->delta / total : NAN, false).s);
	table_set(tb, 5, number_text(all, true).s);
	table_set(tb, 6, number_percent(all / w->points[0], true).s);
}

static void add_rungs(const struct text *t, const struct bisected *b, const struct bisected_workload *w)
{
	_cleanup_table_ struct table *tb = table_new();
	_cleanup_free_ struct bisected_rung *rungs = NULL;
	size_t n = bisected_rungs(b, w, &rungs);

	table_add_column(tb, "after", TABLE_WRAP);
	table_add_column(tb, "insns", TABLE_RIGHT);
	table_add_column(tb, "delta", TABLE_RIGHT);
	table_add_column(tb, "%", TABLE_RIGHT);
	table_add_column(tb, "% of the difference", TABLE_RIGHT);
	table_add_column(tb, "cumulative", TABLE_RIGHT);
	table_add_column(tb, "%", TABLE_RIGHT);
	table_add_row(tb);
	table_set(tb, 0, b->is_kernels ? b->base : "(the base)");
	table_set(tb, 1, number_text(w->points[0], false).s);
	for (size_t i = 0; i < n; i++)
		add_rung(tb, b, w, &rungs[i]);
	text_table(t, tb);
}

static void add_unordered(const struct text *t, const struct bisected *b, const struct bisected_workload *w)
{
	_cleanup_free_ struct bisected_pair *pairs = NULL;
	size_t n = bisected_unordered(b, w, &pairs);

	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *larger = rung_text(b, &pairs[i].larger), *smaller = rung_text(b, &pairs[i].smaller);

		text_line(t, "not ordered by this count: %s and %s (their costs differ by %s, over the tick phases by %s to %s)",
			  larger, smaller, number_text(pairs[i].gap, false).s, number_text(pairs[i].lo, false).s,
			  number_text(pairs[i].hi, false).s);
	}
}

void bisected_text(const struct bisected *b, const struct report_options *options, struct str *out)
{
	const struct text t = { .options = options, .out = out };

	for (size_t i = 0; i < b->n_workloads; i++) {
		const struct bisected_workload *w = &b->workloads[i];

		/* Beside the searched one, others are there where they were measured. */
		if (isnan(w->points[0]) || isnan(w->points[b->steps.n])) {
			text_line(&t, "%s: failed at an end", w->name);
			continue;
		}
		add_head(&t, b, w);
		if (w->is_searched && !b->is_ladder)
			add_search(&t, b, w);
		text_line(&t, b->is_ladder ? "the ladder:" : "measured:");
		add_rungs(&t, b, w);
		add_unordered(&t, b, w);
		str_add(out, "\n");
	}
	for (size_t i = 0; i < b->skipped.n; i++)
		text_line(&t, "skipped: %s", b->skipped.v[i]);
	text_line(&t, "%zu kernels measured, %zu of them built now; measuring after every step takes %zu", b->n_measured,
		  b->n_built, b->steps.n + 1);
	if (!b->is_ladder)
		text_line(&t, "Costs that cancel each other out between two measured points are not seen; --all sees them.");
	text_line(&t, "Counts do not see time, caches, layout or waiting.");
	if (b->is_ladder)
		text_line(&t, "So a ladder says nothing of the order of rungs that differ in time per instruction, waiting or "
			      "scheduling, as preemption modes chosen at boot do.");
	text_line(&t, "record: %s", b->record);
}
