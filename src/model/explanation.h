/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the difference of one comparison comes from: rows that add up to it,
 * to the instruction. Made by explain/explanation.c; everything is owned
 * unless it says otherwise.
 *
 * Instructions are sums over all replicates of a side, string iterations
 * apart; divided by the side's operations they are the figures that are shown.
 */
#ifndef KTOLL_EXPLANATION_H
#define KTOLL_EXPLANATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* A quantity on both sides. */
struct two_sides {
	int64_t base, other;
};

/* Instructions of one mechanism in one place, or of one function that no mechanism has. */
struct explanation_row {
	char *label;             /* "__rcu_read_lock", "call __rcu_read_lock", "mfence" */
	const char *rule;        /* static; which kind of rule put it there; NULL: none */
	struct two_sides insns;
	struct strv callers;     /* of a call: functions with the largest differences */
	struct two_sides *caller_counts;
	struct two_sides calls;  /* of a function: how often it was entered; -1: not known */
	bool is_base_only, is_other_only; /* the other kernel has no function of that name */
	bool is_patched;         /* a patch is in it */
	bool is_lifted;          /* on one side it was inlined: counted here all the same */
};

struct explanation_group {
	char *name;              /* of the mechanism; NULL: other code */
	char *about;             /* NULL with it */
	bool is_touched;         /* by an option in which the kernels differ */
	struct two_sides insns, calls; /* of its rows */
	struct explanation_row *rows;  /* largest difference per operation first */
	size_t n, cap;
};

/* How many of a class were executed, in the kernel. */
struct explanation_class {
	const char *name;        /* static: "barriers" */
	char *kind;              /* "lwsync"; "" where kinds are not told apart */
	struct two_sides count;
	struct strv places;      /* functions with most of them on either side, of those that have kinds */
	struct two_sides *place_counts;
};

struct explanation {
	char *workload;
	size_t base, other;      /* variants */
	struct two_sides ops;    /* above 0 */
	struct two_sides total;  /* instructions */
	struct explanation_group *groups; /* largest difference first, other code last */
	size_t n_groups, cap_groups;
	struct explanation_class *classes;
	size_t n_classes, cap_classes;
	double rule_shares[8];   /* by enum mechanism_rule: |difference| of its rows over that of all rows; NAN: no difference */
	double other_share;      /* the same of other code, functions against each other; NAN */
	double touched_share;    /* of mechanisms that an option in which the kernels differ belongs to, and of functions that a patch is in; NAN: neither is known */
	size_t n_base_only, n_other_only; /* functions that ran on one side only */
	double base_only_share, other_only_share; /* of that side's kernel instructions */
	bool has_code;           /* instructions of both sides: a class that is not there is in neither */
	bool has_inlines;        /* debug information of both sides */
	struct strv warnings;    /* "code: text" */
};

void explanation_finish(struct explanation *e);

/* The label of the row that takes off what restarts after faults executed twice: below 0 by its nature. */
#define EXPLANATION_RESTARTED "[restarted after a fault, counted twice above]"

/*
 * Of two sizes, the smaller one is taken off: a figure below 0 had more there, in the program's start or end. It is no cost of
 * an operation, and every report says so beside it.
 */
#define EXPLANATION_STARTUP "start-up differs"
bool two_sides_is_startup(const struct two_sides *v);

/* Per operation. */
double two_sides_base(const struct two_sides *v, const struct two_sides *ops);
double two_sides_other(const struct two_sides *v, const struct two_sides *ops);
/* other - base per operation; exactly 0 if they are equal fractions. */
double two_sides_delta(const struct two_sides *v, const struct two_sides *ops);

#endif
