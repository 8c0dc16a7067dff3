/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine `live`: blocks on the running kernel. The agent runs here as a
 * child, in a folder of its own, and a knob may be switched between blocks.
 */
#ifndef KTOLL_LIVE_H
#define KTOLL_LIVE_H

#include "engine/blocks.h"
#include "engine/knob.h"
#include "model/run.h"

/* One `live` on a machine at a time, whoever runs it: a descriptor that holds the place, or -EBUSY. */
int live_lock(struct error *err);

/* Do the workloads' programs exist here? -ENOENT, blamed on usage, names the package. */
int live_check(const struct plan *plan, struct error *err);

/* A folder for what workloads write, in memory where there is room for it; owned by the caller. */
int live_folder(char **ret, struct error *err);

/*
 * Fills the sitting: blocks and how the knob (NULL for none) was left. -ECANCELED after a signal;
 * what was measured until then is in it. The knob is restored in any case.
 */
int live_run(const char *folder, const struct knob *knob, const struct blocks_options *options,
	     struct sitting *s, struct error *err);

#endif
