/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Readers: one per benchmark program, from what it printed to figures. A run
 * that failed has no figures, also if the program printed some.
 */
#ifndef KTOLL_READER_H
#define KTOLL_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "readers/readings.h"

struct reader {
	const char *name; /* "hackbench" */

	/* Is this the program's output, of a good run or a failed one? */
	bool (*recognise)(const char *text);

	/*
	 * `text` is standard output and standard error, or the console: any bytes up to a NUL.
	 * There is at least one reading, and the first is the main metric. -EBADMSG, with a
	 * sentence that says which line, if there is no figure or the run failed.
	 */
	int (*read)(const char *text, struct readings *ret, struct error *err);
};

extern const struct reader reader_cyclictest, reader_hackbench, reader_hey, reader_perf_bench,
	reader_refscale, reader_stress_ng, reader_tbench, reader_wrk;

/* NULL for a program without one. */
const struct reader *reader_find(const char *name);
/* All of them, for i from 0; NULL after the last. */
const struct reader *reader_at(size_t i);

#endif
