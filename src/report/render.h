/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Renderers: one per format, all over one struct result. They return text and
 * print nothing; what they show of guests and records is stripped of anything
 * a terminal acts on.
 */
#ifndef KTOLL_REPORT_H
#define KTOLL_REPORT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/str.h"
#include "model/result.h"

struct report_options {
	unsigned width; /* columns of the terminal; 0: it goes to none, nothing is cut */
	bool colour;
	bool full; /* everything there is, not only the largest */
};

struct report_ops {
	const char *name; /* of --format */
	bool wants_explanations; /* results come with them */
	/* Adds the report to `out`. */
	int (*render)(const struct result *r, struct str *out, const struct report_options *options,
		      struct error *err);
	/* The same of several records, beside each other. */
	int (*render_many)(const struct result *results, size_t n, struct str *out,
			   const struct report_options *options, struct error *err);
};

extern const struct report_ops report_text, report_json, report_lkml;

/* NULL for a format there is not. */
const struct report_ops *report_find(const char *name);

#endif
