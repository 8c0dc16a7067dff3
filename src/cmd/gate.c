/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cmd/measure.h"
#include "explain/gating.h"
#include "report/gated.h"

#define KEY_LIMIT  KEY_LONG(1)
#define KEY_BASE   KEY_LONG(2)
#define KEY_FORMAT KEY_LONG(3)

#define DEFAULT_LIMIT 0.01

static const struct option_row rows[] = {
	MEASURE_OPTION_ROWS,
	MEASURE_NULL_ROWS,
	{ KEY_LIMIT, "limit", "PERCENT", "so much more than the base is within (default 1)" },
	{ KEY_BASE, "base", "RECORD", "the base is the first kernel of this record, and is not measured again" },
	{ KEY_FORMAT, "format", "FORMAT", "text (default), json or ktap" },
	{ 0 },
};

struct request {
	struct measure q;
	double limit;
	const char *base, *format;
	struct run from; /* of --base */
};

/* ---- a base that was measured before ---- */

static int same(const struct facts *a, const struct facts *b, const char *key, const char *path, struct error *err)
{
	const char *x = facts_get(a, key), *y = facts_get(b, key);

	if (str_equal(x, y))
		return 0;
	return error_set(err, EXDEV, "%s was measured with %s %s, and this is %s: %smeasure the base again", path, key,
			 x ? x : "(none)", y ? y : "(none)", strcmp(key, "seed") == 0 ? "say --seed as it was, or " : "");
}

/* Counts are comparable if nothing but the kernel differs. */
static int check_base(const struct measure *q, struct error *err)
{
	const struct request *g = (const struct request *)q; /* its first member */
	static const char *const keys[] = { "agent", "machine", "cpu_model", "qemu_version", "cx16", "seed", "guest_packages", "guest_root" };
	const struct run *run = &g->q.run;
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(keys); i++)
		r = same(&g->from.head, &run->head, keys[i], g->base, err);
	for (size_t i = 0; r == 0 && i < g->q.plan.n_items; i++) {
		const char *name = plan_item_name(&g->q.plan.items[i]);
		uint32_t n = 0;

		for (size_t k = 0; k < g->from.outcomes[0].n_samples; k++)
			n += !g->from.outcomes[0].samples[k].null_boot &&
			     strcmp(g->from.outcomes[0].samples[k].workload, name) == 0;
		if (n != g->q.plan.items[i].replicates * plan_item_sizes(&g->q.plan.items[i]))
			r = n ? error_set(err, ENODATA, "%s has %u replicates of %s, and %u are wanted: say -r %u, or measure the base again",
					  g->base, n / plan_item_sizes(&g->q.plan.items[i]), name, g->q.plan.items[i].replicates,
					  n / plan_item_sizes(&g->q.plan.items[i])) :
				error_set(err, ENODATA, "%s does not have %s: measure the base again, with -w %s", g->base, name, name);
	}
	return r;
}

static bool is_asked(const struct plan *plan, const char *workload)
{
	for (size_t i = 0; i < plan->n_items; i++)
		if (strcmp(plan_item_name(&plan->items[i]), workload) == 0)
			return true;
	return false;
}

/* What the base was measured with beside what is asked for now. */
static void drop_others(const struct plan *plan, struct outcome *o)
{
	size_t samples = 0, failures = 0;

	for (size_t i = 0; i < o->n_samples; i++)
		if (is_asked(plan, o->samples[i].workload))
			o->samples[samples++] = o->samples[i];
		else
			sample_finish(&o->samples[i]);
	for (size_t i = 0; i < o->n_failures; i++)
		if (!o->failures[i].workload || is_asked(plan, o->failures[i].workload))
			o->failures[failures++] = o->failures[i];
		else
			failure_finish(&o->failures[i]);
	o->n_samples = samples;
	o->n_failures = failures;
}

static int take_base(struct request *g, struct error *err)
{
	struct measure *q = &g->q;
	_cleanup_record_ struct record *rec = NULL;
	int r = record_open(g->base, false, &rec, err);

	if (r == 0)
		r = record_load(rec, &g->from, err);
	if (r < 0)
		return r;
	if (!g->from.n_variants || !g->from.outcomes[0].done || !str_equal(facts_get(&g->from.head, "engine"), "count"))
		return error_set(err, EINVAL, "%s has no kernel that was counted", g->base);
	r = record_load_rest(rec, &g->from, 0, err);
	if (r < 0)
		return r;
	drop_others(&q->plan, &g->from.outcomes[0]);
	q->given = &g->from.outcomes[0];
	/* Pairs are of the same boot. */
	q->nulls = q->nulls ? run_nulls(&g->from) : 0;
	q->check_given = check_base;
	q->given_cmdline = xstrdup(g->from.variants[0].cmdline);
	*ARRAY_ADD(q->run.variants, q->run.n_variants, q->cap_variants) = g->from.variants[0];
	g->from.variants[0] = (struct variant){ 0 };
	return 0;
}

/* ---- the answer ---- */

static enum gated_answer answer_of(enum gate g)
{
	return g == GATE_WITHIN ? GATED_OK : g == GATE_BEYOND ? GATED_NOT_OK : GATED_SKIP;
}

/* One that is beyond is bad, whatever else failed; without one, what could not be told decides. */
static int status_of(const struct gated_line *v, size_t n)
{
	bool undecided = n == 0;

	for (size_t i = 0; i < n; i++) {
		if (v[i].answer == GATED_NOT_OK)
			return EXIT_DIFFERENT;
		undecided |= v[i].answer == GATED_SKIP;
	}
	return undecided ? EXIT_UNMEASURED : EXIT_DONE;
}

static void print(const struct request *g, const struct run *run, const struct gated_line *v, size_t n)
{
	_cleanup_str_ struct str out = STR_INIT;

	if (strcmp(g->format, "ktap") == 0)
		gated_ktap(v, n, &out);
	else if (strcmp(g->format, "json") == 0)
		gated_json(v, n, g->limit, run->path, &out);
	else
		gated_text(v, n, run->path, &out);
	fputs(str_text(&out), stdout);
}

static int answer(const struct request *g, struct record *rec)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	struct result result = { 0 };
	struct run run = { 0 };
	struct gated_line *lines;
	size_t n = 0, all;
	int status, r = show_load(rec, 0, &run, &result, &err);

	if (r < 0) {
		result_finish(&result);
		run_finish(&run);
		return verb_failed(r, &err);
	}
	all = result.n_comparisons + (result.clocked ? result.clocked->n : 0);
	lines = xcalloc(all + 1, sizeof(*lines));
	for (size_t i = 0; i < all; i++) {
		char *reason;
		enum gate gate;

		if (result.clocked) {
			const struct clocked_comparison *c = &result.clocked->comparisons[i];

			gate = gating_times(c, g->limit, &reason);
			lines[n] = (struct gated_line){ c->workload, run.variants[c->other].name, reason, answer_of(gate) };
		} else {
			const struct result_comparison *c = &result.comparisons[i];

			gate = gating_counts(c, g->limit, &reason);
			lines[n] = (struct gated_line){ c->workload, run.variants[c->other].name, reason, answer_of(gate) };
		}
		n++;
	}
	print(g, &run, lines, n);
	status = status_of(lines, n);
	if (fflush(stdout) < 0) {
		error_set(&err, errno, "cannot write the answer: %s", strerror(errno));
		status = verb_failed(-EIO, &err);
	}
	for (size_t i = 0; i < n; i++)
		free((char *)lines[i].reason);
	free(lines);
	result_finish(&result);
	run_finish(&run);
	return status;
}

static int gate(struct request *g, char **operands, int n)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	_cleanup_record_ struct record *rec = NULL;
	int r = g->base ? take_base(g, &err) : 0;

	if (r == 0)
		r = measure_run(&g->q, operands, n, &rec, &err);
	return r < 0 ? verb_failed(r, &err) : answer(g, rec);
}

/* ---- the command line ---- */

static int take_option(struct request *g, int key, const char *value)
{
	char *end;
	int r = measure_option(&g->q, key, value);

	if (r != 1)
		return r;
	switch (key) {
	case KEY_LIMIT:
		g->limit = strtod(value, &end) / 100;
		if (end == value || (*end && strcmp(end, "%") != 0) || !(g->limit >= 0) || g->limit > 10)
			return verb_usage(g->q.verb, "--limit takes per cent from 0 to 1000, not '%s'", value);
		return 0;
	case KEY_BASE:
		g->base = value;
		return 0;
	default:
		g->format = value;
		if (strcmp(value, "text") != 0 && strcmp(value, "json") != 0 && strcmp(value, "ktap") != 0)
			return verb_usage(g->q.verb, "--format takes text, json or ktap, not '%s'", value);
		return 0;
	}
}

static int run_gate(const struct verb *v, int argc, char **argv)
{
	struct request g = { .limit = DEFAULT_LIMIT, .format = "text" };
	struct options o;
	const char *value;
	int r, status = 0, first;

	measure_init(&g.q, v, argc, argv);
	verb_options_init(&o, v, argc, argv);
	while (!status && (r = verb_option(&o, &value)) > 0)
		status = take_option(&g, r, value);
	first = o.first_operand;
	verb_options_finish(&o);
	if (!status && r < 0)
		status = verb_option_status(r);
	else if (!status && argc - first < (g.base ? 1 : 2))
		status = verb_usage(v, "a base and another kernel are wanted, or --base RECORD and a kernel");
	else if (!status && g.base && g.q.plan.is_clocked)
		status = verb_usage(v, "--base is for counts: times of another day are no base");
	else if (!status) {
		status = measure_make_plan(&g.q);
		if (!status)
			status = gate(&g, argv + first, argc - first);
	}
	measure_finish(&g.q);
	run_finish(&g.from);
	return status;
}

const struct verb verb_gate = {
	.name = "gate",
	.operands = "BASE OTHER... | --base RECORD OTHER...",
	.summary = "Says by its status whether a kernel stays within a limit",
	.options = rows,
	.run = run_gate,
};
