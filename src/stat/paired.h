/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two sides that took turns: each unit (a round, a boot) gives one logarithm of
 * the ratio other / base, in which what both had in common has cancelled out.
 */
#ifndef KTOLL_PAIRED_H
#define KTOLL_PAIRED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stat/judgement.h"

struct paired {
	size_t n;
	struct interval ratio; /* NANs for the ends with n < 2 */
	double level;          /* of the interval */
	double p;              /* two-sided, of no difference; NAN with it */
	enum judgement_verdict verdict;
	uint64_t needed;       /* undecided: so many units would decide, power 80 %; 0: not known */
};

/*
 * Student's t interval of the mean of `logs`, back as a ratio. `level` is 0.95, or what
 * paired_look_level() says. n > 0.
 */
void paired_judge(const double *logs, size_t n, double level, double threshold, struct paired *ret);

/*
 * A stopping rule: looking again and again until an interval is clear of zero finds differences
 * that are not there. Here it is looked after PAIRED_FIRST_LOOK units and at each doubling, up to
 * a limit, and the 5 % are divided by the number of these looks, so that by Bonferroni's inequality
 * all of them together err in 5 of 100 runs at most, whatever one says of the next (alpha spending
 * in equal parts: Lan and DeMets, "Discrete sequential boundaries for clinical trials", Biometrika
 * 70, 1983).
 */
#define PAIRED_FIRST_LOOK 8
size_t paired_looks(size_t limit);
double paired_look_level(size_t limit);
bool paired_is_look(size_t n, size_t limit);

#endif
