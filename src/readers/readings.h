/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures that a benchmark printed. A program may say the same figure several
 * times, once for each time that it ran: then its value is the median, and the
 * single ones are there as well.
 */
#ifndef KTOLL_READINGS_H
#define KTOLL_READINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "readers/lines.h"

/* More figures than that are no benchmark's output. */
#define READINGS_MAX 4096

struct reading {
	char *metric; /* "time", "kill: bogo-ops/s, real time"; no two have the same */
	char *unit;   /* of the value: "s", "us", "MB/s", "ops" */
	bool is_higher_better;
	double value; /* finite */
};

/* Starts as { 0 }. */
struct readings {
	struct reading *v;
	size_t n, cap;
};

/*
 * Adds a figure of the current line, which may be one more of a metric that is there already.
 * -EBADMSG for the one after READINGS_MAX.
 */
int readings_add(struct readings *found, const struct lines *l, struct error *err, double value,
		 const char *unit, bool is_higher_better, const char *metric_fmt, ...)
	__attribute__((format(printf, 7, 8)));

/* Goes through all lines and adds what it finds; -EBADMSG with a sentence for a failed run. */
typedef int (*readings_collect_fn)(struct lines *l, struct readings *found, struct error *err);

/*
 * What `collect` finds in the text, as the caller of a reader gets it: a reading per metric,
 * in the order of their first figures. Where there are more of a metric M, that is their
 * median, and at the end follow "M, lowest", "M, highest", "M, runs" (how many) and "M, run 1"
 * and so on. -EBADMSG if nothing is found; `wanted` is the line that there should be.
 */
int readings_collect(const char *text, readings_collect_fn collect, const char *wanted,
		     struct readings *ret, struct error *err);

void readings_finish(struct readings *r);

#define _cleanup_readings_ __attribute__((cleanup(readings_finish)))

#endif
