/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Something of the running kernel that has values and can be switched: a file,
 * or commands. What it was before is read first, and put back in the end.
 */
#ifndef KTOLL_KNOB_H
#define KTOLL_KNOB_H

#include <stdbool.h>

#include "base/error.h"
#include "base/str.h"

struct knob {
	char *name;          /* "preempt", "/proc/sys/kernel/sched_autogroup_enabled" */
	char *path;          /* the file; NULL for commands */
	struct strv values;  /* as given: the names of the variants */
	struct strv written; /* what each is in the file, or the command of each */
	char *before;        /* what the file had, or the command that puts back what was */
};

/*
 * "preempt=none,full", "selinux=permissive,enforcing", "/PATH=0,1", or NAME=!COMMAND,!COMMAND.
 * `restore` is for commands, else NULL; without it the first one restores. -EINVAL, blamed on
 * usage.
 */
int knob_parse(const char *text, const char *restore, struct knob *ret, struct error *err);

/* Reads what is there now. -errno with the reason if it cannot be switched, or not to these values. */
int knob_probe(struct knob *k, struct error *err);
/* Switches, and reads back: -EIO if the kernel has something else then. */
int knob_set(const struct knob *k, size_t value, struct error *err);
/* Puts back what knob_probe() has found. */
int knob_restore(const struct knob *k, struct error *err);
/* The fact of a sitting that has `before`: "knob_before" of a file, "knob_restore" of commands. Static. */
const char *knob_fact(const struct knob *k);
void knob_finish(struct knob *k);

#endif
