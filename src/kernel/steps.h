/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From two specs that ask for different options to steps, in an order in which
 * each can be set after those before it: the kernel's own configurator says so.
 * What is known to cost comes as early as it can.
 */
#ifndef KTOLL_STEPS_H
#define KTOLL_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/built.h"
#include "kernel/knowncosts.h"

struct step {
	char *name;           /* "PREEMPT_DYNAMIC n -> y" */
	struct strv options;  /* it may take several at once: a choice moves from one to another */
	bool is_suspect;      /* known to cost */
};

struct steps {
	char *base;           /* the base's spec */
	struct step *v;
	size_t n, cap, n_suspects; /* those in front */
	struct strv base_tokens, other_tokens; /* settings of options that differ: "NAME=VALUE" */
	char *rest;           /* the base's spec without them */
};

/*
 * -EINVAL, blamed on usage, if the two differ in more than options, or not at all. Configures, which takes
 * some seconds a time; what was configured before comes from the cache.
 */
int steps_find(const char *base, const char *other, const struct known_costs *costs,
	       const struct built_hooks *hooks, struct steps *ret, struct error *err);

/* The spec with the steps that `set` has; owned by the caller. */
char *steps_spec(const struct steps *s, const bool *set);
/* Can it be configured? */
bool steps_can(const struct steps *s, const bool *set, const struct built_hooks *hooks);
void steps_finish(struct steps *s);

#endif
