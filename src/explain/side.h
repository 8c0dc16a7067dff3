/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One variant of an explanation: what is known of its kernel, and what a
 * workload executed on it, by address.
 */
#ifndef KTOLL_SIDE_H
#define KTOLL_SIDE_H

#include "base/error.h"
#include "base/names.h"
#include "explain/attribution.h"
#include "explain/replicates.h"
#include "model/record.h"
#include "model/result.h"

struct explain_request {
	struct record *rec;          /* profiles, code, symbols; NULL: the run itself has them */
	const struct result *result; /* with its configs */
	const char *workload;        /* NULL: all */
	bool by_function;            /* no mechanisms */
};

/* What is loaded of a variant. */
struct side {
	size_t variant;
	struct symbols symbols;
	struct code code;       /* out of a record */
	struct inlines inlines; /* the same */
	struct kernel_facts facts; /* what to ask */
	struct attribution attribution;
	struct names known; /* all functions that the kernel has, by their plain names */
};

/* -ENODATA without symbols. To be finished in any case. */
int side_load(const struct explain_request *q, size_t variant, struct side *s, struct error *err);
void side_finish(struct side *s);

struct sum {
	uint64_t addr;
	int64_t n; /* instructions without string iterations; below 0 if a smaller size had more */
};

struct sums {
	struct sum *v; /* by address; to be freed */
	size_t n, cap;
};

/* Over all replicates, user space as well. `ret` is to be freed in any case. */
int side_sum_up(const struct explain_request *q, const struct replicates *r, struct sums *ret,
		struct error *err);

#endif
