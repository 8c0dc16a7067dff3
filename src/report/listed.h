/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instructions of a function with how often each was executed, as text.
 */
#ifndef KTOLL_LISTED_H
#define KTOLL_LISTED_H

#include <stdint.h>

#include "base/str.h"
#include "model/result.h"
#include "report/render.h"

struct listed_insn {
	uint64_t offset;    /* into the symbol */
	double per_op;      /* executions */
	const char *text;   /* the instruction */
	const char *target, *mechanism, *inlined; /* NULL */
};

/* A table of them under a line that says what it is of. */
void listed_text(const char *title, const struct listed_insn *v, size_t n,
		 const struct report_options *options, struct str *out);

#endif
