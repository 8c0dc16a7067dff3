/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comparison tables of lkp (0-day):
 *   base-commit other-commit
 *         5457 ±  6%     +30.9%       7146 ± 11%  perf-c2c.DRAM.remote
 * A change without a per cent sign is in points, of rows that are per cent themselves. What
 * stands behind ± is the standard deviation, in per cent of the value.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "readers/reader.h"

struct row {
	double value[2], sd[2];
	const char *name;
};

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t");
}

/* "± 11%" in UTF-8, or without it "+- 11%": the deviation of the value. */
static const char *scan_sd(const char *s, double value, double *ret)
{
	char *end;
	double percent;

	*ret = NAN;
	if (str_has_prefix(s, "\xc2\xb1") || str_has_prefix(s, "+-")) {
		percent = strtod(s + 2, &end);
		if (*end == '%') {
			*ret = percent / 100 * value;
			return skip_blanks(end + 1);
		}
	}
	return s;
}

static bool scan_row(const char *s, struct row *ret)
{
	char *end;

	if (!scan_number(&s, &ret->value[0]))
		return false;
	s = scan_sd(s, ret->value[0], &ret->sd[0]);
	if (*s != '+' && *s != '-')
		return false;
	strtod(s, &end);
	if (end == s)
		return false;
	s = skip_blanks(*end == '%' ? end + 1 : end);
	if (!scan_number(&s, &ret->value[1]))
		return false;
	s = scan_sd(s, ret->value[1], &ret->sd[1]);
	ret->name = s;
	/* "TOTAL" is of tables of 2013. */
	if (str_has_prefix(s, "TOTAL "))
		ret->name = skip_blanks(s + strlen("TOTAL "));
	return isalpha((unsigned char)*ret->name) && strchr(ret->name, '.');
}

static bool is_row(const char *line)
{
	struct row row;

	return scan_row(line, &row);
}

static bool recognise(const char *text)
{
	return lines_any(text, is_row);
}

/* A line of two commits names the sides; any other changes nothing. */
static bool take_commits(const char *s, char ret[2][64])
{
	char names[2][64];

	for (size_t i = 0; i < 2; i++) {
		size_t n = strspn(s, "0123456789abcdef");

		if (n < 8 || n >= sizeof(names[i]) || (s[n] && s[n] != ' '))
			return false;
		memcpy(names[i], s, n);
		names[i][n] = 0;
		s = skip_blanks(s + n);
	}
	if (*s)
		return false;
	memcpy(ret, names, sizeof(names));
	return true;
}

static int tabulate(struct lines *l, struct series_list *ret, struct error *err)
{
	char names[2][64] = { "base", "other" };

	(void)err;
	while (lines_next(l)) {
		struct row row;

		if (take_commits(l->line, names) || !scan_row(l->line, &row))
			continue;
		for (size_t i = 0; i < 2; i++) {
			struct series *s = series_of(ret, names[i], row.name);

			if (s->n)
				continue;
			s->is_mean = true;
			s->sd = row.sd[i];
			s->better = strstr(row.name, "throughput") ? BETTER_HIGHER : BETTER_UNKNOWN;
			series_add(s, row.value[i]);
		}
	}
	return 0;
}

const struct reader reader_lkp = { "lkp", recognise, NULL, NULL, tabulate };
