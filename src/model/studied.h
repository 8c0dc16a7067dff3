/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a report shows of a study: published figures beside measured ones, and what is carried by which rung and setting. Made by
 * explain/studied.c. Costs are fractions of the base: 0.05 is 5 % more per operation (time where it was
 * published; instructions or time, as the engine has it, where it was measured). Owned, unless it says otherwise.
 */
#ifndef KTOLL_STUDIED_H
#define KTOLL_STUDIED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "model/study.h"

struct studied_row {
	const struct study_figure *figure; /* the study's */
	double figure_mean;
	double published, published_lo, published_hi; /* cost; lo and hi over the runs, or as is_interval has it */
	bool is_interval; /* of 95 %, of the ratio of means: ten runs or more on both sides */
	double measured, measured_lo, measured_hi;    /* NAN: not measured */
	const char *words; /* do they agree? Static */
};

struct studied_result {
	const struct study_published *published; /* the study's */
	struct studied_row *rows; /* the base first */
	size_t n;
	struct strv order; /* sentences about neighbours in the published order */
};

/* From one rung of the ladder to the next. */
struct studied_rung {
	size_t from, to;  /* variants */
	double delta;     /* instructions (count) or ns per operation; NAN: not measured */
	double share;     /* of the way from the first rung to the last, a fraction; NAN */
};

struct studied_ladder {
	char *workload;
	double first;     /* per operation on the lowest rung */
	struct studied_rung *rungs;
	size_t n;
};

/* The same two kernels with another setting. */
struct studied_setting {
	char *workload;
	size_t base, other; /* variants */
	double delta;       /* per operation */
	bool is_clear;      /* of zero, with its range or interval */
	double gone;        /* what of the first setting's difference is not there; a fraction; NAN for the first, and where nothing of it is gone */
};

struct studied {
	struct study study;
	const struct study_part *part; /* NULL: the record's is none of the study's */
	char *name;
	struct studied_result *results;
	size_t n_results, cap_results;
	struct studied_ladder *ladders;
	size_t n_ladders, cap_ladders;
	struct studied_setting *settings;
	size_t n_settings, cap_settings;
	struct strv woken;             /* sentences: options that a change woke, and their share */
	bool is_count;
};

void studied_free(struct studied *s);

/* Was anything of it measured that its base is compared with? */
bool studied_is_measured(const struct studied_result *r);
/* Workloads of those of which nothing was, with ", " between; empty for none. Owned by the caller. */
char *studied_unmeasured(const struct studied *s);

#endif
