/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The replicates of one workload on one variant: each a sample, or the
 * difference of those of two sizes.
 */
#ifndef KTOLL_REPLICATES_H
#define KTOLL_REPLICATES_H

#include <stddef.h>
#include <stdint.h>

#include "model/run.h"

struct replicate {
	const struct sample *at, *minus; /* borrowed; NULL: nothing to take off */
};

struct replicates {
	struct replicate *v; /* by boot and number, each once */
	size_t n, cap;
};

/* A sample without operations says nothing; of one replicate and size there is one. */
void replicates_collect(const struct outcome *o, const char *workload, struct replicates *ret);
void replicates_finish(struct replicates *r);

/* Their order, by boot and number: below, equal to or above 0. */
int replicate_compare(const struct replicate *a, const struct replicate *b);

/* Operations of a replicate, and any quantity of it. */
uint64_t replicate_ops(const struct replicate *r);
uint64_t replicate_get(const struct replicate *r, uint64_t (*get)(const struct sample *));

#endif
