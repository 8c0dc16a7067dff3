/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the readers share: lines, and numbers in them. */
#ifndef KTOLL_LINES_H
#define KTOLL_LINES_H

#include "readers/reader.h"

/* The next line from *at on, NUL at its end, in `buf`; false behind the last one. Longer ones are cut. */
struct line {
	char s[1024];
};
bool line_next(const char **at, struct line *ret);

/* The number right behind `key` in the line, blanks between them allowed; false if there is none. */
bool line_number(const char *line, const char *key, double *ret);

void reading_add(struct readings *r, const char *metric, const char *unit, bool is_higher_better,
		 double value);

/* Returns -EBADMSG. */
int reading_missing(struct error *err, const char *what);

extern const struct reader reader_cyclictest, reader_hackbench, reader_hey, reader_perf_bench,
	reader_refscale, reader_stress_ng, reader_tbench, reader_wrk;

#endif
