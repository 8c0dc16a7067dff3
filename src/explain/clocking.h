/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From blocks to differences, with intervals that rest on what was repeated,
 * and the noise floor that the base has against itself.
 */
#ifndef KTOLL_CLOCKING_H
#define KTOLL_CLOCKING_H

#include "model/clocked.h"

/* Facts of a run's head, and of a sitting, that change what can be said of its times. */
#define CLOCKING_ACCEL "accel" /* "tcg": times are the emulator's */
#define CLOCKING_LIMIT "limit" /* of rounds, where it was looked at them on the way: paired_look_level() */
#define CLOCKING_KNOB  "knob"  /* what was switched between the blocks */

/* Every workload of the base against the same one on every other variant. */
void clocking_make(const struct run *run, double threshold, struct clocked *ret);

/*
 * The logarithms of other / base of each round of one sitting that has both, in `ret`, which has
 * room for all rounds; how many there are. `metric`: of the program's main figure, else of the time
 * per operation.
 */
size_t clocking_rounds(const struct sitting *s, const char *workload, size_t base, size_t other, bool metric,
		       double *ret);

#endif
