/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two processes that look after each other: the one that works, and the one
 * that ktoll was started as, which waits. Whichever of the two is killed, the other
 * one cleans up; nothing that the first started is left.
 */
#ifndef KTOLL_GUARDIAN_H
#define KTOLL_GUARDIAN_H

#include <stdint.h>

/*
 * Runs `work` in a process of its own, which is told to end (SIGTERM) when this one dies, and on
 * SIGINT, SIGTERM and SIGHUP here. `clean` is called here, and only if `work` did not return: the worker
 * was killed, or ended in its middle, for want of memory for instance. Returns what the worker ended with, below 256,
 * or `killed_status`. A worker that was told to end and does not within `end_ms` is killed.
 */
int guardian_run(int (*work)(void *data), void (*clean)(void *data), void *data, int killed_status, uint64_t end_ms);

#endif
