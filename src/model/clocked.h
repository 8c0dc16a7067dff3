/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a report shows of sittings: times and figures of blocks, and what their
 * differences come to. Made by explain/clocking.c from a run, which is borrowed and must
 * live as long; everything else is owned.
 */
#ifndef KTOLL_CLOCKED_H
#define KTOLL_CLOCKED_H

#include <stdbool.h>
#include <stddef.h>

#include "model/run.h"
#include "model/series.h"
#include "stat/paired.h"

struct clocked_counter {
	char *name;
	double per_op;
};

/* A workload on a variant, over all its blocks. */
struct clocked_cell {
	char *workload;
	size_t variant;
	size_t n_blocks, n_boots;
	double ns_per_op;  /* geometric mean */
	double spread;     /* standard deviation of the logarithms: a fraction of it */
	char *metric, *unit; /* the program's own main figure; NULL for none */
	enum better better;
	double metric_mean;
	struct clocked_counter *counters;
	size_t n_counters, cap_counters;
};

struct clocked_comparison {
	char *workload, *quantity, *unit; /* "time per operation", "ns"; or the program's figure */
	enum better better;
	size_t base, other;
	struct paired p;
	const char *level;   /* what was repeated: "rounds", "boots"; NULL: nothing that an interval could rest on. Static */
	double floor;        /* the base against itself: a fraction that the noise alone comes to; NAN */
	double p_holm;
	enum judgement_verdict verdict; /* after the correction */
	const char *verdict_name;       /* "slower", "same", "undecided", "no-verdict" …; static */
	char *reason;
	struct strv warnings; /* "code: text" */
};

struct clocked {
	const struct run *run;
	double threshold;
	struct clocked_cell *cells;
	size_t n_cells, cap_cells;
	struct clocked_comparison *comparisons;
	size_t n, cap;
	bool is_emulated; /* times of an emulator */
	struct strv notes; /* of the whole */
};

void clocked_finish(struct clocked *c);

/* NULL if nothing of it was run. */
const struct clocked_cell *clocked_cell(const struct clocked *c, const char *workload, size_t variant);
/* Is it the time per operation, and not a figure that the program printed? */
bool clocked_is_time(const struct clocked_comparison *o);
/* What is compared, on one of the two variants; NAN. */
double clocked_value(const struct clocked *c, const struct clocked_comparison *o, size_t variant);

#endif
