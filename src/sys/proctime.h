/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What processor time a process took, and whether it wants more, from /proc. */
#ifndef KTOLL_PROCTIME_H
#define KTOLL_PROCTIME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proctime {
	uint64_t cpu_ms; /* user and system, of all its threads, also of those that have ended */
	bool wants_cpu;  /* a thread is ready to run, waits for a disk, or was stopped: it is not asleep of its own */
};

/* 0, or -errno if there is no such process. */
int proctime_get(pid_t pid, struct proctime *ret);

#endif
