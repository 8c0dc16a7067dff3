/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a result and the study that stands in its record to published and measured beside each other. */
#ifndef KTOLL_EXPLAIN_STUDIED_H
#define KTOLL_EXPLAIN_STUDIED_H

#include "base/error.h"
#include "model/result.h"
#include "model/studied.h"

/* NULL in `ret` for a record without a study. The study's text is a record's: -EINVAL where it is none. */
int studied_make(const struct result *r, struct studied **ret, struct error *err);

#endif
