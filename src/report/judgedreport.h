/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Renderers of judged numbers: text, and JSON (schema ktoll/judge/1: keys are
 * only ever added). They print nothing.
 */
#ifndef KTOLL_JUDGEDREPORT_H
#define KTOLL_JUDGEDREPORT_H

#include "model/judged.h"
#include "report/render.h"

void judged_text(const struct judged *j, const struct report_options *options, struct str *out);
void judged_json(const struct judged *j, struct str *out);

#endif
