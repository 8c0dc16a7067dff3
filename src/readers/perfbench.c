/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf bench: "Total time: 0.487 [sec]", and of some "0.487 usecs/op", "2053388 ops/sec". */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "readers/lines.h"

static int read_perf_bench(const char *text, struct readings *ret, struct error *err)
{
	struct line line;
	char unit[16];
	double v;

	while (line_next(&text, &line)) {
		if (line_number(line.s, "Total time:", &v))
			reading_add(ret, "total time", "s", false, v);
		else if (sscanf(line.s, " %lf %15s", &v, unit) == 2 && strcmp(unit, "usecs/op") == 0)
			reading_add(ret, "time per operation", "us", false, v);
		else if (sscanf(line.s, " %lf %15s", &v, unit) == 2 && strcmp(unit, "ops/sec") == 0)
			reading_add(ret, "operations", "1/s", true, v);
	}
	return ret->n ? 0 : reading_missing(err, "line \"Total time: …\"");
}

const struct reader reader_perf_bench = { "perf-bench", read_perf_bench };
