/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The difference of two configs as text: whole, for diffconfig, and in a few
 * lines, for the head of a comparison.
 */
#ifndef KTOLL_CONFIGTEXT_H
#define KTOLL_CONFIGTEXT_H

#include "base/str.h"
#include "model/configdiff.h"
#include "report/render.h"

/* Everything; `full` of the options does not matter. Without a terminal it is 100 columns wide. */
void configtext_add(const struct configdiff *d, const struct report_options *options,
		    struct str *out);

/*
 * At most seven lines, each with `indent` blanks in front. Whether the preemption models are
 * the same is not among them: who has booted the kernels knows better.
 */
void configtext_add_short(const struct configdiff *d, unsigned indent,
			  const struct report_options *options, struct str *out);

#endif
