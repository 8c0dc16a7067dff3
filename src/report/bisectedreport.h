/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Renderers of searches: text, and JSON (schema ktoll/bisect/1: keys are only ever added). They print nothing. */
#ifndef KTOLL_BISECTEDREPORT_H
#define KTOLL_BISECTEDREPORT_H

#include "model/bisected.h"
#include "report/render.h"

void bisected_text(const struct bisected *b, const struct report_options *options, struct str *out);
void bisected_json(const struct bisected *b, struct str *out);

#endif
