/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
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

/* Outputs in the shape of the programs', with the figures that are in them. */
static const struct {
	const char *reader, *text;
	struct {
		const char *metric, *unit;
		bool is_higher_better;
		double value;
	} want[12];
} good[] = {
	{ "hackbench",
	  "Running in process mode with 3 groups using 40 file descriptors each (== 120 tasks)\r\n"
	  "Each sender will pass 50 messages of 100 bytes\r\n"
	  "Time: 0.417\r\n",
	  { { "time", "s", false, 0.417 } } },
	{ "hackbench", /* on the kernel's console, with other messages */
	  "[    2.000113] Running in threaded mode with 1 groups using 40 file descriptors each (== 40 tasks)\n"
	  "[    2.310000][    T1] clocksource: Time: is an illusion\n"
	  "[    2.412345][    T1] Time: 0.288\n",
	  { { "time", "s", false, 0.288 } } },
	{ "hackbench", "$ hackbench\n\033[0;1m\033[K Time: 0.5\n", { { "time", "s", false, 0.5 } } },
	{ "hackbench", /* four runs, one of them slow */
	  "Running in process mode with 2 groups using 40 file descriptors each (== 80 tasks)\n"
	  "Time: 2.5\nTime: 9.5\nTime: 2.25\nTime: 2.75\n",
	  { { "time", "s", false, 2.625 },
	    { "time, lowest", "s", false, 2.25 },
	    { "time, highest", "s", false, 9.5 },
	    { "time, runs", "runs", true, 4 },
	    { "time, run 1", "s", false, 2.5 },
	    { "time, run 2", "s", false, 9.5 },
	    { "time, run 3", "s", false, 2.25 },
	    { "time, run 4", "s", false, 2.75 } } },
	{ "perf-bench",
	  "# Running 'sched/messaging' benchmark:\n# 20 sender and receiver processes per group\n"
	  "# 3 groups == 120 processes run\n\n     Total time: 0.311 [sec]\n",
	  { { "sched/messaging: total time", "s", false, 0.311 } } },
	{ "perf-bench",
	  "# Running 'sched/pipe' benchmark:\n# Executed 5000 pipe operations between two processes\n\n"
	  "     Total time: 0.023 [sec]\n\n       4.612400 usecs/op\n         216807 ops/sec\n",
	  { { "sched/pipe: total time", "s", false, 0.023 },
	    { "sched/pipe: time per operation", "us", false, 4.6124 },
	    { "sched/pipe: operations per second", "ops/s", true, 216807 } } },
	{ "perf-bench", /* an old one; operations per thread are not the figure */
	  "# Running futex/hash benchmark...\nRun summary [PID 7]: 1 threads, each operating on 1024 "
	  "[shared] futexes for 2 secs.\n\n[thread  0] futexes: 0x5570 ... 0x6570 [ 300100 ops/sec ]\n\n"
	  "Averaged 300200 operations/sec (+- 0.21%), total secs = 2\n",
	  { { "futex/hash: operations per second", "ops/s", true, 300200 } } },
	{ "tbench", /* what is printed while it runs is no result */
	  "dbench version 4.00 - Copyright Andrew Tridgell 1999-2004\n\n"
	  "^^^1 of 2 processes prepared for launch   0 sec\r^2 of 2 processes prepared for launch   0 sec\r\n"
	  "   2      9001   812.11 MB/sec  warmup   1 sec  latency 2.311 ms\n"
	  "   2     18112   799.25 MB/sec  execute   1 sec  latency 0.911 ms\n"
	  "   2  cleanup   2 sec\n\n"
	  " Operation                Count    AvgLat    MaxLat\n"
	  " NTCreateX                 4711     0.029     3.279\n\n"
	  "Throughput 801.5 MB/sec  2 clients  2 procs  max_latency=3.281 ms\n",
	  { { "throughput", "MB/s", true, 801.5 }, { "max latency", "ms", false, 3.281 } } },
	{ "tbench", "Throughput 1.23457e+06 MB/sec (sync open) 4 procs\n",
	  { { "throughput", "MB/s", true, 1234570 } } },
	{ "hey", /* rows of "0%" are not values */
	  "\nSummary:\n  Total:\t2.5000 secs\n  Slowest:\t0.0400 secs\n  Fastest:\t0.0100 secs\n"
	  "  Average:\t0.0250 secs\n  Requests/sec:\t80.0000\n  \n  Total data:\t4000 bytes\n\n"
	  "Response time histogram:\n  0.010 [1]\t|\xe2\x96\xa0\n  0.040 [199]\t|\xe2\x96\xa0\xe2\x96\xa0\n\n"
	  "Latency distribution:\n  10% in 0.0110 secs\n  0% in 0.0000 secs\n\n"
	  "Details (average, fastest, slowest):\n  DNS+dialup:\t0.0003 secs, 0.0014 secs, 0.0271 secs\n\n"
	  "Status code distribution:\n  [200]\t150 responses\n  [204]\t50 responses\n\n\n",
	  { { "requests per second", "requests/s", true, 80 }, { "mean latency", "s", false, 0.025 } } },
	{ "wrk", /* the rate of a thread is not the figure; its latencies have three units */
	  "Running 2s test @ http://127.0.0.1:80/\n  2 threads and 10 connections\n"
	  "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n"
	  "    Latency   412.50us    1.20ms   1.01s    91.00%\n"
	  "    Req/Sec    11.20k     1.07k   13.00k    70.00%\n"
	  "  Latency Distribution\n     50%  400.00us\n     99%    2.20ms\n"
	  "  44000 requests in 2.00s, 35.62MB read\n"
	  "Requests/sec:  22000.25\nTransfer/sec:     17.81MB\n",
	  { { "requests per second", "requests/s", true, 22000.25 },
	    { "mean latency", "us", false, 412.5 },
	    { "requests", "requests", true, 44000 } } },
	{ "wrk",
	  "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency     1.50s   172.66ms   1.81s    94.03%\n"
	  "  Socket errors: connect 0, read 0, write 0, timeout 0\nRequests/sec:     12.50\n",
	  { { "requests per second", "requests/s", true, 12.5 },
	    { "mean latency", "us", false, 1500000 } } },
	{ "wrk",
	  "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency     3.25ms  172.66us   9.81ms   94.03%\n"
	  "Requests/sec:    612.50\n",
	  { { "requests per second", "requests/s", true, 612.5 },
	    { "mean latency", "us", false, 3250 } } },
	{ "stress-ng", /* a row of nanoseconds below one of operations; no time in user space */
	  "stress-ng: info:  [77] setting to a 2 second run per stressor\n"
	  "stress-ng: metrc: [77] stressor       bogo ops real time  usr time  sys time   bogo ops/s     bogo ops/s CPU used per       RSS Max\n"
	  "stress-ng: metrc: [77]                           (secs)    (secs)    (secs)   (real time) (usr+sys time) instance (%)          (KB)\n"
	  "stress-ng: metrc: [77] kill              5000      2.00      0.50      1.50      2500.00         2501.25        99.10          2384\n"
	  "stress-ng: metrc: [77] vm-rw               12      2.00      0.00      0.00         6.00            0.00         0.00          2512\n"
	  "stress-ng: metrc: [77] miscellaneous metrics:\n"
	  "stress-ng: metrc: [77] vm-rw              132.25 nanosecs per call (geometic mean of 1 instances)\n"
	  "stress-ng: info:  [77] skipped: 0\nstress-ng: info:  [77] failed: 0\n"
	  "stress-ng: info:  [77] metrics untrustworthy: 0\n"
	  "stress-ng: info:  [77] successful run completed in 2.03s\n",
	  { { "kill: bogo-ops/s, real time", "ops/s", true, 2500 },
	    { "kill: bogo-ops", "ops", true, 5000 },
	    { "kill: bogo-ops/s, usr+sys time", "ops/s", true, 2501.25 },
	    { "vm-rw: bogo-ops/s, real time", "ops/s", true, 6 },
	    { "vm-rw: bogo-ops", "ops", true, 12 } } },
	{ "stress-ng", /* an old one, other processes in between */
	  "2021-06-17 02:25:42 stress-ng --timeout 60 --metrics-brief --signest 4\n"
	  "stress-ng: info:  [8] stressor       bogo ops real time  usr time  sys time   bogo ops/s     bogo ops/s\n"
	  "stress-ng: info:  [9] stress-ng-signest: 16 unique nested signals handled, HUP ILL\n"
	  "stress-ng: info:  [8] signest           600      6.00      1.00      2.00       100.00         200.00\n"
	  "stress-ng: info:  [8]     116.98s user time   (  4.06%)\n"
	  "stress-ng: info:  [8] load average: 3.92 1.58 0.58\n",
	  { { "signest: bogo-ops/s, real time", "ops/s", true, 100 },
	    { "signest: bogo-ops", "ops", true, 600 },
	    { "signest: bogo-ops/s, usr+sys time", "ops/s", true, 200 } } },
	{ "refscale", /* two messages; others stand between them and in the experiment */
	  "[   19.054852] srcu-ref-scale: --- Start of test:  verbose=0 shutdown=1 loops=10000 nreaders=2 nruns=3 readdelay=0\n"
	  "[   19.072057] srcu-ref-scale: Experiment #0 (Format: <THREAD-NUM>:<Total loop time in ns>)\n"
	  "0: 36438\t1: 33935\t\n"
	  "[   21.110000] srcu-ref-scale: END OF TEST. Calculating average duration per loop (nanoseconds)...\n"
	  "[   21.131157] Runs\tTime(ns)\n[   21.131158] 1\t34.500\n2\t30.250\n"
	  "[   21.140000] random: crng init done\n"
	  "[   21.257548] 3\t36.750\n[   21.300000] reboot: Power down\n",
	  { { "time per loop", "ns", false, 34.5 },
	    { "time per loop, lowest", "ns", false, 30.25 },
	    { "time per loop, highest", "ns", false, 36.75 },
	    { "time per loop, runs", "runs", true, 3 },
	    { "time per loop, run 1", "ns", false, 34.5 },
	    { "time per loop, run 2", "ns", false, 30.25 },
	    { "time per loop, run 3", "ns", false, 36.75 } } },
	{ "refscale", /* Linux 5.15: one message, the header behind the prefix */
	  "[    1.000000] rcu-ref-scale: Runs\tTime(ns)\n               1\t6.250\n",
	  { { "time per loop", "ns", false, 6.25 } } },
	{ "cyclictest", /* printed twice, the cursor moved up in between */
	  "# /dev/cpu_dma_latency set to 0us\npolicy: fifo: loadavg: 1.04 1.00 0.54 1/150 22\n\n"
	  "T: 0 (   31) P:80 I:1000 C:      0 Min:1000000 Act:    0 Avg:    0 Max:       0\n"
	  "T: 1 (   32) P:80 I:1500 C:    100 Min:      5 Act:    9 Avg:   11 Max:      90\n"
	  "\033[4Apolicy: fifo: loadavg: 1.04 1.00 0.54 1/150 22\n\n"
	  "T: 0 (   31) P:80 I:1000 C:    200 Min:      4 Act:    6 Avg:    7 Max:      61\n"
	  "T: 1 (   32) P:80 I:1500 C:    150 Min:      5 Act:    8 Avg:   10 Max:      97\n",
	  { { "max latency", "us", false, 97 },
	    { "mean latency", "us", false, 8.5 },
	    { "min latency", "us", false, 4 } } },
	{ "cyclictest", /* with -N */
	  "T: 0 (   31) P:80 I:1000 C:    200 Min:   4250 Act:    6500 Avg:    7500 Max:   61500\n",
	  { { "max latency", "us", false, 61.5 },
	    { "mean latency", "us", false, 7.5 },
	    { "min latency", "us", false, 4.25 } } },
	{ "cyclictest", /* with -N, and a latency that fills its column */
	  "T: 0 (   31) P:80 I:1000 C:    200 Min:   4250 Act:12500000 Avg:    7500 Max:12500000\n",
	  { { "max latency", "us", false, 12500 },
	    { "mean latency", "us", false, 7.5 },
	    { "min latency", "us", false, 4.25 } } },
	{ "cyclictest", /* without, and a latency that is wider than its column */
	  "T: 0 (   31) P:80 I:1000 C:    200 Min:      4 Act:123456 Avg:    7 Max:  123456\n",
	  { { "max latency", "us", false, 123456 },
	    { "mean latency", "us", false, 7 },
	    { "min latency", "us", false, 4 } } },
	{ "cyclictest", /* the columns that did not fit into the histogram are in the maximum */
	  "# Histogram\n000000 000000\t000000\n000009 000007\t000003\n# Total: 000000007 000000003\n"
	  "# Min Latencies: 00009 00008\n# Avg Latencies: 00012 00010\n# Max Latencies: 00120 00431\n"
	  "# Histogram Overflows: 00001 00002\n",
	  { { "max latency", "us", false, 431 },
	    { "mean latency", "us", false, 11 },
	    { "min latency", "us", false, 8 } } },
};

/* Failed runs and what is no figure, with a part of the sentence. */
static const struct {
	const char *reader, *text, *says;
} bad[] = {
	{ "hackbench", "", "no line 'Time: ...'" },
	{ "hackbench", "Running in process mode with 1 groups using 40 file descriptors each (== 40 tasks)\n",
	  "no line 'Time: ...'" },
	{ "hackbench", "\n\r\nTime: 0,417\n", "line 3: this is no time" },
	{ "hackbench", "Time: 1,234.5\n", "no time" },
	{ "hackbench", "Time: 0.000\n", "took no time" },
	{ "hackbench", "Time: nan\n", "no time" },
	{ "hackbench", "Time: 0x10\n", "no time" },
	{ "hackbench", "Time: -1\n", "no time" },
	{ "hackbench", "Time: 1e999\n", "no time" },
	{ "hackbench", "Time:\n5\n", "no time" },
	{ "hackbench", "fork() (error: Resource temporarily unavailable)\nTime: 1.0\n", "line 1: hackbench failed" },
	{ "perf-bench", "1.430\n", "no line 'Total time" },
	{ "perf-bench", "# Running 'sched/pipe' benchmark:\n     Total time: 1.5 [min]\n", "line 2" },
	{ "perf-bench", "     Total time: 1.037 [sec]\n   9,637,123 ops/sec\n", "line 2" },
	{ "perf-bench", "     Total time: 1.037 [sec] of 2\n", "line 1" },
	{ "perf-bench", "     Total time: 0.000 [sec]\n", "of 0" },
	{ "tbench", "Throughput 0 MB/sec  2 clients  2 procs  max_latency=0.000 ms\n", "nothing was transferred" },
	{ "tbench", "Throughput 5 GB/sec  2 clients  2 procs\n", "no throughput" },
	{ "tbench", "Throughput 5 MB/sec  2 clients  2 procs  max_latency=1,5 ms\n", "no latency" },
	{ "tbench", "Throughput 5 MB/sec  2 clients  2 procs  max_latency=15 us\n", "no latency" },
	{ "tbench", "Child failed with status 1\nThroughput 5 MB/sec  2 procs\n", "line 1: a client failed" },
	{ "tbench", " 128     33330  24986.66 MB/sec  warmup   1 sec  latency 8.313 ms\n", "no line" },
	{ "hey", "Summary:\n  Average:\t0.1 secs\n  Requests/sec:\t10\n\nStatus code distribution:\n"
		 "  [200]\t99 responses\n  [502]\t1 responses\n", "line 7: requests failed" },
	{ "hey", "Summary:\n  Requests/sec:\t10\n\nStatus code distribution:\n  [302]\t9 responses\n", "requests failed" },
	{ "hey", "Summary:\n  Average:\tNaN secs\n  Requests/sec:\t10\n\nStatus code distribution:\n\n"
		 "Error distribution:\n  [5]\tGet \"http://127.0.0.1/\": connection refused\n",
	  "line 8: requests failed: '[5]" },
	{ "hey", "Summary:\n  Requests/sec:\t10\nStatus code distribution:\n  [200]\t9 responses\n"
		 "Error distribution:\n  [1]\ttimeout\n", "line 6" },
	{ "hey", "Summary:\n  Average:\t0.1 secs\n  Requests/sec:\t10\n", "no request was answered" },
	{ "hey", "Summary:\n  Requests/sec:\t0.0000\n", "nothing was answered" },
	{ "hey", "Summary:\n  Requests/sec:\t1\nSummary:\n  Requests/sec:\t2\n", "line 4: the run before it" },
	{ "wrk", "  Socket errors: connect 0, read 0, write 0, timeout 3\nRequests/sec:  5.00\n", "line 1: connections failed" },
	{ "wrk", "  Non-2xx or 3xx responses: 12\nRequests/sec:  5.00\n", "line 1: requests failed" },
	{ "wrk", "Running 2s test @ http://127.0.0.1/\nRequests/sec:      0.00\n", "line 2: nothing was answered" },
	{ "wrk", "    Latency    12.5   1.0 2.0\nRequests/sec:   5.00\n", "no latency" },
	{ "wrk", "Running 2s test @ http://127.0.0.1/\nunable to connect\n", "no line 'Requests/sec" },
	{ "stress-ng", "stress-ng: fail:  [5] sigaction: errno=22 (Invalid argument)\n", "line 1: the run failed" },
	{ "stress-ng", "stress-ng: metrc: [7] kill  0  2.00  0.00  0.00  0.00  0.00\n", "kill did nothing" },
	{ "stress-ng", "stress-ng: metrc: [7] kill  1  2.00  0.00  0.00  0.00  0.00\n", "kill has no rate" },
	{ "stress-ng", "stress-ng: metrc: [7] kill  100  2.00  0.10\n", "cut off" },
	{ "stress-ng", "stress-ng: metrc: [7] kill  9  2.00  0.1  0.1  4.50  45.0\nstress-ng: info:  [7] failed: 1: kill (1)\n", "line 2: the run failed" },
	{ "stress-ng", "stress-ng: metrc: [7] kill  9  2.00  0.1  0.1  4.50  45.0\nstress-ng: info:  [7] metrics untrustworthy: 1: kill (1)\n", "does not trust" },
	{ "stress-ng", "stress-ng: info:  [7] unsuccessful run completed in 2.00s\n", "the run failed" },
	{ "refscale", "[    0.000000] Linux version 6.1.0\n", "no line 'Runs" },
	{ "refscale", "rcu-ref-scale: --- Start of test:  loops=10000 nruns=3 readdelay=0\n[ 9.000000] reboot: Restarting\n", "has no table" },
	{ "refscale", "rcu-ref-scale: --- Start of test:  nruns=3\nRuns\tTime(ns)\n1\t5.000\n2\t5.500\n", "run 3" },
	{ "refscale", "Runs\tTime(ns)\n1\t5.000\n3\t5.500\n", "line 3: run 2" },
	{ "refscale", "Runs\tTime(ns)\n", "run 1" },
	{ "refscale", "Runs\tTime(ns)\n1\t5.000\n2\t0.000\n", "took no time" },
	{ "refscale", "rcu-ref-scale: --- Start of test:  nruns=2\nRuns\tTime(ns)\n1\t34.912\n2\t3\n", "line 4: the row is cut off" },
	{ "refscale", "Runs\tTime(ns)\n1\t34.912\n2\t35.\n[    9.000000] 125\n3\t35.000\n", "line 3: the row is cut off" },
	{ "refscale", "Runs\tTime(ns)\n1\t34.91\n", "line 2: the row is cut off" },
	{ "refscale", "Runs\tTime(ns)\n1\t3.e10\n", "line 2: the row is cut off" },
	{ "refscale", "rcu-ref-scale: Runs\tTime(ns)\n1\t5.000\nsrcu-ref-scale: Runs\tTime(ns)\n1\t6.000\n", "line 3: a test of another type" },
	{ "refscale", "rwsem-ref-scale: Runs\tTime(ns)\n1\t5.000\nclock-ref-scale: Runs\tTime(ns)\n", "line 3: a test of another type" },
	{ "refscale", "rcu-ref-scale:!!! out of memory\n", "the test failed" },
	{ "cyclictest", "# /dev/cpu_dma_latency set to 0us\n", "no line 'T: 0" },
	{ "cyclictest", "T: 0 (   31) P:80 I:1000 C:      0 Min:1000000 Act:    0 Avg:    0 Max:       0\n", "line 1: thread 0 has no sample" },
	{ "cyclictest", "T: 0 (   31) P:80 I:1000 C:    200 Min:      4 Act:    6 Avg:  ", "not complete" },
	{ "cyclictest", "T: 0 (   31) P:80 I:200 C:  9 Min:      4 Act:    6 Avg:    7 Max:   1,061\n", "not complete" },
	{ "cyclictest", "# Min Latencies: 00009\n# Avg Latencies: 00012\n# Max Latencies: 00120\n"
			"# Min Latencies: 00007\n# Avg Latencies: 00010\n# Max Latencies: 00100\n", "line 6: a second run" },
	{ "cyclictest", "# Min Latencies: 00009 00008\n# Avg Latencies: 00012\n# Max Latencies: 00120 00431\n", "thread 1 has no sample" },
	{ "cyclictest", "T: 0 (   31) P:80 I:200 C:  9 Min:      4 Act:    6 Avg:    7 Max:      61\n"
			"T: 0 (   55) P:80 I:200 C:  9 Min:      4 Act:    6 Avg:    7 Max:      61\n", "line 2: a second run" },
};

static void assert_same(double got, double want)
{
	if (fabs(got - want) > 1e-9 * fabs(want))
		fail_msg("%.17g is not %.17g", got, want);
}

static void test_good(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct error err = ERROR_INIT;
		struct readings got;
		size_t n = 0;

		if (reader_read(reader_find(good[i].reader), good[i].text, &got, &err) < 0)
			fail_msg("%s %zu: %s", good[i].reader, i, error_text(&err));
		for (; n < ARRAY_SIZE(good[i].want) && good[i].want[n].metric; n++) {
			assert_true(n < got.n);
			assert_string_equal(got.v[n].metric, good[i].want[n].metric);
			assert_string_equal(got.v[n].unit, good[i].want[n].unit);
			assert_int_equal(got.v[n].is_higher_better,
					 good[i].want[n].is_higher_better);
			assert_same(got.v[n].value, good[i].want[n].value);
		}
		assert_int_equal(got.n, n);
		readings_finish(&got);
	}
}

static void test_bad(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct readings untouched = { .n = 99 };
		struct readings got = untouched;
		struct error err = ERROR_INIT;

		if (reader_read(reader_find(bad[i].reader), bad[i].text, &got, &err) != -EBADMSG)
			fail_msg("%s: figures in '%s'", bad[i].reader, bad[i].text);
		assert_int_equal(got.n, untouched.n);
		if (!strstr(error_text(&err), bad[i].says))
			fail_msg("'%s' does not say '%s'", error_text(&err), bad[i].says);
		error_finish(&err);
	}
}

/* Each output is recognised by its reader and by no other. */
static void test_recognise(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		const struct reader *reader;

		for (size_t k = 0; (reader = reader_at(k)); k++)
			if (reader->recognise && reader->recognise(good[i].text) !=
			    str_equal(reader->name, good[i].reader))
				fail_msg("%s on %s %zu", reader->name, good[i].reader, i);
	}
	assert_true(reader_find("stress-ng")->recognise("stress-ng: fail:  [5] errno=22\n"));
	assert_true(reader_find("hackbench")->recognise("$ hackbench -g 4\n  Time: 1.5\n"));
	assert_false(reader_find("hackbench")->recognise("  Time: 1.5\n"));
	assert_false(reader_find("refscale")->recognise("[    0.000000] Linux version 6.1.0\n"));
}

static void test_table(void **state)
{
	size_t n = 0;

	for (; reader_at(n); n++)
		assert_ptr_equal(reader_find(reader_at(n)->name), reader_at(n));
	assert_int_equal(n, 18);
	assert_null(reader_find("nobench"));
}

/* What is not ASCII or moves the cursor does not get into the sentence. */
static void test_printable(void **state)
{
	struct error err = ERROR_INIT;
	struct readings got;

	assert_int_equal(reader_read(reader_find("hackbench"), "Time: \033[31m5\xff\n", &got, &err), -EBADMSG);
	assert_null(strchr(error_text(&err), '\033'));
	assert_null(strchr(error_text(&err), '\xff'));
	error_finish(&err);
}

static void test_too_many(void **state)
{
	_cleanup_str_ struct str text = STR_INIT;
	struct error err = ERROR_INIT;
	struct readings got;

	for (size_t i = 0; i < READINGS_MAX; i++)
		str_add(&text, "Time: 1\n");
	assert_int_equal(reader_read(reader_find("hackbench"), str_text(&text), &got, &err), 0);
	assert_int_equal(got.n, 1 + 3 + READINGS_MAX);
	readings_finish(&got);
	str_add(&text, "Time: 1\n");
	assert_int_equal(reader_read(reader_find("hackbench"), str_text(&text), &got, &err), -EBADMSG);
	error_finish(&err);
}

/* Figures of published outputs, which are not in the tree: the main one, or 0 for a failed run. */
static const struct {
	const char *reader, *file;
	double value;
} published[] = {
	{ "cyclictest", "_generated_here/cyclictest-hist-2threads.txt", 8721 },
	{ "cyclictest", "cyclictest/01-summary-lines-rt-vs-default.txt", 0 }, /* two kernels */
	{ "cyclictest", "cyclictest/03-histogram-one-thread.txt", 16 },
	{ "hackbench", "_generated_here/hackbench-rt-tests-2.4.txt", 1.502 },
	{ "hackbench", "hackbench/01-perfbench-hackbench-8iter.txt", (9.998 + 10.014) / 2 },
	{ "hackbench", "hackbench/04-perf-stat-slob.txt", 263.9 },
	{ "hey", "_generated_here/hey-0.1.4.txt", 701.4217 },
	{ "hey", "hey/01-hey-n10-zero-percentiles.txt", 6.431 },
	{ "hey", "hey/03-hey-outlier-histogram.txt", 1377.5186 },
	{ "perf-bench", "_generated_here/perf-bench-messaging.txt", 1.574 },
	{ "perf-bench", "perf-bench/01-sched-messaging.txt", 0.055 },
	{ "perf-bench", "perf-bench/03-futex-hash.txt", 491926 },
	{ "refscale", "refscale/01-dmesg-full.txt", 6.3135 },
	{ "stress-ng", "_generated_here/stress-ng-0.15.06-metrics.txt", 150364.88 },
	{ "stress-ng", "stress-ng/01-lkp.txt", 43.58 },
	{ "stress-ng", "stress-ng/03-lkp.txt", 1082381.11 },
	{ "stress-ng", "stress-ng/04-lkp.txt", 0 },
	{ "stress-ng", "stress-ng/06-lkp.txt", 27.70 },
	{ "stress-ng", "stress-ng/09-metrc-rss.txt", 12762.02 },
	{ "stress-ng", "stress-ng/11-vdso-ns.txt", 84375055.96 },
	{ "tbench", "tbench-dbench/01-tbench4-128.txt", (23775.4 + 20853) / 2 },
	{ "tbench", "tbench-dbench/03-dbench.txt", 13563.9 },
	{ "wrk", "wrk/01-wrk-readme.txt", 748868.53 },
	{ "wrk", "wrk/03-wrk-socket-errors.txt", 0 },
	{ "wrk", "wrk/05-wrk-perthread-vs-total.txt", 6348.95 },
};

static void test_published(void **state)
{
	const char *cases = getenv("KTOLL_TEST_CASES");

	if (!cases || !*cases) {
		leave_out("published cases", "KTOLL_TEST_CASES names no folder with them");
		skip();
	}
	for (size_t i = 0; i < ARRAY_SIZE(published); i++) {
		_cleanup_free_ char *path = xasprintf("%s/B/%s", cases, published[i].file);
		_cleanup_free_ char *text = NULL;
		const struct reader *reader;
		struct error err = ERROR_INIT;
		struct readings got = { 0 };
		size_t n_bytes;
		int r;

		if (file_read(path, &text, &n_bytes, &err) < 0)
			fail_msg("%s", error_text(&err));
		for (size_t k = 0; (reader = reader_at(k)); k++)
			if (reader->recognise && reader->recognise(text) != str_equal(reader->name, published[i].reader))
				fail_msg("%s on %s", reader->name, path);
		r = reader_read(reader_find(published[i].reader), text, &got, &err);
		if (r != (published[i].value ? 0 : -EBADMSG))
			fail_msg("%s: %d, %s", path, r, error_text(&err));
		if (r == 0)
			assert_same(got.v[0].value, published[i].value);
		readings_finish(&got);
		error_finish(&err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),	  cmocka_unit_test(test_bad),
		cmocka_unit_test(test_recognise), cmocka_unit_test(test_table),
		cmocka_unit_test(test_printable), cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_published),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
