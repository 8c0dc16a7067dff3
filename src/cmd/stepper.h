/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels measured one at a time into one record, each once: what a search
 * asks for.
 */
#ifndef KTOLL_STEPPER_H
#define KTOLL_STEPPER_H

#include "cmd/measure.h"
#include "engine/engine.h"

struct stepper {
	struct measure *q;
	struct record *rec;
	struct engine *engine;
	size_t n_measured, n_built; /* asked for; of them, built now */
};

/*
 * The record is made, or the one of an earlier search from this base is opened: what is in it is not measured
 * again. The base is the first to be measured.
 */
int stepper_begin(struct stepper *s, struct measure *q, const char *base, struct error *err);
void stepper_finish(struct stepper *s);

/* Instructions per operation, and how far replicates lie apart over the tick phases. NANs: it failed. */
struct stepper_cost {
	double mean, range;
	double replicates[RUN_MAX_REPLICATES];
	size_t n;
};

/*
 * Of each workload of the plan, in `ret`. -ENODATA, with
 * the reason, for a kernel that cannot be built or booted.
 */
int stepper_costs(struct stepper *s, const char *spec, struct stepper_cost *ret, struct error *err);

/* The number of the spec's variant in the record; it has been measured. */
size_t stepper_variant(const struct stepper *s, const char *spec);

/* A record of two that were measured, as if they had been compared; one that is there is replaced. */
int stepper_pair(struct stepper *s, const char *base, const char *other, const char *path, struct record **ret,
		 struct error *err);

#endif
