/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "report/judgedreport.h"
#include "report/number.h"
#include "report/textparts.h"

#define MAX_OTHER_METRICS 20 /* of a comparison, without --full */

static enum table_colour colour_of(const struct judged_comparison *c)
{
	switch (c->verdict) {
	case JUDGED_HIGHER:
	case JUDGED_LOWER:
		if (c->better == BETTER_UNKNOWN)
			return TABLE_YELLOW;
		return (c->verdict == JUDGED_HIGHER) == (c->better == BETTER_HIGHER) ? TABLE_GREEN : TABLE_RED;
	case JUDGED_SAME:
		return TABLE_PLAIN;
	default:
		return TABLE_YELLOW;
	}
}

static char *interval_text(const struct interval *i)
{
	if (isnan(i->lo))
		return xstrdup("-");
	return xasprintf("%+.2f .. %+.2f", (i->lo - 1) * 100, (i->hi - 1) * 100);
}

static char *p_text(double p)
{
	return isnan(p) ? xstrdup("-") : xasprintf("%.3g", p);
}

static void add_row(struct table *tb, const struct judged_comparison *c)
{
	const struct judgement *j = &c->j;
	_cleanup_free_ char *what = xasprintf("%s%s%s", c->metric, *c->unit ? ", " : "", c->unit);
	_cleanup_free_ char *interval = c->has_judgement ?
						interval_text(j->is_bca ? &j->mean_bca : &j->welch) :
						xstrdup("-");
	_cleanup_free_ char *p = p_text(c->has_judgement ? j->p : NAN), *holm = p_text(c->p_holm);
	_cleanup_free_ char *runs =
		c->has_judgement || (c->no_ratio && !c->is_mean) ? xasprintf("%zu/%zu", j->base.d.n, j->other.d.n) : xstrdup("-");

	table_add_row(tb);
	table_set(tb, 0, what);
	table_set(tb, 1, c->other);
	table_set(tb, 2, runs);
	table_set(tb, 3, number_percent(c->ratio - 1, true).s);
	table_set(tb, 4, number_percent(c->has_judgement ? j->median_ratio - 1 : NAN, true).s);
	table_set(tb, 5, interval);
	table_set(tb, 6, p);
	table_set(tb, 7, holm);
	table_set_coloured(tb, 8, c->verdict_name, colour_of(c));
}

static void add_table(const struct text *t, const struct judged *j)
{
	static const struct {
		const char *title;
		unsigned flags;
	} columns[] = { { "metric", TABLE_SHRINK },    { "side", TABLE_SHRINK },
			{ "runs", TABLE_RIGHT },       { "means %", TABLE_RIGHT },
			{ "medians %", TABLE_RIGHT },  { "95 % interval", TABLE_RIGHT },
			{ "p", TABLE_RIGHT },	       { "p (Holm)", TABLE_RIGHT },
			{ "verdict", TABLE_LEFT } };
	_cleanup_table_ struct table *tb = table_new();
	size_t n_left_out = 0, n_shown = 0;

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		table_add_column(tb, columns[i].title, columns[i].flags);
	for (size_t i = 0; i < j->n; i++) {
		if (j->comparisons[i].is_main || t->options->full || n_shown < MAX_OTHER_METRICS) {
			add_row(tb, &j->comparisons[i]);
			n_shown += !j->comparisons[i].is_main;
		} else {
			n_left_out++;
		}
	}
	text_table(t, tb);
	if (n_left_out)
		text_line(t, "  and %zu more metrics (--full)", n_left_out);
}

/* Where there is no ratio. */
static void add_differences(const struct text *t, const struct judged_comparison *c)
{
	const struct judgement *j = &c->j;
	const char *blank = *c->unit ? " " : "";

	text_line(t, "  means %s -> %s, difference %s%s%s", number_text(j->base.d.mean, false).s,
		  number_text(j->other.d.mean, false).s, number_text(j->other.d.mean - j->base.d.mean, true).s, blank, c->unit);
	if (c->is_mean)
		return;
	text_line(t, "  medians %s -> %s, difference %s%s%s; shift (Hodges-Lehmann) %s%s%s", number_text(j->base.d.median, false).s,
		  number_text(j->other.d.median, false).s, number_text(j->other.d.median - j->base.d.median, true).s, blank, c->unit,
		  number_text(j->shift, true).s, blank, c->unit);
	if (j->base.d.n > 1 && j->other.d.n > 1)
		text_line(t, "  ranks (Mann-Whitney, %s): p %.3g", j->rank.is_exact ? "exact" : "normal approximation", j->rank.p);
}

static void add_details(const struct text *t, const struct judged_comparison *c)
{
	const struct judgement *j = &c->j;

	text_line(t, "%s, %s against %s: %s", c->metric, c->other, c->base, c->verdict_name);
	text_line(t, "  %s", c->reason);
	if (c->no_ratio)
		add_differences(t, c);
	if (c->has_judgement && j->base.d.n > 1 && j->other.d.n > 1) {
		_cleanup_free_ char *welch = interval_text(&j->welch), *bca = interval_text(&j->mean_bca);
		_cleanup_free_ char *median = interval_text(&j->median_bc);

		text_line(t, "  means %s -> %s, medians %s -> %s, shift (Hodges-Lehmann) %s%s%s",
			  number_text(j->base.d.mean, false).s, number_text(j->other.d.mean, false).s,
			  number_text(j->base.d.median, false).s, number_text(j->other.d.median, false).s,
			  number_text(j->shift, true).s, *c->unit ? " " : "", c->unit);
		text_line(t, "  95 %% intervals in per cent: Welch on logarithms %s; bootstrap of means (BCa) %s, of medians (BC) %s",
			  welch, bca, median);
		text_line(t, "  ranks (Mann-Whitney, %s): p %.3g", j->rank.is_exact ? "exact" : "normal approximation",
			  j->rank.p);
	}
	for (size_t i = 0; i < c->warnings.n; i++)
		text_line(t, "  warning: %s", c->warnings.v[i]);
}

static void add_shares(const struct text *t, const struct judged *j)
{
	_cleanup_table_ struct table *tb = table_new();

	text_line(t, "shares of samples, %s against %s: a share goes down when another goes up, so they are not judged",
		  j->share_other, j->share_base);
	if (!isnan(j->time_ratio))
		text_line(t, "  with the throughput of both, an operation takes %s %% of the time it took%s",
			  number_text(j->time_ratio * 100, false).s,
			  j->time_ratio > 1 ? "; of what it takes more, each function has the part below" :
					      ", so there is no added time to split");
	table_add_column(tb, "function", TABLE_SHRINK);
	table_add_column(tb, j->share_base, TABLE_RIGHT);
	table_add_column(tb, j->share_other, TABLE_RIGHT);
	table_add_column(tb, "% of the added time", TABLE_RIGHT);
	for (size_t i = 0; i < j->n_shares; i++) {
		table_add_row(tb);
		table_set(tb, 0, j->shares[i].function);
		table_set(tb, 1, number_text(j->shares[i].base, false).s);
		table_set(tb, 2, number_text(j->shares[i].other, false).s);
		table_set(tb, 3, number_percent(j->shares[i].added, true).s);
	}
	text_table(t, tb);
}

void judged_text(const struct judged *j, const struct report_options *options, struct str *out)
{
	const struct text t = { .options = options, .out = out };

	for (size_t i = 0; i < j->notes.n; i++)
		text_line(&t, "%s", j->notes.v[i]);
	if (j->n) {
		text_line(&t, "against %s, differences in per cent; threshold %g %%", j->comparisons[0].base,
			  j->threshold * 100);
		add_table(&t, j);
		if (j->n_printed)
			text_line(&t, "  %zu of the %zu changes that the file prints agree with its values",
				  j->n_printed - j->n_printed_wrong, j->n_printed);
		str_add(out, "\n");
	}
	for (size_t i = 0; i < j->n; i++)
		if (j->comparisons[i].is_main || options->full)
			add_details(&t, &j->comparisons[i]);
	if (j->n_shares) {
		if (j->n)
			str_add(out, "\n");
		add_shares(&t, j);
	}
	text_line(&t, "Numbers that somebody else measured: what was not varied (build, boot, machine) is not in any interval.");
}
