/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/live.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cmd/asked.h"
#include "cmd/progress.h"
#include "cmd/schedule.h"
#include "cmd/show.h"
#include "engine/guardian.h"
#include "engine/hostfacts.h"
#include "engine/live.h"
#include "explain/clocking.h"
#include "sys/dialog.h"

#define DEFAULT_ROUNDS 20
/* With --until it ends before, in most cases. */
#define UNTIL_ROUNDS   256
#define DEFAULT_BLOCK_MS 100
/* From SIGINT on: a knob's command has a minute, and the agent some seconds before it. */
#define END_MS 120000
#define DEFAULT_TIMEOUT_S 600

#define KEY_BLOCK   KEY_LONG(1)
#define KEY_UNTIL   KEY_LONG(2)
#define KEY_SEED    KEY_LONG(3)
#define KEY_RESTORE KEY_LONG(4)
#define KEY_PLAN    KEY_LONG(5)
#define KEY_BOOTS   KEY_LONG(6)
#define KEY_CPU	    KEY_LONG(7)
#define KEY_TIMEOUT KEY_LONG(8)

static const struct option_row rows[] = {
	{ 'w', "workload", "WORKLOAD", "an operation or a program, several with commas (default: all operations)" },
	{ 'n', "name", "NAME", "what this side is called (default: the kernel's release)" },
	{ 'o', "output", "RECORD", "where the record goes; one that is there gets this side as well" },
	{ 'r', "rounds", "N", "each has every variant twice, there and back (default 20; at most, with --until)" },
	{ KEY_UNTIL, "until", "PERCENT", "end when the interval is this narrow, with looks that keep its error rate" },
	{ KEY_BLOCK, "block", "MS", "how long operations run at a time (default 100)" },
	{ KEY_RESTORE, "restore", "COMMAND", "puts back what commands switched (default: the first of them)" },
	{ KEY_CPU, "cpu", "N", "run everything on this processor" },
	{ KEY_SEED, "seed", "N", "the order of blocks is drawn from it (default 1)" },
	{ KEY_TIMEOUT, "timeout", "SECONDS", "end a block that takes longer (600)" },
	{ KEY_PLAN, "plan", "A,B", "print an order of boots into these kernels, and a unit that measures after each" },
	{ KEY_BOOTS, "boots", "N", "with --plan: boots of each (default 5)" },
	SHOW_OPTION_ROWS,
	{ 0 },
};

struct request {
	const struct verb *verb;
	struct show_options show;
	const struct facts *extra; /* for the head; NULL */
	struct asked_list asked;
	struct plan plan;
	const char *name, *output, *restore, *schedule;
	uint64_t rounds, block_ms, boots, timeout_s, cpu;
	bool has_cpu;
	double until;
	struct knob knob;
	bool has_knob;
	char *command, *folder;
	/* The worker's: */
	struct run run;          /* as the record has it */
	size_t first;            /* variant of this sitting */
	struct record *rec;
	struct failure *failures;
	size_t *failed_variant, n_failures;
};

static void request_finish(struct request *q)
{
	asked_finish(&q->asked);
	free(q->plan.items);
	knob_finish(&q->knob);
	free(q->command);
	free(q->folder);
	run_finish(&q->run);
	record_close(q->rec);
	for (size_t i = 0; i < q->n_failures; i++)
		failure_finish(&q->failures[i]);
	free(q->failures);
	free(q->failed_variant);
}

/* ---- the command line ---- */

static int number(struct request *q, const char *option, const char *value, uint64_t min, uint64_t max, uint64_t *ret)
{
	if (str_to_u64(value, min, max, ret) < 0)
		return verb_usage(q->verb, "--%s takes a number from %llu to %llu, not '%s'", option,
				  (unsigned long long)min, (unsigned long long)max, value);
	return 0;
}

static int take_until(struct request *q, const char *value)
{
	char *end;

	q->until = strtod(value, &end) / 100;
	if (end == value || (*end && strcmp(end, "%") != 0) || !(q->until > 0) || q->until > 1)
		return verb_usage(q->verb, "--until takes per cent above 0, not '%s'", value);
	return 0;
}

static int take_option(struct request *q, int key, const char *value)
{
	switch (key) {
	case 'w':
		return asked_add(&q->asked, q->verb, value);
	case 'n':
		q->name = value;
		return *value ? 0 : verb_usage(q->verb, "-n takes a name, and not an empty one");
	case 'o':
		q->output = value;
		return 0;
	case 'r':
		return number(q, "rounds", value, 1, 100000, &q->rounds);
	case KEY_UNTIL:
		return take_until(q, value);
	case KEY_BLOCK:
		return number(q, "block", value, 1, 60000, &q->block_ms);
	case KEY_RESTORE:
		q->restore = value;
		return 0;
	case KEY_CPU:
		q->has_cpu = true;
		return number(q, "cpu", value, 0, CPU_SETSIZE - 1, &q->cpu);
	case KEY_SEED:
		return number(q, "seed", value, 0, UINT32_MAX, &q->plan.seed);
	case KEY_TIMEOUT:
		return number(q, "timeout", value, 1, 86400, &q->timeout_s);
	case KEY_PLAN:
		q->schedule = value;
		return 0;
	case KEY_BOOTS:
		return number(q, "boots", value, 1, 1000, &q->boots);
	default:
		return show_option(&q->show, q->verb, key, value);
	}
}

static int pin(const struct request *q, struct error *err)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(q->cpu, &set);
	if (q->has_cpu && sched_setaffinity(0, sizeof(set), &set) < 0)
		return error_blame(err, ERROR_USAGE, errno, "--cpu %llu: %s", (unsigned long long)q->cpu,
				   strerror(errno));
	return 0;
}

/* ---- the record ---- */

static void add_number(struct facts *f, const char *key, uint64_t v)
{
	_cleanup_free_ char *s = xasprintf("%llu", (unsigned long long)v);

	facts_add(f, key, s);
}

static void fill_head(struct request *q, const char *machine)
{
	struct facts *h = &q->run.head;

	facts_add(h, "tool_version", KTOLL_VERSION);
	facts_add(h, "command", q->command);
	add_number(h, "created", (uint64_t)time(NULL));
	facts_add(h, "engine", "live");
	facts_add(h, "clocked", "1");
	facts_add(h, "machine_id", machine);
	add_number(h, "seed", q->plan.seed);
	if (q->has_knob)
		facts_add(h, CLOCKING_KNOB, q->knob.name);
	for (size_t i = 0; q->extra && i < q->extra->keys.n; i++)
		facts_add(h, q->extra->keys.v[i], q->extra->values.v[i]);
}

/* Of the running kernel; with a knob, of one of its values. */
static void make_variant(const struct request *q, size_t value, struct variant *ret)
{
	hostfacts_variant(ret);
	if (!q->has_knob) {
		ret->name = xstrdup(q->name ? q->name : ret->kernel.release);
		return;
	}
	ret->name = q->knob.path ? xasprintf("%s=%s", q->knob.name, q->knob.values.v[value]) :
				   xstrdup(q->knob.values.v[value]);
	free(ret->spec);
	ret->spec = xasprintf("live:%s=%s", q->knob.name, q->knob.values.v[value]);
}

/* What is known of the machine stands with the variant, as of a guest; the model is the knob's. */
static void make_outcome(const struct request *q, const struct variant *v, size_t value, struct outcome *ret)
{
	*ret = (struct outcome){ .done = true };
	facts_add(&ret->guest, "release", v->kernel.release);
	if (v->kernel.build_id)
		facts_add(&ret->guest, "build_id", v->kernel.build_id);
	if (q->has_knob && strcmp(q->knob.name, "preempt") == 0) {
		_cleanup_free_ char *chosen = xasprintf("(%s)", q->knob.values.v[value]);

		/* Before what is there now, so that this is what is found. */
		facts_add(&ret->guest, "sched_preempt", chosen);
	}
	hostfacts_add(&ret->guest);
}

static int store_variant(struct request *q, size_t number, struct error *err)
{
	struct outcome o;
	int r;

	make_outcome(q, &q->run.variants[number], number - q->first, &o);
	r = record_put_outcome(q->rec, number, 0, &o, err);
	outcome_finish(&o);
	return r;
}

static size_t n_sides(const struct request *q)
{
	return q->has_knob ? q->knob.values.n : 1;
}

static int create(struct request *q, const char *machine, struct error *err)
{
	size_t n = n_sides(q);
	int r;

	fill_head(q, machine);
	q->run.path = xstrdup(q->output);
	q->run.n_variants = n;
	q->run.variants = xcalloc(n, sizeof(*q->run.variants));
	for (size_t i = 0; i < n; i++)
		make_variant(q, i, &q->run.variants[i]);
	r = record_create(q->output, &q->run, &q->rec, err);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = store_variant(q, i, err);
	return r;
}

/* The side of this name is there already: it has to be this kernel, booted like that. */
static int check_same(const struct request *q, size_t side, const struct variant *now, struct error *err)
{
	const struct variant *there = &q->run.variants[side];
	const char *build_id = facts_get(&q->run.outcomes[side].guest, "build_id");
	const char *what = !str_equal(there->kernel.release, now->kernel.release)	      ? "release" :
			   !str_equal(build_id, now->kernel.build_id)		      ? "build id" :
			   !str_equal(there->kernel.config_sha256, now->kernel.config_sha256) ? "configuration" :
			   !str_equal(there->cmdline, now->cmdline)			      ? "command line" : NULL;

	if (what)
		return error_blame(err, ERROR_USAGE, EEXIST,
				   "%s has a side '%s' of a kernel with another %s: name this one with -n", q->output,
				   there->name, what);
	return 0;
}

static int add_to(struct request *q, const char *machine, struct error *err)
{
	int r = record_open(q->output, true, &q->rec, err);
	struct variant v;

	if (r == 0)
		r = record_load(q->rec, &q->run, err);
	if (r < 0)
		return r;
	if (!str_equal(facts_get(&q->run.head, "engine"), "live"))
		return error_blame(err, ERROR_USAGE, EEXIST, "%s is a record of the engine %s: name another file", q->output,
				   facts_get(&q->run.head, "engine"));
	if (!str_equal(facts_get(&q->run.head, "machine_id"), machine))
		return error_set(err, EXDEV, "%s was measured on another machine: its times are not to be compared with "
					     "this one's; name another file", q->output);
	if (q->has_knob != !!facts_get(&q->run.head, CLOCKING_KNOB))
		return error_blame(err, ERROR_USAGE, EEXIST, "%s %s a knob: name another file", q->output,
				   q->has_knob ? "was measured without" : "has");
	if (q->has_knob && (!str_equal(facts_get(&q->run.head, CLOCKING_KNOB), q->knob.name) ||
			    q->run.n_variants != n_sides(q)))
		return error_blame(err, ERROR_USAGE, EEXIST, "%s has other values of a knob: name another file", q->output);
	for (size_t i = 0; i < n_sides(q); i++) {
		size_t k = 0;

		make_variant(q, i, &v);
		while (k < q->run.n_variants && strcmp(q->run.variants[k].name, v.name) != 0)
			k++;
		r = k < q->run.n_variants ? check_same(q, k, &v, err) :
		    q->has_knob ? error_blame(err, ERROR_USAGE, EEXIST, "%s has no side '%s'", q->output, v.name) : 0;
		if (r < 0) {
			variant_finish(&v);
			return r;
		}
		if (i == 0)
			q->first = k;
		if (k == q->run.n_variants) {
			q->run.variants = xrealloc(q->run.variants, (k + 1) * sizeof(v));
			q->run.outcomes = xrealloc(q->run.outcomes, (k + 1) * sizeof(*q->run.outcomes));
			q->run.outcomes[k] = (struct outcome){ 0 };
			q->run.variants[k] = v;
			q->run.n_variants++;
			r = record_add_variant(q->rec, k, &v, err);
			if (r == 0)
				r = store_variant(q, k, err);
		} else {
			variant_finish(&v);
		}
	}
	return r;
}

static int open_record(struct request *q, struct error *err)
{
	_cleanup_free_ char *machine = hostfacts_machine_id(), *data = NULL, *dir = NULL;
	static char path[4096];
	char stamp[32];
	time_t now = time(NULL);
	int r;

	if (q->output)
		return record_exists(q->output) ? add_to(q, machine, err) : create(q, machine, err);
	r = dir_data(&data, err);
	if (r < 0)
		return r;
	dir = path_join(data, "records");
	r = dir_make(dir, err);
	if (r < 0)
		return r;
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", localtime(&now));
	snprintf(path, sizeof(path), "%s/%s-live" RECORD_SUFFIX, dir, stamp);
	for (unsigned i = 2; file_exists(path); i++)
		snprintf(path, sizeof(path), "%s/%s-live-%u" RECORD_SUFFIX, dir, stamp, i);
	q->output = path;
	return create(q, machine, err);
}

/* ---- measuring ---- */

/* All sides do as many operations in a block, so that what happens every so often does so equally often. */
static uint64_t size_of(void *data, const char *workload)
{
	const struct request *q = data;

	for (size_t s = q->run.n_sittings; s-- > 0;)
		for (size_t i = 0; i < q->run.sittings[s].n_blocks; i++)
			if (strcmp(q->run.sittings[s].blocks[i].workload, workload) == 0)
				return q->run.sittings[s].blocks[i].ops;
	return 0;
}

static void on_block(void *data, size_t done, size_t all)
{
	(void)data;
	progress_blocks(done, all);
}

static void on_failure(void *data, size_t variant, const char *workload, const char *message, const char *output)
{
	struct request *q = data;

	q->failures = xrealloc(q->failures, (q->n_failures + 1) * sizeof(*q->failures));
	q->failed_variant = xrealloc(q->failed_variant, (q->n_failures + 1) * sizeof(size_t));
	q->failures[q->n_failures] = (struct failure){ xstrdup(workload), xstrdup("run"), xstrdup(message),
						       *output ? xstrdup(output) : NULL };
	q->failed_variant[q->n_failures++] = q->first + variant;
}

static int store(struct request *q, struct sitting *s, int rc, struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < s->n_blocks; i++)
		s->blocks[i].variant += q->first;
	if (rc == -ECANCELED)
		facts_add(&s->facts, "ended", "interrupted: what was measured until then is here");
	else if (rc < 0)
		facts_add(&s->facts, "ended", error_text(err));
	r = record_put_sitting(q->rec, q->run.n_sittings, s, rc < 0 ? NULL : err);
	for (size_t i = 0; r == 0 && i < q->n_failures; i++)
		r = record_put_failure(q->rec, q->failed_variant[i], &q->failures[i], err);
	return rc < 0 ? rc : r;
}

static int measure(struct request *q, struct error *err)
{
	struct sitting s = { .started = (uint64_t)time(NULL) };
	struct blocks_options options = {
		.plan = &q->plan,
		.n_variants = n_sides(q),
		.rounds = (uint32_t)(q->rounds ? q->rounds : q->until > 0 ? UNTIL_ROUNDS : DEFAULT_ROUNDS),
		.until = q->until,
		.block_ms = q->block_ms,
		.deadline_ms = q->timeout_s * 1000,
		.size_of = size_of,
		.on_block = on_block,
		.on_failure = on_failure,
		.data = q,
	};
	const char *boot;
	int r;

	hostfacts_add(&s.facts);
	boot = facts_get(&s.facts, "boot_id");
	s.boot = xstrdup(boot ? boot : "unknown");
	if (q->until > 0)
		add_number(&s.facts, CLOCKING_LIMIT, options.rounds);
	r = live_run(q->folder, q->has_knob ? &q->knob : NULL, &options, &s, err);
	progress_end();
	r = store(q, &s, r, err);
	sitting_finish(&s);
	return r;
}

static int work(void *data)
{
	struct request *q = data;
	_cleanup_error_ struct error err = ERROR_INIT;
	int r = dialog_watch_signals(&err), status;
	bool is_begun;

	if (r == 0)
		r = pin(q, &err);
	if (r == 0)
		r = open_record(q, &err);
	is_begun = r == 0;
	if (r == 0)
		r = measure(q, &err);
	dir_remove(q->folder);
	if (r < 0) {
		status = verb_failed(r, &err);

		if (is_begun)
			verb_say("what was measured is in %s", q->output);
	} else {
		status = show_record(q->rec, &q->show);
	}
	/* Here and not by request_finish(): this process ends without it. */
	record_close(TAKE_PTR(q->rec));
	return status;
}

/* The worker was killed. Its sitting is lost; that the knob is as it was before is noted in the record. */
static void clean(void *data)
{
	struct request *q = data;
	_cleanup_error_ struct error err = ERROR_INIT;
	bool restored = q->has_knob && knob_restore(&q->knob, &err) == 0;
	struct sitting s = { .started = (uint64_t)time(NULL), .boot = xstrdup("unknown") };
	struct run run = { 0 };

	dir_remove(q->folder);
	verb_say("killed%s%s", restored ? q->knob.path ? "; put back: " : "; put back with the command " : "",
		restored ? q->knob.before : "");
	if (q->has_knob && !restored)
		verb_say(q->knob.path ? "NOT put back, %s: it was '%s'" : "NOT put back, %s: run '%s'", error_text(&err),
			 q->knob.before);
	facts_add(&s.facts, "ended", "killed: nothing of it was kept");
	if (q->has_knob) {
		facts_add(&s.facts, knob_fact(&q->knob), q->knob.before);
		facts_add(&s.facts, "knob_restored", restored ? "yes, by the guardian" : error_text(&err));
	}
	if (q->output && record_exists(q->output) && record_open(q->output, true, &q->rec, NULL) == 0 &&
	    record_load(q->rec, &run, NULL) == 0)
		record_put_sitting(q->rec, run.n_sittings, &s, NULL);
	run_finish(&run);
	sitting_finish(&s);
}

static int live(struct request *q)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	_cleanup_close_ int lock = -1;
	int r = live_check(&q->plan, &err);

	if (r == 0)
		r = lock = live_lock(&err);
	if (r >= 0 && q->has_knob)
		r = knob_probe(&q->knob, &err);
	if (r >= 0)
		r = live_folder(&q->folder, &err);
	if (r < 0)
		return verb_failed(r, &err);
	return guardian_run(work, clean, q, EXIT_HOST, END_MS);
}

#define REQUEST_INIT(v)                                                                                                  \
	{                                                                                                                \
		.verb = v, .show = SHOW_OPTIONS_INIT, .block_ms = DEFAULT_BLOCK_MS, .boots = 5,                          \
		.timeout_s = DEFAULT_TIMEOUT_S, .plan = { .seed = 1, .is_clocked = true }                                \
	}

static int measure_asked(struct request *q)
{
	int status;

	asked_add_default(&q->asked, true);
	asked_make_plan(&q->asked, 1, &q->plan);
	status = asked_check(&q->asked, q->verb, true);
	return status ? status : live(q);
}

int live_side(const struct live_side *side)
{
	struct request q = REQUEST_INIT(side->verb);
	int status = 0;

	q.command = verb_command(side->argc, side->argv);
	q.show = *side->show;
	q.name = side->name;
	q.output = side->output;
	q.extra = side->extra;
	q.rounds = side->rounds;
	q.block_ms = side->block_ms ? side->block_ms : DEFAULT_BLOCK_MS;
	q.plan.seed = side->seed;
	for (size_t i = 0; !status && i < side->workloads->n; i++)
		status = asked_add(&q.asked, side->verb, side->workloads->v[i]);
	if (!status)
		status = measure_asked(&q);
	request_finish(&q);
	return status;
}

static int run_live(const struct verb *v, int argc, char **argv)
{
	struct request q = REQUEST_INIT(v);
	_cleanup_error_ struct error err = ERROR_INIT;
	struct options o;
	const char *value;
	int r, status = 0, first;

	q.command = verb_command(argc, argv);
	verb_options_init(&o, v, argc, argv);
	while (!status && (r = verb_option(&o, &value)) > 0)
		status = take_option(&q, r, value);
	first = o.first_operand;
	verb_options_finish(&o);
	if (!status && r < 0)
		status = verb_option_status(r);
	else if (!status && argc - first > 1)
		status = verb_usage(v, "one knob at a time");
	else if (!status && q.schedule)
		status = schedule_print(v, q.schedule, q.boots, q.plan.seed, argc, argv);
	else if (!status) {
		if (first < argc) {
			q.has_knob = true;
			r = knob_parse(argv[first], q.restore, &q.knob, &err);
			status = r < 0 ? verb_failed(r, &err) : 0;
		}
		if (!status && q.until > 0 && !q.has_knob)
			status = verb_usage(v, "--until is for a knob: one side alone has no difference");
		if (!status)
			status = measure_asked(&q);
	}
	request_finish(&q);
	return status;
}

const struct verb verb_live = {
	.name = "live",
	.operands = "[KNOB=VALUE,VALUE...]",
	.summary = "Times the running kernel, or two settings of it in turn",
	.options = rows,
	.run = run_live,
};
