/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/coverage.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"

#define STEPS 4 /* to an operation */
/* A record of a stranger may have regions of any size: more than any run has is not tried. */
#define MAX_TRIED (1u << 20)

struct arc {
	uint64_t from, to; /* quarters of an operation, from < to */
};

static int by_start(const void *a, const void *b)
{
	const struct arc *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

/* Do the windows cover the circle of `period` quarters? Two arcs for one that goes past its end. */
static bool is_covered(const struct coverage_window *w, size_t n, uint64_t period, struct arc *arcs)
{
	uint64_t reached = 0;
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t from = w[i].start * STEPS % period, to = from + w[i].n * STEPS;

		if (to - from >= period)
			return true;
		arcs[m++] = (struct arc){ from, to < period ? to : period };
		if (to > period)
			arcs[m++] = (struct arc){ 0, to - period };
	}
	qsort(arcs, m, sizeof(*arcs), by_start);
	for (size_t i = 0; i < m && arcs[i].from <= reached; i++)
		if (arcs[i].to > reached)
			reached = arcs[i].to;
	return reached == period;
}

double coverage_period(const struct coverage_window *windows, size_t n)
{
	_cleanup_free_ struct arc *arcs = xcalloc(2 * n + 1, sizeof(*arcs));
	uint64_t sum = 0, period = 0, most;

	for (size_t i = 0; i < n; i++) {
		sum += windows[i].n * STEPS;
		/* Within one window nothing is missed. */
		if (windows[i].n * STEPS > period)
			period = windows[i].n * STEPS;
	}
	most = sum - period > MAX_TRIED ? period + MAX_TRIED : sum;
	while (period < most && is_covered(windows, n, period + 1, arcs))
		period++;
	return (double)period / STEPS;
}
