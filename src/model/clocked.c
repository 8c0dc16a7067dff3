/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/clocked.h"

#include "base/alloc.h"

void clocked_finish(struct clocked *c)
{
	for (size_t i = 0; i < c->n_cells; i++) {
		struct clocked_cell *l = &c->cells[i];

		for (size_t k = 0; k < l->n_counters; k++)
			free(l->counters[k].name);
		free(l->counters);
		free(l->workload);
		free(l->metric);
		free(l->unit);
	}
	for (size_t i = 0; i < c->n; i++) {
		free(c->comparisons[i].workload);
		free(c->comparisons[i].quantity);
		free(c->comparisons[i].unit);
		free(c->comparisons[i].reason);
		strv_finish(&c->comparisons[i].warnings);
	}
	free(c->cells);
	free(c->comparisons);
	strv_finish(&c->notes);
	*c = (struct clocked){ 0 };
}
