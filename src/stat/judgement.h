/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is the difference of two samples real? Estimates, a verdict with what it
 * rests on, and what in the data should make one doubt it. Text is made by
 * others.
 */
#ifndef KTOLL_JUDGEMENT_H
#define KTOLL_JUDGEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stat/describe.h"
#include "stat/interval.h"
#include "stat/rank.h"

enum judgement_verdict {
	JUDGED_HIGHER,    /* the interval is clear of 1, and the ratio is off it by the threshold or more */
	JUDGED_LOWER,
	JUDGED_SAME,      /* the whole interval is within the threshold */
	JUDGED_UNDECIDED, /* neither */
	JUDGED_NONE,      /* one value on a side, or no spread at all: no interval */
};

/* What is doubtful about one side, as bits. */
enum judgement_doubt {
	DOUBT_TREND = 1,    /* rises or falls over its runs: p below 0.01 */
	DOUBT_OUTLIERS = 2,
	DOUBT_CLUSTERS = 4, /* two heaps */
	DOUBT_WARM_UP = 8,  /* the first run is an outlier, and the only one */
	DOUBT_CONSTANT = 16, /* three or more values, all equal */
	DOUBT_SPREAD = 32,  /* the coefficient of variation is above 0.3 */
};

/* More outliers than that are not told one by one. */
#define JUDGEMENT_OUTLIERS 8

struct judgement_side {
	struct description d;
	unsigned doubts;
	double trend_p;
	size_t n_outliers, outliers[JUDGEMENT_OUTLIERS]; /* indices of the values, in order */
	bool outliers_are_early; /* all in the first third of the runs */
};

struct judgement {
	struct judgement_side base, other;
	struct interval welch;      /* of geometric means */
	struct interval mean_bca;   /* of means; NANs below INTERVAL_BOOTSTRAP_MIN a side */
	struct interval median_bc;
	double mean_ratio, median_ratio;
	double shift;               /* Hodges-Lehmann, in the unit of the values */
	struct rank_test rank;
	double p;                   /* two-sided, of Welch's t on logarithms; NAN without an interval */
	bool is_bca;                /* mean_bca decided, else welch */
	enum judgement_verdict verdict;
	double threshold;           /* as given, a fraction */
	uint64_t runs_needed;       /* undecided: so many a side would decide with a power of 80 %; 0: not known */
};

struct judgement_options {
	double threshold;   /* of the ratio, a fraction: 0.01 */
	size_t resamples;   /* 0: no bootstrap */
	uint64_t seed;
};

/*
 * Values are finite and above 0, in the order of the runs; else -EINVAL. Under no
 * difference a verdict of higher or lower comes in less than 5 of 100 comparisons
 * (bench/judging.c has the table).
 */
int judge(const double *base, size_t n, const double *other, size_t m,
	  const struct judgement_options *options, struct judgement *ret);

/* The verdict that an interval gives. NANs give JUDGED_NONE. */
enum judgement_verdict judge_interval(const struct interval *i, double threshold);

/* What is doubtful about one series alone. */
void judge_side(const double *values, size_t n, struct judgement_side *ret);

#endif
