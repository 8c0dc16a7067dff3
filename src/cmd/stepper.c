/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/stepper.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cmd/kernelfind.h"
#include "cmd/progress.h"
#include "cmd/recording.h"
#include "cmd/variants.h"
#include "engine/count.h"
#include "engine/pool.h"
#include "explain/comparison.h"
#include "kernel/built.h"
#include "model/spec.h"

/* With the workloads' needs, as variants_add() writes specs. */
size_t stepper_variant(const struct stepper *s, const char *spec)
{
	_cleanup_free_ char *whole = variants_spec(s->q, spec);

	for (size_t i = 0; i < s->q->run.n_variants; i++)
		if (str_equal(s->q->run.variants[i].spec, whole))
			return i;
	return SIZE_MAX;
}

/* What an earlier search has left: all of its variants. */
static int take_record(struct stepper *s, struct record **rec, struct error *err)
{
	struct measure *q = s->q;

	run_finish(&q->run);
	q->run = (struct run){ 0 };
	q->cap_variants = 0;
	s->rec = TAKE_PTR(*rec);
	return record_load(s->rec, &q->run, err);
}

int stepper_begin(struct stepper *s, struct measure *q, const char *base, struct error *err)
{
	unsigned before = kernel_builds();
	struct count_options options = { .plan = &q->plan, .budget_ms = q->timeout_s * 1000 };
	_cleanup_record_ struct record *rec = NULL;
	int r;

	*s = (struct stepper){ .q = q };
	r = variants_add(q, base, err);
	s->n_built = kernel_builds() - before;
	if (r == 0)
		r = measure_root(q, err);
	if (r == 0) {
		options.machine = machine_find(q->run.variants[0].kernel.arch);
		r = count_new(&options, &s->engine, err);
	}
	if (r == 0)
		r = s->engine->ops->prepare(s->engine, q->run.variants, 1, err);
	if (r < 0)
		return r;
	recording_fill_head(q, &s->engine->facts);
	r = recording_get(q, &rec, err);
	return r < 0 ? r : take_record(s, &rec, err);
}

void stepper_finish(struct stepper *s)
{
	engine_free(s->engine);
	record_close(s->rec);
}

struct one {
	struct stepper *s;
	size_t variant;
};

static int on_outcome(void *data, size_t index, struct outcome *outcome, struct error *err)
{
	const struct one *o = data;
	int r = record_put_outcome(o->s->rec, o->variant, 0, outcome, err);

	(void)index;
	outcome_finish(outcome);
	return r;
}

static void on_progress(void *data, double done, size_t running, size_t ended, double left_s)
{
	(void)data;
	progress_show(done, running, ended, 1, left_s);
}

static int boot(struct stepper *s, size_t variant, struct error *err)
{
	struct one one = { s, variant };
	const struct boot_request request = { .variant = &s->q->run.variants[variant] };
	const struct pool_hooks hooks = { on_outcome, on_progress, &one };
	struct run run = { 0 };
	int r = pool_run(s->engine, &request, 1, 1, &hooks, err);

	progress_end();
	/* What has come of it, as the record has it. */
	if (r == 0)
		r = record_load(s->rec, &run, err);
	if (r == 0) {
		struct outcome o = run.outcomes[variant];

		run.outcomes[variant] = s->q->run.outcomes[variant];
		s->q->run.outcomes[variant] = o;
		/* There is no step to a point that the host lost. */
		if (!o.done && o.n_failures)
			r = error_set(err, EIO, "%s: %s", s->q->run.variants[variant].name, o.failures[0].message);
	}
	run_finish(&run);
	return r;
}

/* Adds a variant, which builds or fetches its kernel; it goes into the record once it is there. */
static int add(struct stepper *s, const char *spec, size_t *ret, struct error *err)
{
	struct run *run = &s->q->run;
	size_t i = run->n_variants;
	unsigned before = kernel_builds();
	int r;

	/* The number of variants is the capacity after a load. */
	if (s->q->cap_variants < i)
		s->q->cap_variants = i;
	r = variants_add(s->q, spec, err);
	s->n_built += kernel_builds() - before;
	if (r < 0)
		return r;
	run->outcomes = xrealloc(run->outcomes, run->n_variants * sizeof(*run->outcomes));
	run->outcomes[i] = (struct outcome){ 0 };
	r = s->engine->ops->prepare(s->engine, &run->variants[i], 1, err);
	if (r == 0)
		r = record_add_variant(s->rec, i, &run->variants[i], err);
	*ret = i;
	return r;
}

static int read_costs(struct stepper *s, size_t variant, struct stepper_cost *ret, struct error *err)
{
	const struct plan *plan = &s->q->plan;
	const struct outcome *o = &s->q->run.outcomes[variant];
	struct result result;
	bool any = false;
	int r;

	if (o->n_failures && !o->failures[0].workload)
		return error_blame(err, ERROR_KERNEL, ENODATA, "%s: %s", s->q->run.variants[variant].name,
				   o->failures[0].message);
	r = result_build(s->rec, &s->q->run, 0, &result, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < plan->n_items; i++) {
		ret[i] = (struct stepper_cost){ .mean = NAN, .range = NAN };
		for (size_t k = 0; k < result.n_cells; k++) {
			const struct result_cell *c = &result.cells[k];

			if (c->variant != variant || !c->n || strcmp(c->workload, plan_item_name(&plan->items[i])) != 0)
				continue;
			ret[i] = (struct stepper_cost){ .mean = c->insns.mean, .range = c->insns.hi - c->insns.lo };
			for (; ret[i].n < c->n && ret[i].n < RUN_MAX_REPLICATES; ret[i].n++)
				ret[i].replicates[ret[i].n] = c->replicates[ret[i].n];
		}
		any |= !isnan(ret[i].mean);
	}
	result_finish(&result);
	return any ? 0 : error_blame(err, ERROR_KERNEL, ENODATA, "%s: %s", s->q->run.variants[variant].name,
				     o->n_failures ? o->failures[0].message : "nothing was measured");
}

int stepper_costs(struct stepper *s, const char *spec, struct stepper_cost *ret, struct error *err)
{
	size_t i = stepper_variant(s, spec);
	int r = 0;

	s->n_measured++;
	if (i == SIZE_MAX)
		r = add(s, spec, &i, err);
	/* A variant of a record that ended before its boot has no kernel at hand. */
	if (r == 0 && !s->q->run.outcomes[i].done) {
		r = variants_refill(s->q, i, err);
		if (r == 0)
			r = s->engine->ops->prepare(s->engine, &s->q->run.variants[i], 1, err);
		if (r == 0)
			r = boot(s, i, err);
	}
	if (r == 0)
		return read_costs(s, i, ret, err);
	/* A kernel that does not build is not the end; a machine that cannot build is. */
	return err->blame == ERROR_KERNEL ? (r == -ECANCELED ? r : -ENODATA) : r;
}

int stepper_pair(struct stepper *s, const char *base, const char *other, const char *path, struct record **ret,
		 struct error *err)
{
	size_t which[] = { stepper_variant(s, base), stepper_variant(s, other) };
	struct run pair = { .head = s->q->run.head, .n_variants = 2 };
	_cleanup_record_ struct record *rec = NULL;
	struct variant variants[2];
	int r = 0;

	for (size_t i = 0; i < 2; i++)
		variants[i] = s->q->run.variants[which[i]];
	pair.variants = variants;
	remove(path);
	r = record_create(path, &pair, &rec, err);
	for (size_t i = 0; r == 0 && i < 2; i++) {
		r = record_load_rest(s->rec, &s->q->run, which[i], err);
		if (r == 0)
			r = record_put_outcome(rec, i, 0, &s->q->run.outcomes[which[i]], err);
	}
	if (r == 0)
		*ret = TAKE_PTR(rec);
	return r;
}
