/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "report/explained.h"
#include "report/number.h"
#include "report/textparts.h"

#define MAX_ROWS 5       /* of a mechanism, without --full */
#define MAX_OTHER_ROWS 15 /* of other code */
#define MAX_CALLERS 2

struct sheet {
	const struct text *t;
	const struct explanation *e;
	struct table *tb;
};

/* "8/8"; "-" where nothing is entered. */
static char *calls_text(const struct sheet *s, const struct two_sides *calls)
{
	if (calls->base < 0)
		return xstrdup("");
	return xasprintf("%s/%s", number_text(two_sides_base(calls, &s->e->ops), false).s,
			 number_text(two_sides_other(calls, &s->e->ops), false).s);
}

static void add_cells(const struct sheet *s, const char *name, const struct two_sides *v)
{
	table_add_row(s->tb);
	table_set(s->tb, 0, name);
	table_set(s->tb, 1, number_text(two_sides_base(v, &s->e->ops), false).s);
	table_set(s->tb, 2, number_text(two_sides_other(v, &s->e->ops), false).s);
	table_set(s->tb, 3, number_text(two_sides_delta(v, &s->e->ops), true).s);
}

/* Of the difference; nothing where that is 0. */
static char *share_text(const struct sheet *s, const struct two_sides *v)
{
	double total = two_sides_delta(&s->e->total, &s->e->ops);

	return total == 0 ? xstrdup("") :
			    xasprintf("%s", number_percent(two_sides_delta(v, &s->e->ops) / total,
							   true).s);
}

static char *places_text(const struct explanation *e, const struct strv *places,
			 const struct two_sides *counts, size_t max)
{
	struct str s = STR_INIT;

	for (size_t i = 0; i < places->n && i < max; i++)
		str_addf(&s, "%s%s %s/%s%s", s.len ? ", " : "", places->v[i],
			 number_text(two_sides_base(&counts[i], &e->ops), false).s,
			 number_text(two_sides_other(&counts[i], &e->ops), false).s,
			 two_sides_is_startup(&counts[i]) ? " (" EXPLANATION_STARTUP ")" : "");
	return str_take(&s);
}

static const char *note_of(const struct explanation_row *row)
{
	if (!str_has_prefix(row->label, EXPLANATION_RESTARTED) && two_sides_is_startup(&row->insns))
		return EXPLANATION_STARTUP;
	if (row->is_patched)
		return "the patch is in it";
	if (row->is_lifted)
		return "inlined on one side, counted here on both";
	if (row->is_base_only)
		return "no function of the other kernel: inlined or gone there";
	if (row->is_other_only)
		return "no function of the base: inlined or missing there";
	return row->rule ? row->rule : "";
}

static void add_row(const struct sheet *s, const struct explanation_row *row)
{
	_cleanup_free_ char *name = xasprintf("  %s", row->label);
	_cleanup_free_ char *calls = calls_text(s, &row->calls);

	_cleanup_free_ char *callers = places_text(s->e, &row->callers, row->caller_counts, MAX_CALLERS);
	_cleanup_free_ char *by = row->callers.n ? xasprintf("call, in %s", callers) : xstrdup(note_of(row));

	add_cells(s, name, &row->insns);
	table_set(s->tb, 5, calls);
	table_set(s->tb, 6, by);
}

static bool is_shown(const struct sheet *s, const struct explanation_group *g, size_t i)
{
	if (s->t->options->full)
		return true;
	return i < (g->name ? MAX_ROWS : MAX_OTHER_ROWS) &&
	       two_sides_delta(&g->rows[i].insns, &s->e->ops) != 0;
}

static void add_group(const struct sheet *s, const struct explanation_group *g)
{
	_cleanup_free_ char *share = share_text(s, &g->insns), *calls = calls_text(s, &g->calls);
	struct two_sides rest = { 0 };
	size_t n_rest = 0;

	add_cells(s, g->name ? g->name : "other code", &g->insns);
	table_set(s->tb, 4, share);
	if (g->name && (g->calls.base || g->calls.other))
		table_set(s->tb, 5, calls);
	table_set(s->tb, 6, g->is_touched ? "an option that differs belongs to it" : "");
	for (size_t i = 0; i < g->n; i++) {
		if (is_shown(s, g, i)) {
			add_row(s, &g->rows[i]);
		} else if (two_sides_delta(&g->rows[i].insns, &s->e->ops) != 0) {
			rest.base += g->rows[i].insns.base;
			rest.other += g->rows[i].insns.other;
			n_rest++;
		}
	}
	if (n_rest) {
		_cleanup_free_ char *name = xasprintf("  and %zu more%s (--full)", n_rest,
						      two_sides_is_startup(&rest) ? ", " EXPLANATION_STARTUP : "");

		add_cells(s, name, &rest);
	}
}

/* Neither it nor a row of it differs. */
static bool is_equal(const struct explanation *e, const struct explanation_group *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (two_sides_delta(&g->rows[i].insns, &e->ops) != 0)
			return false;
	return true;
}

static void add_waterfall(const struct text *t, const struct explanation *e)
{
	_cleanup_table_ struct table *tb = table_new();
	struct sheet s = { t, e, tb };
	struct two_sides equal = { 0 };

	table_add_column(tb, "instructions per operation", TABLE_SHRINK);
	table_add_column(tb, text_name(t, e->base), TABLE_RIGHT);
	table_add_column(tb, text_name(t, e->other), TABLE_RIGHT);
	table_add_column(tb, "delta", TABLE_RIGHT);
	table_add_column(tb, "% of it", TABLE_RIGHT);
	table_add_column(tb, "calls", TABLE_RIGHT);
	table_add_column(tb, "by", TABLE_SHRINK);
	for (size_t i = 0; i < e->n_groups; i++) {
		if (!t->options->full && is_equal(e, &e->groups[i])) {
			equal.base += e->groups[i].insns.base;
			equal.other += e->groups[i].insns.other;
		} else {
			add_group(&s, &e->groups[i]);
		}
	}
	if (equal.base)
		add_cells(&s, "what does not differ", &equal);
	add_cells(&s, "all", &e->total);
	text_table(t, tb);
}

static bool has_class(const struct explanation *e, const char *name)
{
	for (size_t i = 0; i < e->n_classes; i++)
		if (strcmp(e->classes[i].name, name) == 0)
			return true;
	return false;
}

static void add_classes(const struct text *t, const struct explanation *e)
{
	static const char *const always[] = { "barriers", "atomics" };
	_cleanup_table_ struct table *tb = table_new();
	struct sheet s = { t, e, tb };

	for (size_t i = 0; e->has_code && i < ARRAY_SIZE(always); i++)
		if (!has_class(e, always[i]))
			text_line(t, "  %s executed by the kernel: none on either side", always[i]);
	if (!e->n_classes)
		return;
	table_add_column(tb, "executed by the kernel", TABLE_SHRINK);
	table_add_column(tb, text_name(t, e->base), TABLE_RIGHT);
	table_add_column(tb, text_name(t, e->other), TABLE_RIGHT);
	table_add_column(tb, "delta", TABLE_RIGHT);
	table_add_column(tb, "most of them in", TABLE_SHRINK);
	for (size_t i = 0; i < e->n_classes; i++) {
		const struct explanation_class *c = &e->classes[i];
		_cleanup_free_ char *name = *c->kind ? xasprintf("%s: %s", c->name, c->kind) :
						       xstrdup(c->name);
		_cleanup_free_ char *places = places_text(e, &c->places, c->place_counts, SIZE_MAX);

		add_cells(&s, name, &c->count);
		table_set(tb, 4, two_sides_is_startup(&c->count) ? EXPLANATION_STARTUP : places);
	}
	text_table(t, tb);
}

/* How much of all changes each kind of rule explains. */
static void add_shares(const struct text *t, const struct explanation *e)
{
	static const char *const names[] = { "per-CPU operands", "calls", "inlined functions",
					     "functions", "single instructions" };
	struct str s = STR_INIT;

	if (isnan(e->other_share))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (e->rule_shares[i] > 0)
			str_addf(&s, "%s %s %%, ", names[i], number_percent(e->rule_shares[i], false).s);
	text_line(t, "  of all changes, up and down: %sother code %s %%", str_text(&s),
		  number_percent(e->other_share, false).s);
	if (!isnan(e->touched_share))
		text_line(t, "  %s %% of them in mechanisms that an option in which the kernels differ belongs to, or in functions that a patch is in",
			  number_percent(e->touched_share, false).s);
	if (e->n_base_only || e->n_other_only)
		text_line(t, "  %zu functions of other code ran on the base only, %zu on the other only: %s and %s %% of "
			     "the kernel's instructions there",
			  e->n_base_only, e->n_other_only, number_percent(e->base_only_share, false).s,
			  number_percent(e->other_only_share, false).s);
	str_finish(&s);
}

void explained_text(const struct result *r, const struct explanation *list, size_t n,
		    const struct report_options *options, struct str *out)
{
	const struct text t = { r, options, out };

	for (size_t i = 0; i < n; i++) {
		const struct explanation *e = &list[i];
		double base = two_sides_base(&e->total, &e->ops), delta = two_sides_delta(&e->total, &e->ops);

		text_line(&t, "%s, %s against %s: %s -> %s, %s instructions per operation (%s %%), engine %s", e->workload,
			  text_name(&t, e->other), text_name(&t, e->base), number_text(base, false).s,
			  number_text(two_sides_other(&e->total, &e->ops), false).s,
			  number_text(delta, true).s, number_percent(delta / base, true).s,
			  facts_get(&r->run->head, "engine"));
		add_waterfall(&t, e);
		add_shares(&t, e);
		for (size_t j = 0; j < e->warnings.n; j++)
			text_line(&t, "  warning: %s", e->warnings.v[j]);
		add_classes(&t, e);
		str_add(out, "\n");
	}
	if (!n)
		text_line(&t, "There is no comparison with samples on both sides.");
}
