/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/judgement.h"

#include <errno.h>
#define MATHLIB_STANDALONE
#include <Rmath.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

#define TREND_P 0.01
#define SPREAD_CV 0.3
/* More runs than this are no answer to "how many would decide". */
#define RUNS_MAX 1000000

/*
 * Modified z scores (Iglewicz and Hoaglin, "How to detect and handle outliers", 1993): distance
 * from the median over 1.4826 MAD. Their limit of 3.5 is for many values; of few, the MAD is too
 * often too small by chance. These limits have less than 5 of 100 clean normal samples warned of.
 */
static double outlier_limit(size_t n)
{
	return n < 10 ? 12 : n < 20 ? 7 : n < 100 ? 5 : 6;
}

static void find_outliers(const double *v, size_t n, struct judgement_side *s)
{
	_cleanup_free_ double *distance = NULL, *sorted = NULL;
	double mad, limit = outlier_limit(n);
	size_t last = 0;

	/* Of four, one cannot be told from two and two. */
	if (n < 5)
		return;
	distance = xcalloc(n, sizeof(*distance));
	for (size_t i = 0; i < n; i++)
		distance[i] = fabs(v[i] - s->d.median);
	sorted = sorted_copy(distance, n);
	mad = 1.4826 * sorted_median(sorted, n);
	if (!(mad > 0))
		return;
	for (size_t i = 0; i < n; i++) {
		if (distance[i] <= limit * mad)
			continue;
		if (s->n_outliers < JUDGEMENT_OUTLIERS)
			s->outliers[s->n_outliers] = i;
		s->n_outliers++;
		last = i;
	}
	if (!s->n_outliers)
		return;
	s->outliers_are_early = last < n / 3;
	s->doubts |= s->n_outliers == 1 && last == 0 ? DOUBT_WARM_UP : DOUBT_OUTLIERS;
}

/*
 * Two heaps: split where the sum of squares within is least; Ashman's D, the distance of the
 * means over the common standard deviation ("Detecting bimodality in astronomical datasets", AJ
 * 108, 1994). D above 2 would be two normal heaps, but the best split of one heap has 2.7 already,
 * and of few values more by chance.
 */
static bool has_clusters(const double *v, size_t n)
{
	_cleanup_free_ double *s = sorted_copy(v, n), *sum = xcalloc(n + 1, sizeof(*sum));
	_cleanup_free_ double *squares = xcalloc(n + 1, sizeof(*squares));
	size_t least_part = n / 5 > 2 ? n / 5 : 2;
	double best = INFINITY, distance = 0, limit = n < 10 ? 11 : n < 20 ? 6 : n < 60 ? 4.5 : 4;

	if (n < 6)
		return false;
	for (size_t i = 0; i < n; i++) {
		double x = s[i] - s[n / 2];

		sum[i + 1] = sum[i] + x;
		squares[i + 1] = squares[i] + x * x;
	}
	for (size_t k = least_part; k + least_part <= n; k++) {
		double a = (double)k, b = (double)(n - k), sa = sum[k], sb = sum[n] - sum[k];
		double within = squares[n] - sa * sa / a - sb * sb / b;

		if (within < best) {
			best = within;
			distance = sb / b - sa / a;
		}
	}
	return distance > 0 && distance > limit * sqrt(fmax(best, 0) / (double)(n - 2));
}

void judge_side(const double *values, size_t n, struct judgement_side *ret)
{
	struct judgement_side s = { .d = describe(values, n), .trend_p = rank_trend(values, n) };

	if (s.trend_p < TREND_P)
		s.doubts |= DOUBT_TREND;
	if (n >= 3 && s.d.lo == s.d.hi)
		s.doubts |= DOUBT_CONSTANT;
	if (s.d.cv > SPREAD_CV)
		s.doubts |= DOUBT_SPREAD;
	if (has_clusters(values, n))
		s.doubts |= DOUBT_CLUSTERS;
	else
		find_outliers(values, n, &s);
	*ret = s;
}

/* ---- the verdict ---- */

enum judgement_verdict judge_interval(const struct interval *i, double threshold)
{
	double limit = log1p(threshold);

	if (isnan(i->lo) || isnan(i->hi))
		return JUDGED_NONE;
	if (log(i->lo) > -limit && log(i->hi) < limit && threshold > 0)
		return JUDGED_SAME;
	if (i->lo > 1 && log(i->estimate) >= limit)
		return JUDGED_HIGHER;
	if (i->hi < 1 && log(i->estimate) <= -limit)
		return JUDGED_LOWER;
	return JUDGED_UNDECIDED;
}

/*
 * Runs a side until an interval of the difference of logarithms is clear of 0, or within the
 * threshold, whichever is nearer, with a power of 80 % (Chow, Shao and Wang, "Sample size
 * calculations in clinical research", 3.2, with the normal for t).
 */
static uint64_t runs_needed(const struct judgement *j, double variance)
{
	double limit = log1p(j->threshold), effect = fabs(log(j->welch.estimate));
	double to_go = fmax(effect >= limit ? effect : 0, limit - effect);
	double z = qnorm(0.975, 0, 1, 1, 0) + qnorm(0.8, 0, 1, 1, 0), n;

	if (!(to_go > 0) || !(variance > 0))
		return 0;
	n = ceil(z * z * variance / (to_go * to_go));
	return n < RUNS_MAX ? (uint64_t)n : RUNS_MAX;
}

/* The sum of the variances of the logarithms. */
static double log_variance(const double *v, size_t n)
{
	_cleanup_free_ double *logs = xcalloc(n + 1, sizeof(*logs));
	struct description d;

	for (size_t i = 0; i < n; i++)
		logs[i] = log(v[i]);
	d = describe(logs, n);
	return d.sd * d.sd;
}

/* Two-sided p of the Welch interval, by its own width. */
static double welch_p(const struct judgement *j, double va, double vb)
{
	double n = (double)j->base.d.n, m = (double)j->other.d.n, a = va / n, b = vb / m;
	double df = (a + b) * (a + b) / (a * a / (n - 1) + b * b / (m - 1));

	return isnan(j->welch.lo) ? NAN : 2 * pt(-fabs(log(j->welch.estimate)) / sqrt(a + b), df, 1, 0);
}

static bool is_valid(const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(v[i]) || !(v[i] > 0))
			return false;
	return n > 0;
}

int judge(const double *base, size_t n, const double *other, size_t m,
	  const struct judgement_options *options, struct judgement *ret)
{
	struct judgement j = { .threshold = options->threshold };
	double va, vb;

	if (!is_valid(base, n) || !is_valid(other, m) || !(options->threshold >= 0))
		return -EINVAL;
	judge_side(base, n, &j.base);
	judge_side(other, m, &j.other);
	j.mean_ratio = j.other.d.mean / j.base.d.mean;
	j.median_ratio = j.other.d.median / j.base.d.median;
	j.shift = rank_shift(base, n, other, m);
	j.rank = rank_test(base, n, other, m);
	j.welch = interval_welch(base, n, other, m);
	j.mean_bca = (struct interval){ j.mean_ratio, NAN, NAN };
	j.median_bc = (struct interval){ j.median_ratio, NAN, NAN };
	if (options->resamples && n >= INTERVAL_BOOTSTRAP_MIN && m >= INTERVAL_BOOTSTRAP_MIN) {
		j.mean_bca = interval_mean_bca(base, n, other, m, options->resamples, options->seed);
		j.median_bc = interval_median_bc(base, n, other, m, options->resamples, options->seed);
	}
	j.is_bca = !isnan(j.mean_bca.lo);
	j.verdict = judge_interval(j.is_bca ? &j.mean_bca : &j.welch, options->threshold);
	va = log_variance(base, n);
	vb = log_variance(other, m);
	j.p = n > 1 && m > 1 ? welch_p(&j, va, vb) : NAN;
	if (j.verdict == JUDGED_UNDECIDED)
		j.runs_needed = runs_needed(&j, va + vb);
	*ret = j;
	return 0;
}
