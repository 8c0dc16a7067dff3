/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files with measured numbers: their series, and what is said about them. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/str.h"
#include "readers/reader.h"

struct want {
	const char *side, *metric;
	size_t n;
	double first, last;
};

static const struct {
	const char *text;
	struct want want[6];
} columns[] = {
	/* one number a line */
	{ "1.5\n2.5\n\n# the end\n", { { NULL, "value", 2, 1.5, 2.5 } } },
	/* a header, and the numbers of the runs */
	{ "# ns per loop\nrun\told\tnew\n1\t109.6\t99.9\n2\t102.3\t111.1\n3\t90.5\t98.7\n",
	  { { "old", "value", 3, 109.6, 90.5 }, { "new", "value", 3, 99.9, 98.7 } } },
	/* no header; a first column that is no count is a side */
	{ "10 20\n11 21\n", { { "column 1", "value", 2, 10, 11 }, { "column 2", "value", 2, 20, 21 } } },
	/* sides of different length */
	{ "a,b\n1,2\n3,4\n5,\n", { { "a", "value", 3, 1, 5 }, { "b", "value", 2, 2, 4 } } },
	/* rows */
	{ "variant\trun1\trun2\nvoluntary\t3685.08\t3679.93\ndynamic\t3571.62\t3568.61\n",
	  { { "voluntary", "value", 2, 3685.08, 3679.93 }, { "dynamic", "value", 2, 3571.62, 3568.61 } } },
	{ "base 5 6 7\nother 8 9 10\n", { { "base", "value", 3, 5, 7 }, { "other", "value", 3, 8, 10 } } },
	/* a metric for each row; per cent is no side */
	{ "workload\tunit\tbetter\tn\ty\tsys_percent\nnginx\treq/s\thigher\t102000\t96000\t35\n",
	  { { "n", "nginx", 1, 102000, 102000 }, { "y", "nginx", 1, 96000, 96000 } } },
	/* releases as names, words between, two tables with shares in the second */
	{ "kernel\tarch\tops\n6.15\tppc\t100\n6.16\tppc\t70\n# share\nfunction\t6.15\t6.16\nf\t15.2\t24.8\n",
	  { { "6.15", "ops", 1, 100, 100 }, { "6.16", "ops", 1, 70, 70 }, { "6.15", "f", 1, 15.2, 15.2 },
	    { "6.16", "f", 1, 24.8, 24.8 } } },
	/* a mail: quoted, with carriage returns; separators of thousands and decimal commas */
	{ "> > a\tb\r\n> > 1,234.5\t2.345,5\r\n> > 1.234.567\t0,5\r\n",
	  { { "a", "value", 2, 1234.5, 1234567 }, { "b", "value", 2, 2345.5, 0.5 } } },
	{ "a;b\n1,5;2,5\n", { { "a", "value", 1, 1.5, 1.5 }, { "b", "value", 1, 2.5, 2.5 } } },
	{ "\"x y\",\"z\"\n1,2\n", { { "x y", "value", 1, 1, 1 }, { "z", "value", 1, 2, 2 } } },
};

static void check(const struct series_list *l, const struct want *want, size_t max)
{
	size_t n = 0;

	for (; n < max && want[n].metric; n++) {
		const struct series *s;

		assert_true(n < l->n);
		s = &l->v[n];
		if (!str_equal(s->side, want[n].side))
			fail_msg("side %s instead of %s", s->side, want[n].side);
		assert_string_equal(s->metric, want[n].metric);
		assert_int_equal(s->n, want[n].n);
		assert_true(fabs(s->values[0] - want[n].first) < 1e-9);
		assert_true(fabs(s->values[s->n - 1] - want[n].last) < 1e-9);
	}
	assert_int_equal(l->n, n);
}

static void test_columns(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		_cleanup_error_ struct error err = ERROR_INIT;
		struct series_list l = { 0 };

		if (reader_series(NULL, columns[i].text, &l, &err) < 0)
			fail_msg("'%s': %s", columns[i].text, error_text(&err));
		check(&l, columns[i].want, ARRAY_SIZE(columns[i].want));
		series_list_finish(&l);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "", "no numbers" },
		{ "# nothing\n", "no numbers" },
		{ "hello world\n", "no numbers" },
		{ "hello world\nthese are words\n", "line 2" },
		{ "a b\n1 2\n3 x\n", "line 3: " },
		{ "0,502\n0,511\n", "one number with a decimal comma, or two" },
		{ "1\ninf\n", "line 2" },
		{ "1\n0x10\n", "line 2" },
		{ "{ \"fio version\" : \"fio-3.1\" }\n1\n", "fio, for which there is no reader" },
		{ "sysbench 1.0.20\ntotal time: 10.0\n", "sysbench" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_error_ struct error err = ERROR_INIT;
		struct series_list l = { 0 };

		if (reader_series(NULL, bad[i].text, &l, &err) != -EBADMSG)
			fail_msg("'%s' was read", bad[i].text);
		if (!strstr(error_text(&err), bad[i].says))
			fail_msg("'%s': '%s' instead of '%s'", bad[i].text, error_text(&err), bad[i].says);
		assert_int_equal(l.n, 0);
	}
}

static void test_mmtests(void **state)
{
	static const char text[] = "> hackbench\n>                       before                 after\n"
				   "> Amean     1        2.0000 (   0.00%)      1.5000 *  25.00%*\n"
				   "> Amean     4        4.0000 (   0.00%)      5.0000 ( -25.00%)\n"
				   "> Hmean     sent-4   100.00 (   0.00%)      110.00 (  10.00%)\n";
	struct series_list l = { 0 };

	(void)state;
	assert_string_equal(reader_recognise(text)->name, "mmtests");
	assert_int_equal(reader_series(NULL, text, &l, NULL), 0);
	assert_int_equal(l.n, 6);
	assert_string_equal(l.v[0].side, "before");
	assert_string_equal(l.v[1].side, "after");
	assert_string_equal(l.v[1].metric, "Amean 1");
	assert_true(l.v[1].is_mean && l.v[1].is_marked && l.v[1].better == BETTER_LOWER);
	assert_true(l.v[1].values[0] == 1.5 && l.v[1].printed_change == 0.25);
	assert_true(l.v[3].printed_change == -0.25 && !l.v[3].is_marked);
	assert_string_equal(l.v[5].metric, "Hmean sent-4");
	assert_true(l.v[5].better == BETTER_HIGHER);
	series_list_finish(&l);
	assert_int_equal(reader_series(NULL, "Amean 1 2.0 (0.00%) 1.5\n", &l, NULL), -EBADMSG);
}

static void test_time(void **state)
{
	static const struct {
		const char *text;
		double real, user;
	} dialects[] = {
		{ "\nreal\t1m2.500s\nuser\t0m1.250s\nsys\t0m0.125s\n", 62.5, 1.25 },
		{ "real\t0m0,502s\nuser\t0m0,011s\nsys\t0m0,002s\n", 0.502, 0.011 },
		{ "real 3.25\nuser 0.50\nsys 0.01\n", 3.25, 0.5 },
		{ "1.10user 0.12system 0:02.25elapsed 54%CPU (0avgtext+0avgdata 2000maxresident)k\n", 2.25, 1.1 },
		{ "\tUser time (seconds): 1.50\n\tSystem time (seconds): 0.10\n"
		  "\tElapsed (wall clock) time (h:mm:ss or m:ss): 1:02:03\n", 3723, 1.5 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(dialects); i++) {
		struct series_list l = { 0 };

		assert_string_equal(reader_recognise(dialects[i].text)->name, "time");
		assert_int_equal(reader_series(NULL, dialects[i].text, &l, NULL), 0);
		assert_int_equal(l.n, 3);
		for (size_t k = 0; k < l.n; k++) {
			assert_string_equal(l.v[k].unit, "s");
			if (strcmp(l.v[k].metric, "elapsed time") == 0)
				assert_true(fabs(l.v[k].values[0] - dialects[i].real) < 1e-9);
			if (strcmp(l.v[k].metric, "user time") == 0)
				assert_true(fabs(l.v[k].values[0] - dialects[i].user) < 1e-9);
		}
		series_list_finish(&l);
	}
}

/* Runs of a program in one file are one series. */
static void test_runs(void **state)
{
	struct series_list l = { 0 };

	(void)state;
	assert_int_equal(reader_series(NULL, "Running in process mode with 1 groups using 40 file descriptors each\n"
					     "Time: 2.5\nTime: 3.5\nTime: 4.5\n", &l, NULL), 0);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.v[0].n, 3);
	assert_true(l.v[0].values[2] == 4.5 && l.v[0].better == BETTER_LOWER);
	assert_string_equal(l.v[0].unit, "s");
	series_list_finish(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_mmtests), cmocka_unit_test(test_time),
		cmocka_unit_test(test_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
