/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a report shows of a search: steps between two kernels, what was measured
 * after which of them, and which carry the difference. Everything is owned.
 */
#ifndef KTOLL_BISECTED_H
#define KTOLL_BISECTED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Steps from + 1 to `to`, which could not be, or need not be, told apart. */
struct bisected_culprit {
	size_t from, to;
	double delta;  /* per operation, in the order of the steps */
	double share;  /* of the whole difference, a fraction */
	double alone;  /* on the base without the others; NAN */
	char *not_alone; /* why there is no such figure: it needs others; NULL */
};

struct bisected_workload {
	char *name, *unit; /* "hackbench", "message" */
	double *points;    /* instructions per operation after so many steps, 0 to n_steps; NAN: not measured */
	double *ranges;    /* at each point, how far replicates lie apart over the tick phases; NAN: not measured */
	double **replicates; /* at each point those of it, n_replicates; NULL: not known */
	size_t n_replicates;
	double together;   /* with the culprits only; NAN: not measured */
	double floor;      /* what unrelated code movement gives; NAN: not measured */
	bool is_searched;  /* the one that was searched on */
	struct bisected_culprit *culprits; /* largest first */
	size_t n_culprits;
};

struct bisected {
	char *base, *other;    /* specs */
	bool is_kernels;       /* steps go from one kernel of a list to the next */
	bool is_ladder;        /* every step was measured */
	double share;          /* that was to be carried */
	struct strv steps;     /* "PREEMPT_DYNAMIC n -> y"; with kernels "6.1 -> 6.12" */
	struct strv skipped;   /* sentences: what could not be set, built or booted */
	struct bisected_workload *workloads;
	size_t n_workloads;
	size_t n_measured;     /* kernels, from the record or now */
	size_t n_built;        /* of them, now */
	char *record;
};

void bisected_finish(struct bisected *b);

/* From one measured point to the next: steps from + 1 to `to`. */
struct bisected_rung {
	size_t from, to;
	double delta; /* per operation */
	double range; /* of its two points, added up: so much of the delta may be the tick phases; NAN: not known */
};

/* How many, in the order of the steps; the array is owned by the caller. */
size_t bisected_rungs(const struct bisected *b, const struct bisected_workload *w, struct bisected_rung **ret);

/*
 * Two rungs of which the count does not say which costs more: not in every replicate is it the same one. lo and hi are
 * the smallest and the largest gap over the replicates; where those are not known, the gap less and more both ranges.
 */
struct bisected_pair {
	struct bisected_rung larger, smaller;
	double gap, lo, hi;
};

/*
 * Of the rungs that cost or gain something, by what they cost: the neighbours that are such a pair. How many,
 * largest first; the array is owned by the caller.
 */
size_t bisected_unordered(const struct bisected *b, const struct bisected_workload *w, struct bisected_pair **ret);

/* The names of steps from + 1 to `to`, with "; " between them; owned by the caller. */
char *bisected_steps(const struct bisected *b, size_t from, size_t to);

#endif
