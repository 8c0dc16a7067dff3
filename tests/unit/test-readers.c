/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output in the shape of each program's, written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "readers/reader.h"

static void assert_reads(const char *reader, const char *text, size_t n, const char *metric,
			 const char *unit, bool is_higher_better, double value)
{
	struct readings r;

	assert_int_equal(reader_read(reader_find(reader), text, &r, NULL), 0);
	assert_int_equal(r.n, n);
	assert_string_equal(r.v[0].metric, metric);
	assert_string_equal(r.v[0].unit, unit);
	assert_int_equal(r.v[0].is_higher_better, is_higher_better);
	assert_float_equal(r.v[0].value, value, 1e-9);
	readings_finish(&r);
}

static void assert_refuses(const char *reader, const char *text, const char *why)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	struct readings r;

	assert_int_equal(reader_read(reader_find(reader), text, &r, &err), -EBADMSG);
	assert_int_equal(r.n, 0);
	if (!strstr(error_text(&err), why))
		fail_msg("%s: %s", reader, error_text(&err));
}

static void test_hackbench(void **state)
{
	assert_reads("hackbench", "Running in process mode with 1 groups\nTime: 0.345\n", 1, "time", "s",
		     false, 0.345);
	assert_reads("hackbench", "Time: 12.5\r\n", 1, "time", "s", false, 12.5);
	assert_refuses("hackbench", "Running in process mode\nRuntime: 3\n", "Time:");
}

static void test_perf_bench(void **state)
{
	assert_reads("perf-bench", "# 20 sender and receiver\n\n     Total time: 0.487 [sec]\n", 1,
		     "total time", "s", false, 0.487);
	assert_reads("perf-bench",
		     "     Total time: 5.0 [sec]\n\n       5.000000 usecs/op\n         200000 ops/sec\n", 3,
		     "total time", "s", false, 5);
	assert_refuses("perf-bench", "nothing", "Total time");
}

static void test_tbench(void **state)
{
	assert_reads("tbench",
		     "   1   1000   50.00 MB/sec  warmup   1 sec\n"
		     "Throughput 3831.82 MB/sec  16 clients  16 procs  max_latency=1.234 ms\n",
		     2, "throughput", "MB/s", true, 3831.82);
	assert_refuses("tbench", "Throughput 0 MB/sec  1 clients  1 procs  max_latency=0.000 ms\n",
		       "too short");
	assert_refuses("tbench", "connect: Connection refused\n", "Throughput");
}

#define HEY                                                                                        \
	"\nSummary:\n  Total:\t0.5 secs\n  Average:\t0.0008 secs\n  Requests/sec:\t4000.5\n\n"     \
	"Response time histogram:\n  0.001 [992]\t|###\n\n"

static void test_hey(void **state)
{
	assert_reads("hey", HEY "Status code distribution:\n  [200]\t2000 responses\n", 2, "request rate",
		     "1/s", true, 4000.5);
	assert_refuses("hey", HEY "Status code distribution:\n  [200]\t9 responses\n  [502]\t1 responses\n",
		       "[502]");
	assert_refuses("hey", HEY "Error distribution:\n  [3]\tdial tcp: connection refused\n", "dial tcp");
	assert_refuses("hey", "Summary:\n  Requests/sec:\tNaN\n", "Requests/sec");
}

#define WRK                                                                                        \
	"Running 1s test @ http://127.0.0.1/\n  1 threads and 4 connections\n"                     \
	"  4831 requests in 1.00s, 3.95MB read\n"

static void test_wrk(void **state)
{
	struct readings r;

	assert_reads("wrk", WRK "Requests/sec:   4829.47\nTransfer/sec:      3.95MB\n", 2, "request rate",
		     "1/s", true, 4829.47);
	assert_int_equal(reader_read(reader_find("wrk"), WRK "Requests/sec: 1\n", &r, NULL), 0);
	assert_string_equal(r.v[1].metric, "requests");
	assert_float_equal(r.v[1].value, 4831, 0);
	readings_finish(&r);
	assert_refuses("wrk", WRK "  Socket errors: connect 0, read 2, write 0, timeout 0\nRequests/sec: 9\n",
		       "read 2");
	assert_refuses("wrk", WRK "  Non-2xx or 3xx responses: 4831\nRequests/sec: 9\n", "4831");
}

static void test_stress_ng(void **state)
{
	static const char head[] =
		"stress-ng: info:  [7] dispatching hogs: 1 kill\n"
		"stress-ng: metrc: [7] stressor       bogo ops real time  usr time  sys time   bogo ops/s     bogo ops/s\n"
		"stress-ng: metrc: [7]                           (secs)    (secs)    (secs)   (real time) (usr+sys time)\n";
	char text[1000];

	snprintf(text, sizeof(text), "%s%s", head,
		 "stress-ng: metrc: [7] kill               5000      0.25      0.01      0.24     20000.10     20000.00\n");
	assert_reads("stress-ng", text, 1, "kill, bogus operations", "1/s", true, 20000.10);
	/* The older word for it. */
	assert_reads("stress-ng",
		     "stress-ng: info:  [7] switch 100 1.00 0.10 0.90 100.00 99.00\n", 1,
		     "switch, bogus operations", "1/s", true, 100);
	snprintf(text, sizeof(text), "%s%s", head,
		 "stress-ng: metrc: [7] kill                  0      0.25      0.01      0.24         0.00         0.00\n");
	assert_refuses("stress-ng", text, "kill did no bogus operation");
	assert_refuses("stress-ng", head, "metrics");
}

static void test_cyclictest(void **state)
{
	struct readings r;

	assert_int_equal(reader_read(reader_find("cyclictest"),
				     "# /dev/cpu_dma_latency set to 0us\n"
				     "T: 0 (  123) P:80 I:1000 C:    10 Min:      9 Act:    3 Avg:    5 Max:      12\n"
				     "T: 0 (  123) P:80 I:1000 C: 10000 Min:      2 Act:    3 Avg:    5 Max:      44\n"
				     "T: 1 (  124) P:80 I:1500 C:  6000 Min:      1 Act:    3 Avg:    7 Max:      30\n",
				     &r, NULL),
			 0);
	assert_int_equal(r.n, 3);
	assert_string_equal(r.v[0].metric, "wake-up delay, max");
	assert_float_equal(r.v[0].value, 44, 0);
	assert_float_equal(r.v[1].value, 6, 0);
	assert_float_equal(r.v[2].value, 1, 0);
	readings_finish(&r);
	assert_refuses("cyclictest", "T: 0 (  123) P:80 I:1000 C:    10 Min: \n", "T: 0");
}

static void test_refscale(void **state)
{
	struct readings r;

	/* The table comes in pieces: a stamp in front of a line, and one inside another. */
	assert_int_equal(reader_read(reader_find("refscale"),
				     "[   11.1] noise\n"
				     "[   21.257548] rcu-ref-scale: END OF TEST. Calculating average duration per loop (nanoseconds)...\n"
				     "[   21.257550] Runs\tTime(ns)\n"
				     "[   21.257551] 1\t34.912\n2\t35.[   21.257560] 000\n3\t30.5\n4\t99.0\n"
				     "[   21.3] rcu-ref-scale: Shutdown\n5 apples\n",
				     &r, NULL),
			 0);
	assert_int_equal(r.n, 3);
	assert_float_equal(r.v[0].value, (34.912 + 35.0) / 2, 1e-9);
	assert_float_equal(r.v[1].value, 30.5, 0);
	assert_float_equal(r.v[2].value, 99, 0);
	readings_finish(&r);
	assert_refuses("refscale", "rcu-ref-scale: --- Start of test\n", "table");
	assert_refuses("refscale", "Runs\tTime(ns)\n2\t3\n", "run");
}

static void test_names(void **state)
{
	assert_null(reader_find("abacus"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hackbench), cmocka_unit_test(test_perf_bench),
		cmocka_unit_test(test_tbench),	  cmocka_unit_test(test_hey),
		cmocka_unit_test(test_wrk),	  cmocka_unit_test(test_stress_ng),
		cmocka_unit_test(test_cyclictest), cmocka_unit_test(test_refscale),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
