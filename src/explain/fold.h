/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles folded onto functions: instructions started per function, without
 * string iterations. Several replicates may be added into one fold. Parts that
 * the compiler cut out of a function (foo.part.0, foo.cold …) count as foo.
 */
#ifndef KTOLL_FOLD_H
#define KTOLL_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "model/symbols.h"

#define FOLD_USER "[user]" /* all of user space */
#define FOLD_UNKNOWN "?"   /* kernel addresses without a symbol */

struct fold_function {
	char *name;
	int64_t insns; /* below 0 where more was taken off than was added */
};

struct fold {
	struct fold_function *functions; /* sorted by name, every name once */
	size_t n, cap;
	uint64_t ops; /* operations that the instructions belong to */
};

/*
 * Adds one replicate's profile with its operations. Without symbols (NULL)
 * the kernel is one "?". `kernel_only` leaves user space out.
 */
void fold_add(struct fold *f, const struct profile *p, uint64_t ops, const struct symbols *symbols,
	      bool kernel_only);
/* The same, taken off: what a shorter run of the same workload executes. */
void fold_take(struct fold *f, const struct profile *p, uint64_t ops, const struct symbols *symbols,
	       bool kernel_only);
void fold_finish(struct fold *f);

/* The function that a symbol is (part of), owned by the caller: "foo.isra.0.cold" is "foo". */
char *fold_plain_name(const char *symbol);

/* A function whose instructions per operation are not the same on both sides. */
struct fold_change {
	const char *name; /* borrowed from the folds */
	double base_per_op, other_per_op;
};

struct fold_diff {
	struct fold_change *changes; /* largest |other - base| first, then by name */
	size_t n, cap;
};

/* A side without operations counts as empty. Whether two differ is decided in integers. */
void fold_compare(const struct fold *base, const struct fold *other, struct fold_diff *ret);
void fold_diff_finish(struct fold_diff *d);

#endif
