/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The search against worlds whose costs are known: who is found, at how many builds, and what is skipped. */
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
#include "search/halving.h"

struct world {
	double step[65]; /* 1 to n: what it adds */
	bool broken[65]; /* a point that cannot be built */
	size_t asked[65];
};

static int value(void *data, size_t point, double *ret, struct error *err)
{
	struct world *w = data;

	w->asked[point]++;
	if (w->broken[point])
		return error_set(err, ENODATA, "does not build");
	*ret = 1000;
	for (size_t i = 1; i <= point; i++)
		*ret += w->step[i];
	return 0;
}

static struct halving_result run(struct world *w, size_t n, size_t first, double floor)
{
	struct halving h = { .n = n, .value = value, .data = w, .first = first, .share = 0.9, .floor = floor };
	_cleanup_error_ struct error err = ERROR_INIT;
	struct halving_result r;

	assert_int_equal(halving_run(&h, &r, &err), 0);
	for (size_t i = 0; i <= n; i++)
		assert_true(w->asked[i] <= 1);
	assert_int_equal(r.parts[0].from, 0);
	assert_int_equal(r.parts[r.n_parts - 1].to, n);
	for (size_t i = 1; i < r.n_parts; i++)
		assert_int_equal(r.parts[i].from, r.parts[i - 1].to);
	return r;
}

static void test_one_culprit(void **state)
{
	(void)state;
	for (size_t culprit = 1; culprit <= 32; culprit++) {
		struct world w = { 0 };
		struct halving_result r;
		size_t found[65];

		w.step[culprit] = 50;
		r = run(&w, 32, 0, 0);
		assert_int_equal(halving_culprits(&r, 0.9, 0, found), 1);
		assert_int_equal(r.parts[found[0]].to, culprit);
		assert_true(r.parts[found[0]].delta == 50);
		/* The ends and a halving: 2 + log2(32). */
		assert_true(r.n_values <= 7);
		halving_finish(&r);
	}
}

static void test_two_culprits_in_front(void **state)
{
	struct world w = { .step = { 0, 90, 40 } };
	struct halving_result r;
	size_t found[65];

	(void)state;
	w.step[7] = 1;
	r = run(&w, 11, 2, 0);
	/* 0, 11, 2 and 1: both are suspected, and the rest carries 1 of 131. */
	assert_int_equal(r.n_values, 4);
	assert_int_equal(halving_culprits(&r, 0.9, 0, found), 2);
	assert_int_equal(r.parts[found[0]].to, 1);
	assert_int_equal(r.parts[found[1]].to, 2);
	assert_true(r.parts[found[1]].delta == 40);
	halving_finish(&r);
}

static void test_all_differences_are_kept(void **state)
{
	(void)state;
	srand(1);
	for (int k = 0; k < 200; k++) {
		struct world w = { 0 };
		struct halving_result r;
		double sum = 0, biggest = 0;
		size_t found[65], n, culprit = 0;

		for (size_t i = 1; i <= 20; i++) {
			w.step[i] = rand() % 5 ? rand() % 3 : rand() % 200;
			if (w.step[i] > biggest)
				biggest = w.step[culprit = i];
		}
		r = run(&w, 20, 0, 0);
		for (size_t i = 0; i < r.n_parts; i++)
			sum += r.parts[i].delta;
		assert_true(fabs(sum - (r.other - r.base)) < 1e-9);
		n = halving_culprits(&r, 0.9, 0, found);
		if (biggest > (r.other - r.base) * 0.1) {
			assert_true(n >= 1);
			assert_int_equal(r.parts[found[0]].to, culprit);
		}
		halving_finish(&r);
	}
}

static void test_broken_points(void **state)
{
	struct world w = { 0 };
	struct halving_result r;
	size_t found[65];

	(void)state;
	w.step[5] = 50;
	w.broken[8] = w.broken[7] = w.broken[4] = true;
	r = run(&w, 16, 0, 0);
	assert_int_equal(halving_culprits(&r, 0.9, 0, found), 1);
	/* Point 4 cannot be had: the steps 4 and 5 stay together. */
	assert_int_equal(r.parts[found[0]].from, 3);
	assert_int_equal(r.parts[found[0]].to, 5);
	halving_finish(&r);
	/* Nothing between the ends can be built. */
	w = (struct world){ 0 };
	w.step[2] = 5;
	for (size_t i = 1; i < 4; i++)
		w.broken[i] = true;
	r = run(&w, 4, 0, 0);
	assert_int_equal(r.n_parts, 1);
	assert_int_equal(halving_culprits(&r, 0.9, 0, found), 1);
	halving_finish(&r);
}

static void test_nothing_above_the_floor(void **state)
{
	struct world w = { .step = { 0, 0.5, 0.2 } };
	struct halving_result r;
	size_t found[65];

	(void)state;
	r = run(&w, 8, 0, 1);
	assert_int_equal(r.n_values, 2);
	assert_int_equal(halving_culprits(&r, 0.9, 1, found), 0);
	halving_finish(&r);
}

static void test_gains_count_too(void **state)
{
	struct world w = { .step = { 0, 0, 0, 100, 0, 0, -60 } };
	struct halving_result r;
	size_t found[65];

	(void)state;
	r = run(&w, 8, 0, 0);
	assert_int_equal(halving_culprits(&r, 0.9, 0, found), 1);
	assert_int_equal(r.parts[found[0]].to, 3);
	halving_finish(&r);
}

static int broken_machine(void *data, size_t point, double *ret, struct error *err)
{
	(void)data;
	(void)point;
	(void)ret;
	return error_set(err, ENOSPC, "full");
}

static void test_errors_end_it(void **state)
{
	struct halving h = { .n = 4, .value = broken_machine, .share = 0.9 };
	_cleanup_error_ struct error err = ERROR_INIT;
	struct halving_result r;

	(void)state;
	assert_int_equal(halving_run(&h, &r, &err), -ENOSPC);
	assert_string_equal(error_text(&err), "full");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_culprit),
		cmocka_unit_test(test_two_culprits_in_front),
		cmocka_unit_test(test_all_differences_are_kept),
		cmocka_unit_test(test_broken_points),
		cmocka_unit_test(test_nothing_above_the_floor),
		cmocka_unit_test(test_gains_count_too),
		cmocka_unit_test(test_errors_end_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
