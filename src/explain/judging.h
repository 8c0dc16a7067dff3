/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From series of measured numbers to comparisons with verdicts, sentences
 * about what they rest on, and warnings that name the next step.
 */
#ifndef KTOLL_JUDGING_H
#define KTOLL_JUDGING_H

#include "base/error.h"
#include "model/judged.h"

struct judging_options {
	double threshold;   /* a fraction */
	enum better better; /* of series that do not say; BETTER_UNKNOWN: it stays unknown */
	const char *unit;   /* the same; NULL */
	const char *base;   /* the side to compare with; NULL: the first */
	const char *operation; /* what is measured, for what is known of it; NULL */
	bool no_bootstrap;
	uint64_t seed;
};

/*
 * Sides are those of the series; each metric of the base is compared with the same one of every
 * other side. -EINVAL for a base that is not there, or a single side; -EBADMSG for values of one
 * metric in units that cannot be one.
 */
int judging_make(const struct series_list *series, const struct judging_options *options,
		 struct judged *ret, struct error *err);

#endif
