/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A built-in operation: something a program asks of the kernel, small enough
 * that a batch of it fits between two timer ticks. All of them, and everything
 * about each, stand in operations.c.
 */
#ifndef KTOLL_OPERATION_H
#define KTOLL_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

struct operation {
	const char *name;
	const char *help; /* one line: what one operation is */
	/*
	 * About so many operations per region; how many is drawn for each replicate and
	 * equal on every kernel (operation_draw()). Chosen so that a batch stays below half a
	 * million instructions, half a tick at HZ=1000.
	 */
	unsigned batch;
	/* The region is about the tick itself: only what the kernel executes counts, one
	 * operation is one tick. */
	bool is_tick;
	int (*setup)(void);   /* once, before the first batch; 0 or -errno */
	int (*prepare)(void); /* before every batch; 0 or -errno */
	void (*run)(void);    /* the operation; failures go into operation_error */
	/* Operations that another task has done so far and that count as well; NULL: none. */
	uint64_t (*others)(void);
	void (*finish)(void); /* after every batch */
	void (*teardown)(void);
};

extern const struct operation operations[];
extern const unsigned n_operations;

/* Not in a guest: files go into this folder, and the program for exec is an open descriptor. */
void operations_here(const char *folder, int exit_fd);

/* A replicate: operations in its region, and before it, unseen. */
struct operation_batch {
	uint32_t ops, lead_ops;
};
/*
 * Draws a replicate's operations from `random`. What a kernel does at every 2nd, 64th or
 * 1,000th operation must not meet each region in the same phase, or all replicates would be one
 * integer that is not the mean. So the operations of a region are between a half and all of
 * op->batch, an odd number; those before it up to a half of it.
 */
struct operation_batch operation_draw(const struct operation *op, uint64_t (*random)(void));

/* The first failure inside a run(), as -errno; 0 while there is none. Cleared by the reader. */
extern long operation_error;

#endif
