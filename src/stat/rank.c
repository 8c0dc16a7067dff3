/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/rank.h"

#define MATHLIB_STANDALONE
#include <Rmath.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "stat/describe.h"

#define EXACT_MAX 50
/* Beyond this many values a trend is looked for in means of equal stretches. */
#define TREND_MAX 2000

/* ---- the shift ---- */

/* Doubles as integers in the same order. */
static uint64_t to_key(double d)
{
	uint64_t u;

	memcpy(&u, &d, sizeof(u));
	return u >> 63 ? ~u : u | 1ull << 63;
}

static double from_key(uint64_t u)
{
	double d;

	u = u >> 63 ? u & ~(1ull << 63) : ~u;
	memcpy(&d, &u, sizeof(d));
	return d;
}

/* How many differences of the sorted sides are at most x. For a larger base fewer others do. */
static uint64_t count_up_to(const double *b, size_t n, const double *o, size_t m, double x)
{
	uint64_t count = 0;
	size_t j = 0;

	for (size_t i = 0; i < n; i++) {
		while (j < m && o[j] - b[i] <= x)
			j++;
		count += j;
	}
	return count;
}

/* The k-th smallest difference, from 1: by halving what a double can be. */
static double nth_difference(const double *b, size_t n, const double *o, size_t m, uint64_t k)
{
	uint64_t lo = to_key(o[0] - b[n - 1]), hi = to_key(o[m - 1] - b[0]);

	while (lo < hi) {
		uint64_t mid = lo + (hi - lo) / 2;

		if (count_up_to(b, n, o, m, from_key(mid)) >= k)
			hi = mid;
		else
			lo = mid + 1;
	}
	return from_key(lo);
}

double rank_shift(const double *base, size_t n, const double *other, size_t m)
{
	_cleanup_free_ double *b = sorted_copy(base, n), *o = sorted_copy(other, m);
	uint64_t pairs = (uint64_t)n * m;
	double low;

	if (!pairs)
		return NAN;
	low = nth_difference(b, n, o, m, (pairs + 1) / 2);
	return pairs % 2 ? low : low + (nth_difference(b, n, o, m, pairs / 2 + 1) - low) / 2;
}

/* ---- the test ---- */

/* Twice the statistic U of the other side, and the sum of t^3 - t over groups of t ties. */
static double twice_u(const double *b, size_t n, const double *o, size_t m, double *ret_ties)
{
	double u = 0, ties = 0;

	for (size_t i = 0, j = 0; i < n || j < m;) {
		double v = i == n || (j < m && o[j] < b[i]) ? o[j] : b[i], tb = 0, to = 0, t;

		/* Those of the base below are smaller, equal ones count half. */
		while (i < n && b[i] == v)
			i++, tb++;
		while (j < m && o[j] == v)
			j++, to++;
		u += to * (2 * ((double)i - tb) + tb);
		t = tb + to;
		ties += t * t * t - t;
	}
	*ret_ties = ties;
	return u;
}

struct rank_test rank_test(const double *base, size_t n, const double *other, size_t m)
{
	_cleanup_free_ double *b = sorted_copy(base, n), *o = sorted_copy(other, m);
	struct rank_test t = { NAN, NAN, false };
	double u, ties, nm = (double)n * (double)m, all = (double)(n + m), variance, z;

	if (!n || !m)
		return t;
	u = twice_u(b, n, o, m, &ties) / 2;
	t.p_least = fmin(1, 2 * exp(-(lgamma(all + 1) - lgamma((double)n + 1) - lgamma((double)m + 1))));
	if (n <= EXACT_MAX && m <= EXACT_MAX && ties == 0) {
		t.is_exact = true;
		t.p = fmin(1, 2 * pwilcox(fmin(u, nm - u), (double)m, (double)n, 1, 0));
		wilcox_free();
		return t;
	}
	variance = nm / 12 * (all + 1 - ties / (all * (all - 1)));
	if (!(variance > 0)) {
		t.p = 1; /* all are equal */
		return t;
	}
	z = fmax(0, fabs(u - nm / 2) - 0.5) / sqrt(variance);
	/* Ties only make extremes likelier: what the approximation has below is its error. */
	t.p = fmax(t.p_least, fmin(1, 2 * pnorm(z, 0, 1, 0, 0)));
	return t;
}

/* ---- the trend ---- */

static double trend_of(const double *v, size_t n)
{
	_cleanup_free_ double *sorted = sorted_copy(v, n);
	double s = 0, ties = 0, variance, k = (double)n;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			s += (v[j] > v[i]) - (v[j] < v[i]);
	for (size_t i = 0, t; i < n; i += t) {
		for (t = 1; i + t < n && sorted[i + t] == sorted[i]; t++)
			;
		ties += (double)t * (double)(t - 1) * (2 * (double)t + 5);
	}
	variance = (k * (k - 1) * (2 * k + 5) - ties) / 18;
	if (!(variance > 0))
		return 1;
	return fmin(1, 2 * pnorm(fmax(0, fabs(s) - 1) / sqrt(variance), 0, 1, 0, 0));
}

double rank_trend(const double *values, size_t n)
{
	_cleanup_free_ double *means = NULL;
	size_t stretch = (n + TREND_MAX - 1) / TREND_MAX, m = 0;

	if (n < 4)
		return NAN;
	if (n <= TREND_MAX)
		return trend_of(values, n);
	means = xcalloc(TREND_MAX, sizeof(*means));
	for (; (m + 1) * stretch <= n; m++) {
		for (size_t i = 0; i < stretch; i++)
			means[m] += values[m * stretch + i];
	}
	return trend_of(means, m);
}

/* ---- several p values ---- */

static int by_p(const void *a, const void *b, void *p)
{
	const double *v = p;
	double x = v[*(const size_t *)a], y = v[*(const size_t *)b];

	return (x > y) - (x < y);
}

void rank_holm(const double *p, size_t n, double *ret)
{
	_cleanup_free_ size_t *order = xcalloc(n + 1, sizeof(*order));
	double largest = 0;
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		ret[i] = NAN;
		if (!isnan(p[i]))
			order[m++] = i;
	}
	if (m)
		qsort_r(order, m, sizeof(*order), by_p, (void *)p);
	for (size_t i = 0; i < m; i++) {
		double corrected = fmin(1, (double)(m - i) * p[order[i]]);

		largest = fmax(largest, corrected);
		ret[order[i]] = largest;
	}
}
