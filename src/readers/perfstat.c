/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf stat: its table in any locale, and the CSV of -x, also with -I.
 *    2.058.030.887      cycles         #    2,391 GHz
 *      860,784463      task-clock (msec)
 *    26.403 +- 0.166 seconds time elapsed  ( +-  0.63% )
 *   1.000659830,4100064372,,cpu-cycles,16139216640,16.66,0.042,GHz
 * A table of several runs has means.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "readers/reader.h"

static bool is_header(const char *line)
{
	return str_has_prefix(line, "Performance counter stats for") ||
	       str_has_prefix(line, "# started on ") || strstr(line, "perf stat ");
}

static bool recognise(const char *text)
{
	return lines_any(text, is_header) && !strstr(text, "Running in ") && !strstr(text, "Time: ");
}

/*
 * Digits in groups, whatever separates them: the last mark is a decimal one if it is not
 * followed by exactly three digits, or if another mark stands before it. A count has none.
 */
static bool scan_figure(const char **at, double *ret)
{
	char digits[64];
	size_t n = 0, behind = 0, n_marks = 0;
	const char *s = *at, *end;
	char last = 0;
	bool other = false;

	if (!isdigit((unsigned char)*s))
		return false;
	for (;; s++) {
		/* U+202F and U+00A0, narrow and wide. */
		if (str_has_prefix(s, "\xe2\x80\xaf"))
			s += 2;
		else if (str_has_prefix(s, "\xc2\xa0"))
			s += 1;
		else if (*s == ' ' && isdigit((unsigned char)s[1]) && isdigit((unsigned char)s[2]) &&
			 isdigit((unsigned char)s[3]) && !isdigit((unsigned char)s[4]) && n <= 24)
			;
		else if ((*s == '.' || *s == ',' || *s == '\'') && isdigit((unsigned char)s[1])) {
			other |= last && last != *s;
			last = *s;
			n_marks++;
			behind = n;
		} else if (isdigit((unsigned char)*s) && n < sizeof(digits) - 2) {
			digits[n++] = *s;
		} else {
			break;
		}
	}
	end = s;
	digits[n] = 0;
	*ret = strtod(digits, NULL);
	/* "1.234,5", "860,784463", "26.403 seconds": never of three digits in a group of several. */
	if (last && (other || n - behind != 3 || (n_marks == 1 && behind <= 3 && *end == ' ' && strstr(end, "seconds"))))
		*ret /= pow(10, (double)(n - behind));
	*at = end + strspn(end, " \t");
	return isfinite(*ret);
}

static void add(struct series_list *ret, const char *event, const char *unit, double value, double sd,
		bool is_mean)
{
	struct series *s = series_of(ret, NULL, event);

	free(s->unit);
	s->unit = xstrdup(unit);
	s->better = BETTER_LOWER;
	s->is_mean = is_mean;
	s->sd = sd;
	series_add(s, value);
}

static bool is_clock(const char *event)
{
	return str_has_prefix(event, "task-clock") || str_has_prefix(event, "cpu-clock");
}

/* "( +-  6.59% )", a standard error over the runs, as a fraction; NAN. */
static double spread_of(const char *line)
{
	const char *s = strstr(line, "( +-");
	char *end;
	double v;

	if (!s)
		return NAN;
	v = strtod(s + strlen("( +-"), &end);
	return *end == '%' ? v / 100 : NAN;
}

/*
 * Some versions with -a and -r add the counters up over the runs: the sums rise as 1, 2, 3 ..., and
 * all of them have the same standard error, that of a ramp over its last value. Only the time is
 * one of a run then.
 */
static void find_sums(struct series_list *l)
{
	double lo = INFINITY, hi = 0;
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		if (!isnan(l->v[i].sd) && *l->v[i].unit != 's') {
			double spread = l->v[i].sd / l->v[i].values[0];

			lo = fmin(lo, spread);
			hi = fmax(hi, spread);
			n++;
		}
	for (size_t i = 0; n >= 3 && lo > 0.01 && hi < lo * 1.05 && i < l->n; i++)
		if (*l->v[i].unit != 's')
			l->v[i].note = "summed: all counters have the same spread, as if they were added up over "
				       "the runs: only the time is one of a run";
}

/* A row of the table. */
static bool take_row(const char *line, bool is_mean, struct series_list *ret)
{
	const char *s = line, *unit = "";
	char event[64];
	double v, sd = NAN;
	size_t n;

	if (!scan_figure(&s, &v))
		return false;
	if (scan_word(&s, "+-"))
		scan_figure(&s, &sd);
	if (str_has_prefix(s, "seconds time elapsed") || str_has_prefix(s, "seconds user") ||
	    str_has_prefix(s, "seconds sys")) {
		add(ret, strstr(s, "elapsed") ? "elapsed time" : strstr(s, "user") ? "user time" : "system time",
		    "s", v, sd, is_mean);
		return true;
	}
	if (scan_word(&s, "msec"))
		unit = "ms";
	n = strcspn(s, " \t");
	if (!n || n >= sizeof(event) || !isalpha((unsigned char)*s))
		return false;
	memcpy(event, s, n);
	event[n] = 0;
	/* Without a unit, new versions mean ns. */
	if (is_clock(event) && !*unit)
		unit = str_has_prefix(s + n, " (msec)") ? "ms" : "ns";
	add(ret, event, unit, v, spread_of(line) * v, is_mean);
	return true;
}

/* "1.000659830,4100064372,,cpu-cycles,...": the time of the interval may be missing. */
static bool take_csv(const char *line, struct series_list *ret)
{
	_cleanup_free_ char *copy = xstrdup(line);
	char *next = copy, *cell[5] = { 0 };
	size_t n = 0;

	while (n < ARRAY_SIZE(cell) && (cell[n] = strsep(&next, ",")))
		n++;
	for (size_t i = 0; n >= 3 && i < 2; i++) {
		char *end;
		double v = strtod(cell[i], &end);

		if (end != cell[i] && !*end && i + 2 < n && isalpha((unsigned char)cell[i + 2][0]) &&
		    isfinite(v) && isdigit((unsigned char)*cell[i])) {
			add(ret, cell[i + 2], cell[i + 1], v, NAN, false);
			return true;
		}
	}
	return false;
}

/* Older versions separate with blanks: "1.012763890 3969592418  cpu-cycles ...". */
static bool take_interval(const char *line, struct series_list *ret)
{
	const char *s = line;
	char event[64];
	double at, v;
	size_t n;

	if (!scan_number(&s, &at) || !scan_number(&s, &v) || !isalpha((unsigned char)*s))
		return false;
	n = strcspn(s, " \t");
	if (n >= sizeof(event))
		return false;
	memcpy(event, s, n);
	event[n] = 0;
	add(ret, event, is_clock(event) ? "ms" : "", v, NAN, false);
	return true;
}

static int tabulate(struct lines *l, struct series_list *ret, struct error *err)
{
	bool is_table = false, is_mean = false;

	while (lines_next(l)) {
		if (str_has_prefix(l->line, "Performance counter stats for")) {
			is_table = true;
			is_mean = strstr(l->line, " runs)") && !strstr(l->line, "(1 runs)");
		} else if (is_table) {
			take_row(l->line, is_mean, ret);
		} else if (!take_csv(l->line, ret)) {
			take_interval(l->line, ret);
		}
	}
	find_sums(ret);
	/* The time is what a run was for. */
	for (size_t i = 1; i < ret->n; i++)
		if (strcmp(ret->v[i].metric, "elapsed time") == 0) {
			struct series time = ret->v[i];

			memmove(ret->v + 1, ret->v, i * sizeof(time));
			ret->v[0] = time;
		}
	return ret->n ? 0 : error_set(err, EBADMSG, "it has no counters");
}

const struct reader reader_perf_stat = { "perf-stat", recognise, NULL, NULL, tabulate };
