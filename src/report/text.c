/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/configtext.h"
#include "report/number.h"
#include "report/textparts.h"
#include "sys/utf8.h"

#define LOG_TAIL_LINES 15

static const char *head(const struct text *t, const char *key)
{
	return facts_text(&t->r->run->head, key);
}

/* ---- what was run ---- */

/* The models by their names; their flags, some two dozen, are in the JSON. */
static void add_machine(const struct text *t)
{
	const char *model = run_cpu_model(t->r->run, 0);
	_cleanup_free_ char *models = run_cpu_models(t->r->run);
	size_t flags = 0;

	for (const char *c = model; *c; c++)
		flags += *c == ',';
	if (flags && !strchr(models, ';'))
		text_line(t, "machine %s, CPU model %s with %zu flags (--format json has them)", head(t, "machine"), models,
			  flags);
	else
		text_line(t, "machine %s, CPU model %s", head(t, "machine"), models);
}

static void count_boots(const struct run *run, size_t variant, size_t *n_done, size_t *n_all, uint64_t *nulls_ms, uint64_t *all_ms)
{
	const struct outcome *o = &run->outcomes[variant];

	*n_all += outcome_has_programs(o) ? run_nulls(run) : 0;
	*n_done += o->done + (size_t)__builtin_popcount(o->nulls_done);
	*nulls_ms += o->nulls_ms;
	*all_ms += o->nulls_ms + o->wall_ms;
}

static void add_header(const struct text *t)
{
	const struct run *run = t->r->run;
	const char *cx16 = facts_get(&run->head, "cx16");
	uint64_t nulls_ms = 0, all_ms = 0;
	size_t n_done = 0, n_all = run->n_variants;

	text_line(t, "engine %s: QEMU %s, plugin API %s", head(t, "engine"),
		  head(t, "qemu_version"), head(t, "plugin_api"));
	add_machine(t);
	text_line(t, "seed %s, replicates %s, 1 vCPU, icount shift=0", head(t, "seed"),
		  head(t, "replicates"));
	if (t->r->threshold > 0)
		text_line(t, "threshold %g %%: what differs by less is called the same",
			  t->r->threshold * 100);
	if (cx16 && !str_equal(cx16, "sound"))
		text_line(t, "note: guests run without cmpxchg16b (this QEMU's is %s)", cx16);
	for (size_t i = 0; i < run->n_variants; i++)
		count_boots(run, i, &n_done, &n_all, &nulls_ms, &all_ms);
	if (n_done < n_all)
		text_line(t, "note: unfinished, %zu of %zu boots are done", n_done, n_all);
	if (nulls_ms)
		text_line(t, "null boots: %u more of each kernel for how far what means nothing moves programs, %llu of %llu s of all "
			     "boots (--no-null: without them, and without verdicts of programs)", run_nulls(run),
			  (unsigned long long)nulls_ms / 1000, (unsigned long long)all_ms / 1000);
	str_add(t->out, "\n");
}

static char *params_text(const struct variant *v)
{
	struct str s = STR_INIT;

	for (size_t i = 0; i < v->params.n; i++)
		str_addf(&s, "%s%s", s.len ? " " : "", v->params.v[i]);
	for (size_t i = 0; i < v->dropped.n; i++)
		str_addf(&s, "%s(without %s)", s.len ? " " : "", v->dropped.v[i]);
	return str_take(&s);
}

static void add_variant(const struct text *t, struct table *tb, size_t i)
{
	const struct variant *v = &t->r->run->variants[i];
	const struct outcome *o = &t->r->run->outcomes[i];
	const char *release = facts_get(&o->guest, "release");
	const char *model = run_preempt_model(o, &v->kernel);
	_cleanup_free_ char *params = params_text(v);

	release = release ? release : v->kernel.release;
	table_add_row(tb);
	table_set(tb, 0, v->name);
	table_set(tb, 1, release ? release : "?");
	table_set(tb, 2, model ? model : "?");
	table_set(tb, 3, *params ? params : "-");
}

#define VULNERABILITY "vulnerability."
#define NOT_AFFECTED "Not affected"

/* "Mitigation: PTI; and more" is "PTI". */
static void add_mitigation(struct str *s, const char *key, const char *value)
{
	const char *name = key + strlen(VULNERABILITY), *end;

	if (str_has_prefix(value, "Mitigation: "))
		value += strlen("Mitigation: ");
	end = value + strcspn(value, ";,\n");
	str_addf(s, "%s%s: %.*s", s->len ? ", " : "", name, (int)(end - value), value);
}

/* What the kernel does about its CPU, in the order it says it. */
static char *mitigations_text(const struct outcome *o)
{
	struct str s = STR_INIT;
	bool is_said = false;

	for (size_t i = 0; i < o->guest.keys.n; i++) {
		const char *key = o->guest.keys.v[i], *value = o->guest.values.v[i];

		if (!str_has_prefix(key, VULNERABILITY))
			continue;
		is_said = true;
		if (!str_has_prefix(value, NOT_AFFECTED))
			add_mitigation(&s, key, value);
	}
	if (!s.len)
		str_add(&s, is_said ? "none, the CPU model needs none" : "not said");
	return str_take(&s);
}

static void add_mitigations(const struct text *t)
{
	const struct run *run = t->r->run;
	_cleanup_strv_ struct strv texts = { 0 };
	bool is_same = true;

	for (size_t i = 0; i < run->n_variants; i++) {
		_cleanup_free_ char *text = mitigations_text(&run->outcomes[i]);

		strv_add(&texts, text);
		is_same &= str_equal(text, texts.v[0]);
	}
	for (size_t i = 0; i < (is_same ? 1 : texts.n); i++)
		text_line(t, "  mitigations, %s: %s", is_same ? "all" : text_name(t, i),
			  texts.v[i]);
	str_add(t->out, "\n");
}

static void add_variants(const struct text *t)
{
	_cleanup_table_ struct table *tb = table_new();

	table_add_column(tb, "variant", TABLE_LEFT);
	table_add_column(tb, "release", TABLE_LEFT);
	table_add_column(tb, "preempt", TABLE_LEFT);
	table_add_column(tb, "boot parameters", TABLE_LEFT);
	for (size_t i = 0; i < t->r->run->n_variants; i++)
		add_variant(t, tb, i);
	text_table(t, tb);
	if (t->r->run->n_variants)
		add_mitigations(t);
}

/* ---- what else differs ---- */

static void add_preempt_answer(const struct text *t, const struct result_config *c)
{
	const char *base = c->base_model ? c->base_model : "unknown";
	const char *other = c->other_model ? c->other_model : "unknown";

	if (c->same_preempt_model)
		text_line(t, "  same preemption model on both sides? yes: %s%s", base,
			  c->diff.base_is_dynamic != c->diff.other_is_dynamic ?
				  ", but only one of them is built with PREEMPT_DYNAMIC" : "");
	else
		text_line(t, "  same preemption model on both sides? %s: %s against %s",
			  c->base_model && c->other_model ? "no" : "not known", other, base);
}

static void add_config(const struct text *t, const struct result_config *c)
{
	text_line(t, "%s against %s", text_name(t, c->other), text_name(t, c->base));
	add_preempt_answer(t, c);
	text_add_origin(t, c);
	if (!t->options->full || !c->known || !c->n_lines) {
		configtext_add_short(&c->diff, 2, t->options, t->out);
		str_add(t->out, "\n");
		return;
	}
	text_line(t, "  config: %zu %s", c->n_lines, c->n_lines == 1 ? "line differs" : "lines differ");
	for (size_t i = 0; i < c->n_lines; i++)
		text_line(t, "    %s", c->lines.v[i]);
	str_add(t->out, "\n");
}

/* ---- what went wrong, and what this cannot show ---- */

static void add_log_tail(const struct text *t, const char *log)
{
	_cleanup_free_ char *copy = xstrdup(str_tail(log, LOG_TAIL_LINES)), *next = copy, *s;

	while ((s = strsep(&next, "\n")))
		if (next || *s)
			text_line(t, "    | %s", s);
}

static void add_failures(const struct text *t)
{
	for (size_t v = 0; v < t->r->run->n_variants; v++) {
		const struct outcome *o = &t->r->run->outcomes[v];

		for (size_t i = 0; i < o->n_failures; i++) {
			const struct failure *f = &o->failures[i];

			if (strcmp(f->stage, FAILURE_LOST) == 0)
				text_line(t, "LOST %s, no result: %s", text_name(t, v), f->message);
			else
				text_line(t, "FAILED %s, %s: %s: %s", text_name(t, v),
					  f->workload ? f->workload : "whole boot", f->stage, f->message);
			if (f->log_tail)
				add_log_tail(t, f->log_tail);
		}
	}
	if (t->r->n_failures)
		str_add(t->out, "\n");
}

static void add_limits(const struct text *t)
{
	if (t->r->clocked) {
		text_line(t, "Times are of this machine as it was: another processor, another load, another "
			     "layout of the kernel give others.");
		if (t->r->run->path)
			text_line(t, "record: %s", t->r->run->path);
		return;
	}
	text_line(t, "Counts do not see time, caches, layout or waiting; on one CPU there is no "
		     "contention, no IPI, no remote wake-up.");
	text_line(t, "Operations run between timer ticks: work deferred to ticks (RCU callbacks, "
		     "softirqs) is not in them.");
	if (t->r->run->path)
		text_line(t, "record: %s", t->r->run->path);
}

static int render(const struct result *r, struct str *out, const struct report_options *options,
		  struct error *err)
{
	const struct text t = { .r = r, .options = options, .out = out };

	(void)err;
	if (r->clocked)
		text_add_clock_header(&t);
	else
		add_header(&t);
	add_variants(&t);
	for (size_t i = 0; i < r->n_configs; i++)
		add_config(&t, &r->configs[i]);
	if (r->clocked) {
		text_add_clocked(&t);
	} else {
		text_add_numbers(&t);
		text_add_functions(&t);
	}
	if (r->studied)
		text_add_studied(&t);
	add_failures(&t);
	add_limits(&t);
	return 0;
}

/* ---- several records ---- */

static char *span_text(double lo, double hi)
{
	return isnan(lo) ? xstrdup("-") : xasprintf("%+.2f .. %+.2f", (lo - 1) * 100, (hi - 1) * 100);
}

static void add_joint_row(struct table *tb, const char *const cells[8])
{
	table_add_row(tb);
	for (size_t i = 0; i < 8; i++)
		table_set(tb, i, cells[i]);
}

static void add_counted(const struct text *t, struct table *tb)
{
	for (size_t i = 0; i < t->r->n_comparisons; i++) {
		const struct result_comparison *c = &t->r->comparisons[i];
		_cleanup_free_ char *span = span_text(c->ratio.lo, c->ratio.hi);

		add_joint_row(tb, (const char *const[]){ c->workload, text_name(t, c->base), text_name(t, c->other),
							 head(t, "engine"), "instructions per operation",
							 number_percent(c->ratio.mean - 1, true).s, span,
							 verdict_name(c->verdict) });
	}
}

static void add_timed(const struct text *t, struct table *tb)
{
	for (size_t i = 0; i < t->r->clocked->n; i++) {
		const struct clocked_comparison *c = &t->r->clocked->comparisons[i];
		_cleanup_free_ char *span = span_text(c->p.ratio.lo, c->p.ratio.hi);

		add_joint_row(tb, (const char *const[]){ c->workload, text_name(t, c->base), text_name(t, c->other),
							 head(t, "engine"), c->quantity,
							 number_percent(c->p.ratio.estimate - 1, true).s, span,
							 c->verdict_name });
	}
}

/* A table of all, so that the engines stand beside each other; what each rests on is in its own report. */
static int render_many(const struct result *results, size_t n, struct str *out, const struct report_options *options,
		       struct error *err)
{
	static const char *const titles[] = { "workload", "base", "other", "engine", "quantity", "diff %",
					      "range or interval", "verdict" };
	_cleanup_table_ struct table *tb = table_new();
	struct text t = { .options = options, .out = out };

	(void)err;
	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		table_add_column(tb, titles[i], i == 5 || i == 6 ? TABLE_RIGHT : i == 7 ? TABLE_LEFT : TABLE_SHRINK);
	for (size_t i = 0; i < n; i++) {
		t.r = &results[i];
		if (t.r->clocked)
			add_timed(&t, tb);
		else
			add_counted(&t, tb);
	}
	text_table(&t, tb);
	text_line(&t, "count: instructions, the range is over tick phases, of programs an interval over null boots. live, vm: wall clock, an interval; the "
		      "two are not of one kind.");
	for (size_t i = 0; i < n; i++)
		text_line(&t, "record: %s", results[i].run->path);
	return 0;
}

const struct report_ops report_text = { .name = "text", .render = render, .render_many = render_many };
