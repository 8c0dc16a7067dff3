/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of n steps carry a difference, by their sizes and not by good and bad.
 * A point i is the base with the first i steps; the cost of each point can be
 * measured, and costs a build. Intervals are halved, the one with the largest
 * difference first, until what is not split yet is too small to matter.
 */
#ifndef KTOLL_HALVING_H
#define KTOLL_HALVING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct halving {
	size_t n; /* steps */
	/*
	 * The cost at a point, 0 to n. 0; -ENODATA if this point cannot be built or booted: another one near it
	 * is taken; any other error ends the search.
	 */
	int (*value)(void *data, size_t point, double *ret, struct error *err);
	void *data;
	/* The first point to look at after the ends: 0 for the middle. What is suspected stands in front of it. */
	size_t first;
	double share; /* of the whole difference, a fraction, that has to be split down to single steps */
	double floor; /* a difference of this size or less is none */
};

/* Steps from + 1 to `to` together; more than one where no point between them could be measured, or none was needed. */
struct halving_part {
	size_t from, to;
	double delta;
	bool is_split; /* down to a single step, or as far as it can be */
};

struct halving_result {
	double base, other;         /* the costs of the ends */
	struct halving_part *parts; /* ascending, all steps are in one */
	size_t n_parts;
	size_t n_values;            /* points that were measured, the ends included */
};

/* The ends must be measurable. Costs that cancel each other out within a part are not seen. */
int halving_run(const struct halving *h, struct halving_result *ret, struct error *err);
void halving_finish(struct halving_result *r);

/*
 * Of the split parts, largest first, the fewest that carry the share: their places in `parts`, in
 * `ret`, which has room for all. How many.
 */
size_t halving_culprits(const struct halving_result *r, double share, double floor, size_t *ret);

#endif
