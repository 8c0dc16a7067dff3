/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cyclictest: "T: 0 (  123) P:80 I:1000 C:  10000 Min:      2 Act:    3 Avg:    5 Max:      44", in
 * microseconds, a line for each thread, which is printed again and again unless it is quiet.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "readers/lines.h"

#define MAX_THREADS 4096

static int read_cyclictest(const char *text, struct readings *ret, struct error *err)
{
	struct thread {
		double min, avg, max;
	} *threads = xcalloc(MAX_THREADS, sizeof(*threads)), all = { 0 };
	unsigned n = 0, thread;
	struct line line;

	while (line_next(&text, &line)) {
		/* What stands behind the last T: of a line is the latest. */
		const char *at = NULL, *next = line.s;
		struct thread t;

		while ((next = strstr(next, "T:")))
			at = next, next += 2;
		if (at && sscanf(at, "T:%u", &thread) == 1 && thread < MAX_THREADS &&
		    line_number(at, "Min:", &t.min) && line_number(at, "Avg:", &t.avg) &&
		    line_number(at, "Max:", &t.max)) {
			threads[thread] = t;
			n = thread >= n ? thread + 1 : n;
		}
	}
	for (unsigned i = 0; i < n; i++) {
		all.min = !i || threads[i].min < all.min ? threads[i].min : all.min;
		all.max = !i || threads[i].max > all.max ? threads[i].max : all.max;
		all.avg += threads[i].avg / n;
	}
	free(threads);
	if (!n)
		return reading_missing(err, "line \"T: 0 …\"");
	reading_add(ret, "wake-up delay, max", "us", false, all.max);
	reading_add(ret, "wake-up delay, mean", "us", false, all.avg);
	reading_add(ret, "wake-up delay, min", "us", false, all.min);
	return 0;
}

const struct reader reader_cyclictest = { "cyclictest", read_cyclictest };
