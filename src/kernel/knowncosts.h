/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What options are known to cost, and who says so: data/options.yaml, which is
 * in the program, and a file of the user's on top of it.
 */
#ifndef KTOLL_KNOWNCOSTS_H
#define KTOLL_KNOWNCOSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "model/configdiff.h"

struct known_cost {
	char *option;    /* "PREEMPT_COUNT" */
	bool costs_off;  /* it is its absence that costs */
	enum severity severity;
	char *cost, *source; /* sentences */
};

struct known_costs {
	struct known_cost *v;
	size_t n, cap;
};

/* Adds the entries of a text; of two for one option the later holds. -EINVAL with file, line, column. */
int known_costs_parse(struct known_costs *k, const char *file, const char *text, size_t n_bytes,
		      struct error *err);

/* Those of the program, then those of the user if there are any. known_costs_finish() when done. */
int known_costs_load(struct known_costs *ret, struct error *err);
void known_costs_finish(struct known_costs *k);

/* By a name with or without CONFIG_; NULL. */
const struct known_cost *known_costs_find(const struct known_costs *k, const char *option);

#endif
