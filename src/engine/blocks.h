/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs blocks on variants that take turns. A round goes through all of them in
 * a drawn order and back again, so that what drifts slowly is the same for
 * each; which order comes first is drawn from the seed.
 */
#ifndef KTOLL_BLOCKS_H
#define KTOLL_BLOCKS_H

#include "guest/initramfs.h"
#include "model/sitting.h"
#include "sys/dialog.h"

/* Where the variants are: one agent for all, or one for each. */
struct blocks_place {
	/* The next block is this variant's. 0 or -errno with a sentence. */
	int (*enter)(void *data, size_t variant, struct error *err);
	int (*leave)(void *data, size_t variant, struct error *err);
	struct dialog *(*dialog)(void *data, size_t variant);
	/* A line that is no answer: a kernel's. NULL: they are dropped. */
	void (*on_line)(void *data, size_t variant, const char *line);
	void *data;
	bool is_shared; /* one agent: a workload is made ready once, not for each variant */
};

struct blocks_options {
	const struct plan *plan;
	size_t n_variants;
	uint32_t rounds;      /* at most */
	double until;         /* ends before, when the interval of the time is within this fraction; 0: never */
	uint64_t block_ms;    /* operations: so long is a block */
	uint64_t deadline_ms; /* of one answer */
	/* Operations of a block that were measured before, so that all have as many; 0: not yet. NULL: none were. */
	uint64_t (*size_of)(void *data, const char *workload);
	/* A block is done: how many of how many, and for which workload. NULL is fine. */
	void (*on_block)(void *data, size_t done, size_t all);
	/* A workload that failed, on a variant. The others go on. */
	void (*on_failure)(void *data, size_t variant, const char *workload, const char *message, const char *output);
	void *data;
};

/*
 * Adds blocks to the sitting. -EPIPE (the agent of `*ret_variant` is gone), -ETIMEDOUT (it hangs),
 * -ECANCELED, or what the place said.
 */
int blocks_run(const struct blocks_place *place, const struct blocks_options *options, struct sitting *s,
	       size_t *ret_variant, struct error *err);

/* The first thing that an agent says. */
int blocks_greeting(const struct blocks_place *place, size_t variant, uint64_t deadline_ms, struct error *err);

#endif
