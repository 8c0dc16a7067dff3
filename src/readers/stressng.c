/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stress-ng --metrics: "stress-ng: metrc: [pid] kill BOGO REAL USR SYS OPS/s(real) OPS/s(cpu)",
 * a line for each stressor; older ones say "info:", with the same columns.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "readers/lines.h"

static int read_stress_ng(const char *text, struct readings *ret, struct error *err)
{
	struct line line;

	while (line_next(&text, &line)) {
		double bogo, real, usr, sys, rate, cpu;
		_cleanup_free_ char *metric = NULL;
		const char *at = strchr(line.s, ']');
		char name[64];

		/* Headers and sentences have no six numbers behind their first word. */
		if (!strstr(line.s, "stress-ng: ") || !at ||
		    sscanf(at + 1, " %63s %lf %lf %lf %lf %lf %lf", name, &bogo, &real, &usr, &sys,
			   &rate, &cpu) != 7)
			continue;
		if (bogo <= 0)
			return error_set(err, EBADMSG, "%s did no bogus operation", name);
		metric = xasprintf("%s, bogus operations", name);
		reading_add(ret, metric, "1/s", true, rate);
	}
	return ret->n ? 0 : reading_missing(err, "line of metrics");
}

const struct reader reader_stress_ng = { "stress-ng", read_stress_ng };
