/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/embedded.h"
#include "model/workloaddef.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/yamlkeys.h"

#define DEFAULT_TIMEOUT_S 60
#define MAX_TIMEOUT_S 3600
#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyz0123456789-_"

/* ---- the files in this program: model/embedded.S ---- */

extern const struct embedded embed_workloads[], embed_workloads_end[];

const char *workload_builtin(size_t i, const char **ret_text, size_t *ret_bytes)
{
	const struct embedded *e = &embed_workloads[i];

	if (e >= embed_workloads_end)
		return NULL;
	*ret_text = e->text;
	*ret_bytes = (size_t)(e->end - e->text);
	return e->name;
}

/* ---- parsing ---- */

/*
 * regcomp() takes memory for each repetition and stack for each level, without a limit. What is wanted of an expression here
 * is a word or two that a program says when it fails.
 */
#define MAX_EXPRESSION 200
#define MAX_DEPTH      10
#define MAX_REPEATED   1000
static const char *too_much_of(const char *expression)
{
	unsigned depth = 0;
	uint64_t repeated = 1;

	if (strlen(expression) > MAX_EXPRESSION)
		return "longer than 200 bytes";
	for (const char *c = expression; *c; c++) {
		if (*c == '\\') {
			if (c[1] >= '1' && c[1] <= '9')
				return "it refers back to a group, which can take for ever";
			c += c[1] != '\0';
		} else if (*c == '(' && ++depth > MAX_DEPTH) {
			return "more than 10 parentheses in each other";
		} else if (*c == ')') {
			depth -= depth > 0;
		} else if (*c == '{') {
			uint64_t most = 0;

			/* Both numbers, and those of all others: whether they are in each other does not matter. */
			for (const char *d = c + 1; *d && *d != '}'; d += strspn(d, "0123456789"), d += *d == ',') {
				uint64_t n = strtoul(d, NULL, 10);

				most = n > most ? n : most;
				if (!strchr("0123456789,", *d))
					break;
			}
			repeated *= most ? most : 1;
			if (most > MAX_REPEATED || repeated > MAX_REPEATED)
				return "more than 1,000 repetitions together";
		}
	}
	return NULL;
}

static int take_failures(const struct yamlkeys *d, const struct yaml_node *n, void *to)
{
	struct strv *list = to;
	int r = yamlkeys_take_list(d, n, to);

	for (size_t i = 0; r == 0 && i < list->n; i++) {
		const char *too_much = too_much_of(list->v[i]);
		char why[200];
		regex_t re;
		int rc;

		if (too_much)
			return yaml_blame(d->yaml, yaml_item(n, i), d->err, "%.60s: %s", list->v[i], too_much);
		rc = regcomp(&re, list->v[i], REG_EXTENDED | REG_NEWLINE);

		if (rc) {
			regerror(rc, &re, why, sizeof(why));
			return yaml_blame(d->yaml, yaml_item(n, i), d->err, "%s: %s", list->v[i], why);
		}
		regfree(&re);
	}
	return r;
}

static int take_port(const struct yamlkeys *d, const struct yaml_node *n, void *to)
{
	uint64_t port = 0;
	int r = yamlkeys_number(d, n, 1, UINT16_MAX, &port);

	if (r == 0)
		*(uint16_t *)to = (uint16_t)port;
	return r;
}

static int take_timeout(const struct yamlkeys *d, const struct yaml_node *n, void *to)
{
	return yamlkeys_number(d, n, 1, MAX_TIMEOUT_S, to);
}

static int take_files(const struct yamlkeys *d, const struct yaml_node *n, void *to)
{
	struct workload_def *def = d->data;

	(void)to;
	if (yaml_kind(n) != YAML_MAPPING)
		return yaml_blame(d->yaml, n, d->err, "paths with their contents are wanted");
	for (size_t i = 0; i < yaml_count(n); i++) {
		_cleanup_free_ char *path = yaml_text(yaml_key(n, i)), *text = yaml_text(yaml_item(n, i));

		if (!path || strstr(path, "/../") || (*path == '/' ? !path[1] : !*path || strchr(path, '/')))
			return yaml_blame(d->yaml, yaml_key(n, i), d->err,
					  "a path in the guest is wanted, from / on");
		if (!text)
			return yaml_blame(d->yaml, yaml_item(n, i), d->err, "a text is wanted");
		*ARRAY_ADD(def->files, def->n_files, def->cap_files) = (struct workload_file){
			.path = TAKE_PTR(path),
			.text = text,
			.n_bytes = strlen(text),
			.mode = str_has_prefix(text, "#!") ? 0755 : 0644,
		};
		text = NULL;
	}
	return 0;
}

/* ---- parameters ---- */

static int take_values(const struct yamlkeys *d, const struct yaml_node *n, void *to)
{
	struct workload_param *p = to;

	if (yaml_kind(n) != YAML_MAPPING || !yaml_count(n))
		return yaml_blame(d->yaml, n, d->err, "words with what they become are wanted");
	for (size_t i = 0; i < yaml_count(n); i++) {
		_cleanup_free_ char *word = yaml_text(yaml_key(n, i)), *text = yaml_text(yaml_item(n, i));

		if (!word || !*word || word[strspn(word, NAME_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] || !text)
			return yaml_blame(d->yaml, yaml_key(n, i), d->err,
					  "a word with what it becomes is wanted");
		strv_add(&p->words, word);
		strv_add(&p->texts, text);
	}
	return 0;
}

static int take_steps(const struct yamlkeys *d, const struct yaml_node *n, void *to)
{
	struct workload_param *p = to;
	int r = 0;

	if (yaml_kind(n) != YAML_SEQUENCE)
		return yaml_blame(d->yaml, n, d->err, "a list of numbers is wanted");
	for (size_t i = 0; r == 0 && i < yaml_count(n); i++) {
		uint64_t least = p->n_steps ? p->steps[p->n_steps - 1] + 1 : 0, v = 0;

		r = yamlkeys_number(d, yaml_item(n, i), least, UINT32_MAX, &v);
		if (r == 0)
			*ARRAY_ADD(p->steps, p->n_steps, p->cap_steps) = v;
	}
	return r;
}

#define PARAM(field) offsetof(struct workload_param, field)
static const struct yamlkey param_keys[] = {
	{ "default", yamlkeys_take_text, PARAM(value) },    { "values", take_values, 0 },
	{ "min", yamlkeys_take_number, PARAM(min) },        { "max", yamlkeys_take_number, PARAM(max) },
	{ "steps", take_steps, 0 },                { "positional", yamlkeys_take_bool, PARAM(is_positional) },
};

static void param_finish(struct workload_param *p)
{
	free(p->name);
	free(p->value);
	strv_finish(&p->words);
	strv_finish(&p->texts);
	free(p->steps);
}

static int check_param(const struct yamlkeys *d, const struct yaml_node *n, struct workload_param *p)
{
	uint64_t v;

	if (!p->value)
		return yaml_blame(d->yaml, n, d->err, "%s: a default is wanted", p->name);
	if (p->words.n && !strv_has(&p->words, p->value))
		return yaml_blame(d->yaml, n, d->err, "%s: the default is none of its values", p->name);
	p->is_number = !p->words.n && str_to_u64(p->value, 0, UINT64_MAX, &v) == 0;
	if (p->is_number && (v < p->min || v > p->max))
		return yaml_blame(d->yaml, n, d->err, "%s: the default is not between min and max", p->name);
	return 0;
}

static int take_params(const struct yamlkeys *d, const struct yaml_node *n, void *to)
{
	struct workload_def *def = d->data;
	int r = 0;

	(void)to;
	if (yaml_kind(n) != YAML_MAPPING)
		return yaml_blame(d->yaml, n, d->err, "parameters with their defaults are wanted");
	for (size_t i = 0; r == 0 && i < yaml_count(n); i++) {
		struct workload_param *p = ARRAY_ADD(def->params, def->n_params, def->cap_params);
		const struct yaml_node *v = yaml_item(n, i);

		p->name = yaml_text(yaml_key(n, i));
		p->max = UINT32_MAX;
		if (!p->name || !*p->name || p->name[strspn(p->name, NAME_LETTERS)])
			return yaml_blame(d->yaml, yaml_key(n, i), d->err,
					  "a parameter's name is of lower-case letters, digits, - and _");
		r = yaml_kind(v) == YAML_MAPPING ?
			    yamlkeys_take_mapping(d, v, p->name, param_keys, ARRAY_SIZE(param_keys), p) :
			    yamlkeys_take_text(d, v, &p->value);
		if (r == 0)
			r = check_param(d, v, p);
	}
	return r;
}

/* ---- the size ---- */

static int take_method(const struct yamlkeys *d, const struct yaml_node *n, void *to)
{
	_cleanup_free_ char *text = yaml_text(n);

	if (str_equal(text, "two-sizes"))
		*(enum workload_method *)to = WORKLOAD_TWO_SIZES;
	else if (str_equal(text, "same-size"))
		*(enum workload_method *)to = WORKLOAD_SAME_SIZE;
	else
		return yaml_blame(d->yaml, n, d->err, "two-sizes or same-size is wanted");
	return 0;
}

static int take_sizes(const struct yamlkeys *d, const struct yaml_node *n, void *to)
{
	uint64_t *sizes = to;
	int r;

	if (yaml_kind(n) == YAML_SCALAR)
		return yamlkeys_number(d, n, 1, UINT32_MAX, &sizes[0]);
	if (yaml_count(n) != 2)
		return yaml_blame(d->yaml, n, d->err, "one number or a list of two is wanted");
	r = yamlkeys_number(d, yaml_item(n, 0), 1, UINT32_MAX, &sizes[0]);
	return r < 0 ? r : yamlkeys_number(d, yaml_item(n, 1), sizes[0] + 1, UINT32_MAX, &sizes[1]);
}

static int take_clock_size(const struct yamlkeys *d, const struct yaml_node *n, void *to)
{
	return yamlkeys_number(d, n, 1, UINT32_MAX, to);
}

#define DEF(field) offsetof(struct workload_def, field)
static const struct yamlkey size_keys[] = {
	{ "parameter", yamlkeys_take_text, DEF(size) },
	{ "method", take_method, DEF(method) },
	{ "default", take_sizes, DEF(sizes) },
	{ "clock", take_clock_size, DEF(clock_size) },
};

static int take_size(const struct yamlkeys *d, const struct yaml_node *n, void *to)
{
	struct workload_def *def = d->data;
	int r;

	(void)to;
	r = yamlkeys_take_mapping(d, n, "size", size_keys, ARRAY_SIZE(size_keys), def);
	if (r < 0)
		return r;
	if (!def->size || def->size[strspn(def->size, NAME_LETTERS)])
		return yaml_blame(d->yaml, n, d->err, "size: the name of a parameter is wanted");
	if (!def->sizes[0] || !def->sizes[1] != (def->method == WORKLOAD_SAME_SIZE))
		return yaml_blame(d->yaml, n, d->err,
				  "size: default is [A, B] with method two-sizes, and one number with same-size");
	return 0;
}

/* ---- the whole ---- */

static const struct yamlkey keys[] = {
	{ "about", yamlkeys_take_text, DEF(about) },       { "packages", yamlkeys_take_list, DEF(packages) },
	{ "host-files", yamlkeys_take_list, DEF(host_files) }, { "files", take_files, 0 },
	{ "parameters", take_params, 0 },         { "size", take_size, 0 },
	{ "setup", yamlkeys_take_any_text, DEF(setup) },   { "server", yamlkeys_take_text, DEF(server) },
	{ "after", yamlkeys_take_text, DEF(after) },       { "once", yamlkeys_take_bool, DEF(is_once) },
	{ "clock-only", yamlkeys_take_bool, DEF(is_clock_only) },
	{ "kernel-options", yamlkeys_take_list, DEF(options) },
	{ "kernel-params", yamlkeys_take_list, DEF(kernel_params) },
	{ "port", take_port, DEF(port) },         { "run", yamlkeys_take_text, DEF(run) },
	{ "ops", yamlkeys_take_text, DEF(ops) },           { "unit", yamlkeys_take_text, DEF(unit) },
	{ "reader", yamlkeys_take_text, DEF(reader) },     { "failures", take_failures, DEF(failures) },
	{ "timeout", take_timeout, DEF(timeout_s) },
};

static int check_def(const struct yamlkeys *d, const struct yaml_node *root)
{
	struct workload_def *def = d->data;

	if (!def->about || !def->run || !def->unit || !def->ops)
		return yaml_blame(d->yaml, root, d->err, "about, run, ops and unit are wanted");
	if (def->is_once && def->method == WORKLOAD_TWO_SIZES)
		return yaml_blame(d->yaml, root, d->err, "once: it cannot be run at two sizes");
	if (!def->size)
		def->method = WORKLOAD_SAME_SIZE;
	for (size_t i = 0; i < def->n_params; i++)
		if (str_equal(def->params[i].name, def->size))
			return yaml_blame(d->yaml, root, d->err,
					  "%s is a parameter and the size: name it under size only",
					  def->size);
	return 0;
}

int workload_def_parse(const char *file, const char *text, size_t n_bytes, struct workload_def *ret,
		       struct error *err)
{
	struct workload_def def = { .timeout_s = DEFAULT_TIMEOUT_S };
	_cleanup_yaml_ struct yaml *yaml = NULL;
	struct yamlkeys d = { .err = err, .data = &def };
	int r = yaml_parse(file, text, n_bytes, &yaml, err);

	if (r < 0)
		return r;
	d.yaml = yaml;
	r = yamlkeys_take_mapping(&d, yaml_root(yaml), "a workload", keys, ARRAY_SIZE(keys), &def);
	if (r == 0)
		r = check_def(&d, yaml_root(yaml));
	if (r < 0)
		workload_def_finish(&def);
	else
		*ret = def;
	return r;
}

void workload_def_finish(struct workload_def *d)
{
	char *texts[] = { d->about, d->unit, d->ops, d->setup, d->server, d->after, d->run, d->reader, d->size };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		free(texts[i]);
	strv_finish(&d->packages);
	strv_finish(&d->host_files);
	strv_finish(&d->failures);
	strv_finish(&d->options);
	strv_finish(&d->kernel_params);
	workload_files_free(d->files, d->n_files);
	for (size_t i = 0; i < d->n_params; i++)
		param_finish(&d->params[i]);
	free(d->params);
	*d = (struct workload_def){ 0 };
}
