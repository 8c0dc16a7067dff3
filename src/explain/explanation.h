/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the profiles of a comparison to rows that add up to its difference.
 */
#ifndef KTOLL_EXPLAIN_EXPLANATION_H
#define KTOLL_EXPLAIN_EXPLANATION_H

#include "base/error.h"
#include "explain/side.h"
#include "model/explanation.h"

/*
 * An explanation for each comparison with samples on both sides, in the
 * result's order; the list and what is in it are owned by the caller. What
 * is missing or damaged is an error, for an explanation with a hole is none.
 */
int explanation_make(const struct explain_request *q, struct explanation **ret, size_t *ret_n,
		     struct error *err);

#endif
