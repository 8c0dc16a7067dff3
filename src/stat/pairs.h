/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two sides measured in pairs: replicate i of the base and replicate i of the
 * other ran under the same conditions. What is compared are exact fractions,
 * instructions over operations; whether two are equal, and which one is
 * larger, is decided in integers. Doubles carry only what is shown.
 */
#ifndef KTOLL_PAIRS_H
#define KTOLL_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One replicate of one side: insns / ops and string_iters / ops are its values. */
struct pairs_value {
	uint64_t insns;        /* without string iterations */
	uint64_t string_iters; /* iterations of string instructions */
	uint64_t ops;          /* operations; not 0 */
};

/*
 * A mean, of all instructions over all operations, with the range of the replicates' own; equal values
 * give lo == mean == hi.
 */
struct pairs_range {
	double mean, lo, hi;
};

enum pairs_verdict {
	PAIRS_IDENTICAL, /* every pair is equal in instructions and string iterations */
	PAIRS_SAME, /* every pair has equal instructions or differs by less than the threshold */
	PAIRS_MORE, /* every pair has more, the means by the threshold or above */
	PAIRS_LESS,
	PAIRS_UNDECIDED, /* none of these: mixed signs, or a threshold between the pairs */
};

struct pairs {
	struct pairs_range base, other; /* instructions per operation */
	struct pairs_range delta;       /* other - base of each pair, per operation */
	struct pairs_range ratio;       /* other / base; mean: of the means; NAN if a base is 0 */
	double string_iters_delta;      /* other - base per operation, mean */
	bool base_is_exact, other_is_exact; /* every replicate has the same insns per operation */
	bool has_both_signs;                /* a pair with more and one with less */
	enum pairs_verdict verdict;
};

/*
 * Compares base[i] with other[i] for n pairs. The threshold is a fraction of
 * the base (0.01 is 1 %), 0 for any difference. -EINVAL for no pairs, an ops
 * of 0 or a threshold that is negative or NAN.
 */
int pairs_compare(const struct pairs_value *base, const struct pairs_value *other, size_t n,
		  double threshold, struct pairs *ret);

/* The range of insns / ops over n replicates of one side; ops must not be 0. n == 0 gives NANs. */
struct pairs_range pairs_insns_range(const struct pairs_value *values, size_t n);

/* Every replicate has the same insns per operation, as a fraction. True for n == 1, false for 0. */
bool pairs_is_exact(const struct pairs_value *values, size_t n);

#endif
