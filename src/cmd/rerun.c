/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/rerun.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cmd/measure.h"
#include "cmd/variants.h"
#include "report/number.h"
#include "sys/utf8.h"

/* ---- from the record to the same plan ---- */

/* Of a Debian kernel the very package; what moves with time would be another kernel. Owned. */
static char *exact_spec(const struct variant *v)
{
	const char *rest = v->spec + strcspn(v->spec, ",");

	if (!str_has_prefix(v->spec, "debian:") || !v->kernel.package)
		return xstrdup(v->spec);
	return xasprintf("debian:%s%s", v->kernel.package, rest);
}

/* As it was asked for: all kinds have the same number then, else each its own. */
static uint64_t replicates_of(const struct run *old)
{
	const char *all = facts_get(&old->head, "replicates");
	uint64_t n = 0;

	for (size_t i = 0; i < old->head.keys.n; i++)
		if (str_has_prefix(old->head.keys.v[i], "replicates.") && !str_equal(old->head.values.v[i], all))
			return 0;
	return all && str_to_u64(all, 1, UINT32_MAX, &n) == 0 ? n : 0;
}

static int take_workloads(struct measure *q, const struct run *old)
{
	const char *list = facts_get(&old->head, "workloads");
	_cleanup_free_ char *copy = xstrdup(list ? list : "");
	char *save = NULL;
	int status = 0;

	for (char *w = strtok_r(copy, "\n", &save); w && !status; w = strtok_r(NULL, "\n", &save))
		status = asked_add(&q->asked, q->verb, w);
	return status;
}

static int set_up(struct measure *q, const struct run *old)
{
	static const char *const kept[] = { "study", "study_part", "study_text", "study_kernel", "study_file", "study_only", "study_full", "bases" };
	const char *seed = facts_get(&old->head, "seed");
	int status = take_workloads(q, old);

	if (seed && str_to_u64(seed, 0, UINT32_MAX, &q->plan.seed) < 0)
		q->plan.seed = 1;
	q->replicates = replicates_of(old);
	q->nulls = run_nulls(old);
	for (size_t i = 0; i < old->n_variants; i++) {
		_cleanup_free_ char *spec = exact_spec(&old->variants[i]);

		strv_add(&q->names, old->variants[i].name);
		strv_add(&q->specs, spec);
	}
	for (size_t i = 0; i < old->head.keys.n; i++) {
		const char *key = old->head.keys.v[i];
		bool keep = str_has_prefix(key, "reasons.") || str_has_prefix(key, "split.");

		for (size_t k = 0; k < ARRAY_SIZE(kept); k++)
			keep |= strcmp(key, kept[k]) == 0;
		if (keep)
			facts_add(&q->extra, key, old->head.values.v[i]);
	}
	return status ? status : measure_make_plan(q);
}

static int check(const struct run *old, const char *path, struct error *err)
{
	const char *engine = facts_text(&old->head, "engine");

	if (strcmp(engine, "count") != 0)
		return error_blame(err, ERROR_USAGE, EINVAL,
				   "%s: of engine %s; times are never the same again: compare two records with ktoll report", path,
				   engine);
	if (old->n_variants < 1)
		return error_blame(err, ERROR_USAGE, EINVAL, "%s: there is no kernel in it", path);
	return 0;
}

/* ---- the two beside each other ---- */

static void say(struct str *out, const char *what, const char *was, const char *is)
{
	_cleanup_free_ char *a = xstrdup(was ? was : "not known"), *b = xstrdup(is ? is : "not known");

	if (str_equal(was, is))
		return;
	str_make_printable(a);
	str_make_printable(b);
	str_addf(out, "  %s: %s, now %s\n", what, a, b);
}

static bool has_line(const char *text, const char *line, size_t n)
{
	for (const char *at = text; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, line, n) == 0 && (at[n] == '\n' || !at[n]))
			return true;
	}
	return false;
}

/* Lines of one list that the other does not have. */
static void say_missing(struct str *out, const char *title, const char *list, const char *other)
{
	for (const char *at = list; at && *at; at += strspn(at, "\n")) {
		size_t n = strcspn(at, "\n");

		if (!has_line(other, at, n))
			str_addf(out, "  %s: %.*s\n", title, (int)n, at);
		at += n;
	}
}

static bool say_environment(const struct run *old, const struct run *new, const char *title)
{
	_cleanup_str_ struct str out = STR_INIT;
	static const char *const keys[] = { "tool_version", "agent", "guest_root", "qemu_version", "plugin_api", "machine", "cpu_model", "cx16" };
	const char *was = facts_get(&old->head, "guest_packages"), *is = facts_get(&new->head, "guest_packages");

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		say(&out, keys[i], facts_get(&old->head, keys[i]), facts_get(&new->head, keys[i]));
	say_missing(&out, "guest package, only before", was ? was : "", is ? is : "");
	say_missing(&out, "guest package, only now", is ? is : "", was ? was : "");
	for (size_t v = 0; v < old->n_variants && v < new->n_variants; v++) {
		const struct variant *a = &old->variants[v], *b = &new->variants[v];
		const char *facts[][3] = {
			{ "package version", a->kernel.version, b->kernel.version },
			{ "release", facts_get(&old->outcomes[v].guest, "release"), facts_get(&new->outcomes[v].guest, "release") },
			{ "build id", a->kernel.build_id, b->kernel.build_id },
			{ "config", a->kernel.config_sha256, b->kernel.config_sha256 },
			{ "compiler", a->kernel.compiler, b->kernel.compiler },
			{ "command line", a->cmdline, b->cmdline },
		};

		for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
			_cleanup_free_ char *what = xasprintf("kernel %s, %s", a->name, facts[i][0]);

			say(&out, what, facts[i][1], facts[i][2]);
		}
	}
	if (out.len)
		verb_print("%s:\n%s", title, str_text(&out));
	return out.len;
}

static const struct sample *find_sample(const struct outcome *o, const struct sample *like)
{
	for (size_t i = 0; i < o->n_samples; i++) {
		const struct sample *s = &o->samples[i];

		if (s->size == like->size && s->replicate == like->replicate && s->null_boot == like->null_boot &&
		    strcmp(s->workload, like->workload) == 0)
			return s;
	}
	return NULL;
}

static bool is_same(const struct sample *a, const struct sample *b)
{
	return a->ops == b->ops && sample_insns(a) == sample_insns(b) && sample_string_iters(a) == sample_string_iters(b);
}

struct tally {
	size_t same, different, missing;
};

static void hold(const struct run *old, const struct run *new, struct tally *t)
{
	for (size_t v = 0; v < old->n_variants; v++)
		for (size_t i = 0; i < old->outcomes[v].n_samples; i++) {
			const struct sample *a = &old->outcomes[v].samples[i];
			const struct sample *b = v < new->n_variants ? find_sample(&new->outcomes[v], a) : NULL;

			if (!b)
				t->missing++;
			else if (is_same(a, b))
				t->same++;
			else
				t->different++;
			if (b && !is_same(a, b))
				verb_print("  %s, %s, replicate %u: %s instructions per operation, now %s\n", old->variants[v].name, a->workload,
				       a->replicate + 1, number_text((double)sample_insns(a) / (double)a->ops, false).s,
				       number_text((double)sample_insns(b) / (double)b->ops, false).s);
			if (!b)
				verb_print("  %s, %s, replicate %u: not measured now\n", old->variants[v].name, a->workload, a->replicate + 1);
		}
}

static int conclude(const struct run *old, const struct run *new)
{
	struct tally t = { 0 };

	verb_print("%s\nagainst %s\n\n", new->path, old->path);
	hold(old, new, &t);
	if (!t.different && !t.missing && t.same) {
		verb_print("identical: all %zu counts are what they were\n", t.same);
		say_environment(old, new, "what differs in the environment, without an effect");
	} else {
		verb_print("%zu counts are what they were, %zu not, %zu are missing\n", t.same, t.different, t.missing);
		if (!say_environment(old, new, "what differs in the environment"))
			verb_print("nothing that a record holds differs in the environment\n");
	}
	return t.different || t.missing || !t.same ? EXIT_DIFFERENT : EXIT_DONE;
}

static int measure_again(struct measure *q, const struct run *old, bool is_dry, struct error *err)
{
	_cleanup_record_ struct record *rec = NULL;
	struct run new = { 0 };
	int r, status = EXIT_DONE;

	if (is_dry) {
		for (size_t i = 0; i < q->names.n; i++)
			verb_print("%s  %s\n", q->names.v[i], q->specs.v[i]);
		verb_print("%zu boots, workloads: ", q->names.n);
		for (size_t i = 0; i < q->plan.n_items; i++)
			verb_print("%s%s", i ? ", " : "", plan_item_name(&q->plan.items[i]));
		verb_print("\n");
		return EXIT_DONE;
	}
	r = measure_run(q, q->names.v, (int)q->names.n, &rec, err);
	if (r == 0)
		r = record_load(rec, &new, err);
	if (r == 0)
		status = conclude(old, &new);
	run_finish(&new);
	return r < 0 ? r : status;
}

/* What of it would run or be read on this machine, outside of a guest: a record may be somebody else's. */
static void add_risks(const struct run *old, const struct measure *q, struct strv *ret)
{
	for (size_t i = 0; i < old->n_variants; i++) {
		const struct variant *v = &old->variants[i];

		if (str_has_prefix(v->spec, "tree:"))
			strv_addf(ret, "%s: runs make in a tree of this machine, %s", v->name, v->spec);
		else if (strstr(v->spec, ",patch="))
			strv_addf(ret, "%s: builds a kernel with a patch of this machine, %s", v->name, v->spec);
	}
	for (size_t i = 0; i < q->plan.n_items; i++) {
		const struct workload *w = q->plan.items[i].workload;

		for (size_t k = 0; w && k < w->host_files.n; k++)
			strv_addf(ret, "%s: takes %s of this machine into the guest", w->name, w->host_files.v[k]);
	}
}

/* 0, or an exit status after a sentence. */
static int ask(const struct measure *q, const struct run *old, bool is_trusted)
{
	_cleanup_strv_ struct strv risks = { 0 };
	char answer[16] = "";

	add_risks(old, q, &risks);
	for (size_t i = 0; i < risks.n; i++)
		verb_say("%s", risks.v[i]);
	if (is_trusted || !risks.n)
		return 0;
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return verb_usage(q->verb, "the record names what runs on this machine: look at it, and give --trust");
	fputs("ktoll: do it? [y/N] ", stderr);
	if (!fgets(answer, sizeof(answer), stdin) || (*answer != 'y' && *answer != 'Y'))
		return verb_usage(q->verb, "nothing was run");
	return 0;
}

/* A record beside itself would be found complete, and equal. */
static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return b && stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int rerun_record(const struct verb *v, int argc, char **argv, const char *path, const char *output, bool is_dry,
		 bool is_trusted)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	_cleanup_record_ struct record *rec = NULL;
	struct run old = { 0 };
	struct measure q;
	int r = record_open(path, false, &rec, &err), status = 0;

	measure_init(&q, v, argc, argv);
	q.output = output;
	if (r == 0)
		r = record_load(rec, &old, &err);
	if (r == 0)
		r = check(&old, path, &err);
	if (r == 0)
		status = is_same_file(path, output) ?
				 verb_usage(v, "-o %s is the record itself: the new one goes into another file", output) :
				 set_up(&q, &old);
	if (r == 0 && !status)
		status = is_dry ? ask(&q, &old, true) : ask(&q, &old, is_trusted);
	if (r == 0 && !status) {
		r = measure_again(&q, &old, is_dry, &err);
		status = r;
		if (r < 0 && !is_dry)
			verb_say("a kernel or a package that the archive no longer has can be put in place of the old one: "
				"name the kernels with compare");
	}
	run_finish(&old);
	measure_finish(&q);
	return r < 0 ? verb_failed(r, &err) : status;
}
