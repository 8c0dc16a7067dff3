/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Renderers of explanations: where differences come from, as text and as JSON
 * (schema ktoll/explain/1: keys are only ever added). They print nothing.
 */
#ifndef KTOLL_EXPLAINED_H
#define KTOLL_EXPLAINED_H

#include "model/explanation.h"
#include "report/render.h"

void explained_text(const struct result *r, const struct explanation *list, size_t n,
		    const struct report_options *options, struct str *out);
void explained_json(const struct result *r, const struct explanation *list, size_t n,
		    struct str *out);

#endif
