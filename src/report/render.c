/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/render.h"

#include "base/alloc.h"

static const struct report_ops *const formats[] = { &report_text, &report_json, &report_lkml };

const struct report_ops *report_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (str_equal(formats[i]->name, name))
			return formats[i];
	return NULL;
}
