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
#include "model/series.h"
#include "readers/readings.h"

struct reader {
	const char *name; /* "hackbench" */

	/* Is this the program's output, of a good run or a failed one? NULL: it is taken where nothing else is. */
	bool (*recognise)(const char *text);

	/*
	 * What the program's output has: `collect` adds a reading for each figure, again for each
	 * run, the main metric first; `wanted` is the line that there should be. Or, for files with
	 * several sides, `tabulate` makes series. -EBADMSG, with a sentence that says which line, if
	 * the run failed.
	 */
	readings_collect_fn collect;
	const char *wanted;
	int (*tabulate)(struct lines *l, struct series_list *ret, struct error *err);
};

/*
 * The figures of one program that ran, for those with `collect`. `text` is standard output and
 * standard error, or the console: any bytes up to a NUL. There is at least one reading, and the
 * first is the main metric: see readings_collect().
 */
int reader_read(const struct reader *r, const char *text, struct readings *ret, struct error *err);

/*
 * The series of a file. `r` NULL: the reader that recognises it, or columns of numbers. At least
 * one series. -EBADMSG with a sentence; a program that is known but has no reader is refused by
 * its name.
 */
int reader_series(const struct reader *r, const char *text, struct series_list *ret,
		  struct error *err);
/* The reader that recognises a text; NULL for none. */
const struct reader *reader_recognise(const char *text);

extern const struct reader reader_ab, reader_columns, reader_hyperfine, reader_lkp, reader_mmtests,
	reader_perf_profile, reader_perf_stat, reader_rcuscale, reader_stress_ng_yaml, reader_time;
extern const struct reader reader_cyclictest, reader_hackbench, reader_hey, reader_perf_bench,
	reader_refscale, reader_stress_ng, reader_tbench, reader_wrk;

/* NULL for a program without one. */
const struct reader *reader_find(const char *name);
/* All of them, for i from 0; NULL after the last. */
const struct reader *reader_at(size_t i);

#endif
