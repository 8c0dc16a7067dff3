/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verdicts and warnings of series. */
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
#include "explain/judging.h"

static void add(struct series_list *l, const char *side, const char *metric, const char *unit,
		enum better better, const double *values, size_t n)
{
	struct series *s = series_of(l, side, metric);

	free(s->unit);
	s->unit = xstrdup(unit);
	s->better = better;
	for (size_t i = 0; i < n; i++)
		series_add(s, values[i]);
}

static const struct judging_options defaults = { .threshold = 0.01, .seed = 1 };

static bool has_warning(const struct judged_comparison *c, const char *start)
{
	for (size_t i = 0; i < c->warnings.n; i++)
		if (strncmp(c->warnings.v[i], start, strlen(start)) == 0)
			return true;
	return false;
}

static const double fast[] = { 10, 10.1, 9.9, 10.05, 9.95 }, slow[] = { 12, 12.1, 11.9, 12.05, 11.95 };

static void test_direction(void **state)
{
	static const struct {
		enum better better;
		const char *verdict;
	} rows[] = { { BETTER_LOWER, "slower" }, { BETTER_HIGHER, "faster" }, { BETTER_UNKNOWN, "more" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct series_list l = { 0 };
		struct judged j;

		add(&l, "a", "time", "s", rows[i].better, fast, 5);
		add(&l, "b", "time", "s", rows[i].better, slow, 5);
		assert_int_equal(judging_make(&l, &defaults, &j, NULL), 0);
		assert_int_equal(j.n, 1);
		assert_string_equal(j.comparisons[0].verdict_name, rows[i].verdict);
		assert_true(fabs(j.comparisons[0].ratio - 1.2) < 1e-9);
		assert_int_equal(has_warning(&j.comparisons[0], "reading"), rows[i].better != BETTER_UNKNOWN);
		judged_finish(&j);
		series_list_finish(&l);
	}
}

/* Of two that are barely certain alone, the correction leaves none. */
static void test_correction(void **state)
{
	static const double base[] = { 100, 101, 99, 100.5 }, near[] = { 102.2, 103, 100.9, 101.6 };
	struct series_list l = { 0 };
	struct judged j;

	(void)state;
	add(&l, "a", "x", "", BETTER_UNKNOWN, base, 4);
	add(&l, "b", "x", "", BETTER_UNKNOWN, near, 4);
	assert_int_equal(judging_make(&l, &defaults, &j, NULL), 0);
	assert_true(j.comparisons[0].j.p > 0.025 && j.comparisons[0].j.p < 0.05);
	assert_string_equal(j.comparisons[0].verdict_name, "more");
	judged_finish(&j);
	add(&l, "c", "x", "", BETTER_UNKNOWN, near, 4);
	assert_int_equal(judging_make(&l, &defaults, &j, NULL), 0);
	for (size_t i = 0; i < 2; i++) {
		assert_true(j.comparisons[i].p_holm > 0.05);
		assert_string_equal(j.comparisons[i].verdict_name, "undecided");
		assert_non_null(strstr(j.comparisons[i].reason, "Holm"));
	}
	judged_finish(&j);
	series_list_finish(&l);
}

/*
 * stress-ng kill on POWER10 with and without PREEMPT_RCU, bogo-ops and shares of samples:
 * linuxppc-dev, 2026-07, thread "[PATCH v4 1/1] powerpc: enable dynamic preemption".
 */
static void test_shares(void **state)
{
	static const struct {
		const char *function;
		double base, other, added;
	} rows[] = {
		{ "avc_lookup", 15.23, 24.79, 0.452 },	    { "__rcu_read_lock", 0, 4.52, 0.142 },
		{ "__rcu_read_unlock", 0, 4.17, 0.131 },    { "selinux_task_kill", 6.23, 7.35, 0.097 },
		{ "audit_signal_info", 0.94, 3.59, 0.0925 },
	};
	struct series_list l = { 0 };
	struct judged j;

	(void)state;
	add(&l, "6.15", "bogo_ops", "", BETTER_UNKNOWN, (double[]){ 103207 }, 1);
	add(&l, "6.16", "bogo_ops", "", BETTER_UNKNOWN, (double[]){ 70281 }, 1);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		add(&l, "6.15", rows[i].function, "", BETTER_UNKNOWN, &rows[i].base, 1);
		add(&l, "6.16", rows[i].function, "", BETTER_UNKNOWN, &rows[i].other, 1);
		l.v[l.n - 1].is_share = l.v[l.n - 2].is_share = true;
	}
	assert_int_equal(judging_make(&l, &defaults, &j, NULL), 0);
	/* The shares are not compared. */
	assert_int_equal(j.n, 1);
	assert_string_equal(j.comparisons[0].verdict_name, "no-verdict");
	assert_true(fabs(j.time_ratio - 1.4685) < 0.0001);
	assert_int_equal(j.n_shares, ARRAY_SIZE(rows));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_string_equal(j.shares[i].function, rows[i].function);
		assert_true(fabs(j.shares[i].added - rows[i].added) < 0.0006);
	}
	judged_finish(&j);
	series_list_finish(&l);
}

/* hackbench with and without DEBUG_PREEMPT: linux-mm, 2023-02-02; and a per cent that is wrong. */
static void test_printed(void **state)
{
	struct series_list l = { 0 };
	struct judged j;

	(void)state;
	add(&l, "on", "Amean 1", "", BETTER_LOWER, (double[]){ 0.4743 }, 1);
	add(&l, "off", "Amean 1", "", BETTER_LOWER, (double[]){ 0.4295 }, 1);
	add(&l, "on", "Amean 4", "", BETTER_LOWER, (double[]){ 26.403 }, 1);
	add(&l, "off", "Amean 4", "", BETTER_LOWER, (double[]){ 32.368 }, 1);
	for (size_t i = 0; i < l.n; i++)
		l.v[i].is_mean = true;
	l.v[1].printed_change = 0.0945;
	l.v[1].is_marked = true;
	l.v[3].printed_change = -0.311;
	assert_int_equal(judging_make(&l, &defaults, &j, NULL), 0);
	assert_int_equal(j.n_printed, 2);
	assert_int_equal(j.n_printed_wrong, 1);
	assert_true(has_warning(&j.comparisons[0], "significant"));
	assert_false(has_warning(&j.comparisons[0], "printed"));
	assert_true(has_warning(&j.comparisons[1], "printed: the file says -31.10 %, its values give -22.59 %"));
	assert_string_equal(j.comparisons[0].verdict_name, "no-verdict");
	judged_finish(&j);
	series_list_finish(&l);
}

/* Two boots a side, far apart, whose runs agree: the runs alone would be certain. */
static void test_boots(void **state)
{
	struct series_list l = { 0 };
	struct judged j;

	(void)state;
	for (size_t i = 0; i < 20; i++) {
		double noise = (double)(i % 3) / 100;

		series_add_in(series_of(&l, "a", "x"), (i < 10 ? 100 : 110) + noise, "boot", i < 10 ? "1" : "2");
		series_add_in(series_of(&l, "b", "x"), (i < 10 ? 112 : 106) + noise, "boot", i < 10 ? "1" : "2");
	}
	assert_int_equal(judging_make(&l, &defaults, &j, NULL), 0);
	assert_int_equal(j.comparisons[0].j.base.d.n, 2);
	assert_string_equal(j.comparisons[0].verdict_name, "undecided");
	judged_finish(&j);
	series_list_finish(&l);
	for (size_t i = 0; i < 5; i++) {
		series_add_in(series_of(&l, "a", "x"), 100 + (double)i, "boot", "1");
		series_add_in(series_of(&l, "b", "x"), 200 + (double)i, "boot", "1");
	}
	assert_int_equal(judging_make(&l, &defaults, &j, NULL), 0);
	assert_string_equal(j.comparisons[0].verdict_name, "no-verdict");
	assert_non_null(strstr(j.comparisons[0].reason, "1 and 1 boots"));
	judged_finish(&j);
	series_list_finish(&l);
}

static void test_no_ratio(void **state)
{
	struct series_list l = { 0 };
	struct judged j;

	(void)state;
	add(&l, "a", "x", "", BETTER_UNKNOWN, (double[]){ 1, -2, 3 }, 3);
	add(&l, "b", "x", "", BETTER_UNKNOWN, (double[]){ 1, 2, 3 }, 3);
	assert_int_equal(judging_make(&l, &defaults, &j, NULL), 0);
	assert_string_equal(j.comparisons[0].verdict_name, "no-verdict");
	assert_non_null(strstr(j.comparisons[0].reason, "a has -2 (run 2): what is 0 or below has no ratio"));
	assert_true(isnan(j.comparisons[0].ratio) && !j.comparisons[0].has_judgement);
	assert_true(fabs(j.comparisons[0].j.other.d.mean - j.comparisons[0].j.base.d.mean - 4 / 3.0) < 1e-12);
	judged_finish(&j);
	series_list_finish(&l);
	/* Means, and means of boots. */
	add(&l, "a", "x", "", BETTER_UNKNOWN, (double[]){ 1 }, 1);
	add(&l, "b", "x", "", BETTER_UNKNOWN, (double[]){ 0 }, 1);
	l.v[0].is_mean = l.v[1].is_mean = true;
	assert_int_equal(judging_make(&l, &defaults, &j, NULL), 0);
	assert_non_null(strstr(j.comparisons[0].reason, "means without their runs, and b is 0:"));
	assert_true(isnan(j.comparisons[0].ratio));
	judged_finish(&j);
	series_list_finish(&l);
	for (int i = 0; i < 4; i++) {
		series_add_in(series_of(&l, "a", "x"), i < 2 ? 1 : 2, "boot", i < 2 ? "A" : "B");
		series_add_in(series_of(&l, "b", "x"), i < 2 ? 1 : i - 4, "boot", i < 2 ? "A" : "B");
	}
	assert_int_equal(judging_make(&l, &defaults, &j, NULL), 0);
	assert_non_null(strstr(j.comparisons[0].reason, "b has -1.5 (boot 2)"));
	judged_finish(&j);
	series_list_finish(&l);
}

static void refuse(const struct series_list *l, const char *base, const char *says)
{
	struct judging_options options = defaults;
	_cleanup_error_ struct error err = ERROR_INIT;
	struct judged j;

	options.base = base;
	assert_true(judging_make(l, &options, &j, &err) < 0);
	if (!strstr(error_text(&err), says))
		fail_msg("'%s' instead of '%s'", error_text(&err), says);
}

static void test_refused(void **state)
{
	struct series_list l = { 0 };

	(void)state;
	refuse(&l, NULL, "one side only");
	add(&l, "a", "time", "s", BETTER_LOWER, fast, 5);
	refuse(&l, NULL, "one side only (a)");
	add(&l, "b", "rate", "s", BETTER_LOWER, fast, 5);
	refuse(&l, NULL, "no metric in common");
	refuse(&l, "c", "--base c: the sides are a, b");
	add(&l, "b", "time", "ms", BETTER_LOWER, fast, 5);
	refuse(&l, NULL, "a has it in s, b in ms");
	series_list_finish(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_direction), cmocka_unit_test(test_correction),
		cmocka_unit_test(test_shares),	  cmocka_unit_test(test_printed),
		cmocka_unit_test(test_boots),	  cmocka_unit_test(test_no_ratio),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
