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
#include "base/file.h"
#include "base/str.h"
#include "readers/reader.h"
#include "leaveout.h"

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
	/* which boot a run is of */
	{ "boot\trun\ta\tb\n1\t1\t10\t20\n1\t2\t11\t21\n2\t1\t12\t22\n",
	  { { "a", "value", 3, 10, 12 }, { "b", "value", 3, 20, 22 } } },
	{ "side boot time\na 1 10\na 2 11\nb 3 20\n", { { "a", "time", 2, 10, 11 }, { "b", "time", 1, 20, 20 } } },
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
		for (size_t k = 0; k < l.n; k++)
			assert_int_equal(l.v[k].n_groups, strstr(columns[i].text, "boot") ? l.v[k].n : 0);
		series_list_finish(&l);
	}
}

/* Mails: what stands around a table is passed over, and it is said. */
static void test_mails(void **state)
{
	static const struct {
		const char *text;
		struct want want[6];
		const char *note;
	} mails[] = {
		/* a greeting, an attribution, sentences that touch the table, a signature */
		{ "Hi Peter,\n\nOn Mon, 5 Jan 2026 at 10:00, Joe Doe wrote:\n> I ran hackbench on both of them, 3 times on 6.1:\n"
		  "> run  old  new\n> 1    10   12\n> 2    11   13\n> 3    12   14\n> which is 20 % more than it was before\n"
		  "Looks good to me.\n\nThanks,\nJoe\n-- \nJoe Doe\nphone 089 1234\n",
		  { { "old", "value", 3, 10, 12 }, { "new", "value", 3, 12, 14 } }, "lines 5 to 8; taken for prose: 10 other lines" },
		/* headers, a rule, rows with names, tags, a patch */
		{ "Subject: [PATCH 2/3] sched: faster\nDate: Mon, 5 Jan 2026 10:00:00 +0100\n\nThis is what it gives\n\n"
		  "kernel  run1 run2\n------  ---- ----\nbase    5    6\npatched 7    8\n\nSigned-off-by: Joe <j@x.org>\n---\n"
		  " kernel/fork.c | 5 +++--\n 1 file changed, 3 insertions(+), 2 deletions(-)\n\ndiff --git a/x b/x\n@@ -1,2 +1,2 @@\n"
		  " 1 2\n\n-3 4\n+5 6\n-- \n2.39.0\n",
		  { { "base", "value", 2, 5, 6 }, { "patched", "value", 2, 7, 8 } }, "lines 6 to 9;" },
		/* a header of many words, between a sentence and its rows */
		{ "The numbers of all four of the runs:\nwith without neither both\n1.5 2.5 3.5 4.5\n",
		  { { "with", "value", 1, 1.5, 1.5 }, { "without", "value", 1, 2.5, 2.5 }, { "neither", "value", 1, 3.5, 3.5 },
		    { "both", "value", 1, 4.5, 4.5 } }, "lines 2 to 3; taken for prose: 1 other line" },
		/* as Markdown has it; tabs below a sentence */
		{ "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n", { { "a", "value", 2, 1, 3 }, { "b", "value", 2, 2, 4 } }, NULL },
		{ "| a | b |\n|  | |\n| 1 | 2 |\n|  |\n| 3 | 4 |\n", { { "a", "value", 2, 1, 3 }, { "b", "value", 2, 2, 4 } }, NULL },
		{ "We measured this:\na b\tc\n1,5\t2,5\n", { { "a b", "value", 1, 1.5, 1.5 }, { "c", "value", 1, 2.5, 2.5 } },
		  "lines 2 to 3; taken for prose: 1 other line" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(mails); i++) {
		_cleanup_error_ struct error err = ERROR_INIT;
		struct series_list l = { 0 };

		if (reader_series(NULL, mails[i].text, &l, &err) < 0)
			fail_msg("'%s': %s", mails[i].text, error_text(&err));
		check(&l, mails[i].want, ARRAY_SIZE(mails[i].want));
		if (mails[i].note ? !l.note || !strstr(l.note, mails[i].note) : l.note != NULL)
			fail_msg("'%s' instead of '%s'", l.note ? l.note : "(none)", mails[i].note);
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
		/* what is damaged is not passed over */
		{ "I ran both of them:\na b\n1 2\n3 x\n", "line 4" },
		{ "I ran both of them:\nbase 5 6\npatched was much faster than that\nother 7 8\n", "line 3" },
		{ "a 5\nb failed\n", "line 2" },
		{ "0,502\n0,511\n", "one number with a decimal comma, or two" },
		{ "1\ninf\n", "line 2" },
		{ "1e400\n2\n", "line 1: a number is too large" },
		{ "1\n\xff\xfe\n", "line 2: this is no row of numbers: '?" },
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

/* Counters that were added up over the runs give themselves away: all have the spread of a ramp. */
static void test_summed(void **state)
{
	static const char text[] = " Performance counter stats for 'system wide' (20 runs):\n"
				   " 1,000,001  context-switches  # 1 K/sec  ( +-  6.60% )\n"
				   " 2,000,001  cpu-migrations  # 1 K/sec  ( +-  6.57% )\n"
				   " 3,000,001  page-faults  # 1 /sec  ( +-  %s% )\n"
				   "   26.403 +- 0.166 seconds time elapsed  ( +-  0.63% )\n";

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		_cleanup_str_ struct str s = STR_INIT;
		struct series_list l = { 0 };
		const char *at = strstr(text, "%s");

		str_addf(&s, "%.*s%s%s", (int)(at - text), text, i ? "1.61" : "6.61", at + 2);
		assert_int_equal(reader_series(NULL, str_text(&s), &l, NULL), 0);
		assert_int_equal(l.n, 4);
		assert_string_equal(l.v[0].metric, "elapsed time");
		assert_null(l.v[0].note);
		for (size_t k = 1; k < l.n; k++)
			assert_int_equal(l.v[k].note != NULL, i == 0);
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

/* ---- programs, in the shape of what they print ---- */

static const struct {
	const char *reader, *text;
	struct want want[4];
	const char *unit; /* of the first */
} programs[] = {
	{ "ab", "This is ApacheBench, Version 2.3\nFailed requests:        0\n"
		"Requests per second:    120.50 [#/sec] (mean)\nTime per request:       8.299 [ms] (mean)\n"
		"Time per request:       4.149 [ms] (mean, across all concurrent requests)\n",
	  { { NULL, "requests per second", 1, 120.5, 120.5 }, { NULL, "time per request", 1, 8.299, 8.299 },
	    { NULL, "time per request over all connections", 1, 4.149, 4.149 }, { NULL, "failed requests", 1, 0, 0 } },
	  "requests/s" },
	{ "lkp", "0123456789abcdef fedcba9876543210 \n---------------- ---\n"
		 "      1000 \xc2\xb1  6%     +50.0%       1500 \xc2\xb1 11%  sched.switches\n"
		 "      0.41            +0.1        0.51        perf-stat.miss-rate%\n",
	  { { "0123456789abcdef", "sched.switches", 1, 1000, 1000 }, { "fedcba9876543210", "sched.switches", 1, 1500, 1500 },
	    { "0123456789abcdef", "perf-stat.miss-rate%", 1, 0.41, 0.41 },
	    { "fedcba9876543210", "perf-stat.miss-rate%", 1, 0.51, 0.51 } }, "" },
	{ "perf-stat", " Performance counter stats for 'x':\n\n   1.234,50 msec task-clock  #  0,9 CPUs utilized\n"
		       "   2.000.001      cycles   #    2,3 GHz\n\n       0,125000000 seconds time elapsed\n",
	  { { NULL, "elapsed time", 1, 0.125, 0.125 }, { NULL, "task-clock", 1, 1234.5, 1234.5 },
	    { NULL, "cycles", 1, 2000001, 2000001 } }, "s" },
	{ "perf-stat", " Performance counter stats for 'x' (5 runs):\n 12,345,678      cycles  ( +-  1.0% )\n"
		       "   26.403 +- 0.166 seconds time elapsed  ( +-  0.63% )\n",
	  { { NULL, "elapsed time", 1, 26.403, 26.403 }, { NULL, "cycles", 1, 12345678, 12345678 } }, "s" },
	{ "perf-stat", "# started on Mon\n\n     1.0,400,,cycles,1,100.00,,\n     2.0,500,,cycles,1,100.00,,\n",
	  { { NULL, "cycles", 2, 400, 500 } }, "" },
	{ "perf-profile", "# Overhead  Command  Shared Object  Symbol\n    12.50%  a  [kernel.kallsyms]  [k] f\n"
			  "     1.50%  b  [kernel.kallsyms]  [k] f\n     0.50%  a  a  [.] main\n",
	  { { NULL, "f", 1, 14, 14 }, { NULL, "main", 1, 0.5, 0.5 } }, "" },
	{ "perf-profile", "# Baseline  Delta Abs  Shared Object  Symbol\n    40.00%     +2.50%  a  [.] main\n"
			  "               +1.00%  [kernel.kallsyms]  [k] \nlong_name\n",
	  { { "baseline", "main", 1, 40, 40 }, { "other", "main", 1, 42.5, 42.5 }, { "baseline", "long_name", 1, 0, 0 },
	    { "other", "long_name", 1, 1, 1 } }, "" },
	{ "rcuscale", "[ 1.0] rcu-scale: start: 10 end: 30 duration: 20 gps: 2 batches: 0\n"
		      "[ 1.1] rcu-scale:    0 writer-duration:     0 9\n[ 1.2] rcu-scale:    0 writer-duration:     1 11\n",
	  { { NULL, "grace period", 2, 9, 11 }, { NULL, "duration / grace periods", 1, 10, 10 } }, "ns" },
	{ "hyperfine", "{\n  \"results\": [\n    { \"command\": \"a\", \"times\": [ 0.5, 0.25 ] },\n"
		       "    { \"command\": \"b\", \"times\": [ 1e-1 ] }\n  ]\n}\n",
	  { { "a", "time", 2, 0.5, 0.25 }, { "b", "time", 1, 0.1, 0.1 } }, "s" },
	{ "stress-ng-yaml", "---\nsystem-info:\n      stress-ng-version: 0.15.06\nmetrics:\n    - stressor: kill\n"
			    "      bogo-ops: 10\n      bogo-ops-per-second-real-time: 2.5e+01\n",
	  { { NULL, "kill: bogo-ops/s, real time", 1, 25, 25 } }, "ops/s" },
};

static void test_programs(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		_cleanup_error_ struct error err = ERROR_INIT;
		const struct reader *reader = reader_recognise(programs[i].text);
		struct series_list l = { 0 };

		if (!reader || strcmp(reader->name, programs[i].reader) != 0)
			fail_msg("%s is taken for %s", programs[i].reader, reader ? reader->name : "nothing");
		if (reader_series(NULL, programs[i].text, &l, &err) < 0)
			fail_msg("%s: %s", programs[i].reader, error_text(&err));
		check(&l, programs[i].want, ARRAY_SIZE(programs[i].want));
		assert_string_equal(l.v[0].unit, programs[i].unit);
		series_list_finish(&l);
	}
}

/* ---- published outputs, which are not in the tree ---- */

/* The first value of the main metric, or what a refusal says. */
static const struct {
	const char *file, *reader;
	double value;
	const char *says;
} published[] = {
	{ "_generated_here/ab-2.3.txt", "ab", 822.98, NULL },
	{ "_generated_here/cyclictest-hist-2threads.txt", "cyclictest", 8721, NULL },
	{ "_generated_here/fio-3.33-normal.txt", NULL, 0, "fio" },
	{ "_generated_here/fio-3.33-terse-v3.txt", NULL, 0, "fio" },
	{ "_generated_here/fio-3.33-terse-v4.txt", NULL, 0, "fio" },
	{ "_generated_here/hackbench-rt-tests-2.4.txt", "hackbench", 1.502, NULL },
	{ "_generated_here/hey-0.1.4.txt", "hey", 701.4217, NULL },
	{ "_generated_here/iperf3-3.12-tcp.txt", NULL, 0, "iperf3" },
	{ "_generated_here/perf-bench-messaging-simple.txt", NULL, 1.43, NULL },
	{ "_generated_here/perf-bench-messaging.txt", "perf-bench", 1.574, NULL },
	{ "_generated_here/sar-u-locale-C.txt", NULL, 0, "sar" },
	{ "_generated_here/stress-ng-0.15.06-metrics.txt", "stress-ng", 150364.88, NULL },
	{ "_generated_here/stress-ng-0.15.06-yaml.txt", "stress-ng-yaml", 71160.864323, NULL },
	{ "_generated_here/sysbench-1.0.20-cpu.txt", NULL, 0, "sysbench" },
	{ "_generated_here/time-bash.txt", "time", 0.135, NULL },
	{ "ab/01-ab-keyed-failed.txt", "ab", 1533.46, NULL },
	{ "ab/03-ab-one-request-tls.txt", "ab", 1.43, NULL },
	{ "cyclictest/01-summary-lines-rt-vs-default.txt", "cyclictest", 0, "a second run begins" },
	{ "cyclictest/03-histogram-one-thread.txt", "cyclictest", 16, NULL },
	{ "fio/01.txt", NULL, 0, "fio" },
	{ "fio/03.txt", NULL, 0, "fio" },
	{ "fio/05-terse-v3-posted.txt", NULL, 0, "fio" },
	{ "hackbench/01-perfbench-hackbench-8iter.txt", "hackbench", 0, NULL },
	{ "hackbench/04-perf-stat-slob.txt", "hackbench", 263.9, NULL },
	{ "hey/01-hey-n10-zero-percentiles.txt", "hey", 6.431, NULL },
	{ "hey/03-hey-outlier-histogram.txt", "hey", 1377.5186, NULL },
	{ "iperf/01.txt", NULL, 0, "iperf" },
	{ "iperf/03.txt", NULL, 0, "iperf" },
	{ "iperf/04-iperf3-udp-sender-receiver.txt", NULL, 0, "iperf3" },
	{ "lkp/01-hackbench-6.2pct.txt", "lkp", 5457, NULL },
	{ "lkp/04-total-2013-style.txt", "lkp", 76628486, NULL },
	{ "lmbench/01-lmbench3.txt", NULL, 0, "lmbench" },
	{ "lmbench/03-summary-three-kernels-2003.txt", NULL, 0, "lmbench" },
	{ "locale/01-perf-stat-de-dots.txt", "perf-stat", 0.038877979, NULL },
	{ "locale/03-perf-stat-ns-new.txt", "perf-stat", 0.634533403, NULL },
	{ "locale/05-bash-time-comma.txt", "time", 18.116, NULL },
	{ "locale/07-load-average-comma.txt", NULL, 0, "a name and numbers are wanted" },
	{ "mmtests/01-amean-2col.txt", "mmtests", 1350.80, NULL },
	{ "mmtests/03-full-stats-block.txt", "mmtests", 24.4604, NULL },
	{ "mmtests/05-scalewakegran.txt", "mmtests", 0.3253, NULL },
	{ "netperf/01-sctp-many-instances.txt", NULL, 0, "netperf" },
	{ "netperf/04-interim-results.txt", NULL, 0, "netperf" },
	{ "netperf/05-kasan-config-overhead.txt", NULL, 0, "netperf" },
	{ "perf-bench/01-sched-messaging.txt", "perf-bench", 0.055, NULL },
	{ "perf-bench/03-futex-hash.txt", "perf-bench", 491926, NULL },
	{ "perf-diff/01-delta-abs-2019.txt", "perf-profile", 49.03, NULL },
	{ "perf-diff/02-delta-abs-empty-baseline.txt", "perf-profile", 48.75, NULL },
	{ "perf-diff/04-sheaves-mmap2-empty-baseline.txt", "perf-profile", 0, NULL },
	{ "perf-report/01-lkp-perf-profile.txt", "perf-profile", 0.42, NULL },
	{ "perf-stat/01-interval-csv.txt", "perf-stat", 3969592418, NULL },
	{ "perf-stat/03-interval-csv.txt", "perf-stat", 4100064372, NULL },
	{ "perf-stat/06-r20-system-wide-accumulated.txt", "perf-stat", 26.403, NULL },
	{ "rcuscale/01-dmesg.txt", "rcuscale", 418947875.0 / 201, NULL },
	{ "rcuscale/03-dmesg.txt", "rcuscale", 311998449.0 / 238, NULL },
	{ "rcuscale/06-lkp-fast-single-writer.txt", "rcuscale", 324, NULL },
	{ "refscale/02-no-result.txt", NULL, 0, "line " },
	{ "sar/01-sar-u-24h.txt", NULL, 0, "sar" },
	{ "sar/02-sar-1-midnight.txt", NULL, 0, "sar" },
	{ "sar/05-sar-dec.txt", NULL, 0, "sar" },
	{ "sar/11-mpstat-lkp.txt", NULL, 0, "mpstat" },
	{ "schbench/01.txt", NULL, 0, "schbench" },
	{ "stress-ng/04-lkp.txt", "stress-ng", 0, "the run failed" },
	{ "sysbench/01-1.0.7-no-eps.txt", NULL, 0, "sysbench" },
	{ "sysbench/03-1.0-interval-drift.txt", NULL, 0, "sysbench" },
	{ "tbench-dbench/03-dbench.txt", "tbench", 13563.9, NULL },
	{ "time/01-gnu-default.txt", "time", 0, NULL },
	{ "time/03-posix-p.txt", "time", 0, NULL },
	{ "time/04-gnu-verbose.txt", "time", 0, NULL },
	{ "unixbench/01.txt", NULL, 0, "unixbench" },
	{ "unixbench/03.txt", NULL, 0, "unixbench" },
	{ "uperf/01.txt", NULL, 0, "uperf" },
	{ "will-it-scale/01.txt", NULL, 0, "will-it-scale" },
	{ "wrk/01-wrk-readme.txt", "wrk", 748868.53, NULL },
	{ "wrk/03-wrk-socket-errors.txt", "wrk", 0, "connections failed" },
};

static void test_published(void **state)
{
	const char *cases = getenv("KTOLL_TEST_CASES");

	(void)state;
	if (!cases || !*cases) {
		leave_out("published cases", "KTOLL_TEST_CASES names no folder with them");
		skip();
	}
	for (size_t i = 0; i < ARRAY_SIZE(published); i++) {
		_cleanup_free_ char *path = xasprintf("%s/B/%s", cases, published[i].file), *text = NULL;
		_cleanup_error_ struct error err = ERROR_INIT;
		const struct reader *reader;
		struct series_list l = { 0 };
		size_t n_bytes;
		int r;

		assert_int_equal(file_read(path, &text, &n_bytes, NULL), 0);
		reader = reader_recognise(text);
		if (!str_equal(reader ? reader->name : NULL, published[i].reader))
			fail_msg("%s: taken for %s", path, reader ? reader->name : "nothing");
		r = reader_series(NULL, text, &l, &err);
		if (r < 0 && (!published[i].says || !strstr(error_text(&err), published[i].says)))
			fail_msg("%s: %s", path, error_text(&err));
		if (r == 0 && published[i].says)
			fail_msg("%s was read", path);
		if (r == 0 && published[i].value && fabs(l.v[0].values[0] / published[i].value - 1) > 1e-9)
			fail_msg("%s: %.10g instead of %.10g", path, l.v[0].values[0], published[i].value);
		series_list_finish(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns), cmocka_unit_test(test_mails), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_mmtests), cmocka_unit_test(test_time),
		cmocka_unit_test(test_runs),	cmocka_unit_test(test_programs),
		cmocka_unit_test(test_summed),
		cmocka_unit_test(test_published),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
