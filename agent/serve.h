/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks for engines with a clock: commands come in on one descriptor, a block
 * is run, its time goes out on another (wire/wire.h has the words). In a guest
 * both are the console; on a live machine they are pipes of ktoll's.
 */
#ifndef KTOLL_AGENT_SERVE_H
#define KTOLL_AGENT_SERVE_H

#include <stdint.h>

#include "program.h"

struct workload {
	struct wire_workload plan;
	struct program program; /* if it is one */
};

/* Until `quit`, or the end of the commands. */
void serve(int in, int out, const struct workload *workloads, uint32_t n);

#endif
