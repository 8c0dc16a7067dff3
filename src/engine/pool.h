/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs boots, several at once: counts do not depend on the host's load. Each
 * outcome is handed on the moment its boot ends.
 */
#ifndef KTOLL_POOL_H
#define KTOLL_POOL_H

#include "engine/engine.h"

struct pool_hooks {
	/* A boot has ended; the outcome is the receiver's. A negative result ends the run with it. */
	int (*on_outcome)(void *data, size_t index, struct outcome *outcome, struct error *err);
	/* Called now and then: 0 to 1, boots running, boots ended, an estimate of what is left
	 * in seconds, negative while there is none. */
	void (*on_progress)(void *data, double done, size_t running, size_t ended, double left_s);
	void *data;
};

/*
 * Boots requests[0..n) with at most `jobs` at a time. 0 when all have ended,
 * -ECANCELED after a signal, or the first error of this machine; boots still
 * running are then ended.
 */
int pool_run(struct engine *e, const struct boot_request *requests, size_t n, unsigned jobs,
	     const struct pool_hooks *hooks, struct error *err);

#endif
