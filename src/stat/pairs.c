/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/pairs.h"

#include <errno.h>
#include <math.h>

__extension__ typedef unsigned __int128 u128;

/* b / b_ops - a / a_ops: its sign, and its size in *ret (may be NULL) correct to the last bits. */
static int fraction_sub(uint64_t b, uint64_t b_ops, uint64_t a, uint64_t a_ops, double *ret)
{
	u128 x = (u128)b * a_ops, y = (u128)a * b_ops;
	int sign = (x > y) - (x < y);
	double size;

	/* The same denominator needs no common one: one rounding less. */
	if (a_ops == b_ops)
		size = (double)(b > a ? b - a : a - b) / (double)a_ops;
	else
		size = (double)(x > y ? x - y : y - x) / ((double)a_ops * (double)b_ops);
	if (ret)
		*ret = sign * size;
	return sign;
}

static void range_start(struct pairs_range *r)
{
	*r = (struct pairs_range){ .mean = 0, .lo = INFINITY, .hi = -INFINITY };
}

static void range_add(struct pairs_range *r, double v)
{
	r->mean += v;
	r->lo = fmin(r->lo, v);
	r->hi = fmax(r->hi, v);
}

/* A sum of equal values, divided, need not give the value again: the range holds the mean. */
static void range_end(struct pairs_range *r, size_t n)
{
	r->mean = fmin(fmax(r->mean / (double)n, r->lo), r->hi);
}

static double per_op(uint64_t v, uint64_t ops)
{
	return (double)v / (double)ops;
}

struct pairs_range pairs_insns_range(const struct pairs_value *values, size_t n)
{
	struct pairs_range r;

	if (!n)
		return (struct pairs_range){ NAN, NAN, NAN };
	range_start(&r);
	for (size_t i = 0; i < n; i++)
		range_add(&r, per_op(values[i].insns, values[i].ops));
	range_end(&r, n);
	return r;
}

bool pairs_is_exact(const struct pairs_value *values, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (values[i].insns != values[0].insns || values[i].ops != values[0].ops)
			return false;
	return n > 0;
}

static void compare_means(const struct pairs_value *base, const struct pairs_value *other, size_t n,
			  struct pairs *p)
{
	bool has_zero = false;

	range_start(&p->delta);
	range_start(&p->ratio);
	for (size_t i = 0; i < n; i++) {
		const struct pairs_value *b = &base[i], *o = &other[i];
		double d;

		fraction_sub(o->insns, o->ops, b->insns, b->ops, &d);
		range_add(&p->delta, d);
		fraction_sub(o->string_iters, o->ops, b->string_iters, b->ops, &d);
		p->string_iters_delta += d / (double)n;
		has_zero |= b->insns == 0;
		if (b->insns)
			range_add(&p->ratio,
				  per_op(o->insns, o->ops) / per_op(b->insns, b->ops));
	}
	range_end(&p->delta, n);
	if (has_zero) {
		p->ratio = (struct pairs_range){ NAN, NAN, NAN };
		return;
	}
	/* Of the means, so that it agrees with their difference; it lies in the range all the same. */
	p->ratio.mean = n * (p->other.mean / p->base.mean);
	range_end(&p->ratio, n);
}

static enum pairs_verdict decide(const struct pairs_value *base, const struct pairs_value *other,
				 size_t n, double threshold, struct pairs *p)
{
	size_t n_more = 0, n_less = 0, n_near = 0, n_iters = 0;
	bool is_beyond;

	for (size_t i = 0; i < n; i++) {
		const struct pairs_value *b = &base[i], *o = &other[i];
		double d;
		int sign = fraction_sub(o->insns, o->ops, b->insns, b->ops, &d);

		n_more += sign > 0;
		n_less += sign < 0;
		n_near += !sign || fabs(d) < threshold * per_op(b->insns, b->ops);
		n_iters += fraction_sub(o->string_iters, o->ops, b->string_iters, b->ops, NULL) != 0;
	}
	p->has_both_signs = n_more && n_less;
	/* |mean ratio - 1| >= threshold, in a form that allows a base of 0. */
	is_beyond = fabs(p->delta.mean) >= threshold * p->base.mean;
	if (!n_more && !n_less && !n_iters)
		return PAIRS_IDENTICAL;
	if (n_near == n)
		return PAIRS_SAME;
	if (is_beyond && n_more == n)
		return PAIRS_MORE;
	return is_beyond && n_less == n ? PAIRS_LESS : PAIRS_UNDECIDED;
}

int pairs_compare(const struct pairs_value *base, const struct pairs_value *other, size_t n,
		  double threshold, struct pairs *ret)
{
	struct pairs p = { 0 };

	if (!n || !(threshold >= 0))
		return -EINVAL;
	for (size_t i = 0; i < n; i++)
		if (!base[i].ops || !other[i].ops)
			return -EINVAL;
	p.base = pairs_insns_range(base, n);
	p.other = pairs_insns_range(other, n);
	p.base_is_exact = pairs_is_exact(base, n);
	p.other_is_exact = pairs_is_exact(other, n);
	compare_means(base, other, n, &p);
	p.verdict = decide(base, other, n, threshold, &p);
	*ret = p;
	return 0;
}
