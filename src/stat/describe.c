/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/describe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double *sorted_copy(const double *values, size_t n)
{
	double *v = xcalloc(n + 1, sizeof(*v));

	if (n) {
		memcpy(v, values, n * sizeof(*v));
		qsort(v, n, sizeof(*v), ascending);
	}
	return v;
}

double sorted_median(const double *sorted, size_t n)
{
	return n % 2 ? sorted[n / 2] : sorted[n / 2 - 1] + (sorted[n / 2] - sorted[n / 2 - 1]) / 2;
}

struct description describe(const double *values, size_t n)
{
	struct description d = { n, NAN, NAN, NAN, NAN, NAN, NAN };
	_cleanup_free_ double *v = sorted_copy(values, n);
	double sum = 0, squares = 0;

	if (!n)
		return d;
	for (size_t i = 0; i < n; i++)
		sum += v[i];
	d.mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (v[i] - d.mean) * (v[i] - d.mean);
	d.median = sorted_median(v, n);
	d.lo = v[0];
	d.hi = v[n - 1];
	if (n > 1)
		d.sd = sqrt(squares / (double)(n - 1));
	if (d.mean != 0)
		d.cv = d.sd / fabs(d.mean);
	return d;
}

size_t describe_groups(const double *values, const uint32_t *group, size_t n, double *ret)
{
	_cleanup_free_ uint32_t *of = xcalloc(n + 1, sizeof(*of));
	_cleanup_free_ size_t *count = xcalloc(n + 1, sizeof(*count));
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		size_t g = 0;

		while (g < m && of[g] != group[i])
			g++;
		if (g == m) {
			of[m] = group[i];
			ret[m++] = 0;
		}
		ret[g] += values[i];
		count[g]++;
	}
	for (size_t g = 0; g < m; g++)
		ret[g] /= (double)count[g];
	return m;
}
