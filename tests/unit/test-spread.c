/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The spread of what should be equal. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stat/spread.h"

static void check(double value, double known)
{
	assert_true(fabs(value - known) < 1e-5 * fabs(known));
}

/* By hand: squares 0.0002 and 0.0008 with a degree of freedom each; t(0.995, 2) = 9.924843, of a table. */
static void test_two_groups(void **state)
{
	const double a[] = { 1, exp(0.02) }, b[] = { 7 * exp(0.04), 7 };
	struct spread s = { 0 };

	(void)state;
	spread_add(&s, a, 2);
	spread_add(&s, b, 2);
	assert_int_equal(s.df, 2);
	check(spread_sd(&s), 0.0223607);
	check(spread_half(&s, 2, 2, 0.99), 0.221926);
	check(spread_half(&s, 2, 8, 0.99), 0.221926 * sqrt(0.625));
	/* t(0.975, 2) = 4.302653. */
	check(spread_half(&s, 2, 2, 0.95), 0.0962102);
}

static void test_nothing_known(void **state)
{
	const double a[] = { 3, 3, 3 };
	struct spread s = { 0 };

	(void)state;
	spread_add(&s, a, 0);
	spread_add(&s, a, 1);
	assert_true(isnan(spread_sd(&s)) && isnan(spread_half(&s, 2, 2, 0.99)));
	spread_add(&s, a, 3);
	assert_int_equal(s.df, 2);
	assert_true(spread_sd(&s) == 0 && spread_half(&s, 3, 3, 0.99) == 0);
	assert_true(isnan(spread_half(&s, 0, 3, 0.99)));
}

/*
 * Equal groups of five boots each, drawn from one normal distribution: at 99 % the interval of their difference leaves out 0
 * in one of a hundred. Of 20,000 the number is within five standard deviations of 200.
 */
static void test_how_often_wrong(void **state)
{
	uint64_t random = 1;
	size_t n_wrong = 0;

	(void)state;
	for (size_t i = 0; i < 20000; i++) {
		struct spread s = { 0 };
		double v[2][5], mean[2] = { 0, 0 };

		for (size_t k = 0; k < 10; k++) {
			double sum = -6;

			/* Twelve uniform numbers less six: near enough to a normal one. */
			for (size_t j = 0; j < 12; j++) {
				random = random * 6364136223846793005ull + 1442695040888963407ull;
				sum += (double)(random >> 11) / 9007199254740992.0;
			}
			v[k / 5][k % 5] = exp(0.003 * sum);
			mean[k / 5] += 0.003 * sum / 5;
		}
		spread_add(&s, v[0], 5);
		spread_add(&s, v[1], 5);
		n_wrong += fabs(mean[1] - mean[0]) > spread_half(&s, 5, 5, 0.99);
	}
	assert_in_range(n_wrong, 130, 270);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_groups),
		cmocka_unit_test(test_nothing_known),
		cmocka_unit_test(test_how_often_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
