/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Renderers of a gate's answers: text, JSON (schema ktoll/gate/1) and KTAP, version 1. They print nothing. */
#ifndef KTOLL_GATED_H
#define KTOLL_GATED_H

#include <stddef.h>

#include "base/str.h"

enum gated_answer {
	GATED_OK,
	GATED_NOT_OK,
	GATED_SKIP, /* it could not be told */
};

struct gated_line {
	const char *workload, *other, *reason;
	enum gated_answer answer;
};

void gated_text(const struct gated_line *v, size_t n, const char *record, struct str *out);
void gated_ktap(const struct gated_line *v, size_t n, struct str *out);
void gated_json(const struct gated_line *v, size_t n, double limit, const char *record, struct str *out);

#endif
