/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/series.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"

const char *better_name(enum better b)
{
	return b == BETTER_LOWER ? "lower" : b == BETTER_HIGHER ? "higher" : NULL;
}

struct series *series_of(struct series_list *l, const char *side, const char *metric)
{
	struct series *s;

	/* The last one is mostly it. */
	for (size_t i = l->n; i-- > 0;)
		if (str_equal(l->v[i].metric, metric) && (side ? str_equal(l->v[i].side, side) : !l->v[i].side))
			return &l->v[i];
	s = ARRAY_ADD(l->v, l->n, l->cap);
	*s = (struct series){ .side = side ? xstrdup(side) : NULL, .metric = xstrdup(metric),
			      .unit = xstrdup(""), .sd = NAN, .printed_change = NAN };
	return s;
}

void series_add(struct series *s, double value)
{
	*ARRAY_ADD(s->values, s->n, s->cap) = value;
}

/* FNV-1a: groups only have to be told apart. */
static uint32_t hash(const char *s)
{
	uint32_t h = 0x811c9dc5;

	for (; *s; s++)
		h = (h ^ (uint8_t)*s) * 0x01000193;
	return h;
}

void series_add_in(struct series *s, double value, const char *level, const char *group)
{
	series_add(s, value);
	if (!s->level)
		s->level = xstrdup(level);
	*ARRAY_ADD(s->groups, s->n_groups, s->cap_groups) = hash(group);
}

void series_list_finish(struct series_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].side);
		free(l->v[i].metric);
		free(l->v[i].unit);
		free(l->v[i].values);
		free(l->v[i].level);
		free(l->v[i].groups);
	}
	free(l->v);
	free(l->note);
	*l = (struct series_list){ 0 };
}
