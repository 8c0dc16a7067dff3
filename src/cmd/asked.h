/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workloads as -w asks for them: operations of the agent and programs, and the plan they make. */
#ifndef KTOLL_ASKED_H
#define KTOLL_ASKED_H

#include "cmd/verb.h"
#include "guest/initramfs.h"

/* Stands for all operations. */
#define ASKED_ALL_OPERATIONS "operations"

struct asked {
	const struct operation_info *operation; /* NULL for a program */
	struct workload workload;
};

struct asked_list {
	struct asked *v; /* in the order given */
	size_t n, cap;
	bool has_operations; /* all of them, by the word */
};

/*
 * Plain names may be joined by commas; one with parameters, a file or a command stands at the end.
 * 0, or an exit status after a sentence.
 */
int asked_add(struct asked_list *l, const struct verb *v, const char *text);
/*
 * All operations if nothing was asked for, or all that are not there yet if "operations" were; without those that no
 * clock can measure for `is_clocked`.
 */
void asked_add_default(struct asked_list *l, bool is_clocked);
/* Can the engine measure them? 0, or an exit status after a sentence. */
int asked_check(const struct asked_list *l, const struct verb *v, bool is_clocked);
/* Is all of the second in the first? */
bool asked_has_all(const struct asked_list *l, const struct asked_list *some);
/*
 * Items in the plan, whose workloads are borrowed from the list. Replicates: 0 for what each kind
 * has by default. With operations the control comes along, whether it was asked for or not.
 */
void asked_make_plan(const struct asked_list *l, uint64_t replicates, struct plan *plan);
void asked_finish(struct asked_list *l);

/* Of operations by default. */
#define ASKED_OPERATION_REPLICATES 10

#endif
