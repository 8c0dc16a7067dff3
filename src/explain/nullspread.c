/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain/nullspread.h"

#include <math.h>

#include "base/alloc.h"

/*
 * A run may meet a timer tick more than another one, and a few of these are about so many instructions: a difference that
 * whole runs do not have is never called, however equal the few boots were.
 */
#define RUN_RESOLUTION 10000.0

/* Instructions per operation of each boot; how many. `ret` has room for r->n. */
static size_t boots_of(const struct replicates *r, double *ret)
{
	size_t n = 0;

	for (size_t i = 0, k; i < r->n; i = k) {
		double insns = 0, ops = 0;

		for (k = i; k < r->n && r->v[k].at->null_boot == r->v[i].at->null_boot; k++) {
			insns += (double)replicate_get(&r->v[k], sample_insns);
			ops += (double)replicate_ops(&r->v[k]);
		}
		/* Two sizes of which the larger one is not more than the other: nothing that has a logarithm. */
		if (insns > 0 && ops > 0)
			ret[n++] = insns / ops;
	}
	return n;
}

void nullspread_add(struct spread *s, const struct replicates *r)
{
	_cleanup_free_ double *values = xcalloc(r->n + 1, sizeof(*values));

	spread_add(s, values, boots_of(r, values));
}

static size_t count_boots(const struct replicates *r)
{
	_cleanup_free_ double *values = xcalloc(r->n + 1, sizeof(*values));

	return boots_of(r, values);
}

/* RUN_RESOLUTION as a fraction of a run's instructions: of the smaller side's first replicate. */
static double resolution_of(const struct replicates *base, const struct replicates *other)
{
	double a = (double)replicate_get(&base->v[0], sample_insns), b = (double)replicate_get(&other->v[0], sample_insns);
	double least = fmin(a, b);

	return least > 0 ? RUN_RESOLUTION / least : INFINITY;
}

static enum verdict verdict_of(double change, double half, double threshold)
{
	if (fabs(change) > half && fabs(expm1(change)) >= threshold)
		return change > 0 ? VERDICT_MORE : VERDICT_LESS;
	return threshold > 0 && fabs(change) + half < log1p(threshold) ? VERDICT_SAME : VERDICT_UNDECIDED;
}

static char *reason_of(const struct result_comparison *c, double threshold)
{
	const struct result_null *n = &c->null;
	_cleanup_free_ char *basis = xasprintf("%.3g %% interval from %zu boots a side that differ in nothing that matters (sd %.2g %%, %zu "
					       "degrees of freedom); a difference from %.2g %% on could be called",
					       RESULT_NULL_LEVEL * 100, n->n, n->sd * 100, n->df, n->least * 100);

	if (c->verdict == VERDICT_SAME)
		return xasprintf("less than the threshold of %g %%; %s", threshold * 100, basis);
	return TAKE_PTR(basis);
}

void nullspread_judge(const struct spread *s, const struct replicates *base, const struct replicates *other, const struct pairs *p,
		      double threshold, struct result_comparison *c)
{
	struct result_null *n = &c->null;
	size_t n_base = count_boots(base), n_other = count_boots(other);
	double half, change = log(c->ratio.mean);

	/* A boot that one side lacks has no pairs. */
	*n = (struct result_null){ n_base < n_other ? n_base : n_other, spread_sd(s), s->df, NAN };
	half = fmax(spread_half(s, n->n, n->n, RESULT_NULL_LEVEL), resolution_of(base, other));
	if (n->n < 2 || !isfinite(half) || !isfinite(change)) {
		c->verdict = VERDICT_NONE;
		free(c->reason);
		c->reason = xstrdup("no verdict without null boots: how far a change that means nothing moves it is not known (without "
				    "--no-null they are measured)");
		return;
	}
	n->least = expm1(half);
	c->ratio.lo = c->ratio.mean * exp(-half);
	c->ratio.hi = c->ratio.mean * exp(half);
	c->delta.lo = p->base.mean * (c->ratio.lo - 1);
	c->delta.hi = p->base.mean * (c->ratio.hi - 1);
	if (p->verdict == PAIRS_IDENTICAL)
		return;
	c->verdict = verdict_of(change, half, threshold);
	free(c->reason);
	c->reason = reason_of(c, threshold);
}
