/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/clocked.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

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

const struct clocked_cell *clocked_cell(const struct clocked *c, const char *workload, size_t variant)
{
	for (size_t i = 0; i < c->n_cells; i++)
		if (c->cells[i].variant == variant && strcmp(c->cells[i].workload, workload) == 0)
			return &c->cells[i];
	return NULL;
}

bool clocked_is_time(const struct clocked_comparison *o)
{
	return strcmp(o->unit, "ns") == 0 && str_has_prefix(o->quantity, "time per");
}

double clocked_value(const struct clocked *c, const struct clocked_comparison *o, size_t variant)
{
	const struct clocked_cell *cell = clocked_cell(c, o->workload, variant);

	if (!cell)
		return NAN;
	return clocked_is_time(o) ? cell->ns_per_op : cell->metric_mean;
}
