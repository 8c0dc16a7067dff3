/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far values are apart that should be equal: the standard deviation of their logarithms around the mean of their own
 * group, pooled over groups, and the interval that it gives the ratio of two groups' means.
 */
#ifndef KTOLL_SPREAD_H
#define KTOLL_SPREAD_H

#include <stddef.h>

struct spread {
	double squares; /* sum, of the logarithms' distances from their group's mean */
	size_t df;      /* degrees of freedom: values less groups */
};

/* One more group of n values; finite and above 0. A group of one says nothing. */
void spread_add(struct spread *s, const double *values, size_t n);

/* Of the logarithms; NAN without degrees of freedom. For small values a fraction: 0.01 is 1 %. */
double spread_sd(const struct spread *s);

/*
 * Half of the interval of the difference of two groups' mean logarithms, of n and m values: Student's t with the pooled
 * variance (Snedecor and Cochran, "Statistical Methods", 7th edition, 1980, 6.8). `level` is its probability, 0.99 for 99 %.
 * NAN without degrees of freedom or values.
 */
double spread_half(const struct spread *s, size_t n, size_t m, double level);

#endif
