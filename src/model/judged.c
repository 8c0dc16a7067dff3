/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/judged.h"

#include <stdlib.h>

void judged_finish(struct judged *j)
{
	for (size_t i = 0; i < j->n; i++) {
		struct judged_comparison *c = &j->comparisons[i];

		free(c->metric);
		free(c->unit);
		free(c->base);
		free(c->other);
		free(c->level);
		free(c->no_ratio);
		free(c->verdict_name);
		free(c->reason);
		strv_finish(&c->warnings);
	}
	for (size_t i = 0; i < j->n_shares; i++)
		free(j->shares[i].function);
	free(j->shares);
	strv_finish(&j->notes);
	free(j->comparisons);
	free(j->share_base);
	free(j->share_other);
	*j = (struct judged){ 0 };
}
