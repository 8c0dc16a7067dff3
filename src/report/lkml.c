/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "report/number.h"
#include "report/plain.h"
#include "report/render.h"

/* It has to fit a mail. */
#define MIN_SHARE 0.005 /* of a difference: what is less is not worth a line */
#define MIN_PER_OP 0.001 /* barriers and atomics */
#define MAX_ROWS 25
#define MAX_SIDE_EFFECTS 8
#define MAX_FAILURES 10
#define MAX_MECHANISMS 5
#define MAX_FUNCTIONS 5
#define MAX_KINDS 3
#define MAX_CAUSES 2
/* Differences that are taken apart: of each pair of kernels, and of all. */
#define MAX_EXPLAINED 2 /* one, if there are many pairs */
#define MANY_PAIRS 3
#define MAX_ALL_EXPLAINED 5
#define MAX_ANSWERED 6
#define NAME_COLUMNS 18
#define VALUE_COLUMNS 13
#define PERCENT_COLUMNS 7

struct mail {
	const struct result *r;
	struct str *out;
	struct strv *known; /* options whose known cost was told */
	bool *has_star;     /* was one printed? */
};

static const char *name_of(const struct mail *m, size_t variant)
{
	return m->r->run->variants[variant].name;
}

static const char *head(const struct mail *m, const char *key)
{
	return facts_text(&m->r->run->head, key);
}

static void title(const struct mail *m, const char *text)
{
	str_addf(m->out, "\n%s\n", text);
	for (size_t i = 0; text[i]; i++)
		str_add(m->out, "-");
	str_add(m->out, "\n");
}

/* ---- what is compared: one view of both kinds of engines ---- */

struct pair {
	const char *workload, *quantity;
	size_t base, other;
	double a, b, change;  /* per operation; of the base, a fraction */
	double kernel;        /* the base's instructions in the kernel, a fraction; NAN */
	bool has_range;       /* more than one replicate or run */
	const char *verdict;
};

static size_t n_pairs(const struct result *r)
{
	return r->clocked ? r->clocked->n : r->n_comparisons;
}

static struct pair pair_of(const struct result *r, size_t i)
{
	if (r->clocked) {
		const struct clocked_comparison *c = &r->clocked->comparisons[i];

		return (struct pair){ c->workload, c->quantity, c->base, c->other, clocked_value(r->clocked, c, c->base),
				      clocked_value(r->clocked, c, c->other), c->p.ratio.estimate - 1,
				      NAN, true, c->verdict_name };
	} else {
		const struct result_comparison *c = &r->comparisons[i];

		return (struct pair){ c->workload, "instructions per operation", c->base, c->other,
				      c->base_cell ? c->base_cell->insns.mean : NAN,
				      c->other_cell ? c->other_cell->insns.mean : NAN, c->ratio.mean - 1, result_kernel_share(c->base_cell),
				      c->base_cell && c->other_cell && c->base_cell->n > 1 && c->other_cell->n > 1,
				      verdict_name(c->verdict) };
	}
}

static int by_change(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	double dx = isnan(x->change) ? -1 : fabs(x->change), dy = isnan(y->change) ? -1 : fabs(y->change);

	return (dy > dx) - (dy < dx);
}

/* Of one variant, the largest change first. Owned by the caller. */
static struct pair *pairs_of(const struct result *r, size_t other, size_t *ret_n)
{
	struct pair *v = xcalloc(n_pairs(r) + 1, sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < n_pairs(r); i++) {
		v[n] = pair_of(r, i);
		n += v[n].other == other;
	}
	qsort(v, n, sizeof(*v), by_change);
	*ret_n = n;
	return v;
}

/* ---- the answer ---- */

static const struct result_config *config_of(const struct result *r, size_t other)
{
	for (size_t i = 0; i < r->n_configs; i++)
		if (r->configs[i].other == other)
			return &r->configs[i];
	return NULL;
}

/* Was an option asked for, and not a boot parameter, a setting or another release? */
static bool is_of_option(const struct mail *m, size_t other)
{
	const struct result_config *c = config_of(m->r, other);

	return c && c->diff.n_asked;
}

/*
 * The variants in the order in which they are told, those of options first: they are what is mostly asked. The base is not
 * among them. Owned by the caller.
 */
static size_t *told_order(const struct mail *m, size_t *ret_n)
{
	size_t *v = xcalloc(m->r->run->n_variants + 1, sizeof(*v)), n = 0;

	for (unsigned pass = 0; pass < 2; pass++)
		for (size_t i = 1; i < m->r->run->n_variants; i++)
			if (is_of_option(m, i) == (pass == 0))
				v[n++] = i;
	*ret_n = n;
	return v;
}

/* "PREEMPT_DYNAMIC n -> y", or the two names. Owned by the caller. */
static char *change_text(const struct mail *m, size_t other)
{
	const struct result_config *c = config_of(m->r, other);
	struct str s = STR_INIT;

	for (size_t i = 0; c && i < c->diff.n_asked && i < 3; i++)
		str_addf(&s, "%s%s %s -> %s", i ? ", " : "", c->diff.rows[i].option, c->diff.rows[i].base, c->diff.rows[i].other);
	if (!s.len)
		str_addf(&s, "%s against %s", name_of(m, other), name_of(m, run_base(m->r->run, other)));
	return str_take(&s);
}

static char *numbers_text(const struct mail *m, size_t other, size_t max)
{
	size_t n;
	_cleanup_free_ struct pair *v = pairs_of(m->r, other, &n);
	struct str s = STR_INIT;
	size_t said = 0, n_equal = 0;

	/* What is decided first, however large the rest; what is equal is no difference, and not among those that are more. */
	for (size_t k = 0; k < 2 * n; k++) {
		const size_t i = k % n;
		bool is_time = m->r->clocked && strcmp(v[i].quantity, "time per operation") != 0;
		bool is_open = strcmp(v[i].verdict, "undecided") == 0 || strcmp(v[i].verdict, "no-verdict") == 0;
		bool is_equal = strcmp(v[i].verdict, "identical") == 0;

		n_equal += k < n && is_equal;
		if (isnan(v[i].change) || is_equal || is_open != (k >= n) || said++ >= max)
			continue;
		str_addf(&s, "%s%s %s %%%s%s%s%s", said > 1 ? ", " : "", v[i].workload, number_percent(v[i].change, true).s,
			 is_time ? " (" : "", is_time ? v[i].quantity : "",
			 is_time ? ")" : "", strcmp(v[i].verdict, "undecided") == 0 ? " (undecided)" :
					     strcmp(v[i].verdict, "no-verdict") == 0 ? " (no verdict)" : "");
	}
	if (!s.len && n_equal)
		str_addf(&s, "no difference, %zu of %zu identical", n_equal, n);
	else if (!s.len)
		str_add(&s, "nothing could be compared");
	else if (said > max)
		str_addf(&s, " and %zu more", said - max);
	return str_take(&s);
}

static const char *quantity(const struct result *r)
{
	return r->clocked ? "wall-clock time per operation" : "instructions per operation";
}

static void add_subject(const struct mail *m)
{
	_cleanup_free_ char *change = NULL, *numbers = NULL, *line = NULL, *cut = NULL;
	size_t n;
	_cleanup_free_ size_t *order = told_order(m, &n);

	if (!n) {
		str_add(m->out, "Subject: [ktoll] one kernel, nothing to compare\n");
		return;
	}
	change = change_text(m, order[0]);
	numbers = numbers_text(m, order[0], 2);
	line = xasprintf("Subject: [ktoll] %s: %s", change, numbers);
	if (strlen(line) > PLAIN_WIDTH) {
		free(numbers);
		free(line);
		numbers = numbers_text(m, order[0], 1);
		line = xasprintf("Subject: [ktoll] %s: %s", change, numbers);
	}
	cut = plain_cut(line, PLAIN_WIDTH);
	str_addf(m->out, "%s\n", cut);
}

static void add_answer(const struct mail *m)
{
	size_t n;
	_cleanup_free_ size_t *order = told_order(m, &n);

	for (size_t i = 0; i < n; i++) {
		const size_t v = order[i];
		_cleanup_free_ char *change = change_text(m, v), *numbers = numbers_text(m, v, MAX_ANSWERED);

		_cleanup_free_ char *pair = xasprintf("%s against %s", name_of(m, v), name_of(m, run_base(m->r->run, v)));

		plain_wrap(m->out, "", 2, "%s%s%s%s: %s, in %s (engine %s).", change, str_equal(change, pair) ? "" : " (",
			   str_equal(change, pair) ? "" : pair, str_equal(change, pair) ? "" : ")", numbers, quantity(m->r),
			   head(m, "engine"));
	}
	for (size_t i = 0; m->r->studied && i < m->r->studied->woken.n; i++)
		plain_wrap(m->out, "", 2, "%s.", m->r->studied->woken.v[i]);
}

static void add_models(const struct mail *m)
{
	str_add(m->out, "\n");
	for (size_t i = 0; i < m->r->n_configs; i++) {
		const struct result_config *c = &m->r->configs[i];
		const char *base = c->base_model ? c->base_model : "unknown", *other = c->other_model ? c->other_model : "unknown";

		plain_wrap(m->out, "", 2, "Same preemption model, %s and %s? %s (%s, %s)%s", name_of(m, c->base), name_of(m, c->other),
			   !c->base_model || !c->other_model ? "Not known" : c->same_preempt_model ? "Yes" : "No", base, other,
			   c->diff.base_is_dynamic != c->diff.other_is_dynamic ? "; only one is built with PREEMPT_DYNAMIC." : ".");
	}
}

/* ---- the tables ---- */

static void add_cell(struct str *out, const char *text, int columns)
{
	/* Right-aligned cells keep away from what is before them. */
	_cleanup_free_ char *cut = plain_cut(text, (size_t)abs(columns) - (columns > 0));

	str_addf(out, "%*s", columns, cut);
}

/* As many digits as there is room for. */
static void add_value(struct str *out, double v)
{
	struct number n = number_text(v, false);

	if (strlen(n.s) >= VALUE_COLUMNS)
		snprintf(n.s, sizeof(n.s), strlen(n.s) < sizeof(n.s) - 1 && fabs(v) < 1e10 ? "%.0f" : "%.4g", v);
	add_cell(out, n.s, VALUE_COLUMNS);
}

/*
 * A percentage in its column, whatever its size: a small one keeps the digits that there is room for, of one that is
 * smaller still its sign and a limit are left, and a very large one is a factor.
 */
static struct number percent_of(double change)
{
	struct number n = number_percent(change, true);
	double percent = change * 100;

	if (strlen(n.s) <= PERCENT_COLUMNS)
		return n;
	if (fabs(percent) < 0.001)
		snprintf(n.s, sizeof(n.s), "%c<0.001", percent < 0 ? '-' : '+');
	else if (fabs(percent) < 100)
		snprintf(n.s, sizeof(n.s), "%+.*f", fabs(percent) < 10 ? 4 : 3, percent);
	else if (fabs(percent) < 999999)
		snprintf(n.s, sizeof(n.s), "%+.0f", percent);
	else
		snprintf(n.s, sizeof(n.s), 1 + change < 999999 ? "x%.0f" : "x%.0e", 1 + change);
	return n;
}

/* A difference as mmtests prints it, but positive is more. */
static void add_pair(const struct mail *m, const struct pair *p)
{
	const struct number percent = percent_of(p->change);
	bool is_clear = strcmp(p->verdict, "more") == 0 || strcmp(p->verdict, "less") == 0 || strcmp(p->verdict, "slower") == 0 ||
			strcmp(p->verdict, "faster") == 0;
	bool has_star = p->has_range && is_clear;
	_cleanup_free_ char *change = xasprintf("(%*s%c)%s", PERCENT_COLUMNS, percent.s, *percent.s == 'x' ? ' ' : '%',
						has_star ? "*" : " ");

	*m->has_star |= has_star;

	add_cell(m->out, p->workload, -NAME_COLUMNS);
	add_value(m->out, p->a);
	add_value(m->out, p->b);
	str_addf(m->out, " %s", change);
	add_cell(m->out, strcmp(p->verdict, "no-verdict") == 0 ? "-" : p->verdict, 10);
	if (!isnan(p->kernel))
		str_addf(m->out, "%6.1f", p->kernel * 100);
	str_add(m->out, "\n");
}

static bool is_heading(const char *name)
{
	_cleanup_free_ char *cut = plain_cut(name, VALUE_COLUMNS - 1);

	return strcmp(cut, name) == 0;
}

static void add_table(const struct mail *m, size_t other)
{
	size_t n, n_shown;
	_cleanup_free_ struct pair *v = pairs_of(m->r, other, &n);

	const char *a = name_of(m, run_base(m->r->run, other)), *b = name_of(m, other);

	n_shown = n < MAX_ROWS ? n : MAX_ROWS;
	str_add(m->out, "\n");
	/* What does not fit above a column is said before. */
	if (!is_heading(a) || !is_heading(b)) {
		plain_wrap(m->out, "", 2, "A: %s", a);
		plain_wrap(m->out, "", 2, "B: %s", b);
		a = "A";
		b = "B";
	}
	add_cell(m->out, m->r->clocked ? "per operation, ns" : "insns per op.", -NAME_COLUMNS);
	add_cell(m->out, a, VALUE_COLUMNS);
	add_cell(m->out, b, VALUE_COLUMNS);
	str_addf(m->out, "%s\n", m->r->clocked ? "" : "                       kern%");
	for (size_t i = 0; i < n_shown; i++)
		add_pair(m, &v[i]);
	if (n_shown < n)
		str_addf(m->out, "and %zu with a smaller difference\n", n - n_shown);
}

/* What programs print, which under `count` is in guest time. */
static void add_metrics(const struct mail *m, size_t other)
{
	bool any = false;

	for (size_t i = 0; i < m->r->n_comparisons; i++) {
		const struct result_comparison *c = &m->r->comparisons[i];
		const struct result_metric *a = c->base_cell ? &c->base_cell->metric : NULL;
		const struct result_metric *b = c->other_cell ? &c->other_cell->metric : NULL;

		if (c->other != other || !a || !b || !a->name || !b->name)
			continue;
		if (!any)
			plain_wrap(m->out, "", 2, "What the programs print, in guest time (1 us = 1000 instructions; no speed, no latency):");
		any = true;
		plain_wrap(m->out, "  ", 6, "%s, %s, %s, %s is better: %s -> %s (%s %%)", c->workload, a->name, a->unit,
			   a->is_higher_better ? "more" : "less", number_range(a->value, false).s, number_range(b->value, false).s,
			   number_percent(b->value.mean / a->value.mean - 1, true).s);
	}
}

/* ---- side effects ---- */

static void add_size(const struct mail *m, const struct result_config *c)
{
	const struct elf_sizes *a = &c->diff.base_sizes, *b = &c->diff.other_sizes;

	if (a->code && b->code && a->code != b->code)
		plain_wrap(m->out, "  ", 6, "code (.text and the like): %" PRIu64 " -> %" PRIu64 " bytes (%+" PRId64 ")", a->code, b->code,
			   (int64_t)(b->code - a->code));
}

/* What is known of an option is told once, and only if it says something. */
static void add_side_effect(const struct mail *m, const struct configdiff_row *r)
{
	bool tells = r->severity >= SEVERITY_MEDIUM && r->known_cost && !strv_has(m->known, r->option);

	if (tells)
		strv_add(m->known, r->option);
	plain_wrap(m->out, "  ", 6, "%s %s -> %s%s%s%s%s%s", r->option, r->base, r->other, r->reason ? ": " : "",
		   r->reason ? r->reason : "", r->is_dormant_woken ? " (WOKEN by the change)" : "", tells ? ". Known: " : "",
		   tells ? r->known_cost : "");
}

/* Another pair in which the very same options differ. */
static const struct result_config *same_before(const struct mail *m, const struct result_config *c)
{
	for (const struct result_config *b = m->r->configs; b < c; b++) {
		bool same = b->known && b->n_lines == c->n_lines && c->n_lines;

		for (size_t i = 0; same && i < c->n_lines; i++)
			same = strcmp(b->lines.v[i], c->lines.v[i]) == 0;
		if (same)
			return b;
	}
	return NULL;
}

static void add_config(const struct mail *m, const struct result_config *c)
{
	const struct result_config *before = c->known ? same_before(m, c) : NULL;
	size_t n = 0, shown = 0;

	if (before) {
		plain_wrap(m->out, "", 2, "%s against %s: as %s against %s", name_of(m, c->other), name_of(m, c->base),
			   name_of(m, before->other), name_of(m, before->base));
		return;
	}
	plain_wrap(m->out, "", 2, "%s against %s:", name_of(m, c->other), name_of(m, c->base));
	if (!c->known) {
		str_add(m->out, "  the configuration of one of them is not known\n");
		return;
	}
	for (size_t i = 0; i < c->diff.n_asked; i++)
		plain_wrap(m->out, "  ", 6, "asked: %s %s -> %s", c->diff.rows[i].option, c->diff.rows[i].base, c->diff.rows[i].other);
	for (size_t i = c->diff.n_asked; i < c->diff.n; i++) {
		const struct configdiff_row *r = &c->diff.rows[i];

		if (r->is_compiler_fact)
			continue;
		n++;
		if (shown < MAX_SIDE_EFFECTS) {
			add_side_effect(m, r);
			shown++;
		}
	}
	if (n > shown)
		str_addf(m->out, "  and %zu more options\n", n - shown);
	if (!n)
		str_add(m->out, c->diff.n_asked ? "  no other option differs\n" : "  no option differs\n");
	add_size(m, c);
}

/* ---- where it comes from ---- */

static char *calls_text(const struct explanation *e, const struct two_sides *calls)
{
	if (calls->base < 0 || calls->other < 0 || (!calls->base && !calls->other))
		return xstrdup("");
	return xasprintf(", calls %s -> %s", number_text(two_sides_base(calls, &e->ops), false).s,
			 number_text(two_sides_other(calls, &e->ops), false).s);
}

/* Of the whole difference, per operation. */
static bool is_worth(const struct explanation *e, double delta)
{
	return delta != 0 && fabs(delta) >= MIN_SHARE * fabs(two_sides_delta(&e->total, &e->ops));
}

struct function {
	const char *label, *group;
	const struct explanation_row *row;
	double delta;
};

static int by_delta(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return (fabs(y->delta) > fabs(x->delta)) - (fabs(y->delta) < fabs(x->delta));
}

static void add_functions(const struct mail *m, const struct explanation *e)
{
	struct function *v = NULL;
	size_t n = 0, cap = 0;

	for (size_t i = 0; i < e->n_groups; i++)
		for (size_t k = 0; k < e->groups[i].n; k++) {
			const struct explanation_row *row = &e->groups[i].rows[k];

			*ARRAY_ADD(v, n, cap) = (struct function){ row->label, e->groups[i].name, row, two_sides_delta(&row->insns, &e->ops) };
		}
	if (v)
		qsort(v, n, sizeof(*v), by_delta);
	for (size_t i = 0; i < n && i < MAX_FUNCTIONS && is_worth(e, v[i].delta); i++) {
		_cleanup_free_ char *calls = calls_text(e, &v[i].row->calls);

		if (i == 0)
			str_add(m->out, "  functions:\n");
		plain_wrap(m->out, "    ", 10, "%12s  %s%s%s%s%s", number_text(v[i].delta, true).s, v[i].label, calls,
			   v[i].group ? " [" : "", v[i].group ? v[i].group : "", v[i].group ? "]" : "");
	}
	free(v);
}

static int by_class_delta(const void *a, const void *b)
{
	const struct explanation_class *const *x = a, *const *y = b;
	/* Of one explanation: the same operations, so that these are in the order of the deltas per operation. */
	const struct two_sides *p = &(*x)->count, *q = &(*y)->count;
	double d = fabs((double)(p->other - p->base)), e = fabs((double)(q->other - q->base));

	return (e > d) - (e < d);
}

/* How many, and the kinds whose number changed most. */
static void add_class(const struct mail *m, const struct explanation *e, const char *name)
{
	_cleanup_free_ const struct explanation_class **kinds = xcalloc(e->n_classes + 1, sizeof(*kinds));
	struct two_sides sum = { 0 };
	struct str s = STR_INIT;
	bool any = false, is_worth_it = false;
	size_t n = 0;

	for (size_t i = 0; i < e->n_classes; i++) {
		const struct explanation_class *c = &e->classes[i];

		if (strcmp(c->name, name) != 0)
			continue;
		any = true;
		sum.base += c->count.base;
		sum.other += c->count.other;
		if (*c->kind && two_sides_delta(&c->count, &e->ops) != 0)
			kinds[n++] = c;
		is_worth_it |= is_worth(e, two_sides_delta(&c->count, &e->ops));
	}
	if (any && two_sides_base(&sum, &e->ops) < MIN_PER_OP && two_sides_other(&sum, &e->ops) < MIN_PER_OP && sum.base + sum.other) {
		plain_wrap(m->out, "  ", 4, "%s: less than one in %.0f operations", name, 1 / MIN_PER_OP);
		return;
	}
	if (n && !is_worth_it) {
		plain_wrap(m->out, "  ", 4, "%s: %s -> %s per operation", name, number_text(two_sides_base(&sum, &e->ops), false).s,
			   number_text(two_sides_other(&sum, &e->ops), false).s);
		return;
	}
	qsort(kinds, n, sizeof(*kinds), by_class_delta);
	if (!any && e->has_code)
		plain_wrap(m->out, "  ", 4, "%s: none on either side", name);
	for (size_t i = 0; i < n && i < MAX_KINDS; i++)
		str_addf(&s, "%s%s %s -> %s", i ? ", " : "", kinds[i]->kind,
			 number_text(two_sides_base(&kinds[i]->count, &e->ops), false).s,
			 number_text(two_sides_other(&kinds[i]->count, &e->ops), false).s);
	if (any && !n)
		plain_wrap(m->out, "  ", 4, "%s: none more, none fewer (%s per operation)", name,
			   number_text(two_sides_base(&sum, &e->ops), false).s);
	else if (any)
		plain_wrap(m->out, "  ", 4, "%s: %s -> %s per operation; of them %s", name,
			   number_text(two_sides_base(&sum, &e->ops), false).s, number_text(two_sides_other(&sum, &e->ops), false).s,
			   str_text(&s));
	str_finish(&s);
}

static void add_explanation(const struct mail *m, const struct explanation *e)
{
	size_t shown = 0;

	plain_wrap(m->out, "", 2, "%s, %s against %s: %s instructions per operation", e->workload, name_of(m, e->other),
		   name_of(m, e->base), number_text(two_sides_delta(&e->total, &e->ops), true).s);
	for (size_t i = 0; i < e->n_groups && shown < MAX_MECHANISMS; i++) {
		const struct explanation_group *g = &e->groups[i];
		double delta = two_sides_delta(&g->insns, &e->ops);
		_cleanup_free_ char *calls = calls_text(e, &g->calls);

		if (!is_worth(e, delta))
			continue;
		shown++;
		plain_wrap(m->out, "  ", 8, "%12s  %s%s%s", number_text(delta, true).s, g->name ? g->name : "other code",
			   g->name ? calls : "", g->is_touched ? " (its option differs)" : "");
	}
	add_functions(m, e);
	add_class(m, e, "barriers");
	add_class(m, e, "atomics");
}

static void add_explanations(const struct mail *m)
{
	size_t n_order, all = 0, left = 0;
	_cleanup_free_ size_t *order = told_order(m, &n_order);
	const size_t max = n_order < MANY_PAIRS ? MAX_EXPLAINED : 1;

	if (!m->r->n_explanations)
		return;
	title(m, "Where it comes from");
	for (size_t o = 0; o < n_order; o++) {
		const size_t v = order[o];
		size_t n, shown = 0;
		_cleanup_free_ struct pair *pairs = pairs_of(m->r, v, &n);

		for (size_t i = 0; i < n && shown < max; i++)
			for (size_t k = 0; k < m->r->n_explanations; k++) {
				const struct explanation *e = &m->r->explanations[k];

				if (e->other != v || strcmp(e->workload, pairs[i].workload) != 0 ||
				    strcmp(pairs[i].verdict, "undecided") == 0 || two_sides_delta(&e->total, &e->ops) == 0)
					continue;
				shown++;
				if (all++ < MAX_ALL_EXPLAINED)
					add_explanation(m, e);
				else
					left++;
			}
	}
	if (left)
		str_addf(m->out, "%zu more: ktoll explain\n", left);
	if (!all)
		str_add(m->out, "No difference that was decided is there to be explained.\n");
}

/* ---- published and measured ---- */

static char *span_text(double lo, double mean, double hi)
{
	if (isnan(mean))
		return xstrdup("-");
	/* Of one boot there is no interval. */
	if (lo == hi || isnan(lo))
		return xasprintf("%+.1f", mean * 100);
	if (fabs(lo) < 1 && fabs(hi) < 1)
		return xasprintf("%+.1f..%+.1f", lo * 100, hi * 100);
	return xasprintf("%+.0f..%+.0f", lo * 100, hi * 100);
}

static void add_published(const struct mail *m, const struct studied *s, const struct studied_result *res)
{
	const struct study_published *p = res->published;

	plain_wrap(m->out, "", 2, "%s, %s, %s is better%s%s", p->workload, p->unit, p->is_higher_better ? "higher" : "lower",
		   p->about ? "; " : "", p->about ? p->about : "");
	add_cell(m->out, "", -18);
	add_cell(m->out, "published", 11);
	add_cell(m->out, "cost %", 14);
	add_cell(m->out, s->is_count ? "counted %" : "timed %", 14);
	str_add(m->out, "\n");
	for (size_t i = 0; i < res->n; i++) {
		const struct studied_row *row = &res->rows[i];
		_cleanup_free_ char *a = span_text(row->published_lo, row->published, row->published_hi);
		_cleanup_free_ char *b = span_text(row->measured_lo, row->measured, row->measured_hi);

		add_cell(m->out, row->figure->variant, -18);
		add_cell(m->out, number_text(row->figure_mean, false).s, 11);
		add_cell(m->out, a, 14);
		add_cell(m->out, b, 14);
		str_add(m->out, "\n");
		plain_wrap(m->out, "    ", 4, "%s", row->words);
	}
	if (res->n > 1 && res->rows[1].is_interval)
		plain_wrap(m->out, "    ", 4, "(published cost: interval of 95 %%, bootstrap, of %zu and %zu runs)", res->rows[0].figure->n,
			   res->rows[1].figure->n);
	if (res->order.n)
		str_add(m->out, "  The published order, cheapest first:\n");
	for (size_t i = 0; i < res->order.n; i++)
		plain_wrap(m->out, "  - ", 4, "%s", res->order.v[i]);
}

static void add_ladders(const struct mail *m, const struct studied *s)
{
	for (size_t i = 0; i < s->n_ladders; i++) {
		const struct studied_ladder *l = &s->ladders[i];

		if (isnan(l->first))
			continue;
		plain_wrap(m->out, "", 2, "Ladder, %s: %s per operation on %s", l->workload, number_text(l->first, false).s,
			   name_of(m, l->rungs[0].from));
		for (size_t k = 0; k < l->n; k++)
			plain_wrap(m->out, "  ", 6, "%s: %s (%s %%), %s %% of the whole", name_of(m, l->rungs[k].to),
				   number_text(l->rungs[k].delta, true).s, number_percent(l->rungs[k].delta / l->first, true).s,
				   number_percent(l->rungs[k].share, false).s);
	}
}

static void add_settings(const struct mail *m, const struct studied *s)
{
	for (size_t i = 0; i < s->n_settings; i++) {
		const struct studied_setting *x = &s->settings[i];
		_cleanup_free_ char *gone = isnan(x->gone) ? xstrdup(x->is_clear ? "" : "; not clear of zero") :
					    x->gone == 0   ? xstrdup("; as much as with the first setting") :
							     xasprintf("; %s %% of the first setting's difference is not there",
								       number_percent(x->gone, false).s);

		plain_wrap(m->out, "", 2, "%s, %s against %s: %s per operation%s", x->workload, name_of(m, x->other), name_of(m, x->base),
			   number_text(x->delta, true).s, gone);
	}
}

static void add_studied(const struct mail *m)
{
	const struct studied *s = m->r->studied;
	_cleanup_free_ char *unmeasured = NULL;

	if (!s || (!s->n_results && !s->n_ladders && !s->n_settings))
		return;
	title(m, "Beside what was published");
	unmeasured = studied_unmeasured(s);
	for (size_t i = 0; i < s->n_results; i++)
		if (studied_is_measured(&s->results[i]))
			add_published(m, s, &s->results[i]);
	if (*unmeasured)
		plain_wrap(m->out, "", 2, "Published, but not measured here: %s", unmeasured);
	add_ladders(m, s);
	add_settings(m, s);
	if (s->n_results)
		plain_wrap(m->out, "", 0, "Published figures are times on their machines; %s Neither is made to fit the other.",
			   s->is_count ? "counted ones are instructions, and no time." : "timed ones are of this one.");
}

/* ---- the rest ---- */

static void add_failures(const struct mail *m)
{
	size_t n = 0;

	for (size_t v = 0; v < m->r->run->n_variants; v++)
		for (size_t i = 0; i < m->r->run->outcomes[v].n_failures; i++) {
			const struct failure *f = &m->r->run->outcomes[v].failures[i];

			if (n++ == 0)
				title(m, "Not measured");
			if (n <= MAX_FAILURES)
				plain_wrap(m->out, "", 2, "%s, %s: %s: %s", name_of(m, v), f->workload ? f->workload : "whole boot", f->stage,
					   f->message);
		}
	if (n > MAX_FAILURES)
		str_addf(m->out, "and %zu more\n", n - MAX_FAILURES);
}

static bool has_programs(const struct run *run)
{
	for (size_t i = 0; i < run->head.keys.n; i++)
		if (str_has_prefix(run->head.keys.v[i], "replicates."))
			return true;
	return false;
}

static void add_limits(const struct mail *m)
{
	title(m, "What this cannot see");
	if (m->r->clocked) {
		plain_wrap(m->out, "", 0, "Times are of one machine as it was: another processor, another load or another layout of the "
					  "kernel give others.");
		for (size_t i = 0; i < m->r->clocked->notes.n; i++)
			plain_wrap(m->out, "", 0, "%s", m->r->clocked->notes.v[i]);
		if (*m->has_star)
			plain_wrap(m->out, "", 0, "(*: the interval of the difference is clear of zero.)");
		return;
	}
	plain_wrap(m->out, "", 0, "Counts are instructions under QEMU, and no times: nothing of caches, layout, branch prediction or "
				  "waiting is in them. One CPU: no contention, no IPI, no remote wake-up.%s",
		   *m->has_star ? " (*: the difference is larger than its range over the tick phases.)" : "");
	if (!has_programs(m->r->run))
		return;
	if (run_nulls(m->r->run))
		plain_wrap(m->out, "", 0, "Programs: means of %u boots of each kernel that differ in nothing that matters; more and less "
					  "are beyond their 99 %% interval.", 1 + run_nulls(m->r->run));
	else
		plain_wrap(m->out, "", 0, "Programs: of one boot of each kernel (--no-null), so that what is chance is not known: no verdict.");
}

static void add_kernel(const struct mail *m, size_t v)
{
	const struct variant *x = &m->r->run->variants[v];
	const struct outcome *o = &m->r->run->outcomes[v];
	const char *release = facts_get(&o->guest, "release"), *build_id = facts_get(&o->guest, "build_id");

	release = release ? release : x->kernel.release;
	build_id = build_id ? build_id : x->kernel.build_id;
	plain_wrap(m->out, "  ", 4, "%s: %s, build id %.12s, config %.12s%s%s", x->name, release ? release : "?", build_id ? build_id : "?",
		   x->kernel.config_sha256 ? x->kernel.config_sha256 : "?", x->kernel.compiler ? ", " : "",
		   x->kernel.compiler ? x->kernel.compiler : "");
}

static void add_environment(const struct mail *m)
{
	const char *created = facts_get(&m->r->run->head, "created");
	_cleanup_free_ char *models = run_cpu_models(m->r->run);
	char date[32] = "?";
	uint64_t at;

	if (created && str_to_u64(created, 0, INT64_MAX / 2, &at) == 0) {
		time_t t = (time_t)at;
		struct tm tm;

		if (gmtime_r(&t, &tm))
			strftime(date, sizeof(date), "%Y-%m-%d", &tm);
	}
	title(m, "Environment");
	plain_wrap(m->out, "", 2, "ktoll %s, %s, engine %s, QEMU %s, %s, CPU model %s, seed %s; host: %s, %s", head(m, "tool_version"),
		   date, head(m, "engine"), head(m, "qemu_version"), head(m, "machine"), models,
		   head(m, "seed"), head(m, "host_os"), head(m, "host_cpu"));
	for (size_t v = 0; v < m->r->run->n_variants; v++)
		add_kernel(m, v);
}

static void add_quoted(struct str *s, const char *word)
{
	str_add(s, " ");
	str_add_quoted(s, word);
}

/* The values are a record's, and somebody else's: quoted as well. */
static void add_option(struct str *s, const char *option, const char *value)
{
	str_addf(s, " %s", option);
	add_quoted(s, value);
}

/* One that -n takes; others are made from the spec. */
static bool is_given_name(const char *name)
{
	return !name[strcspn(name, ":,#")];
}

/* Kernels and workloads that were named, one a line. */
static void add_only(const struct mail *m, struct str *s)
{
	const char *only = facts_get(&m->r->run->head, "study_only");
	_cleanup_free_ char *copy = xstrdup(only ? only : "");
	char *save = NULL;

	for (char *name = strtok_r(copy, "\n", &save); name; name = strtok_r(NULL, "\n", &save))
		add_option(s, "--only", name);
}

/* As it was asked for: all kinds have the same number then, else each its own. */
static const char *replicates_of(const struct run *run)
{
	const char *all = facts_get(&run->head, "replicates");

	for (size_t i = 0; i < run->head.keys.n; i++)
		if (str_has_prefix(run->head.keys.v[i], "replicates.") && !str_equal(run->head.values.v[i], all))
			return NULL;
	return all;
}

static void add_null_option(const struct run *run, struct str *s)
{
	_cleanup_free_ char *n = xasprintf("%u", run_nulls(run));

	if (!has_programs(run) || facts_get(&run->head, "clocked"))
		return;
	if (!run_nulls(run))
		str_add(s, " --no-null");
	else
		add_option(s, "--null", n);
}

static void add_commands(const struct mail *m)
{
	const struct run *run = m->r->run;
	const char *list = facts_get(&run->head, "workloads"), *replicates = replicates_of(run);
	_cleanup_free_ char *copy = xstrdup(list ? list : "");
	_cleanup_str_ struct str s = STR_INIT;
	char *save = NULL;

	title(m, "To reproduce");
	/* A study has its kernels in its file. */
	if (m->r->studied) {
		str_add(&s, "ktoll run");
		add_quoted(&s, facts_get(&run->head, "study_file") ? facts_get(&run->head, "study_file") : m->r->studied->name);
		if (m->r->studied->part) {
			str_add(&s, " --only");
			add_quoted(&s, m->r->studied->part->name);
		}
		add_only(m, &s);
		if (facts_get(&run->head, "study_full"))
			str_add(&s, " --full");
		if (facts_get(&run->head, "study_kernel")) {
			str_add(&s, " --kernel");
			add_quoted(&s, facts_get(&run->head, "study_kernel"));
		}
		if (strcmp(head(m, "seed"), "1") != 0)
			add_option(&s, "--seed", head(m, "seed"));
		if (strcmp(head(m, "engine"), "count") != 0)
			add_option(&s, "--engine", head(m, "engine"));
		add_null_option(run, &s);
		plain_command(m->out, str_text(&s));
		return;
	}
	str_add(&s, "ktoll compare");
	add_option(&s, "--engine", head(m, "engine"));
	add_option(&s, "--seed", head(m, "seed"));
	if (replicates)
		add_option(&s, "-r", replicates);
	add_null_option(run, &s);
	for (char *w = strtok_r(copy, "\n", &save); w; w = strtok_r(NULL, "\n", &save)) {
		str_add(&s, " -w");
		add_quoted(&s, w);
	}
	for (size_t v = 0; v < run->n_variants; v++) {
		_cleanup_free_ char *named = xasprintf("%s=%s", run->variants[v].name, run->variants[v].spec);

		if (!is_given_name(run->variants[v].name))
			continue;
		str_add(&s, " -n");
		add_quoted(&s, named);
	}
	for (size_t v = 0; v < run->n_variants; v++)
		add_quoted(&s, is_given_name(run->variants[v].name) ? run->variants[v].name : run->variants[v].spec);
	if (str_equal(facts_get(&run->head, "engine"), "live"))
		plain_command(m->out, head(m, "command"));
	else
		plain_command(m->out, str_text(&s));
}

static void add_question(const struct mail *m)
{
	const struct studied *s = m->r->studied;

	if (!s)
		return;
	str_add(m->out, "\n");
	plain_wrap(m->out, "", 2, "Question: %s", s->study.question);
	if (s->study.hypothesis)
		plain_wrap(m->out, "", 2, "Hypothesis: %s", s->study.hypothesis);
	if (s->study.refuted_by)
		plain_wrap(m->out, "", 2, "It would be refuted by: %s", s->study.refuted_by);
	if (s->study.source)
		plain_wrap(m->out, "", 2, "Published: %s", s->study.source);
}

static void add_body(const struct mail *m)
{
	add_answer(m);
	add_models(m);
	for (size_t v = 1; v < m->r->run->n_variants; v++)
	{
		add_table(m, v);
		add_metrics(m, v);
	}
	add_failures(m);
	if (m->r->n_configs) {
		title(m, "What differs in the configuration");
		for (size_t i = 0; i < m->r->n_configs; i++)
			add_config(m, &m->r->configs[i]);
	}
	add_explanations(m);
	add_studied(m);
	add_limits(m);
	add_environment(m);
	add_commands(m);
}

static int render(const struct result *r, struct str *out, const struct report_options *options, struct error *err)
{
	struct strv known = { 0 };
	bool has_star = false;
	const struct mail m = { r, out, &known, &has_star };

	(void)options;
	(void)err;
	add_subject(&m);
	add_question(&m);
	str_add(out, "\n");
	add_body(&m);
	strv_finish(&known);
	return 0;
}

/* ---- parts beside each other ---- */

static const struct explanation *explanation_of(const struct result *r, const struct pair *p)
{
	for (size_t i = 0; i < r->n_explanations; i++) {
		const struct explanation *e = &r->explanations[i];

		if (e->base == p->base && e->other == p->other && strcmp(e->workload, p->workload) == 0)
			return e;
	}
	return NULL;
}

static void add_class_sum(struct str *s, const struct explanation *e, const char *name)
{
	struct two_sides sum = { 0 };

	for (size_t i = 0; i < e->n_classes; i++)
		if (strcmp(e->classes[i].name, name) == 0) {
			sum.base += e->classes[i].count.base;
			sum.other += e->classes[i].count.other;
		}
	if (e->has_code)
		str_addf(s, "%s%s %s -> %s", s->len ? "; " : "", name, number_text(two_sides_base(&sum, &e->ops), false).s,
			 number_text(two_sides_other(&sum, &e->ops), false).s);
}

/* What an option in which the kernels differ brings, and barriers. */
static void add_causes(const struct mail *m, const struct pair *p)
{
	const struct explanation *e = explanation_of(m->r, p);
	_cleanup_str_ struct str s = STR_INIT;

	if (!e)
		return;
	for (size_t i = 0, said = 0; i < e->n_groups && said < MAX_CAUSES; i++)
		if (e->groups[i].is_touched && is_worth(e, two_sides_delta(&e->groups[i].insns, &e->ops)))
			str_addf(&s, "%s%s %s", said++ ? ", " : "", e->groups[i].name,
				 number_text(two_sides_delta(&e->groups[i].insns, &e->ops), true).s);
	if (s.len)
		plain_wrap(m->out, "    ", 6, "%s", str_text(&s));
	str_finish(&s);
	add_class_sum(&s, e, "barriers");
	add_class_sum(&s, e, "atomics");
	if (s.len)
		plain_wrap(m->out, "    ", 6, "%s", str_text(&s));
}

/* The same workload on kernels of the same names. */
static bool find_pair(const struct mail *like, const struct pair *p, const struct result *r, struct pair *ret)
{
	for (size_t i = 0; i < n_pairs(r); i++) {
		*ret = pair_of(r, i);
		if (strcmp(ret->workload, p->workload) == 0 && strcmp(ret->quantity, p->quantity) == 0 &&
		    strcmp(r->run->variants[ret->base].name, name_of(like, p->base)) == 0 &&
		    strcmp(r->run->variants[ret->other].name, name_of(like, p->other)) == 0)
			return true;
	}
	return false;
}

static bool is_one_study(const struct result *results, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!results[i].studied || !results[i].studied->part || !str_equal(results[i].studied->name, results[0].studied->name))
			return false;
	return n > 1;
}

/* What the first part has, where another one has it as well. */
static void add_side_by_side(const struct mail *m, const struct result *results, size_t n)
{
	bool any = false;

	for (size_t i = 0; is_one_study(results, n) && i < n_pairs(m->r); i++) {
		struct pair first = pair_of(m->r, i), p;
		size_t there = 0;

		if (!is_of_option(m, first.other) || isnan(first.change))
			continue;
		for (size_t k = 1; k < n; k++)
			there += find_pair(m, &first, &results[k], &p);
		if (!there)
			continue;
		if (!any)
			title(m, "Side by side");
		any = true;
		plain_wrap(m->out, "", 2, "%s, %s against %s, %s", first.workload, name_of(m, first.other), name_of(m, first.base),
			   first.quantity);
		for (size_t k = 0; k < n; k++) {
			const struct mail one = { &results[k], m->out, m->known, m->has_star };

			if (!find_pair(m, &first, &results[k], &p))
				continue;
			p.workload = results[k].studied->part->name;
			add_pair(&one, &p);
			p.workload = first.workload;
			add_causes(&one, &p);
		}
	}
}

/* Parts of a study: the question once. */
static int render_many(const struct result *results, size_t n, struct str *out, const struct report_options *options,
		       struct error *err)
{
	struct strv known = { 0 };

	(void)options;
	(void)err;
	for (size_t i = 0; i < n; i++) {
		bool has_star = false;
		const struct mail m = { &results[i], out, &known, &has_star };
		const struct studied *s = results[i].studied, *before = i ? results[i - 1].studied : NULL;
		const char *part = s && s->part ? s->part->name : results[i].run->path;
		_cleanup_free_ char *named = NULL;

		if (i == 0)
			add_subject(&m);
		if (!before || !s || !str_equal(s->name, before->name))
			add_question(&m);
		if (i == 0)
			add_side_by_side(&m, results, n);
		named = plain_cut(part ? part : "", PLAIN_WIDTH - 10);
		str_addf(out, "\n======== %s\n\n", named);
		add_body(&m);
	}
	strv_finish(&known);
	return 0;
}

const struct report_ops report_lkml = { .name = "lkml", .wants_explanations = true, .render = render, .render_many = render_many };
