/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shares of samples per function, of perf report and perf diff:
 *    12.50%  hackbench  [kernel.kallsyms]  [k] _raw_spin_lock     report
 *    49.03%     +0.30%  div                [.] main               diff: base, change in points
 *               +2.52%  [kernel.kallsyms]  [k] unmap_page_range   diff: nothing in the base
 * A row may go on in the next line, where a mail was wrapped behind "[k]".
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "readers/reader.h"

struct row {
	double percent[2];
	bool has_second, is_change; /* a second column: Self of report, or the change of diff */
	bool has_first;
	const char *symbol; /* "" in a row that goes on */
};

/* "12.50%", "+0.30%" */
static bool scan_percent(const char **at, double *ret, bool *ret_signed)
{
	char *end;

	*ret_signed = **at == '+' || **at == '-';
	if (!*ret_signed && (**at < '0' || **at > '9'))
		return false;
	*ret = strtod(*at, &end);
	if (end == *at || *end != '%' || !isfinite(*ret))
		return false;
	*at = end + 1 + strspn(end + 1, " \t");
	return true;
}

static bool scan_row(const char *line, struct row *ret)
{
	const char *s = line, *mark;
	bool is_signed;

	*ret = (struct row){ 0 };
	if (*s == '#' || !scan_percent(&s, &ret->percent[0], &is_signed))
		return false;
	ret->has_first = !is_signed;
	if (is_signed) {
		ret->is_change = true;
		ret->percent[1] = ret->percent[0];
		ret->percent[0] = 0;
	} else if (scan_percent(&s, &ret->percent[1], &is_signed)) {
		ret->has_second = true;
		ret->is_change = is_signed;
	}
	mark = strstr(s, "[k]");
	if (!mark)
		mark = strstr(s, "[.]");
	if (!mark)
		return false;
	ret->symbol = mark + 3 + strspn(mark + 3, " \t");
	return true;
}

static bool is_row(const char *line)
{
	struct row row;

	return scan_row(line, &row);
}

static bool recognise(const char *text)
{
	return (strstr(text, "Overhead") || strstr(text, "Baseline") || strstr(text, "Children")) &&
	       lines_any(text, is_row);
}

static void add(struct series_list *ret, const char *side, const char *symbol, double percent)
{
	struct series *s = series_of(ret, side, symbol);

	s->is_share = true;
	/* One function in several programs: they add up. */
	if (s->n)
		s->values[0] += percent;
	else
		series_add(s, percent);
}

static int tabulate(struct lines *l, struct series_list *ret, struct error *err)
{
	_cleanup_free_ char *symbol = NULL;
	bool is_over = false;

	(void)err;
	while (lines_next(l)) {
		struct row row;

		/* A second table is of something else: blocks and cycles. */
		is_over |= ret->n && strstr(l->line, "[Program Block Range]");
		if (is_over || !scan_row(l->line, &row))
			continue;
		free(symbol);
		symbol = xstrdup(row.symbol);
		if (!*symbol && lines_next(l)) {
			free(symbol);
			symbol = xstrdup(l->line);
		}
		if (!*symbol)
			continue;
		if (row.is_change) {
			add(ret, "baseline", symbol, row.percent[0]);
			add(ret, "other", symbol, row.percent[0] + row.percent[1]);
		} else {
			/* Children and Self: what is its own. */
			add(ret, NULL, symbol, row.has_second ? row.percent[1] : row.percent[0]);
		}
	}
	return 0;
}

const struct reader reader_perf_profile = { "perf-profile", recognise, NULL, NULL, tabulate };
