/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/knowncosts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "sys/yaml.h"

#define FILE_NAME "options.yaml"

extern const char options_yaml[], options_yaml_end[];

static void cost_finish(struct known_cost *c)
{
	free(c->option);
	free(c->cost);
	free(c->source);
}

void known_costs_finish(struct known_costs *k)
{
	for (size_t i = 0; i < k->n; i++)
		cost_finish(&k->v[i]);
	free(k->v);
	*k = (struct known_costs){ 0 };
}

const struct known_cost *known_costs_find(const struct known_costs *k, const char *option)
{
	if (str_has_prefix(option, "CONFIG_"))
		option += strlen("CONFIG_");
	for (size_t i = 0; i < k->n; i++)
		if (strcmp(k->v[i].option, option) == 0)
			return &k->v[i];
	return NULL;
}

/* ---- an entry ---- */

struct document {
	const struct yaml *yaml;
	struct known_costs *costs;
	struct error *err;
};

static const char *const keys[] = { "option", "costs", "severity", "cost", "source" };

static int check_keys(const struct document *d, const struct yaml_node *entry)
{
	if (!entry || yaml_kind(entry) != YAML_MAPPING)
		return yaml_blame(d->yaml, entry, d->err, "an entry is wanted: option, costs, "
				  "severity, cost, source");
	for (size_t i = 0; i < yaml_count(entry); i++) {
		const struct yaml_node *key = yaml_key(entry, i);
		_cleanup_free_ char *name = yaml_text(key);
		bool is_known = false;

		for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
			is_known |= str_equal(name, keys[k]);
		if (!is_known)
			return yaml_blame(d->yaml, key ? key : entry, d->err,
					  "unknown key %s; known: option, costs, severity, cost, source",
					  name ? name : "");
	}
	return 0;
}

/* The text of a key that has to be there, owned. */
static int get_text(const struct document *d, const struct yaml_node *entry, const char *key,
		    char **ret)
{
	const struct yaml_node *n = yaml_get(entry, key);
	_cleanup_free_ char *text = n ? yaml_text(n) : NULL;

	if (!text || !*text)
		return yaml_blame(d->yaml, n ? n : entry, d->err, "%s: a text is wanted", key);
	*ret = TAKE_PTR(text);
	return 0;
}

/* One of `words`: its place among them. */
static int get_word(const struct document *d, const struct yaml_node *entry, const char *key,
		    const char *const *words, size_t n_words, size_t *ret)
{
	_cleanup_free_ char *text = NULL;
	struct str known = STR_INIT;
	int r = get_text(d, entry, key, &text);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n_words; i++) {
		if (strcmp(text, words[i]) == 0) {
			str_finish(&known);
			*ret = i;
			return 0;
		}
		str_addf(&known, "%s%s", i ? ", " : "", words[i]);
	}
	r = yaml_blame(d->yaml, yaml_get(entry, key), d->err, "%s is one of %s", key,
		       str_text(&known));
	str_finish(&known);
	return r;
}

static void put(struct known_costs *k, const char *option, const struct known_cost *c)
{
	struct known_cost *to = (struct known_cost *)known_costs_find(k, option);

	if (to)
		cost_finish(to);
	else
		to = ARRAY_ADD(k->v, k->n, k->cap);
	*to = *c;
	to->option = xstrdup(option);
	to->cost = xstrdup(c->cost);
	to->source = xstrdup(c->source);
}

static int put_named(const struct document *d, const struct yaml_node *name,
		     const struct known_cost *c)
{
	_cleanup_free_ char *text = name ? yaml_text(name) : NULL;
	const char *option = text && str_has_prefix(text, "CONFIG_") ? text + strlen("CONFIG_") : text;

	if (!option || !*option ||
	    option[strspn(option, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")])
		return yaml_blame(d->yaml, name, d->err, "option: the name of an option is wanted");
	put(d->costs, option, c);
	return 0;
}

static int add_entry(const struct document *d, const struct yaml_node *entry)
{
	static const char *const directions[] = { "on", "off" };
	static const char *const severities[] = { "low", "medium", "high" };
	_cleanup_free_ char *cost = NULL, *source = NULL;
	const struct yaml_node *names;
	size_t direction = 0, severity = 0;
	int r = check_keys(d, entry);

	if (r == 0)
		r = get_word(d, entry, "costs", directions, ARRAY_SIZE(directions), &direction);
	if (r == 0)
		r = get_word(d, entry, "severity", severities, ARRAY_SIZE(severities), &severity);
	if (r == 0)
		r = get_text(d, entry, "cost", &cost);
	if (r == 0)
		r = get_text(d, entry, "source", &source);
	if (r < 0)
		return r;
	const struct known_cost c = { .costs_off = direction == 1,
				      .severity = SEVERITY_LOW + (enum severity)severity,
				      .cost = cost,
				      .source = source };

	names = yaml_get(entry, "option");
	if (!names)
		return yaml_blame(d->yaml, entry, d->err, "option: the name of an option is wanted");
	if (yaml_kind(names) != YAML_SEQUENCE)
		return put_named(d, names, &c);
	for (size_t i = 0; r == 0 && i < yaml_count(names); i++)
		r = put_named(d, yaml_item(names, i), &c);
	return r;
}

int known_costs_parse(struct known_costs *k, const char *file, const char *text, size_t n_bytes,
		      struct error *err)
{
	_cleanup_yaml_ struct yaml *y = NULL;
	const struct yaml_node *root;
	int r = yaml_parse(file, text, n_bytes, &y, err);

	if (r < 0)
		return r;
	struct document d = { y, k, err };

	root = yaml_root(y);
	if (!root)
		return 0;
	if (yaml_kind(root) != YAML_SEQUENCE)
		return yaml_blame(y, root, err, "a list of options is wanted");
	for (size_t i = 0; r == 0 && i < yaml_count(root); i++)
		r = add_entry(&d, yaml_item(root, i));
	return r;
}

/* ---- from where ---- */

static int load_user(struct known_costs *k, struct error *err)
{
	_cleanup_free_ char *dir = NULL, *path = NULL, *text = NULL;
	size_t n;
	int r;

	/* Without a home there is no file of the user's. */
	if (dir_config(&dir, NULL) < 0)
		return 0;
	path = path_join(dir, FILE_NAME);
	if (!file_exists(path))
		return 0;
	r = file_read(path, &text, &n, err);
	return r < 0 ? r : known_costs_parse(k, path, text, n, err);
}

int known_costs_load(struct known_costs *ret, struct error *err)
{
	struct known_costs k = { 0 };
	int r = known_costs_parse(&k, FILE_NAME, options_yaml,
				  (size_t)(options_yaml_end - options_yaml), err);

	if (r == 0)
		r = load_user(&k, err);
	if (r < 0) {
		known_costs_finish(&k);
		return r;
	}
	*ret = k;
	return 0;
}
