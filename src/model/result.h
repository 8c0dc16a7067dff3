/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a report shows: one struct for all renderers, made from a run by
 * explain/comparison.c. Quantities are instructions per operation unless a name
 * says otherwise. Strings and arrays are owned; `run` is borrowed and must
 * live as long.
 */
#ifndef KTOLL_RESULT_H
#define KTOLL_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/clocked.h"
#include "model/configdiff.h"
#include "model/explanation.h"
#include "model/run.h"
#include "model/studied.h"

/* A mean with the range of its replicates; lo == hi == mean where they all agree. */
struct range {
	double mean, lo, hi;
};

/* The main figure that a program printed, over its replicates. */
struct result_metric {
	char *name, *unit; /* NULL: it prints none */
	bool is_higher_better;
	struct range value;
};

/* One workload on one variant, over its replicates. */
struct result_cell {
	char *workload;
	size_t variant;         /* index into run->variants */
	uint64_t n;             /* replicates; 0: none, see failures */
	double *replicates;     /* instructions per operation of each, n of them */
	uint64_t ops;           /* operations in one replicate: in its region, or between its two sizes */
	bool is_difference;     /* of two sizes, so that start and end of the program cancel out */
	struct result_metric metric; /* of the larger size */
	struct range insns;     /* executed: no string iterations, no restarted instructions */
	double kernel, user;    /* started, without string iterations: together insns + restarts */
	double string_iters;
	double restarts;        /* instructions started again after a fault */
	double locked;          /* executions of instructions with a LOCK prefix */
	double looked_for;      /* a cost that comes once in so many operations or more often was in a region; 0: not known */
	bool is_exact;          /* every replicate gave the same integer of instructions */
	bool is_program;        /* no operation of the agent */
	bool is_tick;           /* per timer tick, kernel instructions only */
	uint64_t interrupted;   /* replicates with an interrupt in or right before them (not for is_tick) */
};

enum verdict {
	VERDICT_IDENTICAL,  /* every replicate pair is equal: instructions and string iterations */
	VERDICT_SAME,       /* differs by less than the threshold */
	VERDICT_MORE,       /* every replicate pair has more; of a program: more than null boots differ by */
	VERDICT_LESS,
	VERDICT_UNDECIDED,  /* pairs of both signs; of a program: no more than null boots differ by */
	VERDICT_NONE,       /* nothing to compare: a cell failed, or a program without null boots */
};
/* "identical", "same", "more", "less", "undecided", "no-verdict". */
const char *verdict_name(enum verdict v);

struct result_function {
	char *name;             /* "[user]" for user space, "?" where there are no symbols */
	double base, other;     /* instructions per operation, without string iterations */
};

/* The interval for which a difference of programs is judged, and what it rests on. */
#define RESULT_NULL_LEVEL 0.99

/* What null boots tell of a program: how far its figure moves when nothing that matters does. */
struct result_null {
	size_t n;               /* boots a side, the first ones among them; below two: nothing is known */
	double sd;              /* of boots of one variant, a fraction; over all variants of the run */
	size_t df;              /* its degrees of freedom */
	double least;           /* the smallest difference that is called, a fraction; NAN: not known */
};

/* One workload, base against other. Replicates are paired: same number, same seed, same phase. */
struct result_comparison {
	char *workload;
	size_t base, other;     /* variant indices */
	const struct result_cell *base_cell, *other_cell; /* NULL if that one failed */
	struct range delta;     /* other - base; the range over the pairs, of a program `null`'s interval where it is known */
	struct range ratio;     /* other / base; NAN where base is 0 */
	struct result_null null; /* of a program */
	double string_iters_delta;
	enum verdict verdict;
	char *reason;           /* one sentence */
	struct strv warnings;   /* "code: text" */
	struct result_function *functions; /* largest |delta| first, at most five */
	size_t n_functions;
};

/* The resolved configs of base and other. */
struct result_config {
	size_t base, other;
	bool known;             /* both configs are */
	size_t n_lines;         /* that differ */
	struct strv lines;      /* the differing options: "PREEMPT_RT n -> y", all of them */
	struct configdiff diff; /* the same as people read it: asked for, costly, the rest */
	bool same_preempt_model;
	const char *base_model, *other_model; /* static; NULL unknown */
};

struct result {
	const struct run *run;
	double threshold;       /* fraction */
	struct result_cell *cells;
	size_t n_cells;
	struct result_comparison *comparisons; /* all workloads of variant 1, then of variant 2 … */
	size_t n_comparisons;
	struct result_config *configs; /* one per other variant */
	size_t n_configs;
	struct clocked *clocked; /* of engines with a clock, in place of cells and comparisons; else NULL */
	size_t n_failures;      /* over all outcomes */
	struct studied *studied; /* of a study; else NULL */
	struct explanation *explanations; /* for formats that want them; else NULL */
	size_t n_explanations;
};

/* The part of a cell's instructions that the kernel executed, a fraction; NAN without a cell, and of ticks. */
double result_kernel_share(const struct result_cell *c);
void result_finish(struct result *r);

#endif
