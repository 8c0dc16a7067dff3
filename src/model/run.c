/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void variant_finish(struct variant *v)
{
	free(v->name);
	free(v->spec);
	free(v->cpu);
	free(v->cmdline);
	strv_finish(&v->params);
	strv_finish(&v->dropped);
	kernel_finish(&v->kernel);
	*v = (struct variant){ 0 };
}

uint64_t sample_insns(const struct sample *s)
{
	uint64_t restarts = s->halts || s->started < s->clock ? 0 : s->started - s->clock;

	if (s->is_tick)
		return s->kernel_insns;
	return s->started - s->string_iters - restarts;
}

uint64_t sample_string_iters(const struct sample *s)
{
	return s->is_tick ? s->kernel_string_iters : s->string_iters;
}

void sample_finish(struct sample *s)
{
	for (size_t i = 0; i < s->n_metrics; i++) {
		free(s->metrics[i].name);
		free(s->metrics[i].unit);
	}
	free(s->metrics);
	free(s->output);
	free(s->workload);
	free(s->profile_id);
	free(s->output_id);
	profile_finish(&s->profile);
	*s = (struct sample){ 0 };
}

void failure_finish(struct failure *f)
{
	free(f->workload);
	free(f->stage);
	free(f->message);
	free(f->log_tail);
	*f = (struct failure){ 0 };
}

struct failure *outcome_add_failure(struct outcome *o, const char *workload, const char *stage,
				    const char *message, const char *log_tail)
{
	struct failure *f = ARRAY_ADD(o->failures, o->n_failures, o->cap_failures);

	f->workload = workload ? xstrdup(workload) : NULL;
	f->stage = xstrdup(stage);
	f->message = xstrdup(message);
	f->log_tail = log_tail && *log_tail ? xstrdup(log_tail) : NULL;
	return f;
}

void outcome_finish(struct outcome *o)
{
	free(o->command);
	free(o->console);
	free(o->symbols);
	code_finish(&o->code);
	inlines_finish(&o->inlines);
	facts_finish(&o->guest);
	for (size_t i = 0; i < o->n_samples; i++)
		sample_finish(&o->samples[i]);
	free(o->samples);
	for (size_t i = 0; i < o->n_failures; i++)
		failure_finish(&o->failures[i]);
	free(o->failures);
	*o = (struct outcome){ 0 };
}

void run_finish(struct run *r)
{
	facts_finish(&r->head);
	for (size_t i = 0; i < r->n_variants; i++) {
		variant_finish(&r->variants[i]);
		if (r->outcomes)
			outcome_finish(&r->outcomes[i]);
	}
	free(r->variants);
	free(r->outcomes);
	for (size_t i = 0; i < r->n_sittings; i++)
		sitting_finish(&r->sittings[i]);
	free(r->sittings);
	free(r->path);
	*r = (struct run){ 0 };
}

/* "base.y" is "n", where variants came one by one. */
static size_t named_base(const struct run *r, size_t variant)
{
	_cleanup_free_ char *key = variant < r->n_variants ? xasprintf("base.%s", r->variants[variant].name) : NULL;
	const char *name = key ? facts_get(&r->head, key) : NULL;

	for (size_t i = 0; name && i < r->n_variants; i++)
		if (i != variant && strcmp(r->variants[i].name, name) == 0)
			return i;
	return 0;
}

size_t run_base(const struct run *r, size_t variant)
{
	const char *bases = facts_get(&r->head, "bases");

	if (!bases)
		return named_base(r, variant);
	for (size_t i = 0; bases && variant && i <= variant; i++) {
		char *end;
		unsigned long base = strtoul(bases, &end, 10);

		if (end == bases || base >= r->n_variants)
			return 0;
		/* A variant that is its own base would be compared with nothing. */
		if (i == variant)
			return base == variant ? 0 : base;
		bases = end;
	}
	return 0;
}

const char *run_preempt_model(const struct outcome *o, const struct kernel *k)
{
	static const char *const models[] = { "none", "voluntary", "full", "lazy" };
	const char *configured = k->config ? config_preempt_model(k->config) : NULL;
	const char *sched = facts_get(&o->guest, "sched_preempt");
	const char *said = facts_get(&o->guest, "boot_preempt");

	if (str_equal(facts_get(&o->guest, "realtime"), "1") || str_equal(configured, "rt"))
		return "rt";
	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		_cleanup_free_ char *in_use = xasprintf("(%s)", models[i]);

		if ((sched && strstr(sched, in_use)) || str_equal(said, models[i]))
			return models[i];
	}
	/* What a dynamic kernel boots as is not known before it did. */
	if (!o->guest.keys.n && k->config && strstr(k->config, "\nCONFIG_PREEMPT_DYNAMIC=y\n"))
		return NULL;
	/* A kernel without PREEMPT_DYNAMIC: the config says it, the boot parameter does nothing. */
	return sched || said ? NULL : configured;
}

unsigned run_nulls(const struct run *r)
{
	const char *s = facts_get(&r->head, "null_boots");
	uint64_t n;

	return s && str_to_u64(s, 0, RUN_MAX_NULLS, &n) == 0 ? (unsigned)n : 0;
}

bool outcome_has_programs(const struct outcome *o)
{
	for (size_t i = 0; i < o->n_samples; i++)
		if (o->samples[i].is_program)
			return true;
	return false;
}

bool run_has_lost(const struct run *r)
{
	for (size_t v = 0; v < r->n_variants; v++)
		for (size_t i = 0; i < r->outcomes[v].n_failures; i++)
			if (strcmp(r->outcomes[v].failures[i].stage, FAILURE_LOST) == 0)
				return true;
	return false;
}

const char *run_cpu_model(const struct run *r, size_t variant)
{
	const char *of_machine = facts_get(&r->head, "cpu_model");

	if (variant < r->n_variants && r->variants[variant].cpu)
		return r->variants[variant].cpu;
	return of_machine ? of_machine : "unknown";
}

char *run_cpu_models(const struct run *r)
{
	const char *first = run_cpu_model(r, 0);
	struct str s = STR_INIT;

	str_addf(&s, "%.*s", (int)strcspn(first, ","), first);
	for (size_t i = 1; i < r->n_variants; i++) {
		const char *model = run_cpu_model(r, i);

		/* Flags may be all that differs. */
		if (strcmp(model, first) != 0)
			str_addf(&s, "; %s: %s", r->variants[i].name, model);
	}
	return str_take(&s);
}
