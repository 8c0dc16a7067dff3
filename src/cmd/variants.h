/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From kernel specs of a command line to the variants of a run, fetched or built. */
#ifndef KTOLL_VARIANTS_H
#define KTOLL_VARIANTS_H

#include "cmd/measure.h"

/* Before anything is fetched or built for nothing: are they specs, and of one architecture? */
int variants_check(const struct measure *q, char **operands, int n, struct error *err);
/* Adds a variant to the run: a spec, or a name that -n gave one. Gets or builds its kernel. */
int variants_add(struct measure *q, const char *operand, struct error *err);

#endif
