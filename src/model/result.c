/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/result.h"

#include <stdlib.h>

#include <math.h>

#include "base/alloc.h"

const char *verdict_name(enum verdict v)
{
	static const char *const names[] = {
		[VERDICT_IDENTICAL] = "identical", [VERDICT_SAME] = "same",
		[VERDICT_MORE] = "more",           [VERDICT_LESS] = "less",
		[VERDICT_UNDECIDED] = "undecided", [VERDICT_NONE] = "no-verdict",
	};

	return names[v];
}

static void comparison_finish(struct result_comparison *c)
{
	free(c->workload);
	free(c->reason);
	strv_finish(&c->warnings);
	for (size_t i = 0; i < c->n_functions; i++)
		free(c->functions[i].name);
	free(c->functions);
}

double result_kernel_share(const struct result_cell *c)
{
	return c && !c->is_tick && c->kernel + c->user > 0 ? c->kernel / (c->kernel + c->user) : NAN;
}

void result_finish(struct result *r)
{
	for (size_t i = 0; i < r->n_cells; i++) {
		free(r->cells[i].workload);
		free(r->cells[i].replicates);
		free(r->cells[i].metric.name);
		free(r->cells[i].metric.unit);
	}
	if (r->clocked)
		clocked_finish(r->clocked);
	free(r->clocked);
	free(r->cells);
	for (size_t i = 0; i < r->n_comparisons; i++)
		comparison_finish(&r->comparisons[i]);
	free(r->comparisons);
	for (size_t i = 0; i < r->n_configs; i++) {
		strv_finish(&r->configs[i].lines);
		configdiff_finish(&r->configs[i].diff);
	}
	free(r->configs);
	studied_free(r->studied);
	for (size_t i = 0; i < r->n_explanations; i++)
		explanation_finish(&r->explanations[i]);
	free(r->explanations);
	*r = (struct result){ 0 };
}
