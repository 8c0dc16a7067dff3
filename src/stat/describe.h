/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sample in a few numbers. Values are in the order of the runs and finite.
 */
#ifndef KTOLL_DESCRIBE_H
#define KTOLL_DESCRIBE_H

#include <stddef.h>
#include <stdint.h>

struct description {
	size_t n;
	double mean, median, lo, hi;
	double sd; /* with n - 1; NAN for one value */
	double cv; /* sd / |mean|; NAN where there is none */
};

/* NANs for n == 0. */
struct description describe(const double *values, size_t n);

/* The same values ascending, to be freed. */
double *sorted_copy(const double *values, size_t n);
/* Of sorted values, n > 0: the middle one, or the mean of the two. */
double sorted_median(const double *sorted, size_t n);

/*
 * What repeats above a run: values of `n` runs, each in the group (boot, build)
 * that `group` says, become the means of their groups, in the order of the
 * groups' first runs. Returns how many groups there are; `ret` has room for n.
 */
size_t describe_groups(const double *values, const uint32_t *group, size_t n, double *ret);

#endif
