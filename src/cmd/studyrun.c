/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/studyrun.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cmd/configside.h"
#include "cmd/measure.h"
#include "cmd/progress.h"
#include "cmd/variants.h"
#include "kernel/treestate.h"

/* For the estimate, in seconds on a core: until the first region, and then for each. */
#define BOOT_S 20
#define OPERATIONS_S 25
#define PROGRAM_S 30

/* ---- which study ---- */

static int read_builtin(struct study_run *s, const char *name)
{
	_cleanup_str_ struct str known = STR_INIT;
	const char *have;

	for (size_t i = 0; (have = study_builtin(i, &s->text, &s->n_bytes)); i++) {
		if (strcmp(have, name) == 0) {
			s->name = xstrdup(name);
			return 0;
		}
		str_addf(&known, "%s%s", i ? ", " : "", have);
	}
	return verb_usage(s->verb, "there is no study '%s'; there are %s, and files with a '/' or '.yaml' in their names", name,
			  str_text(&known));
}

static int read_file(struct study_run *s, const char *path, struct error *err)
{
	const char *base = strrchr(path, '/');
	char *text;
	int r = file_read(path, &text, &s->n_bytes, err);

	if (r < 0)
		return verb_failed(r, err);
	s->file = path;
	base = base ? base + 1 : path;
	s->name = xstrndup(base, strcspn(base, "."));
	s->text = text;
	return 0;
}

static int add_all(const struct study_run *s, const struct strv *workloads, struct asked_list *ret)
{
	int status = 0;

	for (size_t i = 0; !status && i < workloads->n; i++)
		status = asked_add(ret, s->verb, workloads->v[i]);
	return status;
}

/* All that parts name is there to be run, and a part runs each of which something was published. */
static int check_workloads(const struct study_run *s, const char *operand)
{
	const struct study *y = &s->study;
	struct asked_list *parts = xcalloc(y->n_parts, sizeof(*parts));
	int status = 0;

	for (size_t i = 0; !status && i < y->n_parts; i++) {
		status = add_all(s, &y->parts[i].workloads, &parts[i]);
		if (!status)
			status = add_all(s, &y->parts[i].full, &parts[i]);
		if (status)
			verb_say("that is in %s, part %s", operand, y->parts[i].name);
	}
	for (size_t i = 0; !status && i < y->n_published; i++) {
		const struct study_published *p = &y->published[i];
		struct asked_list one = { 0 };
		bool is_run = false;

		status = asked_add(&one, s->verb, p->workload);
		for (size_t k = 0; !status && k < y->n_parts; k++)
			is_run |= (!p->part || str_equal(p->part, y->parts[k].name)) && asked_has_all(&parts[k], &one);
		if (!status && !is_run)
			status = verb_usage(s->verb, "%s: of %s something was published, and no part runs it", operand, p->workload);
		asked_finish(&one);
	}
	for (size_t i = 0; i < y->n_parts; i++)
		asked_finish(&parts[i]);
	free(parts);
	return status;
}

int study_run_begin(struct study_run *s, const char *operand)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	bool is_file = strchr(operand, '/') || str_has_suffix(operand, ".yaml");
	int status = is_file ? read_file(s, operand, &err) : read_builtin(s, operand), r;

	if (status)
		return status;
	/* The head of a record has it as text. */
	if (!is_file)
		s->text = xstrndup(s->text, s->n_bytes);
	r = study_parse(operand, s->text, s->n_bytes, NULL, &s->study, &err);
	if (r == 0 && s->kernel) {
		study_finish(&s->study);
		r = study_parse(operand, s->text, s->n_bytes, s->kernel, &s->study, &err);
		if (r < 0)
			return verb_usage(s->verb, "--kernel %s does not go with this study: %s", s->kernel, error_text(&err));
	}
	return r < 0 ? verb_failed(r, &err) : check_workloads(s, operand);
}

void study_run_finish(struct study_run *s)
{
	free((char *)s->name);
	free((char *)s->text);
	study_finish(&s->study);
	strv_finish(&s->only);
	strv_finish(&s->values);
	free(s->keys);
}

/* ---- which of it ---- */

struct selection {
	bool parts, variants, workloads; /* some are named: the others are left out */
};

static int select_only(const struct study_run *s, struct selection *ret)
{
	struct selection all = { 0 };

	for (size_t i = 0; i < s->only.n; i++) {
		struct selection one = { .parts = study_part(&s->study, s->only.v[i]) };

		for (size_t k = 0; k < s->study.n_parts; k++) {
			const struct study_part *p = &s->study.parts[k];

			one.variants |= study_part_variant(p, s->only.v[i]) != SIZE_MAX;
			one.workloads |= strv_has(&p->workloads, s->only.v[i]) || strv_has(&p->full, s->only.v[i]);
		}
		if (!one.parts && !one.variants && !one.workloads)
			return verb_usage(s->verb, "--only %s: the study has no part, kernel or workload of this name", s->only.v[i]);
		all.parts |= one.parts;
		all.variants |= one.variants;
		all.workloads |= one.workloads;
	}
	*ret = all;
	return 0;
}

static bool is_wanted(const struct study_run *s, bool some_named, const char *name)
{
	return !some_named || strv_has(&s->only, name);
}

/* With --only, what a wanted variant is compared with stays as well. */
static bool wants_variant(const struct study_run *s, const struct selection *sel, const struct study_part *p, size_t v)
{
	if (is_wanted(s, sel->variants, p->variants[v].name))
		return true;
	for (size_t i = v + 1; i < p->n_variants; i++)
		if (p->variants[i].base == v && wants_variant(s, sel, p, i))
			return true;
	return v == 0;
}

static void list_workloads(const struct study_run *s, const struct selection *sel, const struct study_part *p,
			   struct strv *ret)
{
	for (size_t i = 0; i < p->workloads.n; i++)
		if (is_wanted(s, sel->workloads, p->workloads.v[i]))
			strv_add(ret, p->workloads.v[i]);
	for (size_t i = 0; i < p->full.n; i++)
		if (sel->workloads ? strv_has(&s->only, p->full.v[i]) : s->is_full)
			strv_add(ret, p->full.v[i]);
}

int study_run_check(const struct study_run *s)
{
	struct selection sel;

	return select_only(s, &sel);
}

bool study_run_names_part(const struct study_run *s)
{
	bool any = false;

	for (size_t i = 0; i < s->only.n; i++)
		any |= study_part(&s->study, s->only.v[i]) != NULL;
	return any;
}

void study_run_workloads(const struct study_run *s, const struct study_part *p, struct strv *ret)
{
	struct selection sel = { 0 };

	if (select_only(s, &sel) == 0)
		list_workloads(s, &sel, p, ret);
}

/* ---- one part ---- */

struct part_run {
	const struct study_run *s;
	const struct study_part *part;
	size_t *of;    /* each variant of the run: its number in the part */
	size_t n;
};

static void add_text(struct facts *f, const char *key, const char *value)
{
	if (value)
		facts_add(f, key, value);
}

void study_run_head(const struct study_run *s, const struct study_part *p, struct facts *ret)
{
	_cleanup_strv_ struct strv only = { 0 };
	_cleanup_free_ char *lines = NULL;

	facts_add(ret, "study", s->name);
	facts_add(ret, "study_part", p->name);
	facts_add(ret, "study_text", s->text);
	add_text(ret, "study_kernel", s->kernel);
	add_text(ret, "study_file", s->file);
	/* Of parts, this one is named. */
	for (size_t i = 0; i < s->only.n; i++)
		if (!study_part(&s->study, s->only.v[i]))
			strv_add(&only, s->only.v[i]);
	lines = strv_join(&only, "\n");
	add_text(ret, "study_only", only.n ? lines : NULL);
	add_text(ret, "study_full", s->is_full ? "1" : NULL);
}

/* Rows that say why, for the report: no record has the Kconfig files. */
static char *reasons_of(const struct configdiff *d)
{
	struct str s = STR_INIT;

	for (size_t i = 0; i < d->n; i++)
		if (d->rows[i].reason)
			str_addf(&s, "%s\t%d\t%s\n", d->rows[i].option, d->rows[i].is_dormant_woken, d->rows[i].reason);
	return str_take(&s);
}

static void list_woken(const struct configdiff *d, struct strv *ret)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->rows[i].is_dormant_woken && strcmp(d->rows[i].other, "n") != 0)
			strv_add(ret, d->rows[i].option);
}

/* A variant as another one, but what the change woke is off. */
static int add_split(struct measure *q, size_t v, const struct strv *woken, struct error *err)
{
	_cleanup_free_ char *name = xasprintf("%s-without-%s", q->run.variants[v].name, woken->v[0]);
	_cleanup_free_ char *options = strv_join(woken, " ");
	_cleanup_free_ char *key = xasprintf("split.%zu", q->run.n_variants);
	_cleanup_free_ char *value = xasprintf("%zu %s", v, options);
	_cleanup_str_ struct str spec = STR_INIT;

	str_add(&spec, variants_operand(q, q->run.variants[v].name));
	for (size_t i = 0; i < woken->n; i++)
		str_addf(&spec, ",%s=n", woken->v[i]);
	strv_add(&q->names, name);
	strv_add(&q->specs, str_text(&spec));
	facts_add(&q->extra, key, value);
	return variants_add(q, name, err);
}

static size_t base_of(const struct part_run *p, size_t v)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->of[i] == p->part->variants[p->of[v]].base)
			return i;
	return 0;
}

/* The config of a variant with its Kconfig files, read when it is first asked for: a base is that of several. */
static int side_of(struct measure *q, struct config_side *sides, size_t v, struct configdiff_side *ret, struct error *err)
{
	int r = sides[v].spec.text ? 0 : config_side_make(q->run.variants[v].spec, &sides[v], err);

	if (r == 0)
		*ret = config_side_view(&sides[v]);
	return r;
}

static int compare_configs(struct measure *q, const struct part_run *p, struct config_side *sides, size_t v,
			   struct configdiff *ret, struct error *err)
{
	struct configdiff_side base, other;
	int r = side_of(q, sides, base_of(p, v), &base, err);

	if (r == 0)
		r = side_of(q, sides, v, &other, err);
	if (r == 0)
		configdiff_make(&base, &other, NULL, ret);
	return r;
}

static bool is_built(const char *text)
{
	struct spec spec;
	bool built = spec_parse(text, &spec, NULL) == 0;

	if (built) {
		built = spec_is_built(&spec);
		spec_finish(&spec);
	}
	return built;
}

/* Why each variant's config is as it is; and what was woken, once more without it. */
static int look_at_variants(struct measure *q, struct error *err)
{
	const struct part_run *p = q->data;
	struct config_side *sides = xcalloc(p->n + 1, sizeof(*sides));
	_cleanup_str_ struct str bases = STR_INIT;
	_cleanup_strv_ struct strv split = { 0 };
	int r = 0;

	for (size_t v = 0; r == 0 && v < p->n; v++) {
		_cleanup_free_ char *key = xasprintf("reasons.%zu", v), *reasons = NULL;
		_cleanup_strv_ struct strv woken = { 0 };
		struct configdiff d = { 0 };

		str_addf(&bases, "%s%zu", v ? " " : "", base_of(p, v));
		if (v == 0 || !is_built(q->run.variants[v].spec) || !is_built(q->run.variants[base_of(p, v)].spec))
			continue;
		r = compare_configs(q, p, sides, v, &d, err);
		if (r < 0)
			continue;
		reasons = reasons_of(&d);
		facts_add(&q->extra, key, reasons);
		list_woken(&d, &woken);
		configdiff_finish(&d);
		/* The same kernel with other boot parameters need not be taken apart twice. */
		if (!p->part->splits_woken || !woken.n || strv_has(&split, q->run.variants[v].kernel.config_sha256))
			continue;
		strv_add(&split, q->run.variants[v].kernel.config_sha256);
		r = add_split(q, v, &woken, err);
		if (r == 0)
			verb_say("%s: the change woke %s; measured without it, too", q->run.variants[v].name,
				woken.v[0]);
	}
	for (size_t v = 0; v < p->n; v++)
		config_side_finish(&sides[v]);
	free(sides);
	for (size_t v = p->n; r == 0 && v < q->run.n_variants; v++)
		str_add(&bases, " 0");
	if (r == 0)
		facts_add(&q->extra, "bases", str_text(&bases));
	return r;
}

static int set_up(struct measure *q, const struct part_run *p, const struct strv *workloads)
{
	const struct study_run *s = p->s;
	int status = 0;

	for (size_t i = 0; !status && i < s->n_keys; i++)
		status = measure_option(q, s->keys[i], s->values.v[i]);
	for (size_t i = 0; !status && i < workloads->n; i++)
		status = asked_add(&q->asked, s->verb, workloads->v[i]);
	if (!q->replicates)
		q->replicates = p->part->replicates;
	for (size_t i = 0; i < p->n; i++) {
		strv_add(&q->names, p->part->variants[p->of[i]].name);
		strv_add(&q->specs, p->part->variants[p->of[i]].spec);
	}
	study_run_head(s, p->part, &q->extra);
	q->on_variants = look_at_variants;
	q->data = (void *)p;
	return status ? status : measure_make_plan(q);
}

static int measure_part(const struct study_run *s, const struct selection *sel, const struct study_part *part,
			const char *path)
{
	struct part_run p = { .s = s, .part = part, .of = xcalloc(part->n_variants, sizeof(*p.of)) };
	_cleanup_strv_ struct strv workloads = { 0 };
	_cleanup_error_ struct error err = ERROR_INIT;
	_cleanup_record_ struct record *rec = NULL;
	_cleanup_free_ char *note = xasprintf("%s, part %s: %s", s->name, part->name, path);
	struct measure q;
	int status;

	progress_note(NULL, note);
	list_workloads(s, sel, part, &workloads);
	for (size_t i = 0; i < part->n_variants; i++)
		if (wants_variant(s, sel, part, i))
			p.of[p.n++] = i;
	measure_init(&q, s->verb, s->argc, s->argv);
	q.output = path;
	status = set_up(&q, &p, &workloads);
	if (!status) {
		char **operands = xmemdup(q.names.v, q.names.n * sizeof(*operands));
		int r = measure_run(&q, operands, (int)p.n, &rec, &err);

		free(operands);
		if (r < 0)
			status = verb_failed(r, error_text(&err) ? &err : NULL);
	}
	measure_finish(&q);
	free(p.of);
	return status;
}

/* ---- all ---- */

int study_run_folder(const struct study_run *s, char **ret, struct error *err)
{
	_cleanup_free_ char *data = NULL, *dir = NULL;
	int r = 0;

	if (s->folder) {
		dir = xstrdup(s->folder);
	} else {
		r = dir_data(&data, err);
		if (r == 0)
			dir = path_join(data, "records");
	}
	if (r == 0)
		r = dir_make(dir, err);
	if (r == 0)
		*ret = TAKE_PTR(dir);
	return r;
}

/* Times have a record of their own beside the counts. */
static bool is_of_vm(const struct study_run *s)
{
	bool is = false;

	for (size_t i = 0; i < s->n_keys; i++)
		if (s->keys[i] == MEASURE_KEY_ENGINE)
			is = strcmp(s->values.v[i], "vm") == 0;
	return is;
}

int study_run_measure(const struct study_run *s, struct strv *ret)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	_cleanup_free_ char *folder = NULL;
	struct selection sel;
	int status = select_only(s, &sel), r;

	if (status)
		return status;
	r = study_run_folder(s, &folder, &err);
	if (r < 0)
		return verb_failed(r, &err);
	for (size_t i = 0; i < s->study.n_parts; i++) {
		const struct study_part *p = &s->study.parts[i];
		_cleanup_free_ char *path = NULL;
		int one;

		if (!is_wanted(s, sel.parts, p->name))
			continue;
		path = xasprintf("%s/%s-%s%s" RECORD_SUFFIX, folder, s->name, p->name, is_of_vm(s) ? "-vm" : "");
		one = measure_part(s, &sel, p, path);
		if (one == EXIT_INTERRUPTED)
			return one;
		if (one)
			verb_say("part %s was not measured", p->name);
		else
			strv_add(ret, path);
		if (one > status)
			status = one;
	}
	return status;
}

static void print_part(const struct study_run *s, const struct selection *sel, const struct study_part *p,
		       double *seconds)
{
	_cleanup_strv_ struct strv workloads = { 0 };
	_cleanup_free_ char *list = NULL;
	size_t n = 0;
	double boot = BOOT_S;

	list_workloads(s, sel, p, &workloads);
	list = strv_join(&workloads, ", ");
	for (size_t i = 0; i < workloads.n; i++)
		boot += strcmp(workloads.v[i], ASKED_ALL_OPERATIONS) == 0 ? OPERATIONS_S : PROGRAM_S;
	verb_print("\npart %s\n  workloads: %s\n", p->name, list);
	for (size_t i = 0; i < p->n_variants; i++) {
		if (!wants_variant(s, sel, p, i))
			continue;
		n++;
		verb_print("  %-14s %s%s%s\n", p->variants[i].name, p->variants[i].spec, i ? ", against " : "  (base)",
		       i ? p->variants[p->variants[i].base].name : "");
	}
	verb_print("  %zu boots, one per kernel%s\n", n, p->splits_woken ? "; one more for each kernel whose config file wakes an option" : "");
	*seconds += boot * (double)n;
}

/* What a look can tell of kernels that are files here. */
static int check_files(const struct study_run *s, const struct selection *sel, const struct study_part *p)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	int r = 0;

	for (size_t i = 0; r == 0 && i < p->n_variants; i++) {
		struct spec spec;

		if (!wants_variant(s, sel, p, i))
			continue;
		r = spec_parse(p->variants[i].spec, &spec, &err);
		if (r < 0)
			break;
		if (spec.kind == SPEC_TREE)
			r = treestate_check(spec.name, &err);
		else if (spec.kind == SPEC_IMAGE && !file_exists(spec.name))
			r = error_set(&err, ENOENT, "there is no %s", spec.name);
		spec_finish(&spec);
	}
	return r < 0 ? verb_failed(r, &err) : 0;
}

int study_run_plan(const struct study_run *s)
{
	struct selection sel;
	double seconds = 0;
	int status = select_only(s, &sel);

	for (size_t i = 0; !status && i < s->study.n_parts; i++)
		if (is_wanted(s, sel.parts, s->study.parts[i].name))
			status = check_files(s, &sel, &s->study.parts[i]);
	if (status)
		return status;
	verb_print("%s: %s\n", s->name, s->study.about);
	for (size_t i = 0; i < s->study.n_parts; i++)
		if (is_wanted(s, sel.parts, s->study.parts[i].name))
			print_part(s, &sel, &s->study.parts[i], &seconds);
	verb_print("\nAbout %.0f min of guests on one core (a core each runs one). A kernel that is built, and not in the cache, "
	       "takes 4 to 12 minutes on two slow cores.\n", seconds / 60 + 0.5);
	return EXIT_DONE;
}
