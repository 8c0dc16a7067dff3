/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What depends on the order of values only.
 */
#ifndef KTOLL_RANK_H
#define KTOLL_RANK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The median of all differences other - base (Hodges and Lehmann, "Estimates of location based on
 * rank tests", 1963), in the unit of the values. NAN without values. Takes n log n, not n * m.
 */
double rank_shift(const double *base, size_t n, const double *other, size_t m);

struct rank_test {
	double p;        /* two-sided, of the two sides having one distribution; NAN without values */
	double p_least;  /* the smallest that so many values can give at all */
	bool is_exact;   /* from the distribution of the statistic; else its normal approximation */
};

/*
 * Mann and Whitney, "On a test of whether one of two random variables is stochastically larger
 * than the other", 1947. Exact for up to 50 values a side without ties; else with the corrections
 * for ties and continuity (Lehmann, "Nonparametrics", 1975, 1.4), but never below p_least.
 */
struct rank_test rank_test(const double *base, size_t n, const double *other, size_t m);

/*
 * Does the series rise or fall in the order of its values? Two-sided p of Kendall's tau between
 * place and value (Mann, "Nonparametric tests against trend", 1945; Kendall, "Rank correlation
 * methods", 1975, with its correction for ties). NAN for fewer than 4 values.
 */
double rank_trend(const double *values, size_t n);

/* p values corrected for how many there are: Holm, "A simple sequentially rejective multiple test procedure", 1979. NANs stay and do not count. */
void rank_holm(const double *p, size_t n, double *ret);

#endif
