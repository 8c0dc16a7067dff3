/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said about a guest, a host or a run: keys with values, in their order. */
#ifndef KTOLL_FACTS_H
#define KTOLL_FACTS_H

#include "base/str.h"

/* `keys.v[i]` is `values.v[i]`. */
struct facts {
	struct strv keys, values;
};

void facts_add(struct facts *f, const char *key, const char *value);
/* NULL if it was not said. */
const char *facts_get(const struct facts *f, const char *key);
/* The same for a report: "?" if it was not said. */
const char *facts_text(const struct facts *f, const char *key);
void facts_finish(struct facts *f);

#endif
