/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain/studied.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/workload.h"
#include "stat/interval.h"

/* ---- what was measured ---- */

static size_t find_variant(const struct run *run, const char *name)
{
	for (size_t i = 0; i < run->n_variants; i++)
		if (str_equal(run->variants[i].name, name))
			return i;
	return SIZE_MAX;
}

/* Per operation: instructions, or ns. NAN: not measured. */
static double cost_of(const struct result *r, const char *workload, size_t variant)
{
	const struct clocked_cell *c;

	for (size_t i = 0; i < r->n_cells; i++)
		if (r->cells[i].variant == variant && r->cells[i].n && strcmp(r->cells[i].workload, workload) == 0)
			return r->cells[i].insns.mean;
	c = r->clocked ? clocked_cell(r->clocked, workload, variant) : NULL;
	return c && c->n_blocks ? c->ns_per_op : NAN;
}

/* The ratio to the base with its range or interval, where the two were compared. */
static bool ratio_of(const struct result *r, const char *workload, size_t base, size_t other, struct studied_row *row)
{
	for (size_t i = 0; i < r->n_comparisons; i++) {
		const struct result_comparison *c = &r->comparisons[i];

		if (c->base != base || c->other != other || strcmp(c->workload, workload) != 0 || isnan(c->ratio.mean))
			continue;
		row->measured = c->ratio.mean - 1;
		row->measured_lo = c->ratio.lo - 1;
		row->measured_hi = c->ratio.hi - 1;
		return true;
	}
	for (size_t i = 0; r->clocked && i < r->clocked->n; i++) {
		const struct clocked_comparison *c = &r->clocked->comparisons[i];

		if (c->base != base || c->other != other || strcmp(c->workload, workload) != 0 || !clocked_is_time(c))
			continue;
		row->measured = c->p.ratio.estimate - 1;
		row->measured_lo = c->p.ratio.lo - 1;
		row->measured_hi = c->p.ratio.hi - 1;
		return true;
	}
	return false;
}

/* ---- published figures ---- */

struct span {
	double lo, mean, hi;
};

static struct span span_of(const struct study_figure *f)
{
	struct span s = { INFINITY, 0, -INFINITY };

	for (size_t i = 0; i < f->n; i++) {
		s.lo = fmin(s.lo, f->v[i]);
		s.hi = fmax(s.hi, f->v[i]);
		s.mean += f->v[i] / (double)f->n;
	}
	return s;
}

/* With enough runs their mean is known better than by its range. */
static void set_interval(struct studied_row *row, bool is_rate, const struct study_figure *base)
{
	const struct study_figure *over = is_rate ? base : row->figure, *under = is_rate ? row->figure : base;
	struct interval i;

	if (over->n < INTERVAL_BOOTSTRAP_MIN || under->n < INTERVAL_BOOTSTRAP_MIN)
		return;
	i = interval_mean_bca(under->v, under->n, over->v, over->n, INTERVAL_RESAMPLES, 1);
	row->is_interval = true;
	row->published_lo = i.lo - 1;
	row->published_hi = i.hi - 1;
}

/* Of a rate the reciprocal is what an operation takes. */
static void set_published(struct studied_row *row, const struct study_published *p, const struct span *base)
{
	struct span s = span_of(row->figure);

	row->figure_mean = s.mean;
	if (p->is_higher_better) {
		row->published = base->mean / s.mean - 1;
		row->published_lo = base->lo / s.hi - 1;
		row->published_hi = base->hi / s.lo - 1;
	} else {
		row->published = s.mean / base->mean - 1;
		row->published_lo = s.lo / base->hi - 1;
		row->published_hi = s.hi / base->lo - 1;
	}
	set_interval(row, p->is_higher_better, &p->figures[0]);
}

static const char *words_of(const struct studied_row *row, bool is_count)
{
	if (isnan(row->measured))
		return "not measured";
	if (row->published_lo <= 0 && row->published_hi >= 0)
		return row->is_interval ? "the published interval has zero in it: no difference to hold it against" :
					  "published runs overlap: no order to hold it against";
	/* Of one boot there is no interval: NANs. */
	if (!(row->measured_lo > 0 || row->measured_hi < 0))
		return is_count ? "a count cannot tell the two apart" : "not told apart";
	if ((row->measured > 0) != (row->published > 0))
		return is_count ? "the other way round: not instructions, then" : "the other way round";
	if (fabs(row->measured) > fabs(row->published) * 2)
		return is_count ? "same direction, more than twice as much: in time they weigh less" :
				  "same direction, more than twice as much";
	if (fabs(row->measured) < fabs(row->published) / 2)
		return is_count ? "same direction, less than half: the rest is no instruction count" :
				  "same direction, less than half";
	return "same direction, within a factor of two";
}

/* ---- the order ---- */

static int by_published(const void *a, const void *b)
{
	const struct studied_row *const *x = a, *const *y = b;

	return ((*x)->published > (*y)->published) - ((*x)->published < (*y)->published);
}

static bool is_same_kernel(const struct run *run, size_t a, size_t b)
{
	return a < run->n_variants && b < run->n_variants && run->variants[a].kernel.config_sha256 &&
	       str_equal(run->variants[a].kernel.config_sha256, run->variants[b].kernel.config_sha256) &&
	       str_equal(run->variants[a].kernel.content, run->variants[b].kernel.content);
}

/* Of the figures themselves: the costs have the runs of the base in them, too. */
static bool is_overlap(const struct study_figure *a, const struct study_figure *b)
{
	struct span x = span_of(a), y = span_of(b);

	return x.lo <= y.hi && y.lo <= x.hi;
}

static void add_order(const struct studied *s, const struct result *r, struct studied_result *to,
		      const struct studied_row *a, const struct studied_row *b)
{
	const char *x = a->figure->variant, *y = b->figure->variant;
	const char *said = "is not decided";

	if (isnan(a->measured) || isnan(b->measured)) {
		strv_addf(&to->order, "%s before %s: not measured", x, y);
		return;
	}
	if (is_overlap(a->figure, b->figure))
		said = "is open: their published runs overlap";
	else if (s->is_count && is_same_kernel(r->run, find_variant(r->run, x), find_variant(r->run, y)))
		said = "cannot be decided by a count: one kernel, booted with other parameters, that switches tasks at other "
		       "moments";
	else if (!(a->measured_hi < b->measured_lo || b->measured_hi < a->measured_lo))
		said = s->is_count ? "cannot be decided by this count: their ranges overlap" : "is not decided: their intervals overlap";
	else if (a->measured < b->measured)
		said = "holds";
	else
		said = s->is_count ? "does not hold: counted the other way round" : "does not hold";
	strv_addf(&to->order, "%s before %s %s", x, y, said);
}

/* As the record has it: "hackbench:groups=1" is "hackbench", since that is its default. Owned by the caller. */
static char *recorded_name(const char *workload)
{
	struct workload *found = NULL;
	size_t n = 0;
	char *name = NULL;

	if (workloads_find(workload, &found, &n, NULL) == 0 && n == 1)
		name = xstrdup(found[0].name);
	for (size_t i = 0; i < n; i++)
		workload_finish(&found[i]);
	free(found);
	return name ? name : xstrdup(workload);
}

static void add_result(struct studied *s, const struct result *r, const struct study_published *p)
{
	_cleanup_free_ char *workload = recorded_name(p->workload);
	struct studied_result *to = ARRAY_ADD(s->results, s->n_results, s->cap_results);
	_cleanup_free_ const struct studied_row **sorted = xcalloc(p->n_figures, sizeof(*sorted));
	struct span base = span_of(&p->figures[0]);
	size_t first = find_variant(r->run, p->figures[0].variant);

	to->published = p;
	to->rows = xcalloc(p->n_figures, sizeof(*to->rows));
	for (size_t i = 0; i < p->n_figures; i++) {
		struct studied_row *row = &to->rows[to->n++];
		size_t v = find_variant(r->run, p->figures[i].variant);
		double a = cost_of(r, workload, first), b = cost_of(r, workload, v);

		*row = (struct studied_row){ .figure = &p->figures[i], .measured = NAN, .measured_lo = NAN, .measured_hi = NAN };
		set_published(row, p, &base);
		sorted[i] = row;
		if (i && !ratio_of(r, workload, first, v, row))
			row->measured = row->measured_lo = row->measured_hi = a > 0 ? b / a - 1 : NAN;
		if (i) {
			row->words = words_of(row, s->is_count);
			continue;
		}
		row->published_lo = row->published_hi = 0;
		row->words = isnan(a) ? "the base, not measured" : "the base";
		if (!isnan(a))
			row->measured = row->measured_lo = row->measured_hi = 0;
	}
	qsort(sorted, to->n, sizeof(*sorted), by_published);
	for (size_t i = 1; i < to->n && to->n > 2; i++)
		add_order(s, r, to, sorted[i - 1], sorted[i]);
}

/* ---- what the change woke ---- */

/* "2 DEBUG_PREEMPT": the variant that this one is without. */
static size_t split_of(const struct run *run, size_t variant, const char **ret_options)
{
	_cleanup_free_ char *key = xasprintf("split.%zu", variant);
	const char *value = facts_get(&run->head, key);
	char *end;
	unsigned long n;

	if (!value)
		return SIZE_MAX;
	n = strtoul(value, &end, 10);
	if (end == value || *end != ' ' || n >= run->n_variants || n == variant)
		return SIZE_MAX;
	*ret_options = end + 1;
	return n;
}

/* The variant that is this one without what was woken; SIZE_MAX. */
static size_t without_woken(const struct run *run, size_t variant)
{
	const char *options;

	for (size_t v = 0; v < run->n_variants; v++)
		if (split_of(run, v, &options) == variant)
			return v;
	return SIZE_MAX;
}

static void add_woken(struct studied *s, const struct result *r, size_t without, const char *workload)
{
	const char *options = "";
	size_t with = split_of(r->run, without, &options), base;
	double a, b, c;

	if (with == SIZE_MAX)
		return;
	base = run_base(r->run, with);
	a = cost_of(r, workload, base);
	b = cost_of(r, workload, without);
	c = cost_of(r, workload, with);
	if (!(a > 0) || isnan(b) || isnan(c) || c == a)
		return;
	strv_addf(&s->woken, "%s: of %+.1f %% from %s to %s, %+.1f %% of the base, a share of %.0f %%, are %s, which was dormant in the "
			     "config file and which the change woke", workload, (c / a - 1) * 100, r->run->variants[base].name,
		  r->run->variants[with].name, (c - b) / a * 100, (c - b) / (c - a) * 100, options);
}

/* ---- ladder and settings ---- */

static void add_ladder(struct studied *s, const struct result *r, const char *workload)
{
	const struct strv *names = &s->part->ladder;
	struct studied_ladder *l;
	_cleanup_free_ size_t *v = xcalloc(2 * names->n + 1, sizeof(*v));
	size_t n = 0;
	double first, last;

	for (size_t i = 0; i < names->n; i++) {
		size_t at = find_variant(r->run, names->v[i]);

		if (at == SIZE_MAX)
			continue;
		if (i && without_woken(r->run, at) != SIZE_MAX)
			v[n++] = without_woken(r->run, at);
		v[n++] = at;
	}
	if (n < 2)
		return;
	first = cost_of(r, workload, v[0]);
	last = cost_of(r, workload, v[n - 1]);
	l = ARRAY_ADD(s->ladders, s->n_ladders, s->cap_ladders);
	*l = (struct studied_ladder){ .workload = xstrdup(workload), .first = first, .n = n - 1,
				      .rungs = xcalloc(n, sizeof(*l->rungs)) };
	for (size_t i = 1; i < n; i++) {
		double delta = cost_of(r, workload, v[i]) - cost_of(r, workload, v[i - 1]);

		l->rungs[i - 1] = (struct studied_rung){ .from = v[i - 1], .to = v[i], .delta = delta,
							 .share = last != first ? delta / (last - first) : NAN };
	}
}

/* "y/permissive" against "n/permissive". */
static bool is_setting(const struct run *run, size_t v)
{
	const char *a = strchr(run->variants[run_base(run, v)].name, '/'), *b = strchr(run->variants[v].name, '/');

	return a && b && strcmp(a, b) == 0;
}

/* The same kernel with its first setting: "y/enforcing". */
static size_t first_setting(const struct run *run, size_t v)
{
	const char *name = run->variants[v].name;
	size_t n = strcspn(name, "/") + 1;

	for (size_t w = 1; w < v; w++)
		if (is_setting(run, w) && strncmp(run->variants[w].name, name, n) == 0)
			return w;
	return v;
}

static double setting_delta(const struct result *r, const char *workload, size_t v)
{
	return cost_of(r, workload, v) - cost_of(r, workload, run_base(r->run, v));
}

static bool is_clear(const struct result *r, const char *workload, size_t v)
{
	struct studied_row row;

	return ratio_of(r, workload, run_base(r->run, v), v, &row) && (row.measured_lo > 0 || row.measured_hi < 0);
}

/* What of the difference with the first setting is not there. NAN where that one is not clear of zero, or no part of it is gone. */
static double gone_of(const struct result *r, const char *workload, size_t first, double delta)
{
	double gone = 1 - delta / setting_delta(r, workload, first);

	if (!is_clear(r, workload, first))
		return NAN;
	return gone >= 0 && gone <= 1 ? gone : NAN;
}

/* Beside the pair with the first setting. */
static void add_settings(struct studied *s, const struct result *r, const char *workload)
{
	for (size_t v = 1; v < r->run->n_variants; v++) {
		double delta = setting_delta(r, workload, v);
		struct studied_setting *to;
		size_t w;

		if (!is_setting(r->run, v) || isnan(delta))
			continue;
		w = first_setting(r->run, v);
		to = ARRAY_ADD(s->settings, s->n_settings, s->cap_settings);
		*to = (struct studied_setting){ .workload = xstrdup(workload), .base = run_base(r->run, v), .other = v, .delta = delta,
						.is_clear = is_clear(r, workload, v), .gone = w == v ? NAN : gone_of(r, workload, w, delta) };
	}
}

/* ---- all ---- */

static void list_workloads(const struct result *r, struct strv *ret)
{
	for (size_t i = 0; i < r->n_cells; i++)
		if (!strv_has(ret, r->cells[i].workload))
			strv_add(ret, r->cells[i].workload);
	for (size_t i = 0; r->clocked && i < r->clocked->n_cells; i++)
		if (!strv_has(ret, r->clocked->cells[i].workload))
			strv_add(ret, r->clocked->cells[i].workload);
}

int studied_make(const struct result *r, struct studied **ret, struct error *err)
{
	const struct facts *h = &r->run->head;
	const char *text = facts_get(h, "study_text"), *name = facts_get(h, "study"), *part = facts_get(h, "study_part");
	_cleanup_strv_ struct strv workloads = { 0 };
	struct studied *s;
	int rc;

	*ret = NULL;
	if (!text)
		return 0;
	s = xcalloc(1, sizeof(*s));
	rc = study_parse("the record's study", text, strlen(text), facts_get(h, "study_kernel"), &s->study, err);
	if (rc < 0) {
		free(s);
		return rc;
	}
	s->name = xstrdup(name ? name : "study");
	s->part = study_part(&s->study, part);
	s->is_count = !r->clocked;
	for (size_t i = 0; i < s->study.n_published; i++) {
		const struct study_published *p = &s->study.published[i];

		if (!p->part || str_equal(p->part, part))
			add_result(s, r, p);
	}
	list_workloads(r, &workloads);
	for (size_t i = 0; s->part && i < workloads.n; i++) {
		add_ladder(s, r, workloads.v[i]);
		add_settings(s, r, workloads.v[i]);
		for (size_t v = 0; v < r->run->n_variants; v++)
			add_woken(s, r, v, workloads.v[i]);
	}
	*ret = s;
	return 0;
}
