/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Within, beyond, or not to be told. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "explain/gating.h"

static enum gate counts(double lo, double mean, double hi)
{
	static struct result_cell cell;
	struct result_comparison c = { .base_cell = &cell, .other_cell = &cell, .verdict = VERDICT_MORE,
				       .ratio = { mean, lo, hi } };
	char *reason;
	enum gate g = gating_counts(&c, 0.01, &reason);

	free(reason);
	return g;
}

static void test_counts(void **state)
{
	struct result_comparison c = { .verdict = VERDICT_NONE };
	char *reason;

	(void)state;
	assert_int_equal(counts(1, 1, 1), GATE_WITHIN);
	assert_int_equal(counts(1.01, 1.01, 1.01), GATE_WITHIN);
	assert_int_equal(counts(0.2, 0.5, 0.9), GATE_WITHIN);
	assert_int_equal(counts(1.011, 1.012, 1.013), GATE_BEYOND);
	assert_int_equal(counts(1.009, 1.01, 1.011), GATE_UNDECIDED);
	assert_int_equal(gating_counts(&c, 0.01, &reason), GATE_UNDECIDED);
	free(reason);
}

/* There is no ratio to nothing. */
static void test_no_base(void **state)
{
	static struct result_cell cell;
	struct result_comparison c = { .base_cell = &cell, .other_cell = &cell, .verdict = VERDICT_MORE,
				       .ratio = { NAN, NAN, NAN }, .delta = { 2, 1, 3 } };
	char *reason;

	(void)state;
	assert_int_equal(gating_counts(&c, 0.01, &reason), GATE_BEYOND);
	free(reason);
	c.delta = (struct range){ 0, 0, 0 };
	assert_int_equal(gating_counts(&c, 0.01, &reason), GATE_WITHIN);
	free(reason);
}

static enum gate times(enum better better, double lo, double hi, const char *level)
{
	struct clocked_comparison c = { .better = better, .level = level, .verdict = JUDGED_UNDECIDED,
					.p = { .ratio = { (lo + hi) / 2, lo, hi } } };
	char *reason;
	enum gate g = gating_times(&c, 0.05, &reason);

	free(reason);
	return g;
}

static void test_times(void **state)
{
	(void)state;
	assert_int_equal(times(BETTER_LOWER, 0.99, 1.04, "boots"), GATE_WITHIN);
	assert_int_equal(times(BETTER_LOWER, 1.06, 1.2, "boots"), GATE_BEYOND);
	assert_int_equal(times(BETTER_LOWER, 1.01, 1.2, "boots"), GATE_UNDECIDED);
	/* A rate that falls to 0.9 is a time of 1.11. */
	assert_int_equal(times(BETTER_HIGHER, 0.8, 0.9, "boots"), GATE_BEYOND);
	assert_int_equal(times(BETTER_HIGHER, 1.1, 1.2, "boots"), GATE_WITHIN);
	/* One boot a side. */
	assert_int_equal(times(BETTER_LOWER, 1.06, 1.2, NULL), GATE_UNDECIDED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_no_base),
		cmocka_unit_test(test_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
