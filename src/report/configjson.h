/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The difference of two configs in the schema ktoll/diffconfig/1: keys are only ever added. */
#ifndef KTOLL_CONFIGJSON_H
#define KTOLL_CONFIGJSON_H

#include "base/str.h"
#include "model/configdiff.h"

void configjson_add(const struct configdiff *d, const char *tool_version, struct str *out);

#endif
