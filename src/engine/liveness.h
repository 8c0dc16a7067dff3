/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does a boot still advance, and if not, whose fault is it? Judged by the processor time that its QEMU gained, never by
 * wall time: on a busy host a boot takes as long as it takes. Under instruction counting a guest that executes
 * costs QEMU processor time, and time in which it sleeps is skipped, so a guest that waits for nothing is at
 * rest for good.
 */
#ifndef KTOLL_LIVENESS_H
#define KTOLL_LIVENESS_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/proctime.h"

/* How often it is looked at, ms. */
#define LIVENESS_EVERY_MS 1000

enum liveness {
	LIVENESS_GOOD,
	LIVENESS_STARVED, /* it wants a processor, and got none: the host's fault */
	LIVENESS_ASLEEP,  /* it wants none: the guest waits for something that does not come */
	LIVENESS_SILENT,  /* it executes, and has reported nothing for the whole budget */
};

struct liveness_state {
	uint64_t cpu_ms;          /* QEMU's processor time at the last look */
	uint64_t reported_cpu_ms; /* and as it last reported */
	uint64_t n_still;         /* looks in a row without any gain */
};

/* To be called at each sign of the guest's own: a region, a report. */
void liveness_reported(struct liveness_state *s);
/*
 * One look. `budget_ms`: processor time that it may take from one report to the next. `n_patience`: looks without
 * any gain after which it is given up. Looks are counted and not time: a machine or a ktoll that was stopped for an
 * hour has looked once.
 */
enum liveness liveness_look(struct liveness_state *s, const struct proctime *now, uint64_t budget_ms, uint64_t n_patience);

#endif
