/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/interval.h"

#define MATHLIB_STANDALONE
#include <Rmath.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "stat/describe.h"
#include "stat/random.h"

static struct interval none(double estimate)
{
	return (struct interval){ estimate, NAN, NAN };
}

/* Mean and variance of the logarithms. */
static void log_moments(const double *v, size_t n, double *ret_mean, double *ret_variance)
{
	double mean = 0, squares = 0;
	bool differ = false;

	for (size_t i = 0; i < n; i++) {
		mean += log(v[i]);
		differ |= v[i] != v[0];
	}
	mean /= (double)n;
	/* Equal values have no variance, whatever rounding makes of it. */
	for (size_t i = 0; differ && i < n; i++)
		squares += (log(v[i]) - mean) * (log(v[i]) - mean);
	*ret_mean = mean;
	*ret_variance = squares / (double)(n - 1);
}

struct interval interval_welch(const double *base, size_t n, const double *other, size_t m)
{
	double mean[2], variance[2], a, b, df, half;

	if (n < 2 || m < 2)
		return none(NAN);
	log_moments(base, n, &mean[0], &variance[0]);
	log_moments(other, m, &mean[1], &variance[1]);
	a = variance[0] / (double)n;
	b = variance[1] / (double)m;
	if (!(a + b > 0))
		return none(exp(mean[1] - mean[0]));
	df = (a + b) * (a + b) / (a * a / (double)(n - 1) + b * b / (double)(m - 1));
	half = qt(1 - (1 - INTERVAL_LEVEL) / 2, df, 1, 0) * sqrt(a + b);
	return (struct interval){ exp(mean[1] - mean[0]), exp(mean[1] - mean[0] - half),
				  exp(mean[1] - mean[0] + half) };
}

/* ---- the bootstrap ---- */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of sorted values, by linear interpolation. */
static double quantile(const double *v, size_t n, double p)
{
	double at = p * (double)(n - 1);
	size_t i = (size_t)floor(at);

	if (!(p > 0))
		return v[0];
	return i + 1 < n ? v[i] + (at - (double)i) * (v[i + 1] - v[i]) : v[n - 1];
}

/* Efron 1987, (2.3): where the percentiles of the resampled ratios lie. */
static struct interval adjust(double *ratios, size_t resamples, double estimate, double acceleration,
			      size_t n_smaller)
{
	double below = 0, bias, z, ends[2];

	qsort(ratios, resamples, sizeof(*ratios), ascending);
	for (size_t i = 0; i < resamples; i++)
		below += ratios[i] < estimate ? 1 : ratios[i] == estimate ? 0.5 : 0;
	if (below == 0 || below == (double)resamples || ratios[0] == ratios[resamples - 1])
		return none(estimate);
	bias = qnorm(below / (double)resamples, 0, 1, 1, 0);
	/* Hesterberg 2015: wider by sqrt(n / (n - 1)), and t for the normal. */
	z = sqrt((double)n_smaller / (double)(n_smaller - 1)) *
	    qt(1 - (1 - INTERVAL_LEVEL) / 2, (double)(n_smaller - 1), 1, 0);
	for (size_t i = 0; i < 2; i++) {
		double w = bias + (i ? z : -z), scale = 1 - acceleration * w;

		if (!(scale > 0))
			return none(estimate);
		ends[i] = quantile(ratios, resamples, pnorm(bias + w / scale, 0, 1, 1, 0));
	}
	return (struct interval){ estimate, ends[0], ends[1] };
}

static double mean_of(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum / (double)n;
}

static double resampled_mean(const double *v, size_t n, struct random *r)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[random_below(r, n)];
	return sum / (double)n;
}

/* The jackknife's acceleration, over the values of both sides (Efron and Tibshirani, (14.15)). */
static double acceleration_of(const double *base, size_t n, double base_mean, const double *other,
			      size_t m, double other_mean)
{
	double cubes = 0, squares = 0;

	for (size_t side = 0; side < 2; side++) {
		const double *v = side ? other : base;
		size_t k = side ? m : n;
		double mean = side ? other_mean : base_mean, average = 0;
		_cleanup_free_ double *left_out = xcalloc(k, sizeof(*left_out));

		for (size_t i = 0; i < k; i++) {
			double without = (mean * (double)k - v[i]) / (double)(k - 1);

			left_out[i] = side ? without / base_mean : other_mean / without;
			average += left_out[i] / (double)k;
		}
		for (size_t i = 0; i < k; i++) {
			/* Sides of different size weigh by what one value moves. */
			double u = (average - left_out[i]) * (double)(k - 1) / (double)k;

			cubes += u * u * u;
			squares += u * u;
		}
	}
	return squares > 0 ? cubes / (6 * pow(squares, 1.5)) : 0;
}

static size_t smaller(size_t n, size_t m)
{
	return n < m ? n : m;
}

struct interval interval_mean_bca(const double *base, size_t n, const double *other, size_t m,
				  size_t resamples, uint64_t seed)
{
	_cleanup_free_ double *ratios = xcalloc(resamples, sizeof(*ratios));
	double means[2];
	struct random r;

	if (smaller(n, m) < 2 || !resamples)
		return none(NAN);
	means[0] = mean_of(base, n);
	means[1] = mean_of(other, m);
	random_seed(&r, seed);
	for (size_t i = 0; i < resamples; i++) {
		double b = resampled_mean(base, n, &r);

		ratios[i] = resampled_mean(other, m, &r) / b;
	}
	return adjust(ratios, resamples, means[1] / means[0],
		      acceleration_of(base, n, means[0], other, m, means[1]), smaller(n, m));
}

/*
 * The median of a resample without resampling: its place among the sorted values is that of the
 * middle one of n uniform numbers, which has a beta distribution.
 */
static double resampled_median(const double *sorted, size_t n, struct random *r)
{
	size_t k = (n + 1) / 2, i, j;
	double u = rbeta((double)k, (double)(n - k + 1)), v;

	i = (size_t)(u * (double)n);
	if (i >= n)
		i = n - 1;
	if (n % 2)
		return sorted[i];
	/* The next one: the smallest of n - k uniform numbers above u. */
	v = u + (1 - u) * (1 - pow(1 - random_unit(r), 1 / (double)(n - k)));
	j = (size_t)(v * (double)n);
	if (j >= n)
		j = n - 1;
	return sorted[i] + (sorted[j] - sorted[i]) / 2;
}

struct interval interval_median_bc(const double *base, size_t n, const double *other, size_t m,
				   size_t resamples, uint64_t seed)
{
	_cleanup_free_ double *ratios = xcalloc(resamples, sizeof(*ratios));
	_cleanup_free_ double *b = sorted_copy(base, n), *o = sorted_copy(other, m);
	struct random r;

	if (smaller(n, m) < 2 || !resamples)
		return none(NAN);
	random_seed(&r, seed);
	set_seed((unsigned)seed + 1, (unsigned)(seed >> 32) + 1); /* of rbeta() */
	for (size_t i = 0; i < resamples; i++) {
		double median = resampled_median(b, n, &r);

		ratios[i] = resampled_median(o, m, &r) / median;
	}
	return adjust(ratios, resamples, sorted_median(o, m) / sorted_median(b, n), 0, smaller(n, m));
}
