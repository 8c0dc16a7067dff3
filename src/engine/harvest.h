/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what a machine left behind to the outcome of its boot: the agent's
 * report and the plugin's regions are put together into samples, each passes
 * the self-check or becomes a failure. Knows nothing of processes.
 */
#ifndef KTOLL_HARVEST_H
#define KTOLL_HARVEST_H

#include "base/str.h"
#include "engine/machine.h"
#include "engine/stream.h"
#include "guest/initramfs.h"
#include "guest/mailbox.h"
#include "model/run.h"
#include "model/symbols.h"

struct harvest {
	const struct machine *machine;
	const struct plan *plan;
	const struct variant *variant;
	struct stream *stream;   /* profiles and code move from here into the outcome */
	const struct mailbox *mailbox;
	const char *console;     /* printable; its end goes into failures */
	const char *trouble;     /* why the machine ended that was not told to; NULL: it was */
	const char *broken;      /* why nothing of what the machine sent is used; NULL: it is */
};

/*
 * Adds to the outcome, whose `guest` is there already. Symbols of the kernel may
 * be empty: then no restart is allowed for.
 */
void harvest_samples(struct harvest *h, const struct symbols *symbols, struct outcome *o);

#endif
