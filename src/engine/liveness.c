/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/liveness.h"

void liveness_reported(struct liveness_state *s)
{
	s->reported_cpu_ms = s->cpu_ms;
}

enum liveness liveness_look(struct liveness_state *s, const struct proctime *now, uint64_t budget_ms, uint64_t n_patience)
{
	s->n_still = now->cpu_ms > s->cpu_ms ? 0 : s->n_still + 1;
	s->cpu_ms = now->cpu_ms;
	if (s->n_still >= n_patience)
		return now->wants_cpu ? LIVENESS_STARVED : LIVENESS_ASLEEP;
	return s->cpu_ms - s->reported_cpu_ms >= budget_ms ? LIVENESS_SILENT : LIVENESS_GOOD;
}
