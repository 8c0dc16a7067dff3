/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refscale's table in a kernel's log: "Runs\tTime(ns)", then "1\t34.912". It is printed in pieces of
 * some 800 bytes, so that a timestamp may stand in front of a line, or inside one.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "readers/lines.h"

/* The log without timestamps, "[   12.345678] ", and without the line ends in front of those inside a line. */
static char *without_stamps(const char *text)
{
	struct str s = STR_INIT;

	for (const char *c = text; *c; c++) {
		unsigned sec, usec;
		int n = 0;

		if (*c == '[' && sscanf(c, "[%u.%6u] %n", &sec, &usec, &n) == 2 && n)
			c += n - 1;
		else if (*c != '\r')
			str_add_bytes(&s, c, 1);
	}
	return str_take(&s) ?: xstrdup("");
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int read_refscale(const char *text, struct readings *ret, struct error *err)
{
	_cleanup_free_ char *log = without_stamps(text);
	const char *at = strstr(log, "Runs\tTime(ns)");
	_cleanup_free_ double *v = NULL;
	size_t n = 0, cap = 0;
	struct line line;

	if (!at)
		return reading_missing(err, "table of refscale");
	while (line_next(&at, &line)) {
		unsigned run;
		double ns;

		if (sscanf(line.s, "%u\t%lf", &run, &ns) == 2 && isfinite(ns) && run == n + 1)
			*ARRAY_ADD(v, n, cap) = ns;
	}
	if (!n)
		return reading_missing(err, "run in refscale's table");
	qsort(v, n, sizeof(*v), ascending);
	reading_add(ret, "time per loop, median", "ns", false, (v[(n - 1) / 2] + v[n / 2]) / 2);
	reading_add(ret, "time per loop, min", "ns", false, v[0]);
	reading_add(ret, "time per loop, max", "ns", false, v[n - 1]);
	return 0;
}

const struct reader reader_refscale = { "refscale", read_refscale };
