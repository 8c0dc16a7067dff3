/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/embedded.h"
#include "model/run.h"
#include "model/spec.h"
#include "model/yamlkeys.h"

#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+"
#define KERNEL_MARK "{kernel}"
/* A file that was not written by hand must not make ktoll boot for years. */
#define MAX_VARIANTS 64

/* ---- the files in this program: model/embedded.S ---- */

extern const struct embedded embed_studies[], embed_studies_end[];

const char *study_builtin(size_t i, const char **ret_text, size_t *ret_bytes)
{
	const struct embedded *e = &embed_studies[i];

	*ret_text = NULL;
	*ret_bytes = 0;
	if (e >= embed_studies_end)
		return NULL;
	*ret_text = e->text;
	*ret_bytes = (size_t)(e->end - e->text);
	return e->name;
}

/* ---- variants ---- */

/* Kernels or settings as they stand in the file, before the two are multiplied. */
struct named {
	struct strv names, texts, bases; /* "" without a base */
};

struct raw_part {
	struct study_part part;
	struct named kernels, settings;
	struct strv exclude;
	const struct yaml_node *at;
};

static void named_finish(struct named *n)
{
	strv_finish(&n->names);
	strv_finish(&n->texts);
	strv_finish(&n->bases);
}

struct kernel_keys {
	char *spec, *base;
};

static int take_named(const struct yamlkeys *d, const struct yaml_node *n, void *to)
{
	static const struct yamlkey keys[] = {
		{ "spec", yamlkeys_take_text, offsetof(struct kernel_keys, spec) },
		{ "base", yamlkeys_take_text, offsetof(struct kernel_keys, base) },
	};
	struct named *list = to;

	if (yaml_kind(n) != YAML_MAPPING || !yaml_count(n))
		return yaml_blame(d->yaml, n, d->err, "names with what they stand for are wanted");
	for (size_t i = 0; i < yaml_count(n); i++) {
		const struct yaml_node *v = yaml_item(n, i);
		_cleanup_free_ char *name = yaml_text(yaml_key(n, i));
		struct kernel_keys k = { 0 };
		int r = 0;

		if (!name || !*name || name[strspn(name, NAME_LETTERS)])
			return yaml_blame(d->yaml, yaml_key(n, i), d->err, "a name of letters, digits and -_.+ is wanted");
		if (yaml_kind(v) == YAML_MAPPING)
			r = yamlkeys_take_mapping(d, v, name, keys, ARRAY_SIZE(keys), &k);
		else
			r = yamlkeys_take_any_text(d, v, &k.spec);
		if (r == 0 && !k.spec)
			r = yaml_blame(d->yaml, v, d->err, "%s: a spec is wanted", name);
		if (r == 0) {
			strv_add(&list->names, name);
			strv_add(&list->texts, k.spec);
			strv_add(&list->bases, k.base ? k.base : "");
		}
		free(k.spec);
		free(k.base);
		if (r < 0)
			return r;
	}
	return 0;
}

/* The index of a name, or SIZE_MAX. */
static size_t find(const struct strv *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->v[i], name) == 0)
			return i;
	return SIZE_MAX;
}

size_t study_part_variant(const struct study_part *p, const char *name)
{
	for (size_t i = 0; i < p->n_variants; i++)
		if (str_equal(p->variants[i].name, name))
			return i;
	return SIZE_MAX;
}

static char *full_name(const struct raw_part *raw, size_t kernel, size_t setting)
{
	if (!raw->settings.names.n)
		return xstrdup(raw->kernels.names.v[kernel]);
	return xasprintf("%s/%s", raw->kernels.names.v[kernel], raw->settings.names.v[setting]);
}

static char *full_spec(const struct raw_part *raw, size_t kernel, size_t setting, const char *mark)
{
	const char *text = raw->kernels.texts.v[kernel], *at;
	struct str s = STR_INIT;

	while ((at = strstr(text, KERNEL_MARK))) {
		str_add_bytes(&s, text, (size_t)(at - text));
		str_add(&s, mark);
		text = at + strlen(KERNEL_MARK);
	}
	str_add(&s, text);
	if (raw->settings.names.n && *raw->settings.texts.v[setting])
		str_addf(&s, ",%s", raw->settings.texts.v[setting]);
	return str_take(&s);
}

/*
 * What a kernel with a setting is compared with: its base with the same setting, or the first kernel's. The first
 * kernel with another setting: itself with the first one.
 */
static int find_base(const struct yamlkeys *d, const struct raw_part *raw, size_t kernel, size_t setting, size_t *ret)
{
	const char *said = raw->kernels.bases.v[kernel];
	size_t k = *said ? find(&raw->kernels.names, said) : 0;
	_cleanup_free_ char *name = NULL;

	if (k == SIZE_MAX)
		return yaml_blame(d->yaml, raw->at, d->err, "%s: its base %s is no kernel of this part",
				  raw->kernels.names.v[kernel], said);
	*ret = 0;
	if (!raw->part.n_variants && !*said)
		return 0;
	name = full_name(raw, k, k == kernel ? 0 : setting);
	*ret = study_part_variant(&raw->part, name);
	if (*ret == SIZE_MAX)
		return yaml_blame(d->yaml, raw->at, d->err, "%s: its base %s is excluded, or stands behind it",
				  raw->kernels.names.v[kernel], name);
	return 0;
}

static int add_variant(const struct yamlkeys *d, struct raw_part *raw, size_t kernel, size_t setting, const char *mark)
{
	_cleanup_free_ char *name = full_name(raw, kernel, setting), *spec = full_spec(raw, kernel, setting, mark);
	_cleanup_error_ struct error wrong = ERROR_INIT;
	struct study_part *p = &raw->part;
	struct study_variant *v;
	struct spec parsed;
	size_t base;
	int r;

	if (strv_has(&raw->exclude, name))
		return 0;
	if (p->n_variants == MAX_VARIANTS)
		return yaml_blame(d->yaml, raw->at, d->err, "more than %d variants", MAX_VARIANTS);
	if (spec_parse(spec, &parsed, &wrong) < 0)
		return yaml_blame(d->yaml, yaml_get(yaml_get(raw->at, "kernels"), raw->kernels.names.v[kernel]), d->err, "%s: %s",
				  name, error_text(&wrong));
	spec_finish(&parsed);
	r = find_base(d, raw, kernel, setting, &base);
	if (r < 0)
		return r;
	v = ARRAY_ADD(p->variants, p->n_variants, p->cap_variants);
	*v = (struct study_variant){ .name = TAKE_PTR(name), .spec = TAKE_PTR(spec), .base = base };
	return 0;
}

/* ---- parts ---- */

static int take_replicates(const struct yamlkeys *d, const struct yaml_node *n, void *to)
{
	return yamlkeys_number(d, n, 1, RUN_MAX_REPLICATES, to);
}

#define PART(field) offsetof(struct raw_part, field)
static const struct yamlkey part_keys[] = {
	{ "name", yamlkeys_take_text, PART(part.name) },
	{ "kernels", take_named, PART(kernels) },
	{ "settings", take_named, PART(settings) },
	{ "exclude", yamlkeys_take_list, PART(exclude) },
	{ "workloads", yamlkeys_take_list, PART(part.workloads) },
	{ "full", yamlkeys_take_list, PART(part.full) },
	{ "replicates", take_replicates, PART(part.replicates) },
	{ "split-woken", yamlkeys_take_bool, PART(part.splits_woken) },
	{ "ladder", yamlkeys_take_list, PART(part.ladder) },
};

static void part_finish(struct study_part *p)
{
	free(p->name);
	for (size_t i = 0; i < p->n_variants; i++) {
		free(p->variants[i].name);
		free(p->variants[i].spec);
	}
	free(p->variants);
	strv_finish(&p->workloads);
	strv_finish(&p->full);
	strv_finish(&p->ladder);
}

static void raw_part_finish(struct raw_part *raw)
{
	named_finish(&raw->kernels);
	named_finish(&raw->settings);
	strv_finish(&raw->exclude);
	part_finish(&raw->part);
}

/* Of a kernel and a setting, whether it is left out or not. */
static bool is_full_name(const struct raw_part *raw, const char *name)
{
	size_t n_settings = raw->settings.names.n ? raw->settings.names.n : 1;

	for (size_t k = 0; k < raw->kernels.names.n; k++)
		for (size_t i = 0; i < n_settings; i++) {
			_cleanup_free_ char *one = full_name(raw, k, i);

			if (strcmp(one, name) == 0)
				return true;
		}
	return false;
}

static int check_part(const struct yamlkeys *d, const struct raw_part *raw)
{
	const struct study *s = d->data;
	const struct study_part *p = &raw->part;

	if (!p->name || p->name[strspn(p->name, NAME_LETTERS)])
		return yaml_blame(d->yaml, raw->at, d->err, "a part wants a name of letters, digits and -_.+");
	if (study_part(s, p->name))
		return yaml_blame(d->yaml, raw->at, d->err, "a second part with the name %s", p->name);
	if (p->n_variants < 2 || !p->workloads.n)
		return yaml_blame(d->yaml, raw->at, d->err, "%s: two kernels and a workload are wanted", p->name);
	for (size_t i = 0; i < p->ladder.n; i++)
		if (study_part_variant(p, p->ladder.v[i]) == SIZE_MAX)
			return yaml_blame(d->yaml, raw->at, d->err, "%s: ladder: there is no %s", p->name, p->ladder.v[i]);
	for (size_t i = 0; i < raw->exclude.n; i++)
		if (!is_full_name(raw, raw->exclude.v[i]))
			return yaml_blame(d->yaml, raw->at, d->err, "%s: exclude: there is no %s", p->name, raw->exclude.v[i]);
	for (size_t i = 0; i < raw->settings.bases.n; i++)
		if (*raw->settings.bases.v[i])
			return yaml_blame(d->yaml, raw->at, d->err, "%s: %s: a kernel has a base, a setting has none", p->name,
					  raw->settings.names.v[i]);
	return 0;
}

/* The mark stands for a kernel that is said elsewhere in the file: parts come last. */
static int take_part(const struct yamlkeys *d, const struct yaml_node *n)
{
	struct study *s = d->data;
	struct raw_part raw = { .at = n };
	size_t n_settings;
	int r = yamlkeys_take_mapping(d, n, "a part", part_keys, ARRAY_SIZE(part_keys), &raw);

	n_settings = raw.settings.names.n ? raw.settings.names.n : 1;
	for (size_t k = 0; r == 0 && k < raw.kernels.names.n; k++)
		for (size_t i = 0; r == 0 && i < n_settings; i++)
			r = add_variant(d, &raw, k, i, s->kernel ? s->kernel : "");
	if (r == 0)
		r = check_part(d, &raw);
	if (r == 0) {
		*ARRAY_ADD(s->parts, s->n_parts, s->cap_parts) = raw.part;
		raw.part = (struct study_part){ 0 };
	}
	raw_part_finish(&raw);
	return r;
}

/* ---- what was published ---- */

static int take_figure(const struct yamlkeys *d, const struct yaml_node *n, struct study_figure *f)
{
	size_t count = yaml_kind(n) == YAML_SEQUENCE ? yaml_count(n) : 1;

	for (size_t i = 0; i < count; i++) {
		const struct yaml_node *at = yaml_kind(n) == YAML_SEQUENCE ? yaml_item(n, i) : n;
		_cleanup_free_ char *text = yaml_text(at);
		char *end = NULL;
		double v = text ? strtod(text, &end) : NAN;

		if (!end || end == text || *end || !isfinite(v) || !(v > 0))
			return yaml_blame(d->yaml, at, d->err, "a number above 0 is wanted");
		*ARRAY_ADD(f->v, f->n, f->cap) = v;
	}
	return count ? 0 : yaml_blame(d->yaml, n, d->err, "a number is wanted");
}

static int take_figures(const struct yamlkeys *d, const struct yaml_node *n, void *to)
{
	struct study_published *p = to;

	if (yaml_kind(n) != YAML_MAPPING || yaml_count(n) < 2)
		return yaml_blame(d->yaml, n, d->err, "two variants or more with their figures are wanted");
	for (size_t i = 0; i < yaml_count(n); i++) {
		struct study_figure *f = ARRAY_ADD(p->figures, p->n_figures, p->cap_figures);
		int r;

		f->variant = yaml_text(yaml_key(n, i));
		r = take_figure(d, yaml_item(n, i), f);
		if (r < 0)
			return r;
	}
	return 0;
}

static int take_better(const struct yamlkeys *d, const struct yaml_node *n, void *to)
{
	_cleanup_free_ char *text = yaml_text(n);

	if (!str_equal(text, "higher") && !str_equal(text, "lower"))
		return yaml_blame(d->yaml, n, d->err, "higher or lower is wanted");
	*(bool *)to = *text == 'h';
	return 0;
}

#define PUBLISHED(field) offsetof(struct study_published, field)
static const struct yamlkey published_keys[] = {
	{ "part", yamlkeys_take_text, PUBLISHED(part) },
	{ "workload", yamlkeys_take_text, PUBLISHED(workload) },
	{ "unit", yamlkeys_take_text, PUBLISHED(unit) },
	{ "better", take_better, PUBLISHED(is_higher_better) },
	{ "about", yamlkeys_take_text, PUBLISHED(about) },
	{ "source", yamlkeys_take_text, PUBLISHED(source) },
	{ "figures", take_figures, 0 },
};

static bool names_all(const struct study *s, const struct study_published *p)
{
	for (size_t i = 0; i < s->n_parts; i++) {
		bool all = !p->part || str_equal(p->part, s->parts[i].name);

		for (size_t k = 0; all && k < p->n_figures; k++)
			all = study_part_variant(&s->parts[i], p->figures[k].variant) != SIZE_MAX;
		if (all)
			return true;
	}
	return false;
}

static int take_published(const struct yamlkeys *d, const struct yaml_node *n)
{
	struct study *s = d->data;
	struct study_published *p = ARRAY_ADD(s->published, s->n_published, s->cap_published);
	int r = yamlkeys_take_mapping(d, n, "a published result", published_keys, ARRAY_SIZE(published_keys), p);

	if (r == 0 && (!p->workload || !p->unit || !yaml_get(n, "better") || !p->n_figures))
		r = yaml_blame(d->yaml, n, d->err, "workload, unit, better and figures are wanted");
	if (r == 0 && !names_all(s, p))
		r = yaml_blame(d->yaml, n, d->err, "%s: no part has all of these variants", p->workload);
	return r;
}

/* ---- the whole ---- */

/* Parts and published figures are looked at when everything else is known. */
struct lists {
	const struct yaml_node *parts, *published;
};

struct top {
	struct study study;
	struct lists lists;
};

static int take_node(const struct yamlkeys *d, const struct yaml_node *n, void *to)
{
	if (yaml_kind(n) != YAML_SEQUENCE || !yaml_count(n))
		return yaml_blame(d->yaml, n, d->err, "a list is wanted");
	*(const struct yaml_node **)to = n;
	return 0;
}

#define TOP(field) offsetof(struct top, field)
static const struct yamlkey keys[] = {
	{ "about", yamlkeys_take_text, TOP(study.about) },
	{ "question", yamlkeys_take_text, TOP(study.question) },
	{ "hypothesis", yamlkeys_take_text, TOP(study.hypothesis) },
	{ "refuted-by", yamlkeys_take_text, TOP(study.refuted_by) },
	{ "source", yamlkeys_take_text, TOP(study.source) },
	{ "kernel", yamlkeys_take_text, TOP(study.kernel) },
	{ "parts", take_node, TOP(lists.parts) },
	{ "published", take_node, TOP(lists.published) },
};

static int take_lists(struct yamlkeys *d, const struct lists *l)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < yaml_count(l->parts); i++)
		r = take_part(d, yaml_item(l->parts, i));
	for (size_t i = 0; r == 0 && l->published && i < yaml_count(l->published); i++)
		r = take_published(d, yaml_item(l->published, i));
	return r;
}

int study_parse(const char *file, const char *text, size_t n_bytes, const char *kernel, struct study *ret,
		struct error *err)
{
	struct top top = { 0 };
	_cleanup_yaml_ struct yaml *yaml = NULL;
	struct yamlkeys d = { .err = err, .data = &top.study };
	int r = yaml_parse(file, text, n_bytes, &yaml, err);

	if (r < 0)
		return r;
	d.yaml = yaml;
	r = yamlkeys_take_mapping(&d, yaml_root(yaml), "a study", keys, ARRAY_SIZE(keys), &top);
	if (r == 0 && (!top.study.about || !top.study.question || !top.lists.parts))
		r = yaml_blame(yaml, yaml_root(yaml), err, "about, question and parts are wanted");
	if (r == 0 && kernel) {
		free(top.study.kernel);
		top.study.kernel = xstrdup(kernel);
	}
	if (r == 0)
		r = take_lists(&d, &top.lists);
	if (r < 0)
		study_finish(&top.study);
	else
		*ret = top.study;
	return r;
}

void study_finish(struct study *s)
{
	char *texts[] = { s->about, s->question, s->hypothesis, s->refuted_by, s->source, s->kernel };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		free(texts[i]);
	for (size_t i = 0; i < s->n_parts; i++)
		part_finish(&s->parts[i]);
	free(s->parts);
	for (size_t i = 0; i < s->n_published; i++) {
		struct study_published *p = &s->published[i];

		free(p->part);
		free(p->workload);
		free(p->unit);
		free(p->about);
		free(p->source);
		for (size_t k = 0; k < p->n_figures; k++) {
			free(p->figures[k].variant);
			free(p->figures[k].v);
		}
		free(p->figures);
	}
	free(s->published);
	*s = (struct study){ 0 };
}

const struct study_part *study_part(const struct study *s, const char *name)
{
	for (size_t i = 0; i < s->n_parts; i++)
		if (str_equal(s->parts[i].name, name))
			return &s->parts[i];
	return NULL;
}
