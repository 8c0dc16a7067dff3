/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/configdiff.h"

#include <stdlib.h>

const char *severity_name(enum severity s)
{
	static const char *const names[] = { NULL, "low", "medium", "high" };

	return names[s];
}

void configdiff_finish(struct configdiff *d)
{
	for (size_t i = 0; i < d->n; i++) {
		struct configdiff_row *r = &d->rows[i];

		free(r->option);
		free(r->base);
		free(r->other);
		free(r->reason);
		free(r->known_cost);
		free(r->cost_source);
	}
	free(d->rows);
	free(d->base_name);
	free(d->other_name);
	*d = (struct configdiff){ 0 };
}
