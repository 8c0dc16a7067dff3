/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verdicts over pairs: known answers, and numbers that no double can tell apart. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "stat/pairs.h"

#define N(a) ARRAY_SIZE(a)

static struct pairs compare(const struct pairs_value *base, const struct pairs_value *other,
			    size_t n, double threshold)
{
	struct pairs p;

	assert_int_equal(pairs_compare(base, other, n, threshold, &p), 0);
	return p;
}

static void check_range(struct pairs_range r, double mean, double lo, double hi)
{
	assert_true(r.mean == mean);
	assert_true(r.lo == lo);
	assert_true(r.hi == hi);
}

static void test_exact(void **state)
{
	/* Three replicates of 1000 operations: 210 against 246 instructions each. */
	const struct pairs_value base[] = { { 210000, 0, 1000 },
					    { 210000, 0, 1000 },
					    { 210000, 0, 1000 } };
	const struct pairs_value other[] = { { 246000, 500, 1000 },
					     { 246000, 500, 1000 },
					     { 246000, 500, 1000 } };
	struct pairs p = compare(base, other, 3, 0);

	(void)state;
	check_range(p.base, 210, 210, 210);
	check_range(p.other, 246, 246, 246);
	check_range(p.delta, 36, 36, 36);
	check_range(p.ratio, 246.0 / 210, 246.0 / 210, 246.0 / 210);
	assert_true(p.string_iters_delta == 0.5);
	assert_true(p.base_is_exact && p.other_is_exact);
	assert_int_equal(p.verdict, PAIRS_MORE);
	assert_int_equal(compare(other, base, 3, 0).verdict, PAIRS_LESS);
	check_range(compare(other, base, 3, 0).delta, -36, -36, -36);
}

/* Of 3 in 3 and 9 in 5 operations the mean is 12 / 8, and not that of 1 and 1.8; an integer in both is exact. */
static void test_unequal_sizes(void **state)
{
	const struct pairs_value base[] = { { 3, 0, 3 }, { 9, 8, 5 } }, same[] = { { 6, 0, 3 }, { 10, 0, 5 } };
	struct pairs p = compare(base, same, 2, 0);

	(void)state;
	check_range(p.base, 1.5, 1, 1.8);
	check_range(p.other, 2, 2, 2);
	check_range(p.delta, 0.5, 1.0 / 5, 1);
	assert_true(p.string_iters_delta == -1);
	assert_true(!p.base_is_exact && p.other_is_exact);
}

static void test_identical(void **state)
{
	/* Replicates may differ from each other: what counts is the pair. 1/3 is 2/6. */
	const struct pairs_value base[] = { { 1, 4, 3 }, { 7, 0, 5 } };
	const struct pairs_value other[] = { { 2, 8, 6 }, { 7, 0, 5 } };
	struct pairs p = compare(base, other, 2, 0);

	(void)state;
	assert_int_equal(p.verdict, PAIRS_IDENTICAL);
	check_range(p.delta, 0, 0, 0);
	assert_true(p.ratio.lo == 1 && p.ratio.mean == 1 && p.ratio.hi == 1);
	assert_false(p.base_is_exact);
}

static void test_only_iterations_differ(void **state)
{
	const struct pairs_value base[] = { { 100, 5, 1 }, { 100, 5, 1 } };
	const struct pairs_value other[] = { { 100, 6, 1 }, { 100, 5, 1 } };
	struct pairs p = compare(base, other, 2, 0);

	(void)state;
	assert_int_equal(p.verdict, PAIRS_SAME);
	assert_true(p.string_iters_delta == 0.5);
	assert_true(p.base_is_exact && p.other_is_exact);
}

static void test_no_double_decides(void **state)
{
	/* 2^53 and 2^53 + 1 are the same double. */
	const uint64_t big = UINT64_C(1) << 53;
	const struct pairs_value base[] = { { big, 0, 1 }, { UINT64_MAX, 0, UINT64_MAX } };
	const struct pairs_value other[] = { { big + 1, 0, 1 }, { UINT64_MAX, 0, UINT64_MAX - 1 } };
	struct pairs p = compare(base, other, 2, 0);

	(void)state;
	assert_int_equal(p.verdict, PAIRS_MORE);
	assert_true(p.delta.hi == 1);
	assert_true(p.delta.lo > 0);
	assert_int_equal(compare(base, base, 2, 0).verdict, PAIRS_IDENTICAL);
}

static void test_mixed_signs(void **state)
{
	const struct pairs_value base[] = { { 1000, 0, 1 }, { 1000, 0, 1 }, { 1000, 0, 1 } };
	const struct pairs_value mixed[] = { { 1010, 0, 1 }, { 990, 0, 1 }, { 1009, 0, 1 } };
	const struct pairs_value zero[] = { { 1010, 0, 1 }, { 1000, 0, 1 }, { 1009, 0, 1 } };
	struct pairs p = compare(base, mixed, 3, 0);

	(void)state;
	assert_int_equal(p.verdict, PAIRS_UNDECIDED);
	assert_true(p.has_both_signs);
	check_range(p.delta, 3, -10, 10);
	check_range(p.ratio, 1.003, 0.99, 1.01);
	p = compare(base, zero, 3, 0);
	assert_int_equal(p.verdict, PAIRS_UNDECIDED);
	assert_false(p.has_both_signs);
	assert_int_equal(compare(base, mixed, 3, 0.02).verdict, PAIRS_SAME);
}

static void test_threshold(void **state)
{
	const struct pairs_value base[] = { { 1000, 0, 1 }, { 1000, 0, 1 } };
	const struct pairs_value other[] = { { 1010, 0, 1 }, { 1030, 0, 1 } };

	(void)state;
	assert_int_equal(compare(base, other, 2, 0).verdict, PAIRS_MORE);
	assert_int_equal(compare(base, other, 2, 0.02).verdict, PAIRS_MORE);
	/* All more, but by less than the threshold on average and not in every pair. */
	assert_int_equal(compare(base, other, 2, 0.025).verdict, PAIRS_UNDECIDED);
	assert_int_equal(compare(base, other, 2, 0.031).verdict, PAIRS_SAME);
}

static void test_base_of_zero(void **state)
{
	const struct pairs_value none[] = { { 0, 0, 10 }, { 0, 0, 10 } };
	const struct pairs_value some[] = { { 5, 0, 10 }, { 5, 0, 10 } };
	struct pairs p = compare(none, some, 2, 0.5);

	(void)state;
	assert_int_equal(p.verdict, PAIRS_MORE);
	assert_true(isnan(p.ratio.mean) && isnan(p.ratio.lo) && isnan(p.ratio.hi));
	check_range(p.delta, 0.5, 0.5, 0.5);
	assert_int_equal(compare(some, none, 2, 0.5).verdict, PAIRS_LESS);
	assert_int_equal(compare(none, none, 2, 0).verdict, PAIRS_IDENTICAL);
}

/* The mean of equal values is the value, and lies in the range, for values no double holds. */
static void test_mean_of_equals(void **state)
{
	struct pairs_value values[7];

	(void)state;
	for (uint64_t ops = 1; ops < 2000; ops++) {
		struct pairs_range r;

		for (size_t i = 0; i < N(values); i++)
			values[i] = (struct pairs_value){ 100003, 0, ops };
		r = pairs_insns_range(values, N(values));
		assert_true(r.lo == r.hi && r.mean == r.lo);
		assert_true(pairs_is_exact(values, N(values)));
	}
	assert_true(isnan(pairs_insns_range(values, 0).mean));
	assert_false(pairs_is_exact(values, 0));
}

static void test_refused(void **state)
{
	const struct pairs_value good[] = { { 1, 0, 1 } }, bad[] = { { 1, 0, 0 } };
	struct pairs p;

	(void)state;
	assert_int_equal(pairs_compare(good, good, 0, 0, &p), -EINVAL);
	assert_int_equal(pairs_compare(good, bad, 1, 0, &p), -EINVAL);
	assert_int_equal(pairs_compare(bad, good, 1, 0, &p), -EINVAL);
	assert_int_equal(pairs_compare(good, good, 1, -1, &p), -EINVAL);
	assert_int_equal(pairs_compare(good, good, 1, NAN, &p), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_unequal_sizes),
		cmocka_unit_test(test_identical),
		cmocka_unit_test(test_only_iterations_differ),
		cmocka_unit_test(test_no_double_decides),
		cmocka_unit_test(test_mixed_signs),
		cmocka_unit_test(test_threshold),
		cmocka_unit_test(test_base_of_zero),
		cmocka_unit_test(test_mean_of_equals),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
