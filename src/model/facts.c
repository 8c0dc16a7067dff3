/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/facts.h"

#include <string.h>

void facts_add(struct facts *f, const char *key, const char *value)
{
	strv_add(&f->keys, key);
	strv_add(&f->values, value);
}

const char *facts_get(const struct facts *f, const char *key)
{
	for (size_t i = 0; i < f->keys.n; i++)
		if (strcmp(f->keys.v[i], key) == 0)
			return f->values.v[i];
	return NULL;
}

const char *facts_text(const struct facts *f, const char *key)
{
	const char *value = facts_get(f, key);

	return value ? value : "?";
}

void facts_finish(struct facts *f)
{
	strv_finish(&f->keys);
	strv_finish(&f->values);
}
