/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/sitting.h"

#include <string.h>

#include "base/alloc.h"

struct block *sitting_add_block(struct sitting *s)
{
	struct block *b = ARRAY_ADD(s->blocks, s->n_blocks, s->cap_blocks);

	*b = (struct block){ 0 };
	return b;
}

void block_add_figure(struct block *b, enum figure_kind kind, const char *name, const char *unit,
		      bool is_higher_better, double value)
{
	*ARRAY_ADD(b->figures, b->n_figures, b->cap_figures) =
		(struct figure){ kind, xstrdup(name), xstrdup(unit), is_higher_better, value };
}

const struct figure *block_metric(const struct block *b)
{
	for (size_t i = 0; i < b->n_figures; i++)
		if (b->figures[i].kind == FIGURE_METRIC)
			return &b->figures[i];
	return NULL;
}

const struct figure *block_counter(const struct block *b, const char *name)
{
	for (size_t i = 0; i < b->n_figures; i++)
		if (b->figures[i].kind == FIGURE_COUNTER && strcmp(b->figures[i].name, name) == 0)
			return &b->figures[i];
	return NULL;
}

static void block_finish(struct block *b)
{
	for (size_t i = 0; i < b->n_figures; i++) {
		free(b->figures[i].name);
		free(b->figures[i].unit);
	}
	free(b->figures);
	free(b->workload);
}

void sitting_finish(struct sitting *s)
{
	for (size_t i = 0; i < s->n_blocks; i++)
		block_finish(&s->blocks[i]);
	free(s->blocks);
	free(s->boot);
	facts_finish(&s->facts);
	*s = (struct sitting){ 0 };
}
