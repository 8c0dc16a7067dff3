/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "stat/coverage.h"
#include "stat/random.h"

static void test_known(void **state)
{
	static const struct coverage_window one[] = { { 7, 10 } };
	static const struct coverage_window joined[] = { { 0, 10 }, { 10, 6 }, { 16, 4 } };
	/* As many operations before a region as in it: a period of both, 160, is never in one. */
	static const struct coverage_window equal[] = { { 80, 80 }, { 240, 80 }, { 400, 80 } };

	/* Of a size that no run has: an answer, and soon. */
	static const struct coverage_window huge[] = { { 0, 1ull << 40 }, { 1ull << 40, 1ull << 40 } };

	assert_true(coverage_period(huge, 2) == (1ull << 40) + (1 << 18));
	assert_true(coverage_period(NULL, 0) == 0);
	assert_true(coverage_period(one, 1) == 10);
	assert_true(coverage_period(joined, 3) == 20);
	assert_true(coverage_period(equal, 3) >= 80 && coverage_period(equal, 3) < 160);
}

/* Is a cost at every `period`-th quarter of an operation in a window, wherever it begins? By trying all. */
static bool is_seen(const struct coverage_window *w, size_t n, uint64_t period)
{
	for (uint64_t phase = 0; phase < period; phase++) {
		bool hit = false;

		for (uint64_t at = phase; !hit && at < (w[n - 1].start + w[n - 1].n) * 4; at += period)
			for (size_t i = 0; !hit && i < n; i++)
				hit = at >= w[i].start * 4 && at < (w[i].start + w[i].n) * 4;
		if (!hit)
			return false;
	}
	return true;
}

static void test_by_trying(void **state)
{
	struct random r;

	random_seed(&r, 1);
	for (unsigned round = 0; round < 50; round++) {
		struct coverage_window w[6];
		uint64_t at = 0, sum = 0, period;

		for (size_t i = 0; i < 6; i++) {
			at += random_below(&r, 8);
			w[i] = (struct coverage_window){ at, 1 + random_below(&r, 12) };
			at += w[i].n;
			sum += w[i].n;
		}
		period = (uint64_t)(coverage_period(w, 6) * 4);
		for (uint64_t p = 1; p <= period; p++)
			assert_true(is_seen(w, 6, p));
		assert_true(period == sum * 4 || !is_seen(w, 6, period + 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_by_trying),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
