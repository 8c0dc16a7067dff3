/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often verdicts on measured numbers are wrong: known distributions are
 * sampled and judged, with fixed seeds. Exits with 1 if a bound does not hold:
 *  - no difference: at most 5 % of comparisons are called higher or lower;
 *  - the interval that decides covers the true ratio in 92 to 98 %;
 *  - a difference of 2 % at a noise of 1 % and 10 runs a side is found in 90 %.
 * Usage: judging [COMPARISONS].
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "stat/judgement.h"
#include "stat/paired.h"
#include "stat/random.h"

/* Fewer than a user's 10,000, for there are many comparisons: that costs some coverage, not gains it. */
#define RESAMPLES 1000

enum shape {
	NORMAL,
	LOG_NORMAL,
	BIMODAL,
	DRIFTING,
	N_SHAPES,
};

static const char *const names[N_SHAPES] = { "normal", "log-normal", "bimodal", "drifting" };

/* Marsaglia and Bray's polar method, 1964. */
static double normal(struct random *r)
{
	double x, y, s;

	do {
		x = 2 * random_unit(r) - 1;
		y = 2 * random_unit(r) - 1;
		s = x * x + y * y;
	} while (s >= 1 || s == 0);
	return x * sqrt(-2 * log(s) / s);
}

/* Run i of n, of mean 1: a noise of 3 %; heaps 6 % apart; a drift of 6 % over the runs. */
static double run_of(struct random *r, enum shape shape, size_t i, size_t n)
{
	switch (shape) {
	case LOG_NORMAL:
		return exp(0.2 * normal(r) - 0.02);
	case BIMODAL:
		return 1 + (random_unit(r) < 0.5 ? -0.03 : 0.03) + 0.005 * normal(r);
	case DRIFTING:
		return 1 + 0.06 * ((double)i / (double)(n - 1) - 0.5) + 0.01 * normal(r);
	default:
		return 1 + 0.03 * normal(r);
	}
}

struct tally {
	unsigned wrong, covered, found, same, n;
	unsigned trend, outliers, clusters, warm_up;
};

static struct tally simulate(enum shape shape, size_t n, double ratio, double noise, unsigned comparisons)
{
	_cleanup_free_ double *base = xcalloc(n, sizeof(*base)), *other = xcalloc(n, sizeof(*other));
	const struct judgement_options options = { .threshold = 0.01, .resamples = RESAMPLES, .seed = 1 };
	struct tally t = { .n = comparisons };
	struct random r;

	random_seed(&r, 1000 * (uint64_t)shape + n);
	for (unsigned k = 0; k < comparisons; k++) {
		const struct interval *i;
		struct judgement j;

		for (size_t s = 0; s < n; s++) {
			base[s] = noise > 0 ? 1 + noise * normal(&r) : run_of(&r, shape, s, n);
			other[s] = ratio * (noise > 0 ? 1 + noise * normal(&r) : run_of(&r, shape, s, n));
		}
		if (judge(base, n, other, n, &options, &j) < 0)
			abort();
		i = j.is_bca ? &j.mean_bca : &j.welch;
		t.wrong += j.verdict == JUDGED_HIGHER || j.verdict == JUDGED_LOWER;
		t.found += j.verdict == (ratio > 1 ? JUDGED_HIGHER : JUDGED_LOWER);
		t.same += j.verdict == JUDGED_SAME;
		t.covered += i->lo <= ratio && ratio <= i->hi;
		t.trend += (j.base.doubts & DOUBT_TREND) != 0;
		t.outliers += (j.base.doubts & DOUBT_OUTLIERS) != 0;
		t.clusters += (j.base.doubts & DOUBT_CLUSTERS) != 0;
		t.warm_up += (j.base.doubts & DOUBT_WARM_UP) != 0;
	}
	return t;
}

static double percent(unsigned part, unsigned n)
{
	return 100.0 * part / n;
}

/* ---- looking on the way ---- */

#define LOOK_LIMIT 256

/* Rounds of no difference, until a look finds one; or, at each look that there may be, an interval that is narrow enough. */
struct stopped {
	unsigned naive, rule, narrow_wrong;
	double rounds;
};

static struct stopped look(unsigned runs)
{
	_cleanup_free_ double *logs = xcalloc(LOOK_LIMIT, sizeof(*logs));
	struct stopped s = { 0 };
	struct random r;

	random_seed(&r, 7);
	for (unsigned k = 0; k < runs; k++) {
		bool naive = false, rule = false, narrow = false;

		for (size_t n = 1; n <= LOOK_LIMIT; n++) {
			struct paired p;

			logs[n - 1] = 0.03 * normal(&r);
			if (n < 2)
				continue;
			if (n >= PAIRED_FIRST_LOOK && !naive) {
				paired_judge(logs, n, INTERVAL_LEVEL, 0, &p);
				naive = p.ratio.lo > 1 || p.ratio.hi < 1;
			}
			if (!paired_is_look(n, LOOK_LIMIT))
				continue;
			paired_judge(logs, n, paired_look_level(LOOK_LIMIT), 0, &p);
			rule |= p.ratio.lo > 1 || p.ratio.hi < 1;
			/* What --until 1% does: it ends by the width, and then the verdict counts. */
			if (!narrow && (log(p.ratio.hi) - log(p.ratio.lo) <= 0.02 || n == LOOK_LIMIT)) {
				narrow = true;
				s.narrow_wrong += p.ratio.lo > 1 || p.ratio.hi < 1;
				s.rounds += (double)n / runs;
			}
		}
		s.naive += naive;
		s.rule += rule;
	}
	return s;
}

int main(int argc, char **argv)
{
	struct stopped stopped;
	static const size_t sizes[] = { 3, 5, 10, 30 };
	unsigned comparisons = argc > 1 ? (unsigned)atoi(argv[1]) : 4000;
	bool ok = true;
	struct tally t;

	if (!comparisons)
		return 129;
	printf("%u comparisons each, %d resamples, threshold 1 %%; per cent\n", comparisons, RESAMPLES);
	printf("%-11s %4s %9s %9s | doubts about one side: %6s %9s %9s %8s\n", "values", "runs", "wrong",
	       "covered", "trend", "outliers", "clusters", "warm-up");
	for (size_t s = 0; s < N_SHAPES; s++)
		for (size_t k = 0; k < ARRAY_SIZE(sizes); k++) {
			/* A drift moves every run: what the interval covers says nothing there. */
			bool bound = s != DRIFTING && (s != BIMODAL || sizes[k] >= 10);
			double covered, wrong;

			t = simulate((enum shape)s, sizes[k], 1, 0, comparisons);
			wrong = percent(t.wrong, t.n);
			covered = percent(t.covered, t.n);
			printf("%-11s %4zu %9.2f %9.2f | %29.2f %9.2f %9.2f %8.2f%s\n", names[s], sizes[k], wrong,
			       covered, percent(t.trend, t.n), percent(t.outliers, t.n),
			       percent(t.clusters, t.n), percent(t.warm_up, t.n),
			       wrong > 5 || (bound && (covered < 92 || covered > 98)) ? "  out of bounds" : "");
			ok &= wrong <= 5 && (!bound || (covered >= 92 && covered <= 98));
			fflush(stdout);
		}
	t = simulate(NORMAL, 10, 1.02, 0.01, comparisons);
	printf("a difference of 2 %% at a noise of 1 %%, 10 runs a side: found in %.1f %%\n",
	       percent(t.found, t.n));
	ok &= percent(t.found, t.n) >= 90;
	stopped = look(comparisons);
	printf("no difference, looked at while it runs, up to %d rounds: a difference is found in\n"
	       "  %5.2f %%  by looking after every round, at 95 %%\n"
	       "  %5.2f %%  by the looks of --until, stopped at the first that finds one\n"
	       "  %5.2f %%  by --until 1%% at a noise of 3 %%, after %.0f rounds on average\n",
	       LOOK_LIMIT, percent(stopped.naive, comparisons), percent(stopped.rule, comparisons),
	       percent(stopped.narrow_wrong, comparisons), stopped.rounds);
	ok &= percent(stopped.rule, comparisons) <= 5 && percent(stopped.narrow_wrong, comparisons) <= 5;
	return ok ? 0 : 1;
}
