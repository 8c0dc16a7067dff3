/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comparison tables of mmtests:
 *                     base                other
 *   Amean     1       0.4743 (   0.00%)      0.4295 *   9.45%*
 * A per cent above 0 is better, whichever way the figure goes; stars mark what its test calls
 * significant. Hmean is of rates, where more is better; Amean of times.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "readers/reader.h"

#define MAX_SIDES 32

static const struct {
	const char *name;
	enum better better;
} means[] = { { "Amean", BETTER_LOWER }, { "Hmean", BETTER_HIGHER }, { "Gmean", BETTER_HIGHER } };

/* The mean that a line begins with; -1. */
static int mean_of(const char *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(means); i++)
		if (str_has_prefix(s, means[i].name) && strchr(" \t", s[5]))
			return (int)i;
	return -1;
}

/* "(   0.00%)" or "*   9.45%*": moves behind it. */
static bool scan_change(const char **at, double *ret, bool *ret_marked)
{
	const char *s = *at;
	char *end;

	if (*s != '(' && *s != '*')
		return false;
	*ret_marked = *s++ == '*';
	*ret = strtod(s, &end) / 100;
	if (end == s || *end != '%' || !isfinite(*ret) || (end[1] != ')' && end[1] != '*'))
		return false;
	*at = end + 2 + strspn(end + 2, " \t");
	return true;
}

static bool is_row(const char *line)
{
	double v, change;
	bool marked;
	const char *s = lines_unquoted(line);

	if (mean_of(s) < 0)
		return false;
	for (; *s; s += strcspn(s, " \t"), s += strspn(s, " \t")) {
		const char *at = s;

		if (scan_number(&at, &v) && scan_change(&at, &change, &marked))
			return true;
	}
	return false;
}

static bool recognise(const char *text)
{
	return lines_any(text, is_row);
}

/* Names over the columns; the last line of several in front of the rows. */
static void take_header(const char *s, struct strv *names)
{
	_cleanup_free_ char *copy = xstrdup(s);
	char *next = copy, *word;

	strv_finish(names);
	*names = (struct strv){ 0 };
	while ((word = strsep(&next, " \t")))
		if (*word)
			strv_add(names, word);
}

static int take_row(struct lines *l, const char *s, int mean, const struct strv *names,
		    struct series_list *ret, struct error *err)
{
	_cleanup_str_ struct str metric = STR_INIT;
	size_t side = 0;

	str_add(&metric, means[mean].name);
	s += 5 + strspn(s + 5, " \t");
	/* The parameter: words until a number with a per cent behind it. */
	while (*s) {
		const char *at = s;
		double v, change;
		bool marked;
		struct series *out;

		if (!scan_number(&at, &v) || !scan_change(&at, &change, &marked)) {
			if (side)
				return lines_bad(l, err, "after the first column, a value and its per cent are wanted");
			str_add(&metric, " ");
			str_add_bytes(&metric, s, strcspn(s, " \t"));
			s += strcspn(s, " \t");
			s += strspn(s, " \t");
			continue;
		}
		if (side >= MAX_SIDES)
			return lines_bad(l, err, "more than %d columns", MAX_SIDES);
		{
			_cleanup_free_ char *numbered = xasprintf("column %zu", side + 1);

			out = series_of(ret, side < names->n ? names->v[side] : numbered, str_text(&metric));
		}
		out->better = means[mean].better;
		out->is_mean = true;
		if (out->n)
			return lines_bad(l, err, "the same row twice");
		series_add(out, v);
		out->printed_change = side ? change : NAN;
		out->is_marked = side && marked;
		side++;
		s = at;
	}
	return side ? 0 : lines_bad(l, err, "a value and its per cent are wanted");
}

static int tabulate(struct lines *l, struct series_list *ret, struct error *err)
{
	_cleanup_strv_ struct strv names = { 0 };
	bool in_rows = false;
	int r = 0;

	while (r == 0 && lines_next(l)) {
		const char *s = lines_unquoted(l->line);
		int mean = mean_of(s);

		if (mean >= 0 && is_row(s)) {
			r = take_row(l, s, mean, &names, ret, err);
			in_rows = true;
		} else if (!*s) {
			in_rows = false;
		} else if (!in_rows && *s != '#') {
			take_header(s, &names);
		}
	}
	return r;
}

const struct reader reader_mmtests = { "mmtests", recognise, NULL, NULL, tabulate };
