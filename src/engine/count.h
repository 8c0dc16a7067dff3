/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The count engine: QEMU TCG under icount, one vCPU, and the plugin that
 * counts every instruction. See docs/ARCHITECTURE.md for what makes its
 * numbers repeatable.
 */
#ifndef KTOLL_COUNT_H
#define KTOLL_COUNT_H

#include "engine/engine.h"
#include "engine/machine.h"

struct count_options {
	const struct machine *machine;
	const struct plan *plan; /* borrowed */
	bool has_nulls;          /* boots will be told apart by a parameter: see cmdline_of_boot() */
	uint64_t budget_ms;      /* QEMU's processor time from one report of the guest to the next */
	uint64_t patience_s;     /* a QEMU that gains none for so long is given up; 0: 60 */
	const char *as_long_as;  /* a command line that no other may be shorter than; NULL; borrowed */
	bool no_plugin;          /* the same boot without counting: for benchmarks */
};

/* Finds a QEMU that can do it. The initramfs is packed when a boot starts. */
int count_new(const struct count_options *options, struct engine **ret, struct error *err);

#endif
