/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain/gating.h"

#include <math.h>

#include "base/alloc.h"

static enum gate of_interval(double lo, double mean, double hi, double limit, const char *what, char **ret_reason)
{
	enum gate g = hi <= 1 + limit ? GATE_WITHIN : lo > 1 + limit ? GATE_BEYOND : GATE_UNDECIDED;

	*ret_reason = lo == hi ? xasprintf("%+.3g %% %s, limit %g %%", (mean - 1) * 100, what, limit * 100) :
				 xasprintf("%+.3g %% (%+.3g .. %+.3g) %s, limit %g %%", (mean - 1) * 100, (lo - 1) * 100,
					   (hi - 1) * 100, what, limit * 100);
	return g;
}

enum gate gating_counts(const struct result_comparison *c, double limit, char **ret_reason)
{
	if (!c->base_cell || !c->other_cell || c->verdict == VERDICT_NONE) {
		*ret_reason = xstrdup(c->reason ? c->reason : "nothing to compare");
		return GATE_UNDECIDED;
	}
	/* Where the base has none, there is no ratio: equal is within, more is beyond any limit. */
	if (isnan(c->ratio.mean)) {
		*ret_reason = xasprintf("%+g instructions, the base has none", c->delta.mean);
		return c->delta.hi <= 0 ? GATE_WITHIN : c->delta.lo > 0 ? GATE_BEYOND : GATE_UNDECIDED;
	}
	return of_interval(c->ratio.lo, c->ratio.mean, c->ratio.hi, limit, "instructions", ret_reason);
}

enum gate gating_times(const struct clocked_comparison *c, double limit, char **ret_reason)
{
	const struct interval *i = &c->p.ratio;

	if (c->verdict == JUDGED_NONE || isnan(i->lo) || !c->level) {
		*ret_reason = xstrdup(c->reason ? c->reason : "nothing to compare");
		return GATE_UNDECIDED;
	}
	/* Of a rate, less is a cost: the time that goes with it. */
	if (c->better == BETTER_HIGHER)
		return of_interval(1 / i->hi, 1 / i->estimate, 1 / i->lo, limit, "time", ret_reason);
	return of_interval(i->lo, i->estimate, i->hi, limit, "time", ret_reason);
}
