/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "readers/readings.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"

/* Takes the metric. */
static void add(struct readings *r, char *metric, const char *unit, bool is_higher_better,
		double value)
{
	*ARRAY_ADD(r->v, r->n, r->cap) =
		(struct reading){ metric, xstrdup(unit), is_higher_better, value };
}

int readings_add(struct readings *found, const struct lines *l, struct error *err, double value,
		 const char *unit, bool is_higher_better, const char *metric_fmt, ...)
{
	va_list ap;

	if (found->n == READINGS_MAX)
		return lines_bad(l, err, "more than %d figures", READINGS_MAX);
	va_start(ap, metric_fmt);
	add(found, xvasprintf(metric_fmt, ap), unit, is_higher_better, value);
	va_end(ap);
	return 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool is_first(const struct readings *found, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (str_equal(found->v[i].metric, found->v[at].metric))
			return false;
	return true;
}

/* The values of the metric that first stands at `first`, into `values`. Returns how many. */
static size_t values_of(const struct readings *found, size_t first, double *values)
{
	size_t n = 0;

	for (size_t i = first; i < found->n; i++)
		if (str_equal(found->v[i].metric, found->v[first].metric))
			values[n++] = found->v[i].value;
	return n;
}

static void add_runs(struct readings *r, const struct reading *f, const double *in_order,
		     const double *sorted, size_t n)
{
	bool up = f->is_higher_better;

	add(r, xasprintf("%s, lowest", f->metric), f->unit, up, sorted[0]);
	add(r, xasprintf("%s, highest", f->metric), f->unit, up, sorted[n - 1]);
	add(r, xasprintf("%s, runs", f->metric), "runs", true, (double)n);
	for (size_t i = 0; i < n; i++)
		add(r, xasprintf("%s, run %zu", f->metric, i + 1), f->unit, up, in_order[i]);
}

static struct readings summarise(const struct readings *found)
{
	_cleanup_free_ double *in_order = xcalloc(found->n, sizeof(double));
	_cleanup_free_ double *sorted = xcalloc(found->n, sizeof(double));
	struct readings all = { 0 }, runs = { 0 };

	for (size_t i = 0; i < found->n; i++) {
		const struct reading *f = &found->v[i];
		double median;
		size_t n;

		if (!is_first(found, i))
			continue;
		values_of(found, i, sorted);
		n = values_of(found, i, in_order);
		qsort(sorted, n, sizeof(*sorted), by_value);
		median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
		add(&all, xstrdup(f->metric), f->unit, f->is_higher_better, median);
		if (n > 1)
			add_runs(&runs, f, in_order, sorted, n);
	}
	for (size_t i = 0; i < runs.n; i++)
		*ARRAY_ADD(all.v, all.n, all.cap) = runs.v[i];
	free(runs.v);
	return all;
}

int readings_collect(const char *text, readings_collect_fn collect, const char *wanted,
		     struct readings *ret, struct error *err)
{
	_cleanup_readings_ struct readings found = { 0 };
	_cleanup_lines_ struct lines l;
	int r;

	lines_init(&l, text);
	r = collect(&l, &found, err);
	if (r < 0)
		return r;
	if (!found.n)
		return error_set(err, EBADMSG, "it has no line '%s': the program failed, or printed "
				 "something else", wanted);
	*ret = summarise(&found);
	return 0;
}

void readings_finish(struct readings *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->v[i].metric);
		free(r->v[i].unit);
	}
	free(r->v);
	*r = (struct readings){ 0 };
}
