/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile: how often each instruction address was started inside one region,
 * sorted by address. Stored as a compact text of bytes: differences of
 * addresses and the counts as LEB128 numbers.
 */
#ifndef KTOLL_PROFILE_H
#define KTOLL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct profile_count {
	uint64_t addr;
	uint64_t count;   /* starts, iterations and restarts included */
	uint64_t entries; /* string instruction: entries; 0 for any other */
};

struct profile {
	struct profile_count *counts;
	size_t n;
};

/* Sums over a profile, all in instructions of the region. */
struct profile_sums {
	uint64_t started;             /* everything */
	uint64_t kernel_insns;        /* without string iterations */
	uint64_t user_insns;          /* the same, user space */
	uint64_t string_iters;        /* iterations after the first of each string instruction */
	uint64_t kernel_string_iters; /* those in the kernel */
};

void profile_sum(const struct profile *p, struct profile_sums *ret);
/* Instructions at an address without string iterations. */
uint64_t profile_count_insns(const struct profile_count *c);
/* Kernel addresses have the top bit set on every architecture ktoll runs. */
bool profile_is_kernel(uint64_t addr);

void profile_finish(struct profile *p);

/* The bytes, owned by the caller. */
void *profile_encode(const struct profile *p, size_t *ret_bytes);
/* -EBADMSG for bytes that are none, or not sorted. */
int profile_decode(const void *bytes, size_t n_bytes, struct profile *ret, struct error *err);

#endif
