/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/measure.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cmd/measurevm.h"
#include "cmd/progress.h"
#include "cmd/recording.h"
#include "cmd/variants.h"
#include "engine/inlinecache.h"
#include "engine/count.h"
#include "engine/pool.h"
#include "sys/dwarf.h"

#define MAX_JOBS 256
#define SETTLE_LIMIT_MS 60000
#define DEFAULT_TIMEOUT_S 180

void measure_finish(struct measure *q)
{
	asked_finish(&q->asked);
	free(q->plan.items);
	root_finish(&q->root);
	strv_finish(&q->names);
	strv_finish(&q->specs);
	free(q->command);
	free(q->given_cmdline);
	facts_finish(&q->extra);
	run_finish(&q->run);
}

void measure_init(struct measure *q, const struct verb *v, int argc, char **argv)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	*q = (struct measure){ .verb = v, .nulls = MEASURE_NULLS, .show = SHOW_OPTIONS_INIT, .engine = "count",
			       .jobs = cores > 0 ? (uint64_t)cores : 1, .timeout_s = DEFAULT_TIMEOUT_S };
	q->plan.seed = 1;
	q->plan.settle_limit_ms = SETTLE_LIMIT_MS;
	q->command = verb_command(argc, argv);
}

static bool has_programs(const struct plan *plan)
{
	for (size_t i = 0; i < plan->n_items; i++)
		if (plan->items[i].workload)
			return true;
	return false;
}

int measure_make_plan(struct measure *q)
{
	int status = asked_check(&q->asked, q->verb, q->plan.is_clocked);

	if (!status && !q->plan.is_clocked && (q->boots || q->rounds || q->block_ms))
		status = verb_usage(q->verb, "--boots, --rounds and --block are for engines with a clock: --engine vm");

	asked_add_default(&q->asked, q->plan.is_clocked);
	asked_make_plan(&q->asked, q->replicates, &q->plan);
	if (!has_programs(&q->plan) || q->plan.is_clocked)
		q->nulls = 0;
	/* Any number that the guest's memory does not hold by chance. */
	q->plan.nonce = 0x9d3f1c6ba2e84705ull ^ q->plan.seed;
	return status;
}

/* ---- the command line ---- */

static int number(struct measure *q, const char *option, const char *value, uint64_t min,
		  uint64_t max, uint64_t *ret)
{
	if (str_to_u64(value, min, max, ret) < 0)
		return verb_usage(q->verb, "--%s takes a number from %llu to %llu, not '%s'", option,
				  (unsigned long long)min, (unsigned long long)max, value);
	return 0;
}

static int add_name(struct measure *q, const char *value)
{
	const char *eq = strchr(value, '=');
	_cleanup_free_ char *name = NULL;

	if (!eq || eq == value)
		return verb_usage(q->verb, "-n takes NAME=SPEC, not '%s'", value);
	name = xstrndup(value, (size_t)(eq - value));
	if (strpbrk(name, ":,"))
		return verb_usage(q->verb, "a name has no ':' and no ',': '%s'", name);
	if (strv_has(&q->names, name))
		return verb_usage(q->verb, "-n %s= twice", name);
	strv_add(&q->names, name);
	strv_add(&q->specs, eq + 1);
	return 0;
}

int measure_option(struct measure *q, int key, const char *value)
{
	switch (key) {
	case 'w':
		return asked_add(&q->asked, q->verb, value);
	case 'n':
		return add_name(q, value);
	case 'r':
		return number(q, "replicates", value, 1, RUN_MAX_REPLICATES, &q->replicates);
	case 'j':
		return number(q, "jobs", value, 1, MAX_JOBS, &q->jobs);
	case MEASURE_KEY_SEED:
		/* QEMU's -seed has 32 bits. */
		return number(q, "seed", value, 0, UINT32_MAX, &q->plan.seed);
	case MEASURE_KEY_TIMEOUT:
		return number(q, "timeout", value, 1, 86400, &q->timeout_s);
	case MEASURE_KEY_ENGINE:
		if (strcmp(value, "count") != 0 && strcmp(value, "vm") != 0)
			return verb_usage(q->verb, "--engine takes count or vm, not '%s'", value);
		q->engine = strcmp(value, "vm") == 0 ? "vm" : "count";
		q->plan.is_clocked = strcmp(value, "vm") == 0;
		return 0;
	case MEASURE_KEY_NULL:
		return number(q, "null", value, 1, RUN_MAX_NULLS, &q->nulls);
	case MEASURE_KEY_NO_NULL:
		q->nulls = 0;
		return 0;
	case MEASURE_KEY_RETRY:
		q->retry = true;
		return 0;
	case MEASURE_KEY_BOOTS:
		return number(q, "boots", value, 1, 1000, &q->boots);
	case MEASURE_KEY_ROUNDS:
		return number(q, "rounds", value, 1, 100000, &q->rounds);
	case MEASURE_KEY_BLOCK:
		return number(q, "block", value, 1, 60000, &q->block_ms);
	case 'o':
		q->output = value;
		return *value ? 0 : verb_usage(q->verb, "-o takes the name of a record, and not an empty one");
	default:
		return show_option(&q->show, q->verb, key, value);
	}
}

/* ---- measuring ---- */

struct measuring {
	struct record *rec;
	struct run *run; /* whose outcomes say what is done */
	struct boot_request *boots;
	size_t n, n_lost;
};

/* What fails in a first boot mostly fails in all: it is told once. */
static void drop_known_failures(struct outcome *o, const struct outcome *first)
{
	size_t n = 0;

	for (size_t i = 0; i < o->n_failures; i++) {
		bool is_known = false;

		for (size_t k = 0; k < first->n_failures; k++)
			is_known |= strcmp(o->failures[i].stage, FAILURE_LOST) != 0 &&
				    str_equal(o->failures[i].workload, first->failures[k].workload);
		if (is_known)
			failure_finish(&o->failures[i]);
		else
			o->failures[n++] = o->failures[i];
	}
	o->n_failures = n;
}

static int on_outcome(void *data, size_t index, struct outcome *outcome, struct error *err)
{
	struct measuring *m = data;
	const struct boot_request *request = &m->boots[index];
	size_t variant = (size_t)(request->variant - m->run->variants);
	int r;

	if (request->null_boot)
		drop_known_failures(outcome, &m->run->outcomes[variant]);
	r = record_put_outcome(m->rec, variant, request->null_boot, outcome, err);
	m->n_lost += !outcome->done;
	/* Whether null boots are worth it. */
	if (!request->null_boot) {
		outcome_finish(&m->run->outcomes[variant]);
		m->run->outcomes[variant] = *outcome;
	} else {
		outcome_finish(outcome);
	}
	return r;
}

static void on_progress(void *data, double done, size_t running, size_t ended, double left_s)
{
	struct measuring *m = data;

	progress_show(done, running, ended, m->n, left_s);
}

/* Once per kernel. What cannot be read is a loss for `explain` only. */
static void read_debug_information(const struct variant *v)
{
	const struct kernel *k = &v->kernel;
	_cleanup_error_ struct error err = ERROR_INIT;
	_cleanup_free_ char *note = NULL;
	int r;

	if (!k->vmlinux_path || !k->build_id || inlinecache_has(k->build_id) ||
	    !dwarf_is_in(k->vmlinux_path))
		return;
	note = xasprintf("%s: reading its debug information, once", v->name);
	progress_note(NULL, note);
	r = inlinecache_make(k->build_id, k->vmlinux_path, &err);
	if (r < 0)
		verb_say("%s", error_text(&err));
}

/* Boots of which the run's outcomes say that they did not run yet: the first ones, or the null ones. */
static void list_boots(const struct measure *q, bool null_ones, struct measuring *m)
{
	m->n = 0;
	for (size_t i = 0; i < q->run.n_variants; i++) {
		const struct outcome *o = &q->run.outcomes[i];

		if (!null_ones && !o->done)
			m->boots[m->n++] = (struct boot_request){ &q->run.variants[i], 0 };
		/* What runs no program the first time has no spread. */
		for (unsigned k = 1; null_ones && outcome_has_programs(o) && k <= q->nulls; k++)
			if (!(o->nulls_done & 1u << k))
				m->boots[m->n++] = (struct boot_request){ &q->run.variants[i], k };
	}
}

static void say_resumed(const struct measure *q)
{
	size_t n = 0, n_nulls = 0;
	_cleanup_free_ char *s = NULL;

	for (size_t i = !!q->given; i < q->run.n_variants; i++) {
		n += q->run.outcomes[i].done;
		for (unsigned k = 1; k <= q->nulls; k++)
			n_nulls += (q->run.outcomes[i].nulls_done >> k) & 1;
	}
	if (!n)
		return;
	s = n_nulls ? xasprintf("resuming %s: %zu of %zu boots are done, and %zu null boots", q->run.path, n,
				q->run.n_variants - !!q->given, n_nulls) :
		      xasprintf("resuming %s: %zu of %zu boots are done", q->run.path, n, q->run.n_variants - !!q->given);
	progress_note(NULL, s);
}

static int run_boots(struct measure *q, struct engine *e, struct record *rec, struct error *err)
{
	_cleanup_free_ struct boot_request *boots = xcalloc(q->run.n_variants * (1 + RUN_MAX_NULLS), sizeof(*boots));
	struct measuring m = { .rec = rec, .run = &q->run, .boots = boots };
	struct pool_hooks hooks = { on_outcome, on_progress, &m };
	int r;

	if (!q->run.outcomes)
		q->run.outcomes = xcalloc(q->run.n_variants, sizeof(*q->run.outcomes));
	list_boots(q, false, &m);
	for (size_t i = 0; i < m.n; i++)
		read_debug_information(boots[i].variant);
	if (!q->run.complete)
		say_resumed(q);
	r = pool_run(e, boots, m.n, (unsigned)q->jobs, &hooks, err);
	if (r == 0) {
		list_boots(q, true, &m);
		r = pool_run(e, boots, m.n, (unsigned)q->jobs, &hooks, err);
	}
	progress_end();
	if (r == 0 && !m.n_lost && !q->run.complete)
		r = record_set_complete(rec, err);
	return r;
}

/* ---- all ---- */

/* A guest root with all that the programs need, if there are any. */
int measure_root(struct measure *q, struct error *err)
{
	_cleanup_strv_ struct strv packages = { 0 }, files = { 0 };
	bool any = false;
	int r;

	for (size_t i = 0; i < q->plan.n_items; i++) {
		const struct workload *w = q->plan.items[i].workload;

		if (!w)
			continue;
		any = true;
		strv_add_all(&packages, &w->packages);
		strv_add_all(&files, &w->host_files);
	}
	if (!any)
		return 0;
	r = root_find(q->run.variants[0].kernel.arch, &packages, &files, progress_note, NULL, &q->root,
		      err);
	q->plan.root = q->root.path;
	return r;
}

/* All boots of the base, as its record has them. */
static int put_given(struct measure *q, struct record *rec, struct error *err)
{
	struct outcome null_boot = *q->given;
	unsigned n = (unsigned)__builtin_popcount(q->given->nulls_done);
	int r = record_put_outcome(rec, 0, 0, q->given, err);

	/* Failures are not told apart by boot, and are stored with the first one. */
	null_boot.n_failures = 0;
	null_boot.wall_ms = n ? q->given->nulls_ms / n : 0;
	for (unsigned k = 1; r == 0 && k <= q->nulls; k++)
		if (q->given->nulls_done & 1u << k)
			r = record_put_outcome(rec, 0, k, &null_boot, err);
	q->run.outcomes[0].done = true;
	q->run.outcomes[0].nulls_done = q->given->nulls_done;
	return r;
}

static int count(struct measure *q, struct record **rec, struct error *err)
{
	struct count_options options = { .plan = &q->plan, .budget_ms = q->timeout_s * 1000, .has_nulls = q->nulls > 0,
					 .as_long_as = q->given_cmdline,
					 .machine = machine_find(q->run.variants[0].kernel.arch) };
	_cleanup_engine_ struct engine *e = NULL;
	int r = count_new(&options, &e, err);

	if (r == 0)
		r = e->ops->prepare(e, q->run.variants, q->run.n_variants, err);
	if (r < 0)
		return r;
	recording_fill_head(q, &e->facts);
	r = q->given ? q->check_given(q, err) : 0;
	/* The length of a command line moves what a kernel does at boot. */
	if (r == 0 && q->given_cmdline && strcmp(q->given_cmdline, q->run.variants[0].cmdline) != 0)
		r = error_set(err, EXDEV, "the base was booted with \"%s\", and beside this kernel it would be with \"%s\": command lines "
					  "are made equally long, and boot parameters are not. Give the base's spec in place of --base, or "
					  "measure a base beside a kernel with parameters at least as long",
			      q->given_cmdline, q->run.variants[0].cmdline);
	if (r == 0)
		r = recording_get(q, rec, err);
	if (r == 0 && q->given) {
		if (!q->run.outcomes)
			q->run.outcomes = xcalloc(q->run.n_variants, sizeof(*q->run.outcomes));
		r = put_given(q, *rec, err);
	}
	return r < 0 ? r : run_boots(q, e, *rec, err);
}

int measure_check_output(const struct measure *q, struct error *err)
{
	const char *slash = q->output ? strrchr(q->output, '/') : NULL;
	_cleanup_free_ char *dir = slash ? xstrndup(q->output, (size_t)(slash + 1 - q->output)) : xstrdup(".");
	_cleanup_record_ struct record *rec = NULL;

	if (!q->output)
		return 0;
	if (record_exists(q->output))
		return record_open(q->output, true, &rec, err);
	if (access(dir, W_OK) < 0)
		return error_blame(err, ERROR_USAGE, errno, "-o %s: no record can be made in %s: %s", q->output, dir, strerror(errno));
	return 0;
}

int measure_run(struct measure *q, char **operands, int n, struct record **ret, struct error *err)
{
	_cleanup_record_ struct record *rec = NULL;
	int r = measure_check_output(q, err);

	if (r == 0)
		r = variants_check(q, operands, n, err);

	for (int i = 0; r == 0 && i < n; i++)
		r = variants_add(q, operands[i], err);
	if (r == 0 && q->on_variants)
		r = q->on_variants(q, err);
	if (r == 0)
		r = measure_root(q, err);
	if (r == 0)
		r = q->plan.is_clocked ? measure_vm(q, &rec, err) : count(q, &rec, err);
	if (r < 0 && rec && q->run.path)
		recording_leave(q->run.path, &rec);
	if (r == 0)
		*ret = TAKE_PTR(rec);
	return r;
}
