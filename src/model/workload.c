/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/workload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "model/workloaddef.h"

#define SIZE_MARK "{size}"
/* A range without steps is all the numbers in it, if they are not too many. */
#define MAX_SWEEP 64
/* Of `cmd:` with {n}. */
#define COMMAND_SIZE 1000
#define COMMAND_TIMEOUT_S 60

/* ---- words ---- */

int workload_words(const char *run, uint64_t size, struct strv *ret, struct error *err)
{
	_cleanup_str_ struct str word = STR_INIT;
	size_t before = ret->n;
	bool is_word = false;
	char quote = 0;

	for (const char *c = run; *c; c++) {
		if (str_has_prefix(c, SIZE_MARK)) {
			str_addf(&word, "%llu", (unsigned long long)size);
			c += strlen(SIZE_MARK) - 1;
			is_word = true;
		} else if (quote ? *c == quote : *c == '\'' || *c == '"') {
			quote = quote ? 0 : *c;
			is_word = true;
		} else if (*c == '\\' && c[1] && quote != '\'') {
			str_add_bytes(&word, ++c, 1);
			is_word = true;
		} else if (!quote && strchr(" \t\n", *c)) {
			if (is_word)
				strv_add(ret, str_text(&word));
			str_finish(&word);
			word = STR_INIT;
			is_word = false;
		} else {
			str_add_bytes(&word, c, 1);
			is_word = true;
		}
	}
	if (quote)
		return error_set(err, EINVAL, "a quote without an end: %s", run);
	if (is_word)
		strv_add(ret, str_text(&word));
	return ret->n > before ? 0 : error_set(err, EINVAL, "there is no command in: '%s'", run);
}

/* ---- what the command line says ---- */

/* Parameters as they are asked for: `key` NULL for the one without a name. */
struct asked {
	char *key, *value;
};

struct request {
	const char *text; /* as given */
	char *file;       /* "hackbench", or a path */
	struct asked *asked;
	size_t n, cap;
	struct workload_def def;
	/* Values of def.params, and the sizes. */
	char **values;
	uint64_t sizes[2];
};

static void request_finish(struct request *q)
{
	for (size_t i = 0; i < q->n; i++) {
		free(q->asked[i].key);
		free(q->asked[i].value);
	}
	free(q->asked);
	for (size_t i = 0; q->values && i < q->def.n_params; i++)
		free(q->values[i]);
	free(q->values);
	free(q->file);
	workload_def_finish(&q->def);
}

static int usage(const struct request *q, struct error *err, const char *what, const char *known)
{
	return error_blame(err, ERROR_USAGE, EINVAL, "-w %s: %s%s", q->text, what, known);
}

static bool is_path(const char *s)
{
	return strchr(s, '/') || str_has_suffix(s, ".yaml");
}

/* NAME[:PARAMETERS]; of a path the colon is the first one behind ".yaml". */
static int split(struct request *q, struct error *err)
{
	const char *suffix = strstr(q->text, ".yaml"), *colon = strchr(suffix ? suffix : q->text, ':');
	_cleanup_free_ char *params = xstrdup(colon ? colon + 1 : "");
	char *next = params, *one;

	q->file = colon ? xstrndup(q->text, (size_t)(colon - q->text)) : xstrdup(q->text);
	while (*params && (one = strsep(&next, ","))) {
		struct asked *a = ARRAY_ADD(q->asked, q->n, q->cap);
		char *eq = strchr(one, '=');

		a->key = eq ? xstrndup(one, (size_t)(eq - one)) : NULL;
		a->value = xstrdup(eq ? eq + 1 : one);
		if (!*a->value)
			return usage(q, err, "a parameter without a value", "");
	}
	return 0;
}

static int load(struct request *q, struct error *err)
{
	_cleanup_str_ struct str known = STR_INIT;
	_cleanup_free_ char *owned = NULL;
	const char *text, *name;
	size_t n;
	int r;

	if (is_path(q->file)) {
		r = file_read(q->file, &owned, &n, err);
		return r < 0 ? r : workload_def_parse(q->file, owned, n, &q->def, err);
	}
	for (size_t i = 0; (name = workload_builtin(i, &text, &n)); i++) {
		if (strcmp(name, q->file) == 0)
			return workload_def_parse(name, text, n, &q->def, err);
		str_addf(&known, "%s%s", i ? ", " : "", name);
	}
	return usage(q, err, "no operation (ktoll list workloads), no program and no file; programs: ",
		     str_text(&known));
}

/* ---- values ---- */

static char *known_params(const struct workload_def *d)
{
	struct str s = STR_INIT;

	for (size_t i = 0; i < d->n_params; i++)
		str_addf(&s, "%s%s", s.len ? ", " : "", d->params[i].name);
	if (d->size)
		str_addf(&s, "%s%s", s.len ? ", " : "", d->size);
	return str_take(&s);
}

/* The place of a parameter; n_params for the size; -EINVAL. */
static int find_param(const struct request *q, const struct asked *a, size_t *ret, struct error *err)
{
	const struct workload_def *d = &q->def;
	_cleanup_free_ char *known = NULL, *what = NULL;

	for (*ret = 0; *ret < d->n_params; (*ret)++)
		if (a->key ? strcmp(d->params[*ret].name, a->key) == 0 : d->params[*ret].is_positional)
			return 0;
	if (a->key && d->size && strcmp(a->key, d->size) == 0)
		return 0;
	known = known_params(d);
	what = a->key ? xasprintf("%s is no parameter of it; known: ", a->key) :
			xasprintf("%s is no NAME=VALUE; names: ", a->value);
	return usage(q, err, what, *known ? known : "none");
}

static int check_value(const struct request *q, const struct workload_param *p, const char *value,
		       struct error *err)
{
	_cleanup_free_ char *what = NULL, *known = NULL;
	uint64_t v;

	if (p->words.n) {
		if (strv_has(&p->words, value))
			return 0;
		known = strv_join(&p->words, ", ");
		what = xasprintf("%s is one of: ", p->name);
		return usage(q, err, what, known);
	}
	if (p->is_number) {
		if (str_to_u64(value, p->min, p->max, &v) == 0)
			return 0;
		what = xasprintf("%s is a number from %llu to %llu", p->name,
				 (unsigned long long)p->min, (unsigned long long)p->max);
		return usage(q, err, what, "");
	}
	/* It ends up in a shell's command line. */
	if (value[strspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:/+-")]) {
		what = xasprintf("%s is a word of letters, digits and _.:/+-", p->name);
		return usage(q, err, what, "");
	}
	return 0;
}

/* "100", or "100/300" for both; of two sizes the second is twice the first. */
static int set_size(struct request *q, const char *value, struct error *err)
{
	bool has_two = q->def.method == WORKLOAD_TWO_SIZES;
	_cleanup_free_ char *first = xstrndup(value, strcspn(value, "/")), *what = NULL;
	const char *second = strchr(value, '/');

	q->sizes[1] = 0;
	if (str_to_u64(first, 1, UINT32_MAX / 2, &q->sizes[0]) == 0) {
		if (!second && has_two)
			q->sizes[1] = 2 * q->sizes[0];
		if (!second || (has_two && str_to_u64(second + 1, q->sizes[0] + 1, UINT32_MAX,
						      &q->sizes[1]) == 0))
			return 0;
	}
	what = xasprintf("%s is a number from 1 on%s", q->def.size,
			 has_two ? ", or two, the smaller one first: 100/300" : "");
	return usage(q, err, what, "");
}

static int set_value(struct request *q, size_t param, const char *value, struct error *err)
{
	int r;

	if (param == q->def.n_params)
		return set_size(q, value, err);
	r = check_value(q, &q->def.params[param], value, err);
	if (r == 0) {
		free(q->values[param]);
		q->values[param] = xstrdup(value);
	}
	return r;
}

static void set_defaults(struct request *q)
{
	q->values = xcalloc(q->def.n_params + 1, sizeof(*q->values));
	for (size_t i = 0; i < q->def.n_params; i++)
		q->values[i] = xstrdup(q->def.params[i].value);
	memcpy(q->sizes, q->def.sizes, sizeof(q->sizes));
	/* Something has to stand for it, if nothing scales. */
	if (!q->def.size)
		q->sizes[0] = 1;
}

/* ---- from values to a workload ---- */

/* What a parameter becomes in a command; NULL if there is none of that name. */
static const char *param_text(const struct request *q, const char *name, size_t n)
{
	for (size_t i = 0; i < q->def.n_params; i++) {
		const struct workload_param *p = &q->def.params[i];

		if (strlen(p->name) != n || memcmp(p->name, name, n) != 0)
			continue;
		for (size_t k = 0; k < p->words.n; k++)
			if (strcmp(p->words.v[k], q->values[i]) == 0)
				return p->texts.v[k];
		return q->values[i];
	}
	if (q->def.size && strlen(q->def.size) == n && memcmp(q->def.size, name, n) == 0)
		return SIZE_MARK;
	return NULL;
}

/* {NAME} of a parameter becomes its text; any other brace is left as it is. */
static char *filled(const struct request *q, const char *text)
{
	struct str s = STR_INIT;

	if (!text)
		return NULL;
	for (const char *c = text; *c; c++) {
		size_t n = *c == '{' ? strcspn(c + 1, "}") : 0;
		const char *value = n && c[n + 1] ? param_text(q, c + 1, n) : NULL;

		if (value)
			str_add(&s, value), c += n + 1;
		else
			str_add_bytes(&s, c, 1);
	}
	return str_take(&s) ?: xstrdup("");
}

/*
 * The product of numbers and parameters at a size: "groups * 400 * loops". One factor
 * may be a figure that the program prints: its name goes to `reading`.
 */
static int operations(const struct request *q, uint64_t size, uint64_t *ret, char **reading,
		      struct error *err)
{
	_cleanup_free_ char *copy = xstrdup(q->def.ops);
	char *next = copy, *factor;
	uint64_t ops = 1, v;

	while ((factor = strsep(&next, "*"))) {
		const char *text;

		factor += strspn(factor, " ");
		factor[strcspn(factor, " ")] = '\0';
		text = param_text(q, factor, strlen(factor));
		if (text && strcmp(text, SIZE_MARK) == 0)
			v = size;
		else if (!text && q->def.reader && *factor >= 'a' && (!*reading || strcmp(*reading, factor) == 0)) {
			free(*reading);
			*reading = xstrdup(factor);
			v = 1;
		} else if (str_to_u64(text ? text : factor, 1, UINT32_MAX, &v) < 0)
			return error_set(err, EINVAL,
					 "%s: ops is a product of numbers and parameters, and %s is none",
					 q->file, factor);
		if (__builtin_mul_overflow(ops, v, &ops))
			return error_set(err, EINVAL, "-w %s: too many operations", q->text);
	}
	*ret = ops;
	return 0;
}

/* The positional parameter, then what is not the default. */
static char *canonical_name(const struct request *q)
{
	const struct workload_def *d = &q->def;
	struct str s = STR_INIT;

	str_add(&s, q->file);
	for (size_t i = 0; i < d->n_params; i++) {
		const struct workload_param *p = &d->params[i];
		const char *separator = s.len == strlen(q->file) ? ":" : ",";

		if (p->is_positional)
			str_addf(&s, "%s%s", separator, q->values[i]);
		else if (strcmp(p->value, q->values[i]) != 0)
			str_addf(&s, "%s%s=%s", separator, p->name, q->values[i]);
	}
	if (d->size && memcmp(q->sizes, d->sizes, sizeof(q->sizes)) != 0) {
		str_addf(&s, "%s%s=%llu", s.len == strlen(q->file) ? ":" : ",", d->size,
			 (unsigned long long)q->sizes[0]);
		if (q->sizes[1] && q->sizes[1] != 2 * q->sizes[0])
			str_addf(&s, "/%llu", (unsigned long long)q->sizes[1]);
	}
	return str_take(&s);
}

/* Boot parameters are the same for all runs of a boot, so they may have the size in them. */
static void fill_params(const struct request *q, struct workload *w)
{
	for (size_t i = 0; i < q->def.kernel_params.n; i++) {
		_cleanup_free_ char *text = filled(q, q->def.kernel_params.v[i]);
		char *mark = strstr(text, SIZE_MARK);

		if (mark)
			strv_addf(&w->params, "%.*s%llu%s", (int)(mark - text), text,
				  (unsigned long long)q->sizes[0], mark + strlen(SIZE_MARK));
		else
			strv_add(&w->params, text);
	}
}

/* The names that a text has in braces must be there. Not a shell's: ${NAME}; not what has anything else in the braces. */
static int check_names(const struct request *q, const char *key, const char *text, struct error *err)
{
	for (const char *c = text; c && (c = strchr(c, '{')); c++) {
		size_t n = strspn(c + 1, "abcdefghijklmnopqrstuvwxyz0123456789_-");
		_cleanup_str_ struct str known = STR_INIT;

		if (!n || c[n + 1] != '}' || (c > text && c[-1] == '$') || (n == 3 && memcmp(c + 1, "dir", 3) == 0) ||
		    param_text(q, c + 1, n))
			continue;
		for (size_t i = 0; i < q->def.n_params; i++)
			str_addf(&known, ", %s", q->def.params[i].name);
		return error_blame(err, ERROR_USAGE, EINVAL,
				   "-w %s: in '%s', {%.*s} is no parameter; known: dir%s. Braces that are meant as such have a blank "
				   "inside", q->text, key, (int)n, c + 1, str_text(&known));
	}
	return 0;
}

static int instance(const struct request *q, struct workload *ret, struct error *err)
{
	const struct workload_def *d = &q->def;
	_cleanup_strv_ struct strv words = { 0 };
	struct workload w = {
		.name = canonical_name(q),
		.unit = xstrdup(d->unit),
		.port = d->port,
		.setup = filled(q, d->setup),
		.server = filled(q, d->server),
		.after = filled(q, d->after),
		.is_once = d->is_once,
		.is_clock_only = d->is_clock_only,
		.run = filled(q, d->run),
		.reader = d->reader ? xstrdup(d->reader) : NULL,
		.method = d->method,
		.sizes = { q->sizes[0], q->sizes[1] },
		.timeout_s = d->timeout_s,
		.n_files = d->n_files,
		.files = xcalloc(d->n_files + 1, sizeof(*w.files)),
	};
	const struct {
		const char *key, *text;
	} texts[] = { { "run", d->run }, { "setup", d->setup }, { "server", d->server }, { "after", d->after } };
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(texts); i++)
		r = check_names(q, texts[i].key, texts[i].text, err);
	strv_add_all(&w.packages, &d->packages);
	strv_add_all(&w.host_files, &d->host_files);
	strv_add_all(&w.failures, &d->failures);
	strv_add_all(&w.options, &d->options);
	fill_params(q, &w);
	for (size_t i = 0; i < d->n_files; i++) {
		w.files[i] = d->files[i];
		w.files[i].path = xstrdup(d->files[i].path);
		w.files[i].text = filled(q, d->files[i].text);
		w.files[i].n_bytes = strlen(w.files[i].text);
	}
	for (size_t i = 0; r == 0 && i < 2 && w.sizes[i]; i++)
		r = operations(q, w.sizes[i], &w.ops[i], &w.ops_reading, err);
	/* What was asked for holds for all engines. */
	w.clock_size = d->clock_size && memcmp(q->sizes, d->sizes, sizeof(q->sizes)) == 0 ? d->clock_size :
		       w.sizes[1] ? w.sizes[1] : w.sizes[0];
	free(TAKE_PTR(w.ops_reading));
	if (r == 0)
		r = operations(q, w.clock_size, &w.clock_ops, &w.ops_reading, err);
	if (r == 0)
		r = workload_words(w.run, 1, &words, err);
	if (r < 0)
		workload_finish(&w);
	else
		*ret = w;
	return r;
}

void workload_files_free(struct workload_file *files, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(files[i].path);
		free(files[i].text);
	}
	free(files);
}

void workload_finish(struct workload *w)
{
	char *texts[] = { w->name, w->unit, w->setup, w->server, w->after, w->run, w->reader, w->ops_reading };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		free(texts[i]);
	strv_finish(&w->packages);
	strv_finish(&w->host_files);
	strv_finish(&w->failures);
	strv_finish(&w->options);
	strv_finish(&w->params);
	workload_files_free(w->files, w->n_files);
	*w = (struct workload){ 0 };
}

/* ---- ranges ---- */

/* "1..96": false if it is none. */
static bool is_range(const char *value, uint64_t *lo, uint64_t *hi)
{
	const char *dots = strstr(value, "..");
	_cleanup_free_ char *first = dots ? xstrndup(value, (size_t)(dots - value)) : NULL;

	return dots && str_to_u64(first, 0, UINT32_MAX, lo) == 0 &&
	       str_to_u64(dots + 2, *lo, UINT32_MAX, hi) == 0;
}

/* The values of a range; none if it has too many or they are no numbers. */
static void range_values(const struct workload_param *p, uint64_t lo, uint64_t hi, struct strv *ret)
{
	for (size_t i = 0; i < p->n_steps; i++)
		if (p->steps[i] >= lo && p->steps[i] <= hi)
			strv_addf(ret, "%llu", (unsigned long long)p->steps[i]);
	for (uint64_t v = lo; p->is_number && !p->n_steps && hi - lo < MAX_SWEEP && v <= hi; v++)
		strv_addf(ret, "%llu", (unsigned long long)v);
}

struct list {
	struct workload *v;
	size_t n, cap;
};

/* Sets what was asked for from number `i` on, in all ways. */
static int expand(struct request *q, size_t i, struct list *to, struct error *err)
{
	_cleanup_strv_ struct strv values = { 0 };
	uint64_t lo, hi;
	struct workload w;
	size_t param;
	int r;

	if (i == q->n) {
		r = instance(q, &w, err);
		if (r == 0)
			*ARRAY_ADD(to->v, to->n, to->cap) = w;
		return r;
	}
	r = find_param(q, &q->asked[i], &param, err);
	if (r < 0)
		return r;
	if (param < q->def.n_params && is_range(q->asked[i].value, &lo, &hi)) {
		range_values(&q->def.params[param], lo, hi, &values);
		if (!values.n)
			return usage(q, err, "a range of at most 64 numbers, or with a published step in it, is wanted: ",
				     q->asked[i].value);
	} else {
		strv_add(&values, q->asked[i].value);
	}
	for (size_t k = 0; r == 0 && k < values.n; k++) {
		r = set_value(q, param, values.v[k], err);
		if (r == 0)
			r = expand(q, i + 1, to, err);
	}
	return r;
}

/* ---- commands ---- */

/* A path, or what execvp() would find; NULL for neither. */
static char *find_program(const char *program)
{
	if (!strchr(program, '/'))
		return file_in_path(program);
	return access(program, X_OK) == 0 ? realpath(program, NULL) : NULL;
}

/* A command line of this machine; {n} in it makes it one with two sizes. */
static int command(const char *text, const char *line, struct workload *ret, struct error *err)
{
	_cleanup_(request_finish) struct request q = { .text = text, .file = xstrdup(text) };
	_cleanup_strv_ struct strv words = { 0 };
	_cleanup_free_ char *program = NULL;
	int r;

	q.def.run = xstrdup(line);
	q.def.unit = xstrdup(strstr(line, "{n}") ? "n" : "run");
	q.def.ops = xstrdup(strstr(line, "{n}") ? "n" : "1");
	q.def.size = strstr(line, "{n}") ? xstrdup("n") : NULL;
	q.def.method = q.def.size ? WORKLOAD_TWO_SIZES : WORKLOAD_SAME_SIZE;
	q.def.sizes[0] = q.def.size ? COMMAND_SIZE : 0;
	q.def.sizes[1] = 2 * q.def.sizes[0];
	q.def.timeout_s = COMMAND_TIMEOUT_S;
	r = workload_words(line, 1, &words, err);
	if (r < 0)
		return error_blame(err, ERROR_USAGE, r, "-w %s: not a command line", text);
	program = find_program(words.v[0]);
	if (!program)
		return error_blame(err, ERROR_USAGE, ENOENT, "-w %s: %s is not on this machine", text,
				   words.v[0]);
	strv_add(&q.def.host_files, program);
	set_defaults(&q);
	return instance(&q, ret, err);
}

int workloads_find(const char *text, struct workload **ret, size_t *ret_n, struct error *err)
{
	_cleanup_(request_finish) struct request q = { .text = text };
	struct list list = { 0 };
	int r;

	if (str_has_prefix(text, "cmd:")) {
		struct workload w;

		r = command(text, text + strlen("cmd:"), &w, err);
		if (r == 0)
			*ARRAY_ADD(list.v, list.n, list.cap) = w;
	} else {
		r = split(&q, err);
		if (r == 0)
			r = load(&q, err);
		if (r == 0) {
			set_defaults(&q);
			r = expand(&q, 0, &list, err);
		}
	}
	if (r < 0) {
		for (size_t i = 0; i < list.n; i++)
			workload_finish(&list.v[i]);
		free(list.v);
		return r;
	}
	*ret = list.v;
	*ret_n = list.n;
	return 0;
}
