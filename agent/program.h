/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workloads that are programs of the guest root: getting ready, the run that is
 * measured, and what it, or a command after it, printed. One after the other; the order is
 * program_ready(), then program_begin(), program_run() and program_end() for
 * each run, then program_over().
 */
#ifndef KTOLL_AGENT_PROGRAM_H
#define KTOLL_AGENT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

#define PROGRAM_MAX_PADDING 1023

struct program {
	const struct wire_workload *plan;
	const char *setup, *server, *after; /* "" for none */
	char **argv[WIRE_SIZES];    /* NULL behind the last word */
};

/* `text` is the plan's, n_bytes long, and has to live on. -EINVAL if it is not what `w` says. */
int program_parse(const struct wire_workload *w, char *text, struct program *ret);

/* A tmpfs at `at`, in which what was there before (files of the host) stays visible. Needs /proc. */
void program_mount_tmpfs(const char *at);

/* Mounts and groups that programs need; once. With `memcg` they run in a memory cgroup. */
void program_mount(bool memcg);

/* Not in a guest: programs run in this folder, with the environment of ktoll, and only what they started is ended. */
void program_here(const char *folder);

/* Runs setup, starts the server and waits for it. 0, or -1: program_trouble() says why. */
int program_ready(const struct program *p);
/*
 * Before and after a run, outside of the region; the second as program_ready(). In a guest, a variable of so many bytes
 * stands in the program's environment, at most PROGRAM_MAX_PADDING.
 */
int program_begin(const struct program *p, unsigned size, unsigned n_padding);
int program_end(const struct program *p);
/* The run itself: starts the program and waits for its end. */
void program_run(void);
/* Nothing is left running. */
void program_over(void);

/* Writes a file of the kernel's. 0 or -1. */
int program_put(const char *path, const char *text);

/* A sentence about the last failure. */
const char *program_trouble(void);
/* The end of what the last setup, server or run printed; borrowed. */
const char *program_output(size_t *ret_bytes);

#endif
