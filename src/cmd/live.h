/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The running kernel as one side of a record, for verbs that know what it is a side of. */
#ifndef KTOLL_CMD_LIVE_H
#define KTOLL_CMD_LIVE_H

#include "cmd/show.h"
#include "model/facts.h"

struct live_side {
	const struct verb *verb;
	int argc;
	char **argv;                  /* for the record's head */
	const struct show_options *show;
	const char *name, *output;    /* a record that is there gets this side as well */
	const struct strv *workloads; /* as for -w */
	const struct facts *extra;    /* for the head of a new record */
	uint64_t rounds, block_ms;    /* 0: by default */
	uint64_t seed;
};

/* Measures, and shows the record. 0, or an exit status after a sentence. */
int live_side(const struct live_side *side);

#endif
