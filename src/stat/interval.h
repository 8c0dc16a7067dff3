/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ratios of two samples, other / base, with intervals of 95 per cent. Values
 * are finite and above 0. What cannot be had is NAN.
 */
#ifndef KTOLL_INTERVAL_H
#define KTOLL_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INTERVAL_LEVEL 0.95
/* Of a bootstrap: Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, 14.5, want at least 2,000. */
#define INTERVAL_RESAMPLES 10000
/* A bootstrap of fewer runs a side knows too little of what they could have been. */
#define INTERVAL_BOOTSTRAP_MIN 10

struct interval {
	double estimate, lo, hi;
};

/*
 * The ratio of geometric means: a t interval of the difference of the means of the logarithms
 * with unequal variances (Welch, "The generalization of Student's problem", Biometrika 34,
 * 1947; degrees of freedom after Satterthwaite, 1946). Two values a side at least; if no value
 * differs on either side there is no interval.
 */
struct interval interval_welch(const double *base, size_t n, const double *other, size_t m);

/*
 * The ratio of means, by the bootstrap with bias correction and acceleration (BCa: Efron,
 * "Better bootstrap confidence intervals", JASA 82, 1987). At these sizes it is too narrow, so
 * its percentiles are expanded as Hesterberg has it ("What teachers should know about the
 * bootstrap", The American Statistician 69, 2015, 5.2): sqrt(n / (n - 1)) times the quantile of
 * Student's t takes the place of the normal one, with n of the smaller side. The same seed gives
 * the same interval.
 */
struct interval interval_mean_bca(const double *base, size_t n, const double *other, size_t m,
				  size_t resamples, uint64_t seed);
/*
 * The ratio of medians, with bias correction only: the jackknife, from which the acceleration
 * would come, fails for medians (Efron and Tibshirani, 10.6).
 */
struct interval interval_median_bc(const double *base, size_t n, const double *other, size_t m,
				   size_t resamples, uint64_t seed);

#endif
