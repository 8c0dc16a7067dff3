/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was measured with a clock: a sitting is one start of ktoll on one boot of
 * the machine (`live`), or one boot of all virtual machines (`vm`). It holds
 * blocks: a workload that ran for a while on a variant. Everything is owned.
 */
#ifndef KTOLL_SITTING_H
#define KTOLL_SITTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/facts.h"

enum figure_kind {
	FIGURE_METRIC,  /* that the program printed; the main one first */
	FIGURE_COUNTER, /* of the kernel or the processor over the block */
};

struct figure {
	enum figure_kind kind;
	char *name, *unit;
	bool is_higher_better; /* of a metric */
	double value;
};

struct block {
	size_t variant;    /* index into the run's */
	char *workload;
	uint32_t round;    /* from 0: each has every variant twice, once on the way there and once on the way back */
	uint32_t position; /* in the sitting, from 0, in the order of time */
	uint64_t ops, ns;
	uint64_t at_ms;    /* begun so long after the sitting's first block */
	struct figure *figures;
	size_t n_figures, cap_figures;
};

struct sitting {
	char *boot;        /* of the machine: its boot id; of virtual machines "boot 1" */
	uint64_t started;  /* seconds since the epoch */
	struct facts facts; /* the machine at that time */
	struct block *blocks;
	size_t n_blocks, cap_blocks;
};

/* Makes room for one more, which starts as zeros. */
struct block *sitting_add_block(struct sitting *s);
void block_add_figure(struct block *b, enum figure_kind kind, const char *name, const char *unit,
		      bool is_higher_better, double value);
/* The first metric, or the counter of that name; NULL if there is none. */
const struct figure *block_metric(const struct block *b);
const struct figure *block_counter(const struct block *b, const char *name);
void sitting_finish(struct sitting *s);

#endif
