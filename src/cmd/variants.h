/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From kernel specs of a command line to the variants of a run, fetched or built. */
#ifndef KTOLL_VARIANTS_H
#define KTOLL_VARIANTS_H

#include "cmd/measure.h"

/* Before anything is fetched or built for nothing: are they specs, and of one architecture? */
int variants_check(const struct measure *q, char **operands, int n, struct error *err);
/* What an operand stands for: the spec that -n gave this name, or itself. */
const char *variants_operand(const struct measure *q, const char *operand);
/* The spec of an operand, with what the workloads need of the kernel; owned by the caller. */
char *variants_spec(const struct measure *q, const char *operand);
/* Gets or builds the kernel of a variant that came out of a record. */
int variants_refill(struct measure *q, size_t variant, struct error *err);
/* Adds a variant to the run: a spec, or a name that -n gave one. Gets or builds its kernel. */
int variants_add(struct measure *q, const char *operand, struct error *err);

#endif
