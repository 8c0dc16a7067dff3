/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is a difference within a limit? For scripts that go on by the answer. */
#ifndef KTOLL_GATING_H
#define KTOLL_GATING_H

#include "model/result.h"

enum gate {
	GATE_WITHIN,    /* every pair, or the whole interval, costs at most the limit more */
	GATE_BEYOND,    /* every pair, or the whole interval, costs more than that */
	GATE_UNDECIDED, /* neither, or nothing that could be compared */
};

/* What costs less is within. `ret_reason`: one sentence, owned by the caller. */
enum gate gating_counts(const struct result_comparison *c, double limit, char **ret_reason);
enum gate gating_times(const struct clocked_comparison *c, double limit, char **ret_reason);

#endif
