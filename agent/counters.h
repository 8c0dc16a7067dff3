/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel and the processor count of the agent and all that it starts:
 * perf_event_open(2) where it is there and allowed, getrusage(2) everywhere.
 */
#ifndef KTOLL_AGENT_COUNTERS_H
#define KTOLL_AGENT_COUNTERS_H

#include <stddef.h>

/* Opens them, before anything is started that they are to count. */
void counters_open(void);
/* From here on. */
void counters_begin(void);
/* " NAME=VALUE" for each, since counters_begin(): into `buf`, with a NUL. */
void counters_text(char *buf, size_t n_bytes);

#endif
