/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the guest boots into: an uncompressed cpio image with the agent as
 * /init, the program for the exec operation, and the plan. The same plan gives
 * the same bytes; whether symbols are wanted changes one of them and not the
 * length.
 */
#ifndef KTOLL_INITRAMFS_H
#define KTOLL_INITRAMFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "model/workload.h"

struct operation_info;

/* Something to measure: an operation of the agent, or a program. */
struct plan_item {
	const struct operation_info *operation; /* NULL for a program */
	const struct workload *workload;        /* NULL for an operation; borrowed */
	uint32_t replicates;
	bool is_unasked; /* the control, which no report shows */
};

struct plan {
	struct plan_item *items;
	size_t n_items, cap_items;
	bool selinux;     /* the policy is in the guest */
	const char *root; /* a cpio file with what the programs need; NULL for none; borrowed */
	uint64_t seed;
	uint64_t nonce;           /* marks the report of this run's guests */
	uint32_t settle_limit_ms; /* of guest time */
	const char *dir;  /* what {dir} stands for; NULL: the guest's own; borrowed */
	bool is_clocked; /* for an engine with a clock: programs at their size for it */
};

/* "getppid", "hackbench:groups=10"; borrowed. */
const char *plan_item_name(const struct plan_item *i);
/* Regions that one replicate takes: one, or one for each size. */
uint32_t plan_item_sizes(const struct plan_item *i);

/*
 * The image for guests of `arch` as a file in memory: its descriptor, the caller's to close. With
 * `want_symbols` the agent sends the kernel's in the end. -ENOENT if this program was built
 * without an agent for them.
 */
int initramfs_make(const char *arch, const struct plan *plan, bool want_symbols, size_t *ret_bytes,
		   struct error *err);
/* What the agent finds in the image: the plan alone, its programs alone (static; 0 or -ENOENT). */
int initramfs_plan(const struct plan *plan, bool want_symbols, struct str *ret, struct error *err);
struct guest_programs {
	const char *agent, *exit;
	size_t agent_bytes, exit_bytes;
};
int initramfs_programs(const char *arch, struct guest_programs *ret, struct error *err);
/* Not in a guest: writes the workloads' files into plan->dir. */
int initramfs_files(const struct plan *plan, struct error *err);
bool initramfs_has_agent(const char *arch);
/* Do these boot parameters ask the agent to load the SELinux policy? */
bool initramfs_wants_selinux(const struct strv *params);

/* The built-in operations, in the agent's order. Generated from the agent itself. */
struct operation_info {
	const char *name, *help;
	unsigned batch; /* operations in one region */
	bool is_tick;   /* counts what the kernel does in a tick */
};
extern const struct operation_info operation_list[];
extern const size_t operation_list_n;
/* NULL if there is none of that name. */
const struct operation_info *operation_find(const char *name);

#endif
