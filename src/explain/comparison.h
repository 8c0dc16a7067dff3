/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a run to the result that reports show: cells over their replicates,
 * every other variant against the first one, verdicts with what they rest on,
 * and the functions that make up each difference.
 */
#ifndef KTOLL_COMPARE_H
#define KTOLL_COMPARE_H

#include "base/error.h"
#include "model/record.h"
#include "model/result.h"
#include "model/run.h"

/*
 * Profiles and symbols come from the record; with NULL, from the run itself
 * (sample.profile, outcome.symbols). One that is missing or damaged becomes a
 * warning, for the counts do not depend on it. `threshold` is a fraction of
 * the base, 0 for any difference. -EINVAL for a threshold that is none. The
 * run is borrowed by the result; result_finish() when done. Configs are added
 * by the caller: result_add_config().
 */
int result_build(struct record *rec, const struct run *run, double threshold, struct result *ret,
		 struct error *err);

/*
 * The config answer for variant `other` against the first one: the difference,
 * taken over from the caller, and its lines ("PREEMPT_RT n -> y", copied).
 * Preemption models are taken from the run.
 */
void result_add_config(struct result *r, size_t other, struct configdiff *diff,
		       const struct strv *lines);

#endif
