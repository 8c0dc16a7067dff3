/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/explanation.h"

#include <stdlib.h>

__extension__ typedef __int128 s128;

bool two_sides_is_startup(const struct two_sides *v)
{
	return v->base < 0 || v->other < 0;
}

double two_sides_base(const struct two_sides *v, const struct two_sides *ops)
{
	return (double)v->base / (double)ops->base;
}

double two_sides_other(const struct two_sides *v, const struct two_sides *ops)
{
	return (double)v->other / (double)ops->other;
}

double two_sides_delta(const struct two_sides *v, const struct two_sides *ops)
{
	s128 d = (s128)v->other * ops->base - (s128)v->base * ops->other;

	return (double)d / ((double)ops->base * (double)ops->other);
}

static void group_finish(struct explanation_group *g)
{
	for (size_t i = 0; i < g->n; i++) {
		free(g->rows[i].label);
		strv_finish(&g->rows[i].callers);
		free(g->rows[i].caller_counts);
	}
	free(g->rows);
	free(g->name);
	free(g->about);
}

void explanation_finish(struct explanation *e)
{
	for (size_t i = 0; i < e->n_groups; i++)
		group_finish(&e->groups[i]);
	for (size_t i = 0; i < e->n_classes; i++) {
		free(e->classes[i].kind);
		strv_finish(&e->classes[i].places);
		free(e->classes[i].place_counts);
	}
	free(e->groups);
	free(e->classes);
	free(e->workload);
	strv_finish(&e->warnings);
	*e = (struct explanation){ 0 };
}
