/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/bisected.h"

#include "base/alloc.h"

void bisected_finish(struct bisected *b)
{
	for (size_t i = 0; i < b->n_workloads; i++) {
		struct bisected_workload *w = &b->workloads[i];

		for (size_t k = 0; k < w->n_culprits; k++)
			free(w->culprits[k].not_alone);
		free(w->culprits);
		free(w->name);
		free(w->unit);
		free(w->points);
	}
	free(b->workloads);
	free(b->base);
	free(b->other);
	free(b->record);
	strv_finish(&b->steps);
	strv_finish(&b->skipped);
	*b = (struct bisected){ 0 };
}
