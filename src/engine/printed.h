/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what a program printed in one run to figures, or to why the run failed. */
#ifndef KTOLL_PRINTED_H
#define KTOLL_PRINTED_H

#include <stdint.h>

#include "base/error.h"
#include "model/workload.h"
#include "readers/readings.h"

/*
 * `ops` is what the plan says, and becomes what was done where the program tells that. -EBADMSG if
 * the output says that the run failed, is another program's, or lacks a figure. readings_finish()
 * in any case.
 */
int printed_read(const struct workload *w, const char *output, struct readings *ret, uint64_t *ops,
		 struct error *err);

#endif
