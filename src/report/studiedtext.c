/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "base/alloc.h"
#include "report/number.h"
#include "report/textparts.h"

static void add_said(const struct text *t, const char *what, const char *value)
{
	if (value)
		text_line(t, "%s: %s", what, value);
}

static char *range_text(double lo, double mean, double hi)
{
	if (isnan(mean))
		return xstrdup("-");
	/* Of one boot there is no interval. */
	if (lo == hi || isnan(lo))
		return xasprintf("%+.1f", mean * 100);
	return xasprintf("%+.1f (%+.1f .. %+.1f)", mean * 100, lo * 100, hi * 100);
}

static void add_result(const struct text *t, const struct studied *s, const struct studied_result *res)
{
	const struct study_published *p = res->published;
	_cleanup_table_ struct table *tb = table_new();

	text_line(t, "published: %s, %s, %s is better%s%s", p->workload, p->unit, p->is_higher_better ? "higher" : "lower",
		  p->about ? "; " : "", p->about ? p->about : "");
	if (p->source)
		text_line(t, "  source: %s", p->source);
	table_add_column(tb, "variant", TABLE_LEFT);
	table_add_column(tb, "published", TABLE_RIGHT);
	table_add_column(tb, "cost %", TABLE_RIGHT);
	table_add_column(tb, s->is_count ? "counted %" : "timed %", TABLE_RIGHT);
	table_add_column(tb, "", TABLE_LEFT);
	for (size_t i = 0; i < res->n; i++) {
		const struct studied_row *row = &res->rows[i];
		_cleanup_free_ char *published = range_text(row->published_lo, row->published, row->published_hi);
		_cleanup_free_ char *measured = range_text(row->measured_lo, row->measured, row->measured_hi);

		table_add_row(tb);
		table_set(tb, 0, row->figure->variant);
		table_set(tb, 1, number_text(row->figure_mean, false).s);
		table_set(tb, 2, published);
		table_set(tb, 3, measured);
		table_set(tb, 4, row->words);
	}
	text_table(t, tb);
	if (res->n > 1 && res->rows[1].is_interval)
		text_line(t, "  published cost: interval of 95 %%, bootstrap, of %zu and %zu runs", res->rows[0].figure->n,
			  res->rows[1].figure->n);
	if (res->order.n)
		text_line(t, "  the published order, cheapest first:");
	for (size_t i = 0; i < res->order.n; i++)
		text_line(t, "    %s", res->order.v[i]);
	str_add(t->out, "\n");
}

static void add_ladder(const struct text *t, const struct studied_ladder *l)
{
	if (isnan(l->first)) {
		text_line(t, "ladder, %s: its lowest rung was not measured", l->workload);
		return;
	}
	text_line(t, "ladder, %s: %s per operation on %s", l->workload, number_text(l->first, false).s,
		  text_name(t, l->rungs[0].from));
	for (size_t i = 0; i < l->n; i++) {
		const struct studied_rung *g = &l->rungs[i];

		text_line(t, "  %s: %s, %s %% of the first, %s %% of the whole", text_name(t, g->to),
			  number_text(g->delta, true).s, number_percent(g->delta / l->first, true).s,
			  number_percent(g->share, false).s);
	}
}

static void add_settings(const struct text *t, const struct studied *s)
{
	for (size_t i = 0; i < s->n_settings; i++) {
		const struct studied_setting *x = &s->settings[i];

		if (x->gone == 0)
			text_line(t, "%s, %s against %s: %s per operation; as much as with the first setting", x->workload,
				  text_name(t, x->other), text_name(t, x->base), number_text(x->delta, true).s);
		else if (isnan(x->gone))
			text_line(t, "%s, %s against %s: %s per operation%s", x->workload, text_name(t, x->other), text_name(t, x->base),
				  number_text(x->delta, true).s, x->is_clear ? "" : "; not clear of zero");
		else
			text_line(t, "%s, %s against %s: %s per operation; %s %% of the first setting's difference is not there",
				  x->workload, text_name(t, x->other), text_name(t, x->base), number_text(x->delta, true).s,
				  number_percent(x->gone, false).s);
	}
	if (s->n_settings)
		str_add(t->out, "\n");
}

void text_add_studied(const struct text *t)
{
	const struct studied *s = t->r->studied;
	_cleanup_free_ char *unmeasured = studied_unmeasured(s);

	text_line(t, "STUDY %s%s%s", s->name, s->part ? ", part " : "", s->part ? s->part->name : "");
	add_said(t, "question", s->study.question);
	add_said(t, "hypothesis", s->study.hypothesis);
	add_said(t, "refuted by", s->study.refuted_by);
	add_said(t, "source", s->study.source);
	str_add(t->out, "\n");
	for (size_t i = 0; i < s->n_results; i++)
		if (studied_is_measured(&s->results[i]))
			add_result(t, s, &s->results[i]);
	if (*unmeasured)
		text_line(t, "published, but not measured here: %s", unmeasured);
	for (size_t i = 0; i < s->n_ladders; i++)
		add_ladder(t, &s->ladders[i]);
	if (s->n_ladders)
		str_add(t->out, "\n");
	add_settings(t, s);
	for (size_t i = 0; i < s->woken.n; i++)
		text_line(t, "%s", s->woken.v[i]);
	if (s->woken.n)
		str_add(t->out, "\n");
	if (s->n_results)
		text_line(t, "Published figures are times on their machines; %s Neither is made to fit the other.",
			  s->is_count ? "these are instructions." : "these are times on this one.");
}
