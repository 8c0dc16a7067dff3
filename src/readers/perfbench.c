/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf bench: "Total time: 1.574 [sec]", and of some benchmarks "4.874 usecs/op", "205154 ops/sec"
 * or "Averaged 491926 operations/sec (+- 0.19%), total secs = 300". The format "simple" is not
 * read: it is a number, and nothing says of what.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "readers/lines.h"
#include "readers/reader.h"

#define NAME "abcdefghijklmnopqrstuvwxyz0123456789-_/"

/* "# Running 'sched/pipe' benchmark:", older ones without the quotes. */
static bool scan_header(const char *line, const char **ret_name, size_t *ret_bytes)
{
	if (!scan_word(&line, "# Running "))
		return false;
	line += *line == '\'';
	*ret_name = line;
	*ret_bytes = strspn(line, NAME);
	line += *ret_bytes;
	line += *line == '\'';
	return *ret_bytes && str_has_prefix(line, " benchmark");
}

static bool is_header(const char *line)
{
	const char *name;
	size_t n;

	return scan_header(line, &name, &n);
}

static bool recognise(const char *text)
{
	return lines_any(text, is_header);
}

/* A figure with a text before it, or "", and one after it. */
struct figure {
	const char *before, *after;
	const char *metric, *unit;
	bool is_higher_better;
	bool has_rest; /* more may follow */
};

static const struct figure figures[] = {
	{ "Total time:", "[sec]", "total time", "s", false, false },
	{ "", "usecs/op", "time per operation", "us", false, false },
	{ "", "ops/sec", "operations per second", "ops/s", true, false },
	{ "Averaged ", "operations/sec", "operations per second", "ops/s", true, true },
};

/* Is the line this figure, readable or not? */
static bool is_figure(const char *line, const struct figure *f)
{
	if (*f->before)
		return str_has_prefix(line, f->before);
	return *line >= '0' && *line <= '9' && str_has_suffix(line, f->after);
}

static int add_figure(const struct lines *l, const struct figure *f, const char *benchmark,
		      struct readings *found, struct error *err)
{
	const char *at = l->line;
	double v;

	if (!scan_word(&at, f->before) || !scan_number(&at, &v) || !scan_word(&at, f->after) ||
	    (*at && !f->has_rest))
		return lines_bad(l, err, "this is no number and '%s'", f->after);
	if (v == 0)
		return lines_bad(l, err, "a %s of 0 is no measurement", f->metric);
	return readings_add(found, l, err, v, f->unit, f->is_higher_better, "%s%s%s",
			    benchmark ? benchmark : "", benchmark ? ": " : "", f->metric);
}

static int collect(struct lines *l, struct readings *found, struct error *err)
{
	_cleanup_free_ char *benchmark = NULL;

	while (lines_next(l)) {
		const char *name;
		size_t n;

		if (scan_header(l->line, &name, &n)) {
			free(benchmark);
			benchmark = xstrndup(name, n);
		}
		for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
			int r;

			if (!is_figure(l->line, &figures[i]))
				continue;
			r = add_figure(l, &figures[i], benchmark, found, err);
			if (r < 0)
				return r;
			break;
		}
	}
	return 0;
}

const struct reader reader_perf_bench = { "perf-bench", recognise, collect, "Total time: ... [sec]", NULL };
