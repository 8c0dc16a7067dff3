/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/yamlkeys.h"

#include <stdlib.h>

#include "base/alloc.h"

int yamlkeys_take_mapping(const struct yamlkeys *d, const struct yaml_node *n, const char *what,
			  const struct yamlkey *keys, size_t n_keys, void *to)
{
	if (!n || yaml_kind(n) != YAML_MAPPING)
		return yaml_blame(d->yaml, n, d->err, "%s: keys with values are wanted", what);
	for (size_t i = 0; i < yaml_count(n); i++) {
		_cleanup_free_ char *name = yaml_text(yaml_key(n, i));
		_cleanup_str_ struct str known = STR_INIT;
		size_t k = 0;
		int r;

		for (; k < n_keys && !str_equal(keys[k].name, name); k++)
			str_addf(&known, "%s%s", k ? ", " : "", keys[k].name);
		if (k == n_keys)
			return yaml_blame(d->yaml, yaml_key(n, i), d->err, "%s: unknown key %s; known: %s", what,
					  name ? name : "", str_text(&known));
		r = keys[k].take(d, yaml_item(n, i), (char *)to + keys[k].at);
		if (r < 0)
			return r;
	}
	return 0;
}

int yamlkeys_take_text(const struct yamlkeys *d, const struct yaml_node *n, void *to)
{
	char *text = yaml_text(n), **at = to;

	if (!text || !*text) {
		free(text);
		return yaml_blame(d->yaml, n, d->err, "a text is wanted");
	}
	free(*at);
	*at = text;
	return 0;
}

int yamlkeys_take_any_text(const struct yamlkeys *d, const struct yaml_node *n, void *to)
{
	char *text = yaml_text(n), **at = to;

	if (!text)
		return yaml_blame(d->yaml, n, d->err, "a text is wanted");
	free(*at);
	*at = text;
	return 0;
}

int yamlkeys_take_list(const struct yamlkeys *d, const struct yaml_node *n, void *to)
{
	int r = 0;

	if (yaml_kind(n) != YAML_SEQUENCE)
		return yaml_blame(d->yaml, n, d->err, "a list is wanted: [a, b]");
	for (size_t i = 0; r == 0 && i < yaml_count(n); i++) {
		_cleanup_free_ char *text = NULL;

		r = yamlkeys_take_text(d, yaml_item(n, i), &text);
		if (r == 0)
			strv_add(to, text);
	}
	return r;
}

int yamlkeys_number(const struct yamlkeys *d, const struct yaml_node *n, uint64_t min, uint64_t max, uint64_t *ret)
{
	_cleanup_free_ char *text = yaml_text(n);

	if (!text || str_to_u64(text, min, max, ret) < 0)
		return yaml_blame(d->yaml, n, d->err, "a number from %llu to %llu is wanted",
				  (unsigned long long)min, (unsigned long long)max);
	return 0;
}

int yamlkeys_take_number(const struct yamlkeys *d, const struct yaml_node *n, void *to)
{
	return yamlkeys_number(d, n, 0, UINT32_MAX, to);
}

int yamlkeys_take_bool(const struct yamlkeys *d, const struct yaml_node *n, void *to)
{
	_cleanup_free_ char *text = yaml_text(n);

	if (!str_equal(text, "true") && !str_equal(text, "false"))
		return yaml_blame(d->yaml, n, d->err, "true or false is wanted");
	*(bool *)to = *text == 't';
	return 0;
}
