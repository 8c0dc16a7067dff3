/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of measured numbers, against published values and against brute force. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "stat/judgement.h"
#include "stat/random.h"

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("%.10g instead of %.10g", got, want);
}

/* ---- published measurements ---- */

/*
 * ns per loop of refscale around rcu_read_lock(), 30 runs without and with PREEMPT_COUNT: linux-mm
 * and rcu lists, 2020, "[RFC-PATCH 2/4] mm: Add __rcu_alloc_page_lockless() func."
 */
static const double no_count[] = {
	109.640, 102.303, 90.520, 106.347, 108.374, 108.012, 103.989, 106.194,
	107.330, 105.877, 104.860, 104.299, 104.794, 104.916, 105.485, 104.610,
	104.981, 103.089, 105.251, 104.133, 105.589, 104.154, 104.963, 102.431,
	102.610, 103.474, 100.194, 102.340, 102.075, 102.808,
};
static const double count[] = {
	99.915, 111.106, 98.713, 111.239, 111.797, 111.558, 113.122, 111.515,
	107.559, 105.965, 104.835, 106.342, 106.664, 104.914, 104.280, 105.642,
	105.646, 106.370, 105.284, 105.973, 105.271, 106.063, 106.248, 105.568,
	105.556, 105.655, 102.887, 104.347, 102.389, 103.123,
};

/* tbench, MB/s, three runs each: linux-kernel, 2023-10, "Runtime overhead of PREEMPT_DYNAMIC". */
static const double voluntary[] = { 3685.08, 3679.93, 3704.98 };
static const double dynamic[] = { 3571.62, 3568.61, 3550.55 };
static const double debug_preempt[] = { 3052.06, 3032.74, 3019.93 };
static const double preempt_none[] = { 3651.37, 3599.87, 3615.18 };
static const double preempt_full[] = { 3459.58, 3514.09, 3539.88 };

static const struct judgement_options defaults = { .threshold = 0.01,
						   .resamples = INTERVAL_RESAMPLES,
						   .seed = 1 };

static struct judgement judged(const double *base, size_t n, const double *other, size_t m)
{
	struct judgement j;

	assert_int_equal(judge(base, n, other, m, &defaults, &j), 0);
	return j;
}

static void test_refscale(void **state)
{
	struct judgement j = judged(no_count, 30, count, 30);

	(void)state;
	assert_near(j.mean_ratio, 1.0192, 0.00005);
	assert_near(j.median_ratio, 1.0091, 0.00005);
	assert_near(j.welch.lo, 1.002, 0.0005);
	assert_near(j.welch.hi, 1.036, 0.0005);
	assert_true(j.is_bca);
	assert_near(j.mean_bca.estimate, 1.0192, 0.00005);
	/* The outliers are low, and mostly the base's: the bootstrap's interval is not symmetric. */
	assert_near(j.mean_bca.lo, 1.004, 0.001);
	assert_near(j.mean_bca.hi, 1.037, 0.002);
	assert_true(j.median_bc.lo <= j.median_ratio && j.median_ratio <= j.median_bc.hi);
	/* The third run of both, 90.520 and 98.713. */
	assert_true(j.base.doubts & DOUBT_OUTLIERS);
	assert_int_equal(j.base.outliers[0], 2);
	assert_true(j.other.doubts & DOUBT_OUTLIERS);
	assert_int_equal(j.other.outliers[0], 2);
	assert_true(j.base.outliers_are_early && j.other.outliers_are_early);
	assert_true(j.verdict == JUDGED_HIGHER);
}

static void test_tbench(void **state)
{
	const struct {
		const double *runs;
		double ratio;
		enum judgement_verdict verdict;
	} rows[] = {
		{ dynamic, 0.966, JUDGED_LOWER },
		{ debug_preempt, 0.822, JUDGED_LOWER },
		{ preempt_none, 0.982, JUDGED_UNDECIDED },
		{ preempt_full, 0.950, JUDGED_LOWER },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct judgement j = judged(voluntary, 3, rows[i].runs, 3);

		assert_near(j.mean_ratio, rows[i].ratio, 0.0005);
		assert_false(j.is_bca);
		/* The verdict is the interval's, and of the ranks three a side can say nothing. */
		assert_int_equal(j.verdict == JUDGED_LOWER, j.welch.hi < 1);
		assert_near(j.rank.p_least, 0.1, 1e-12);
		assert_near(j.rank.p, 0.1, 1e-12);
		assert_true(j.rank.is_exact);
	}
}

/* ---- textbooks ---- */

/*
 * Student's data on two soporific drugs (Biometrika 6, 1908), the extra hours of sleep, as powers
 * of e: Welch's interval of the difference is -3.3654832 to 0.2054832, p = 0.07939414 (R 4.2,
 * t.test(extra ~ group, sleep)).
 */
static void test_welch(void **state)
{
	double one[] = { 0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0 };
	double two[] = { 1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4 };
	struct judgement j;

	(void)state;
	for (size_t i = 0; i < 10; i++) {
		one[i] = exp(one[i]);
		two[i] = exp(two[i]);
	}
	j = judged(two, 10, one, 10);
	assert_near(log(j.welch.lo), -3.3654832, 1e-7);
	assert_near(log(j.welch.hi), 0.2054832, 1e-7);
	assert_near(j.p, 0.07939414, 1e-8);
}

/*
 * Permeability of placental membranes (Hollander and Wolfe, "Nonparametric statistical methods",
 * 1973, p. 69): W = 35, two-sided p = 0.2544122; the shift is 0.305 (R 4.2, wilcox.test()).
 */
static void test_ranks(void **state)
{
	const double x[] = { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 };
	const double y[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };
	const double tied_a[] = { 1, 2, 2, 3 }, tied_b[] = { 2, 3, 3, 4, 5 };
	struct rank_test t = rank_test(y, 5, x, 10);

	(void)state;
	assert_true(t.is_exact);
	assert_near(t.p, 0.2544122, 1e-7);
	assert_near(rank_shift(y, 5, x, 10), 0.305, 1e-12);
	/* With ties: U is 17 of 20; its variance 20 / 12 * (10 - 48 / 72), so z is 6.5 / 3.944. */
	t = rank_test(tied_a, 4, tied_b, 5);
	assert_false(t.is_exact);
	assert_near(t.p, 0.0993, 0.0001);
	t = rank_test(tied_a, 1, tied_a, 1);
	assert_near(t.p, 1, 0);
	/* Four against four that lie apart, with ties: the approximation would have 0.019. */
	t = rank_test((double[]){ 1, 1, 1, 1 }, 4, (double[]){ 2, 2, 2, 2 }, 4);
	assert_false(t.is_exact);
	assert_near(t.p, t.p_least, 0);
	assert_near(t.p, 2 / 70.0, 1e-12);
}

/* The median of all differences, by making all of them. */
static double shift_by_force(const double *a, size_t n, const double *b, size_t m)
{
	_cleanup_free_ double *d = xcalloc(n * m, sizeof(*d)), *sorted = NULL;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < m; j++)
			d[i * m + j] = b[j] - a[i];
	sorted = sorted_copy(d, n * m);
	return sorted_median(sorted, n * m);
}

static void test_shift(void **state)
{
	struct random r;

	(void)state;
	random_seed(&r, 7);
	for (size_t k = 0; k < 200; k++) {
		double a[17], b[23];
		size_t n = 1 + random_below(&r, 17), m = 1 + random_below(&r, 23);

		for (size_t i = 0; i < n; i++)
			a[i] = floor(random_unit(&r) * 20) - 5;
		for (size_t i = 0; i < m; i++)
			b[i] = floor(random_unit(&r) * 20) + 0.125;
		assert_near(rank_shift(a, n, b, m), shift_by_force(a, n, b, m), 0);
	}
	assert_true(isnan(rank_shift(NULL, 0, (double[]){ 1 }, 1)));
}

/* Holm 1979: 0.01, 0.04, 0.03, 0.005 become 0.03, 0.06, 0.06, 0.02. */
static void test_holm(void **state)
{
	const double p[] = { 0.01, 0.04, NAN, 0.03, 0.005 }, want[] = { 0.03, 0.06, NAN, 0.06, 0.02 };
	double got[ARRAY_SIZE(p)];

	(void)state;
	rank_holm(p, ARRAY_SIZE(p), got);
	for (size_t i = 0; i < ARRAY_SIZE(p); i++)
		if (isnan(want[i]))
			assert_true(isnan(got[i]));
		else
			assert_near(got[i], want[i], 1e-12);
}

/* ---- properties ---- */

static void test_swapped(void **state)
{
	struct judgement a = judged(no_count, 30, count, 30), b = judged(count, 30, no_count, 30), c;

	(void)state;
	assert_near(a.welch.lo * b.welch.hi, 1, 1e-12);
	assert_near(a.p, b.p, 1e-12);
	assert_near(a.shift, -b.shift, 1e-12);
	assert_near(a.rank.p, b.rank.p, 1e-12);
	assert_true(b.verdict == JUDGED_LOWER);
	/* The same seed, the same interval. */
	c = judged(no_count, 30, count, 30);
	assert_near(a.mean_bca.lo, c.mean_bca.lo, 0);
	assert_near(a.median_bc.hi, c.median_bc.hi, 0);
}

static void test_verdicts(void **state)
{
	const double quiet[] = { 100, 100.1, 99.9, 100.05 }, same[] = { 100.1, 100, 100.05, 99.95 };
	const double wild[] = { 90, 111, 100, 103 }, one[] = { 100 };
	const double constant[] = { 5, 5, 5 }, other_constant[] = { 6, 6, 6 };
	struct judgement j = judged(quiet, 4, same, 4);

	(void)state;
	assert_true(j.verdict == JUDGED_SAME);
	j = judged(quiet, 4, wild, 4);
	assert_true(j.verdict == JUDGED_UNDECIDED);
	assert_true(j.runs_needed > 4);
	j = judged(quiet, 4, one, 1);
	assert_true(j.verdict == JUDGED_NONE);
	assert_true(isnan(j.p));
	j = judged(constant, 3, other_constant, 3);
	assert_true(j.verdict == JUDGED_NONE);
	assert_true(j.base.doubts & DOUBT_CONSTANT);
	assert_int_equal(judge((double[]){ 0 }, 1, one, 1, &defaults, &j), -EINVAL);
	assert_int_equal(judge((double[]){ -1 }, 1, one, 1, &defaults, &j), -EINVAL);
	assert_int_equal(judge((double[]){ NAN }, 1, one, 1, &defaults, &j), -EINVAL);
	assert_int_equal(judge(one, 0, one, 1, &defaults, &j), -EINVAL);
}

static void test_doubts(void **state)
{
	const double rising[] = { 1, 1.1, 1.2, 1.25, 1.3, 1.45, 1.5, 1.6 };
	const double heaps[] = { 1, 1.01, 2, 1.99, 1.02, 2.01, 1, 2, 1.01, 1.98 };
	const double cold[] = { 9, 1, 1.1, 0.95, 1.02, 1.05, 0.98, 1.01, 0.99, 1.03 };
	const double fine[] = { 1, 1.02, 0.99, 1.01, 0.98, 1.03, 1.0, 0.97, 1.015, 0.995 };
	struct judgement_side s;

	(void)state;
	judge_side(rising, ARRAY_SIZE(rising), &s);
	assert_true(s.doubts & DOUBT_TREND);
	judge_side(heaps, ARRAY_SIZE(heaps), &s);
	assert_true(s.doubts & DOUBT_CLUSTERS);
	assert_true(s.doubts & DOUBT_SPREAD);
	judge_side(cold, ARRAY_SIZE(cold), &s);
	assert_true(s.doubts & DOUBT_WARM_UP);
	assert_int_equal(s.outliers[0], 0);
	judge_side(fine, ARRAY_SIZE(fine), &s);
	assert_int_equal(s.doubts, 0);
}

static void test_groups(void **state)
{
	const double values[] = { 1, 3, 10, 20, 5 };
	const uint32_t boot[] = { 7, 7, 2, 2, 7 };
	double means[5];

	(void)state;
	assert_int_equal(describe_groups(values, boot, 5, means), 2);
	assert_near(means[0], 3, 1e-12);
	assert_near(means[1], 15, 1e-12);
}

/* Vigna's reference implementation of xoshiro256** with the state 1, 2, 3, 4. */
static void test_random(void **state)
{
	static const uint64_t want[] = { 11520, 0, 1509978240, 1215971899390074240 };
	struct random r = { { 1, 2, 3, 4 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		assert_int_equal(random_next(&r), want[i]);
	random_seed(&r, 3);
	for (size_t i = 0; i < 1000; i++)
		assert_true(random_below(&r, 3) < 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refscale), cmocka_unit_test(test_tbench),
		cmocka_unit_test(test_welch),	 cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_shift),	 cmocka_unit_test(test_holm),
		cmocka_unit_test(test_swapped),	 cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_doubts),	 cmocka_unit_test(test_groups),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
