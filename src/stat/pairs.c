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
		*ret = sign ? sign * size : 0;
	return sign;
}

static uint64_t field(const struct pairs_value *v, bool iters)
{
	return iters ? v->string_iters : v->insns;
}

/*
 * Instructions of all replicates over the operations of all: other less base, base NULL being 0.
 * What comes every so many operations has its long-run mean in it sooner than in the mean of the
 * replicates' own. Sums are integers, so that means of whole numbers stay whole, on every host.
 */
static double mean_delta(const struct pairs_value *base, const struct pairs_value *other, size_t n,
			 bool iters)
{
	uint64_t plus = 0, minus = 0, plus_ops = 0, minus_ops = 0;
	double d;

	for (size_t i = 0; i < n; i++) {
		plus += field(&other[i], iters);
		plus_ops += other[i].ops;
		minus += base ? field(&base[i], iters) : 0;
		minus_ops += base ? base[i].ops : 0;
	}
	fraction_sub(plus, plus_ops, minus, base ? minus_ops : plus_ops, &d);
	return d;
}

static double per_op(uint64_t v, uint64_t ops)
{
	return (double)v / (double)ops;
}

static void range_add(struct pairs_range *r, double v)
{
	r->lo = fmin(r->lo, v);
	r->hi = fmax(r->hi, v);
}

/* A rounded mean need not lie between its values, or be equal to equal ones. */
static void range_set_mean(struct pairs_range *r, double mean)
{
	r->mean = fmin(fmax(mean, r->lo), r->hi);
}

#define RANGE_INIT ((struct pairs_range){ .lo = INFINITY, .hi = -INFINITY })
#define RANGE_NONE ((struct pairs_range){ NAN, NAN, NAN })

struct pairs_range pairs_insns_range(const struct pairs_value *values, size_t n)
{
	struct pairs_range r = RANGE_INIT;

	if (!n)
		return RANGE_NONE;
	for (size_t i = 0; i < n; i++)
		range_add(&r, per_op(values[i].insns, values[i].ops));
	range_set_mean(&r, mean_delta(NULL, values, n, false));
	return r;
}

bool pairs_is_exact(const struct pairs_value *values, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (fraction_sub(values[i].insns, values[i].ops, values[0].insns, values[0].ops, NULL) != 0)
			return false;
	return n > 0;
}

static void compare_means(const struct pairs_value *base, const struct pairs_value *other, size_t n,
			  struct pairs *p)
{
	bool has_zero = false;

	p->delta = p->ratio = RANGE_INIT;
	for (size_t i = 0; i < n; i++) {
		const struct pairs_value *b = &base[i], *o = &other[i];
		double d;

		fraction_sub(o->insns, o->ops, b->insns, b->ops, &d);
		range_add(&p->delta, d);
		has_zero |= b->insns == 0;
		range_add(&p->ratio, per_op(o->insns, o->ops) / per_op(b->insns, b->ops));
	}
	range_set_mean(&p->delta, mean_delta(base, other, n, false));
	p->string_iters_delta = mean_delta(base, other, n, true);
	/* Of the means, so that it agrees with their difference; it lies in the range as well. */
	if (has_zero)
		p->ratio = RANGE_NONE;
	else
		range_set_mean(&p->ratio, p->other.mean / p->base.mean);
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
		n_iters +=
			fraction_sub(o->string_iters, o->ops, b->string_iters, b->ops, NULL) != 0;
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
