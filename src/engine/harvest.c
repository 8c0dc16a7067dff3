/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/harvest.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/printed.h"
#include "engine/selfcheck.h"

#define TAIL_LINES 30

static bool is_fault(const struct machine *m, const char *name)
{
	for (size_t i = 0; m->faults[i]; i++)
		if (str_has_prefix(name, m->faults[i]))
			return true;
	return false;
}

/*
 * Executions of the kernel's fault entries in a profile: an instruction that
 * faults is started again, so they are the limit of restarts.
 */
static uint64_t faults_in(const struct machine *m, const struct profile *p,
			  const struct symbols *symbols)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct symbol *s = symbols_find(symbols, p->counts[i].addr);

		if (s && s->addr == p->counts[i].addr && is_fault(m, s->name))
			n += p->counts[i].count;
	}
	return n;
}

static void fail(const struct harvest *h, struct outcome *o, const char *workload,
		 const char *stage, const char *message)
{
	outcome_add_failure(o, workload, stage, message, str_tail(h->console, TAIL_LINES));
}

/* The kernel that ran must be the one that the host looked at. */
static bool check_build_id(const struct variant *v, struct outcome *o)
{
	const char *told = facts_get(&o->guest, "build_id");
	_cleanup_free_ char *s = NULL;

	if (!told || !v->kernel.build_id || str_equal(told, v->kernel.build_id))
		return true;
	s = xasprintf("the guest says that its build id is %s, and the image has %s", told, v->kernel.build_id);
	outcome_add_failure(o, NULL, "kernel", s, NULL);
	return false;
}

/*
 * A boot parameter of the spec that the kernel says it does not know changed nothing, most likely because it is misspelt. The
 * kernel names it as it was given, and does not look at those with a dot: they may be a module's.
 */
static bool check_parameters(const struct variant *v, struct outcome *o)
{
	const char *unknown = facts_get(&o->guest, WIRE_INFO_UNKNOWN);

	for (size_t i = 0; unknown && i < v->params.n; i++) {
		size_t n = strlen(v->params.v[i]);

		for (const char *at = unknown; (at = strstr(at, v->params.v[i])); at += n)
			if ((at == unknown || at[-1] == ' ') && (!at[n] || at[n] == ' ')) {
				_cleanup_free_ char *s = xasprintf("the kernel does not know the boot parameter %s (it says: unknown "
								   "kernel command line parameters \"%s\")", v->params.v[i], unknown);

				outcome_add_failure(o, NULL, "kernel", s, NULL);
				return false;
			}
	}
	return true;
}

/* The mode that a preempt= parameter asks for must be the one in use. */
static bool check_preempt(const struct variant *v, struct outcome *o)
{
	const char *asked = NULL, *model, *in_use;

	for (size_t i = 0; i < v->params.n; i++)
		if (str_has_prefix(v->params.v[i], "preempt="))
			asked = v->params.v[i] + strlen("preempt=");
	if (!asked)
		return true;
	/* Nothing is known of a guest that has not told of itself to the end. */
	if (!facts_get(&o->guest, WIRE_INFO_TOLD))
		return true;
	model = run_preempt_model(o, &v->kernel);
	in_use = facts_get(&o->guest, "sched_preempt");
	if (!in_use)
		in_use = facts_get(&o->guest, "boot_preempt");
	if (!in_use) {
		_cleanup_free_ char *s = xasprintf(
			"preempt=%s has no effect: this kernel cannot change its preemption model "
			"at boot (no PREEMPT_DYNAMIC)%s%s",
			asked, model ? ", it is " : "", model ? model : "");

		outcome_add_failure(o, NULL, "kernel", s, NULL);
		return false;
	}
	if (!str_equal(model, asked)) {
		_cleanup_free_ char *s =
			xasprintf("preempt=%s was asked for, but the kernel offers and uses: %s",
				  asked, in_use);

		outcome_add_failure(o, NULL, "kernel", s, NULL);
		return false;
	}
	return true;
}

/* And so must SELinux be. */
static bool check_selinux(const struct variant *v, struct outcome *o)
{
	const char *asked = NULL, *enforce = facts_get(&o->guest, "selinux_enforce");

	for (size_t i = 0; i < v->params.n; i++)
		if (str_has_prefix(v->params.v[i], WIRE_PARAM_SELINUX))
			asked = v->params.v[i] + strlen(WIRE_PARAM_SELINUX);
	if (!asked || !facts_get(&o->guest, WIRE_INFO_TOLD) || str_equal(enforce, strcmp(asked, "enforcing") == 0 ? "1" : "0"))
		return true;
	outcome_add_failure(o, NULL, "kernel",
			    enforce ? "SELinux is not in the mode that was asked for" :
				      "SELinux was asked for, but the kernel does not have it or did not take the policy",
			    NULL);
	return false;
}

/* ---- samples ---- */

static int read_metrics(const struct workload *w, struct sample *s, struct error *err)
{
	struct readings readings = { 0 };
	int r = printed_read(w, s->output, &readings, &s->ops, err);

	for (size_t i = 0; r == 0 && i < readings.n; i++)
		*ARRAY_ADD(s->metrics, s->n_metrics, s->cap_metrics) = (struct metric){
			.name = xstrdup(readings.v[i].metric),
			.unit = xstrdup(readings.v[i].unit),
			.is_higher_better = readings.v[i].is_higher_better,
			.value = readings.v[i].value,
		};
	readings_finish(&readings);
	return r;
}

static int fill_sample(const struct harvest *h, const struct mailbox_cell *cell,
		       const struct plan_item *item, const struct symbols *symbols,
		       struct sample *s, const char **ret_stage, struct error *err)
{
	struct stream_region *region = &h->stream->regions[cell->cell.region];
	const struct wire_cell *c = &cell->cell;
	struct profile_sums sums;
	int r = 0;

	profile_sum(&region->profile, &sums);
	s->workload = xstrdup(plan_item_name(item));
	s->size = c->size;
	s->replicate = c->replicate;
	s->ops = c->ops;
	s->lead_ops = c->lead_ops;
	s->started = region->started;
	s->clock = c->clock;
	s->kernel_insns = sums.kernel_insns;
	s->user_insns = sums.user_insns;
	s->string_iters = sums.string_iters;
	s->kernel_string_iters = sums.kernel_string_iters;
	s->locked = region->locked;
	s->halts = h->machine->is_halt_any_call && s->started >= s->clock ? 0 : region->halts;
	s->faults = faults_in(h->machine, &region->profile, symbols);
	s->ticks = c->ticks;
	s->tries = c->tries;
	s->phase = c->phase;
	s->is_tick = item->operation && item->operation->is_tick;
	s->is_program = item->workload;
	*ret_stage = "self-check";
	r = selfcheck_cell(s->started, s->clock, s->faults, s->halts, err);
	if (r == 0 && item->workload) {
		*ret_stage = "run";
		s->output = xstrdup(cell->output ? cell->output : "");
		r = read_metrics(item->workload, s, err);
	}
	s->profile = region->profile;
	region->profile = (struct profile){ 0 };
	return r;
}

/* Replicates fail in the same way: once is enough. */
static bool is_told(const struct outcome *o, const char *workload, const char *message)
{
	for (size_t i = 0; i < o->n_failures; i++)
		if (str_equal(o->failures[i].workload, workload) &&
		    strcmp(o->failures[i].message, message) == 0)
			return true;
	return false;
}

static void add_sample(const struct harvest *h, struct outcome *o, const struct mailbox_cell *cell,
		       const struct symbols *symbols)
{
	const struct plan_item *item = cell->cell.workload < h->plan->n_items ?
					       &h->plan->items[cell->cell.workload] :
					       NULL;
	_cleanup_error_ struct error err = ERROR_INIT;
	struct sample s = { 0 };
	const char *stage;

	if (!item || cell->cell.region >= h->stream->n_regions || !cell->cell.ops) {
		fail(h, o, item ? plan_item_name(item) : NULL, "operation",
		     "the plugin has no region for this cell");
		return;
	}
	if (h->stream->regions[cell->cell.region].is_taken) {
		fail(h, o, plan_item_name(item), "operation", "the guest named one region for two cells");
		return;
	}
	h->stream->regions[cell->cell.region].is_taken = true;
	if (fill_sample(h, cell, item, symbols, &s, &stage, &err) == 0) {
		*ARRAY_ADD(o->samples, o->n_samples, o->cap_samples) = s;
		return;
	}
	if (!is_told(o, s.workload, error_text(&err)))
		outcome_add_failure(o, s.workload, stage, error_text(&err),
				    str_tail(s.output ? s.output : h->console, TAIL_LINES));
	sample_finish(&s);
}

static void add_failure(const struct harvest *h, struct outcome *o, const struct mailbox_failure *f)
{
	const struct plan_item *item =
		f->workload < h->plan->n_items ? &h->plan->items[f->workload] : NULL;

	if (item && item->workload)
		outcome_add_failure(o, item->workload->name, "run", f->message,
				    f->output ? str_tail(f->output, TAIL_LINES) : NULL);
	else
		fail(h, o, item ? plan_item_name(item) : NULL, "operation", f->message);
}

/*
 * What spin executes is known from the agent's own code. If a region of it has anything else, so may
 * the others: nothing of the boot is used.
 */
static void check_control(const struct harvest *h, struct outcome *o)
{
	const char *told = facts_get(&o->guest, WIRE_INFO_SPIN);
	_cleanup_free_ char *message = NULL;
	uint64_t known;

	if (!told || str_to_u64(told, 1, UINT32_MAX, &known) < 0)
		known = 0;
	for (size_t i = 0; i < o->n_samples && !message; i++) {
		const struct sample *s = &o->samples[i];

		if (strcmp(s->workload, RUN_CONTROL) == 0 && (s->started != s->clock || s->clock / s->ops != known ||
							    s->clock % s->ops))
			message = xasprintf("the control failed: %llu times spin is known to be %llu instructions, and "
					    "%llu were counted (%llu of them in the kernel): something else ran in "
					    "the region, so nothing of this boot is used",
					    (unsigned long long)s->ops, (unsigned long long)(known * s->ops),
					    (unsigned long long)s->started, (unsigned long long)s->kernel_insns);
	}
	if (!message)
		return;
	for (size_t i = 0; i < o->n_samples; i++)
		sample_finish(&o->samples[i]);
	o->n_samples = 0;
	fail(h, o, NULL, "control", message);
}

void harvest_samples(struct harvest *h, const struct symbols *symbols, struct outcome *o)
{
	const struct mailbox *m = h->mailbox;

	o->code = h->stream->code;
	h->stream->code = (struct code){ 0 };
	if (h->trouble && !str_equal(h->trouble, h->broken))
		fail(h, o, NULL, "boot", h->trouble);
	else if (m->damaged && !h->broken)
		fail(h, o, NULL, "boot", "the guest's report is damaged: a part of it is missing or broken");
	if (h->broken) {
		_cleanup_free_ char *s = xasprintf("%s: nothing of this boot is used", h->broken);

		fail(h, o, NULL, "boot", s);
		return;
	}
	if (check_build_id(h->variant, o) && check_parameters(h->variant, o) && check_preempt(h->variant, o) && check_selinux(h->variant, o))
		for (size_t i = 0; i < m->n_cells; i++)
			add_sample(h, o, &m->cells[i], symbols);
	check_control(h, o);
	for (size_t i = 0; i < m->n_failures; i++)
		add_failure(h, o, &m->failures[i]);
}
