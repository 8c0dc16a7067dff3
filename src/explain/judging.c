/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain/judging.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* A printed per cent is rounded: so far it may be off. */
#define PRINTED_TOLERANCE 0.0006

struct work {
	const struct series_list *series;
	const struct judging_options *options;
	struct judged *out;
	struct strv sides;
};

static const struct series *find(const struct work *w, const char *side, const char *metric)
{
	for (size_t i = 0; i < w->series->n; i++)
		if (str_equal(w->series->v[i].side, side) && str_equal(w->series->v[i].metric, metric))
			return &w->series->v[i];
	return NULL;
}

static double mean_of(const struct series *s)
{
	return describe(s->values, s->n).mean;
}

/* ---- sentences ---- */

static bool is_time(const char *unit)
{
	static const char *const units[] = { "s", "ms", "us", "ns", "seconds" };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (str_equal(unit, units[i]))
			return true;
	return false;
}

/* For a time, faster and slower; else what is known is which is better. */
static const char *name_of(const struct judged_comparison *c)
{
	bool up = c->verdict == JUDGED_HIGHER;

	switch (c->verdict) {
	case JUDGED_HIGHER:
	case JUDGED_LOWER:
		if (c->better == BETTER_UNKNOWN)
			return up ? "more" : "less";
		return up == (c->better == BETTER_HIGHER) ? "faster" : "slower";
	case JUDGED_SAME:
		return "same";
	case JUDGED_UNDECIDED:
		return "undecided";
	default:
		return "no-verdict";
	}
}

static char *per_cent(double ratio)
{
	return xasprintf("%+.2f %%", (ratio - 1) * 100);
}

/* Both readings of one number: -32 % of a rate are +47 % of the time per operation. */
static void add_other_reading(struct judged_comparison *c)
{
	_cleanup_free_ char *inverse = per_cent(1 / c->ratio), *direct = per_cent(c->ratio);

	if (!(fabs(c->ratio - 1) >= 0.05) || c->better == BETTER_UNKNOWN)
		return;
	if (c->better == BETTER_HIGHER)
		strv_addf(&c->warnings, "reading: %s of %s is %s of the time per operation", direct,
			  *c->unit ? c->unit : "the rate", inverse);
	else if (is_time(c->unit))
		strv_addf(&c->warnings, "reading: %s of the time is %s of the rate", direct, inverse);
}

static char *reason_of(const struct judged_comparison *c)
{
	const struct judgement *j = &c->j;
	const struct interval *i = j->is_bca ? &j->mean_bca : &j->welch;
	const char *method = j->is_bca ? "bootstrap (BCa) of the ratio of means" : "Welch on logarithms";
	size_t n = j->base.d.n, m = j->other.d.n;

	if (c->no_ratio)
		return xasprintf("%s%s: what is 0 or below has no ratio, so only differences are shown",
				 c->is_mean ? "means without their runs, and " : "", c->no_ratio);
	if (!c->has_judgement)
		return xstrdup("means without their runs: nothing is known of their spread");
	if (c->level && (n == 1 || m == 1))
		return xasprintf("%zu and %zu %ss: what one of them does by itself cannot be told from what the change "
				 "does; repeat it",
				 n, m, c->level);
	if (n == 1 || m == 1)
		return xasprintf("%zu and %zu runs: one run says nothing about spread", n, m);
	if (c->verdict == JUDGED_NONE)
		return xstrdup("the runs do not differ at all: there is no spread to judge by");
	if (c->verdict == JUDGED_UNDECIDED && j->verdict != JUDGED_UNDECIDED)
		return xasprintf("%zu and %zu runs; not after the correction for all comparisons (p %.3g, Holm)", n, m,
				 c->p_holm);
	if (c->verdict == JUDGED_UNDECIDED && j->runs_needed)
		return xasprintf("%zu and %zu runs, 95 %% interval %+.2f to %+.2f %% by %s; about %llu runs a "
				 "side would decide",
				 n, m, (i->lo - 1) * 100, (i->hi - 1) * 100, method,
				 (unsigned long long)j->runs_needed);
	return xasprintf("%zu and %zu runs, 95 %% interval %+.2f to %+.2f %% by %s", n, m, (i->lo - 1) * 100,
			 (i->hi - 1) * 100, method);
}

static void warn_outliers(struct judged_comparison *c, const char *side, const double *values,
			  const struct judgement_side *s)
{
	_cleanup_str_ struct str list = STR_INIT;

	for (size_t i = 0; i < s->n_outliers && i < JUDGEMENT_OUTLIERS; i++)
		str_addf(&list, "%s%zu (%s)", i ? ", " : "", s->outliers[i] + 1,
			 values[s->outliers[i]] < s->d.median ? "low" : "high");
	strv_addf(&c->warnings, "outliers: %s: run %s%s%s; the median is the safer figure", side,
		  str_text(&list), s->n_outliers > JUDGEMENT_OUTLIERS ? " and more" : "",
		  s->outliers_are_early ? ", early in the series" : "");
}

static void warn_side(struct judged_comparison *c, const char *side, const double *values,
		      const struct judgement_side *s)
{
	if (s->doubts & DOUBT_TREND)
		strv_addf(&c->warnings,
			  "drift: %s: values rise or fall over the runs (p %.2g): run both sides in turn", side,
			  s->trend_p);
	if (s->doubts & DOUBT_WARM_UP)
		strv_addf(&c->warnings, "warm-up: %s: only the first run is far off: leave it out, or run once before measuring", side);
	if (s->doubts & DOUBT_OUTLIERS)
		warn_outliers(c, side, values, s);
	if (s->doubts & DOUBT_CLUSTERS)
		strv_addf(&c->warnings,
			  "clusters: %s: the values are two heaps, so a mean stands for neither: look for what "
			  "switches (CPU, node, boot)",
			  side);
	if (s->doubts & DOUBT_CONSTANT)
		strv_addf(&c->warnings, "constant: %s: all runs are equal: a limit, or rounded", side);
	if (s->doubts & DOUBT_SPREAD)
		strv_addf(&c->warnings, "spread: %s: the standard deviation is %.0f %% of the mean", side,
			  s->d.cv * 100);
}

/* What is known of an operation: how many instructions it can be. */
static void warn_operation(struct judged_comparison *c, const char *operation)
{
	double ns = str_equal(c->unit, "ns") ? c->j.base.d.median : NAN;

	if (!operation || !strstr(operation, "rcu_read_lock") || !(ns > 10))
		return;
	strv_addf(&c->warnings,
		  "dominated: %.0f ns cannot be the two to sixteen instructions of an RCU reader: something else "
		  "dominates this loop, and a change in the reader is the smaller part of it",
		  ns);
}

/* The file's own per cent: above 0 is better. */
static void check_printed(struct judged *out, struct judged_comparison *c, const struct series *other)
{
	double change = c->better == BETTER_HIGHER ? c->ratio - 1 : 1 - c->ratio;
	bool is_wrong = fabs(change - other->printed_change) > PRINTED_TOLERANCE;

	if (isnan(other->printed_change))
		return;
	out->n_printed++;
	out->n_printed_wrong += is_wrong;
	if (is_wrong)
		strv_addf(&c->warnings, "printed: the file says %+.2f %%, its values give %+.2f %%",
			  other->printed_change * 100, change * 100);
	if (other->is_marked)
		strv_addf(&c->warnings, "significant: the file says that the change is significant; without the runs "
					"that cannot be checked");
}

/* ---- comparisons ---- */

/* The first value that has no ratio. Owned by the caller; NULL if all have one. */
static char *find_no_ratio(const struct judged_comparison *c, const char *side, const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (values[i] > 0)
			continue;
		return c->is_mean ? xasprintf("%s is %g", side, values[i]) :
				    xasprintf("%s has %g (%s %zu)", side, values[i], c->level ? c->level : "run", i + 1);
	}
	return NULL;
}

/* The values that are judged. Where boots or builds were repeated, their means are; the runs of one say nothing of another. */
static double *values_of(const struct judged_comparison *c, const struct series *s, size_t *ret_n)
{
	double *v = xcalloc(s->n + 1, sizeof(*v));

	*ret_n = c->level ? describe_groups(s->values, s->groups, s->n, v) : s->n;
	if (!c->level)
		memcpy(v, s->values, s->n * sizeof(*v));
	return v;
}

static void judge_series(struct judged_comparison *c, const struct series *base, const struct series *other,
			 const struct judgement_options *options)
{
	size_t n, m;
	_cleanup_free_ double *a = values_of(c, base, &n), *b = values_of(c, other, &m);

	c->no_ratio = find_no_ratio(c, c->base, a, n) ?: find_no_ratio(c, c->other, b, m);
	if (c->no_ratio)
		c->j = (struct judgement){ .base.d = describe(a, n), .other.d = describe(b, m), .shift = rank_shift(a, n, b, m),
					   .rank = rank_test(a, n, b, m) };
	else
		c->has_judgement = !c->is_mean && judge(a, n, b, m, options, &c->j) == 0;
}

static int add_comparison(struct work *w, const struct series *base, const struct series *other,
			  bool is_main, struct error *err)
{
	const struct judgement_options options = {
		.threshold = w->options->threshold,
		.resamples = w->options->no_bootstrap ? 0 : INTERVAL_RESAMPLES,
		.seed = w->options->seed,
	};
	struct judged_comparison *c;
	double a = mean_of(base), b = mean_of(other);

	if (*base->unit && *other->unit && strcmp(base->unit, other->unit) != 0)
		return error_set(err, EBADMSG, "%s: %s has it in %s, %s in %s", base->metric,
				 base->side, base->unit, other->side, other->unit);
	c = ARRAY_ADD(w->out->comparisons, w->out->n, w->out->cap);
	*c = (struct judged_comparison){ .metric = xstrdup(base->metric), .is_main = is_main,
					 .base = xstrdup(base->side), .other = xstrdup(other->side),
					 .verdict = JUDGED_NONE, .p_holm = NAN };
	c->unit = xstrdup(*base->unit ? base->unit : w->options->unit ? w->options->unit : "");
	c->better = base->better ? base->better : w->options->better;
	c->is_mean = base->is_mean || other->is_mean;
	c->level = base->level && other->level ? xstrdup(base->level) : NULL;
	judge_series(c, base, other, &options);
	c->ratio = c->no_ratio ? NAN : b / a;
	if (c->has_judgement) {
		size_t n = c->j.base.d.n, m = c->j.other.d.n;

		c->verdict = c->j.verdict;
		/* Of means of boots there is no order of runs to doubt. */
		if (!c->level) {
			warn_side(c, c->base, base->values, &c->j.base);
			warn_side(c, c->other, other->values, &c->j.other);
		}
		warn_operation(c, w->options->operation);
		if (n > 1 && m > 1 && n != m)
			strv_addf(&c->warnings, "runs: %zu against %zu", n, m);
		if (c->j.rank.p_least > 0.05 && n > 1 && m > 1)
			strv_addf(&c->warnings,
				  "few-runs: ranks of %zu against %zu runs cannot give less than p = %.2g, whatever the values",
				  n, m, c->j.rank.p_least);
	}
	if (base->note || other->note)
		strv_add(&c->warnings, base->note ? base->note : other->note);
	check_printed(w->out, c, other);
	add_other_reading(c);
	return 0;
}

static void correct(struct work *w)
{
	struct judged *o = w->out;
	_cleanup_free_ double *p = xcalloc(o->n + 1, sizeof(*p)), *holm = xcalloc(o->n + 1, sizeof(*holm));
	size_t n = 0;

	for (size_t i = 0; i < o->n; i++) {
		p[i] = o->comparisons[i].has_judgement ? o->comparisons[i].j.p : NAN;
		n += !isnan(p[i]);
	}
	rank_holm(p, o->n, holm);
	for (size_t i = 0; i < o->n; i++) {
		struct judged_comparison *c = &o->comparisons[i];

		c->p_holm = holm[i];
		if (n > 1 && holm[i] > 0.05 && (c->verdict == JUDGED_HIGHER || c->verdict == JUDGED_LOWER))
			c->verdict = JUDGED_UNDECIDED;
		c->verdict_name = xstrdup(name_of(c));
		c->reason = reason_of(c);
	}
}

/* ---- shares ---- */

static int by_added(const void *a, const void *b)
{
	const struct judged_share *x = a, *y = b;
	double dx = isnan(x->added) ? x->other - x->base : x->added;
	double dy = isnan(y->added) ? y->other - y->base : y->added;

	if (dx != dy)
		return dx > dy ? -1 : 1;
	return strcmp(x->function, y->function);
}

/*
 * Shares of samples are parts of a whole. With the throughput of both sides an operation takes
 * 1 / rate, of which a function has its share: what it takes more, over what the operation takes
 * more, is its part of the added time.
 */
static void add_shares(struct work *w)
{
	const struct series *first = NULL;
	const char *other = NULL;
	struct judged *o = w->out;

	for (size_t i = 0; i < w->series->n && !other; i++) {
		const struct series *s = &w->series->v[i];

		if (!s->is_share)
			continue;
		if (!first)
			first = s;
		else if (strcmp(s->side, first->side) != 0)
			other = s->side;
	}
	if (!first || !other)
		return;
	o->share_base = xstrdup(first->side);
	o->share_other = xstrdup(other);
	for (size_t i = 0; i < w->series->n; i++) {
		const struct series *s = &w->series->v[i];
		const struct series *a = find(w, o->share_base, s->metric), *b = find(w, other, s->metric);

		/* The throughput: a figure of both that is no share. */
		if (!s->is_share && a == s && b && !b->is_share && isnan(o->time_ratio))
			o->time_ratio = mean_of(a) / mean_of(b);
	}
	for (size_t i = 0; i < w->series->n; i++) {
		const struct series *s = &w->series->v[i], *b;
		struct judged_share *share;

		if (!s->is_share || strcmp(s->side, o->share_base) != 0)
			continue;
		b = find(w, other, s->metric);
		share = ARRAY_ADD(o->shares, o->n_shares, o->cap_shares);
		*share = (struct judged_share){ xstrdup(s->metric), s->values[0], b ? b->values[0] : 0, NAN };
		if (o->time_ratio > 1)
			share->added = (share->other / 100 * o->time_ratio - share->base / 100) /
				       (o->time_ratio - 1);
	}
	if (o->n_shares)
		qsort(o->shares, o->n_shares, sizeof(*o->shares), by_added);
}

/* ---- all ---- */

static int check_sides(struct work *w, const char **ret_base, struct error *err)
{
	for (size_t i = 0; i < w->series->n; i++)
		if (!strv_has(&w->sides, w->series->v[i].side))
			strv_add(&w->sides, w->series->v[i].side);
	if (w->sides.n < 2)
		return error_blame(err, ERROR_USAGE, EINVAL,
				   "there is one side only (%s): give a second file, or a table with a column or row for "
				   "each side",
				   w->sides.n ? w->sides.v[0] : "none");
	*ret_base = w->options->base ? w->options->base : w->sides.v[0];
	if (!strv_has(&w->sides, *ret_base)) {
		_cleanup_free_ char *names = strv_join(&w->sides, ", ");

		return error_blame(err, ERROR_USAGE, EINVAL, "--base %s: the sides are %s", *ret_base, names);
	}
	return 0;
}

int judging_make(const struct series_list *series, const struct judging_options *options,
		 struct judged *ret, struct error *err)
{
	struct judged out = { .threshold = options->threshold, .seed = options->seed, .time_ratio = NAN };
	struct work w = { .series = series, .options = options, .out = &out };
	const char *base = NULL, *main_metric = NULL;
	int r = check_sides(&w, &base, err);

	for (size_t s = 0; r == 0 && s < w.sides.n; s++) {
		if (strcmp(w.sides.v[s], base) == 0)
			continue;
		for (size_t i = 0; r == 0 && i < series->n; i++) {
			const struct series *a = &series->v[i], *b;

			if (a->is_share || strcmp(a->side, base) != 0)
				continue;
			b = find(&w, w.sides.v[s], a->metric);
			main_metric = main_metric ? main_metric : a->metric;
			if (b && a->n && b->n)
				r = add_comparison(&w, a, b, a->metric == main_metric, err);
		}
	}
	strv_finish(&w.sides);
	if (r == 0) {
		correct(&w);
		add_shares(&w);
	}
	if (r == 0 && !out.n && !out.n_shares)
		r = error_blame(err, ERROR_USAGE, EINVAL, "the sides have no metric in common");
	if (r < 0) {
		judged_finish(&out);
		return r;
	}
	*ret = out;
	return 0;
}
