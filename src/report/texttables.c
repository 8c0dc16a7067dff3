/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "report/number.h"
#include "report/textparts.h"

#define MAX_OPERATIONS 8 /* whose functions are shown without --full */

static enum table_colour colour_of(enum verdict v)
{
	switch (v) {
	case VERDICT_MORE:
		return TABLE_RED;
	case VERDICT_LESS:
		return TABLE_GREEN;
	case VERDICT_UNDECIDED:
	case VERDICT_NONE:
		return TABLE_YELLOW;
	default:
		return TABLE_PLAIN;
	}
}

static struct number cell_insns(const struct result_cell *c)
{
	return c ? number_range(c->insns, false) : number_text(NAN, false);
}

static void add_comparison(struct table *tb, const struct result_comparison *c)
{
	const struct result_cell *base = c->base_cell, *other = c->other_cell;
	_cleanup_free_ char *iters =
		xasprintf("%s/%s", number_text(base ? base->string_iters : NAN, false).s,
			  number_text(other ? other->string_iters : NAN, false).s);
	_cleanup_free_ char *share = xasprintf("%s/%s", number_percent(result_kernel_share(base), false).s,
					       number_percent(result_kernel_share(other), false).s);

	table_add_row(tb);
	table_set(tb, 0, c->workload);
	table_set(tb, 1, cell_insns(base).s);
	table_set(tb, 2, cell_insns(other).s);
	table_set(tb, 3, number_range(c->delta, true).s);
	table_set(tb, 4, number_percent(c->ratio.mean - 1, true).s);
	table_set_coloured(tb, 5, verdict_name(c->verdict), colour_of(c->verdict));
	table_set(tb, 6, iters);
	table_set(tb, 7, share);
}

/* The sentences that belong to a comparison: its reason, then its warnings; NULL behind them. */
static const char *note_at(const struct result_comparison *c, size_t i)
{
	if (!i)
		return c->reason;
	return i <= c->warnings.n ? c->warnings.v[i - 1] : NULL;
}

static bool has_note(const struct result_comparison *c, const char *note)
{
	const char *s;

	for (size_t i = 0; (s = note_at(c, i)); i++)
		if (str_equal(s, note))
			return true;
	return false;
}

/* A sentence once, with the operations it is true of. */
static void add_note(const struct text *t, const struct result_comparison *c, size_t n,
		     const char *note, bool is_warning)
{
	_cleanup_strv_ struct strv whose = { 0 };
	_cleanup_free_ char *names = NULL;

	for (size_t i = 0; i < n; i++)
		if (has_note(&c[i], note))
			strv_add(&whose, c[i].workload);
	names = whose.n == n && n > 1 ? xstrdup("all operations") : strv_join(&whose, ", ");
	text_line(t, "  %s%s (%s)", is_warning ? "warning: " : "", note, names);
}

/* Operations whose numbers are the kernel's part of a timer tick. */
static void add_tick_note(const struct text *t, const struct result_comparison *c)
{
	const struct result_cell *cell = c->base_cell ? c->base_cell : c->other_cell;

	if (cell && cell->is_tick)
		text_line(t, "  per timer tick, kernel instructions only (%s)", c->workload);
}

/* What one operation of a program is, and whether its start and end are in the figure. */
static void add_program_note(const struct text *t, const struct result_comparison *c)
{
	const struct result_cell *cell = c->base_cell ? c->base_cell : c->other_cell;
	_cleanup_free_ char *key = xasprintf("unit.%s", c->workload);
	const char *unit = facts_get(&t->r->run->head, key);

	if (cell && cell->is_program)
		text_line(t, "  per %s, %s (%s)", unit ? unit : "operation",
			  cell->is_difference ?
				  "from two sizes, so that start and end of the program cancel out" :
				  "start and end of the program included",
			  c->workload);
}

/* The figure of a cell as the program printed it, in guest time. */
static const struct result_metric *metric_of(const struct result_cell *c)
{
	return c && c->metric.name ? &c->metric : NULL;
}

static void add_metrics(const struct text *t, const struct result_comparison *c, size_t n)
{
	const char *titles[] = { text_name(t, c->base), text_name(t, c->other), "%" };
	_cleanup_table_ struct table *tb = table_new();
	bool any = false;

	table_add_column(tb, "workload", TABLE_SHRINK);
	table_add_column(tb, "prints", TABLE_SHRINK);
	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		table_add_column(tb, titles[i], TABLE_RIGHT);
	for (size_t i = 0; i < n; i++) {
		const struct result_metric *base = metric_of(c[i].base_cell);
		const struct result_metric *other = metric_of(c[i].other_cell);
		const struct result_metric *m = base ? base : other;
		_cleanup_free_ char *what = NULL;

		if (!m)
			continue;
		any = true;
		what = xasprintf("%s, %s, %s is better", m->name, m->unit,
				 m->is_higher_better ? "more" : "less");
		table_add_row(tb);
		table_set(tb, 0, c[i].workload);
		table_set(tb, 1, what);
		table_set(tb, 2, base ? number_range(base->value, false).s : "-");
		table_set(tb, 3, other ? number_range(other->value, false).s : "-");
		table_set(tb, 4,
			  number_percent(base && other ? other->value.mean / base->value.mean - 1 : NAN,
					 true).s);
	}
	if (!any)
		return;
	text_line(t, "  What the programs print is in guest time, where a second is 1,000,000,000 "
		     "instructions or idle time that is skipped: no speed, and no latency.");
	text_table(t, tb);
}

/* Costs that are too rare for these regions, in one line for all operations. */
static void add_coverage_note(const struct text *t, const struct result_comparison *c, size_t n)
{
	const struct result_cell *least = NULL, *most = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct result_cell *cell = c[i].base_cell;

		if (!cell || !cell->looked_for)
			continue;
		least = !least || cell->looked_for < least->looked_for ? cell : least;
		most = !most || cell->looked_for > most->looked_for ? cell : most;
	}
	if (least && least != most)
		text_line(t, "  a cost rarer than one in N operations was not looked for: N is %.0f (%s) to %.0f (%s)",
			  floor(least->looked_for), least->workload, floor(most->looked_for), most->workload);
	else if (least)
		text_line(t, "  a cost rarer than one in %.0f operations was not looked for (%s)", floor(least->looked_for),
			  least->workload);
}

static void add_notes(const struct text *t, const struct result_comparison *c, size_t n)
{
	for (size_t warning = 0; warning < 2; warning++) {
		for (size_t i = 0; i < n; i++) {
			const char *note;

			for (size_t k = warning; (note = note_at(&c[i], k)); k++) {
				bool is_new = true;

				for (size_t e = 0; e < i; e++)
					is_new &= !has_note(&c[e], note);
				if (is_new)
					add_note(t, c, n, note, warning);
				if (!warning)
					break;
			}
		}
	}
}

static void add_comparisons(const struct text *t, const struct result_comparison *c, size_t n)
{
	const char *titles[] = { text_name(t, c->base), text_name(t, c->other), "delta", "%",
				 "verdict", "string iters", "kernel %" };
	_cleanup_table_ struct table *tb = table_new();

	text_line(t,
		  "%s against %s: instructions per operation, string iterations per operation "
		  "apart",
		  text_name(t, c->other), text_name(t, c->base));
	table_add_column(tb, "operation", TABLE_SHRINK);
	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		table_add_column(tb, titles[i], i == 4 ? TABLE_LEFT : TABLE_RIGHT);
	for (size_t i = 0; i < n; i++)
		add_comparison(tb, &c[i]);
	text_table(t, tb);
	for (size_t i = 0; i < n; i++)
		add_tick_note(t, &c[i]), add_program_note(t, &c[i]);
	add_notes(t, c, n);
	add_coverage_note(t, c, n);
	add_metrics(t, c, n);
	str_add(t->out, "\n");
}

/* A run of one variant, or one whose others are all still to do. */
static void add_cells(const struct text *t)
{
	_cleanup_table_ struct table *tb = table_new();

	table_add_column(tb, "operation", TABLE_SHRINK);
	table_add_column(tb, "insns/op", TABLE_RIGHT);
	table_add_column(tb, "string iters/op", TABLE_RIGHT);
	table_add_column(tb, "kernel %", TABLE_RIGHT);
	for (size_t i = 0; i < t->r->n_cells; i++) {
		const struct result_cell *c = &t->r->cells[i];

		table_add_row(tb);
		table_set(tb, 0, c->workload);
		table_set(tb, 1, cell_insns(c).s);
		table_set(tb, 2, number_text(c->string_iters, false).s);
		table_set(tb, 3, number_percent(result_kernel_share(c), false).s);
	}
	text_table(t, tb);
	str_add(t->out, "\n");
}

/* ---- where it comes from ---- */

static int by_delta(const void *a, const void *b)
{
	const struct result_comparison *x = *(const struct result_comparison *const *)a;
	const struct result_comparison *y = *(const struct result_comparison *const *)b;
	double dx = fabs(x->delta.mean), dy = fabs(y->delta.mean);

	if (dx != dy)
		return dx > dy ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void add_function_rows(struct table *tb, const struct result_comparison *c)
{
	for (size_t i = 0; i < c->n_functions; i++) {
		const struct result_function *f = &c->functions[i];
		_cleanup_free_ char *name = xasprintf("%s%s", f->name, f->base < 0 || f->other < 0 ? ", " EXPLANATION_STARTUP : "");

		table_add_row(tb);
		table_set(tb, 0, i ? "" : c->workload);
		table_set(tb, 1, name);
		table_set(tb, 2, number_text(f->base, false).s);
		table_set(tb, 3, number_text(f->other, false).s);
		table_set(tb, 4, number_text(f->other - f->base, true).s);
	}
}

static void add_functions(const struct text *t, const struct result_comparison *c, size_t n)
{
	_cleanup_free_ const struct result_comparison **order = xcalloc(n, sizeof(*order));
	_cleanup_table_ struct table *tb = table_new();
	size_t n_with = 0, n_shown;

	for (size_t i = 0; i < n; i++)
		if (c[i].n_functions)
			order[n_with++] = &c[i];
	if (!n_with)
		return;
	qsort(order, n_with, sizeof(*order), by_delta);
	n_shown = t->options->full || n_with < MAX_OPERATIONS ? n_with : MAX_OPERATIONS;
	text_line(t,
		  "%s against %s: functions with the largest differences, instructions per "
		  "operation",
		  text_name(t, c->other), text_name(t, c->base));
	table_add_column(tb, "operation", TABLE_SHRINK);
	table_add_column(tb, "function", TABLE_SHRINK);
	table_add_column(tb, text_name(t, c->base), TABLE_RIGHT);
	table_add_column(tb, text_name(t, c->other), TABLE_RIGHT);
	table_add_column(tb, "delta", TABLE_RIGHT);
	for (size_t i = 0; i < n_shown; i++)
		add_function_rows(tb, order[i]);
	text_table(t, tb);
	if (n_shown < n_with)
		text_line(t, "  and %zu more operations (--full)", n_with - n_shown);
	str_add(t->out, "\n");
}

/* Comparisons of one other variant follow each other. */
static size_t group_length(const struct result *r, size_t start)
{
	size_t n = 0;

	while (start + n < r->n_comparisons &&
	       r->comparisons[start + n].other == r->comparisons[start].other)
		n++;
	return n;
}

static void for_each_pair(const struct text *t,
			  void (*add)(const struct text *, const struct result_comparison *,
				      size_t))
{
	for (size_t i = 0, n; (n = group_length(t->r, i)); i += n)
		add(t, &t->r->comparisons[i], n);
}

void text_add_numbers(const struct text *t)
{
	for_each_pair(t, add_comparisons);
	if (!t->r->n_comparisons)
		add_cells(t);
}

void text_add_functions(const struct text *t)
{
	for_each_pair(t, add_functions);
}
