/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs are judged by boots that differ in what means nothing: the spread of their figures, and the verdict on a
 * difference.
 */
#ifndef KTOLL_NULLSPREAD_H
#define KTOLL_NULLSPREAD_H

#include "explain/replicates.h"
#include "model/result.h"
#include "stat/pairs.h"
#include "stat/spread.h"

/* Adds the boots of one variant: each one's instructions per operation, over its replicates. */
void nullspread_add(struct spread *s, const struct replicates *r);

/*
 * Fills c->null, and, where two boots a side are known, c->verdict, c->reason and the ranges of c->delta and c->ratio; else
 * the verdict is that there is none. c->base_cell and c->other_cell are there, means and c->verdict are those of the pairs
 * `p`: what is identical in all pairs stays so. `threshold` is a fraction of the base.
 */
void nullspread_judge(const struct spread *s, const struct replicates *base, const struct replicates *other, const struct pairs *p,
		      double threshold, struct result_comparison *c);

#endif
