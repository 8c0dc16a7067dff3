/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/harvest.h"

#include <string.h>

#include "base/alloc.h"
#include "engine/selfcheck.h"
#include "guest/initramfs.h"

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

/* The mode that a preempt= parameter asks for must be the one in use. */
static bool check_preempt(const struct variant *v, struct outcome *o)
{
	const char *asked = NULL, *model, *in_use;

	for (size_t i = 0; i < v->params.n; i++)
		if (str_has_prefix(v->params.v[i], "preempt="))
			asked = v->params.v[i] + strlen("preempt=");
	if (!asked)
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

static void add_sample(const struct harvest *h, struct outcome *o, const struct wire_cell *c,
		       const struct symbols *symbols)
{
	const struct operation_info *op = operation_find(c->operation);
	_cleanup_error_ struct error err = ERROR_INIT;
	struct stream_region *region;
	struct profile_sums sums;
	struct sample s = { 0 };

	if (c->region >= h->stream->n_regions || !c->ops || !op) {
		fail(h, o, c->operation, "operation", "the plugin has no region for this cell");
		return;
	}
	region = &h->stream->regions[c->region];
	profile_sum(&region->profile, &sums);
	s.ops = c->ops;
	s.started = region->started;
	s.clock = c->clock;
	s.kernel_insns = sums.kernel_insns;
	s.user_insns = sums.user_insns;
	s.string_iters = sums.string_iters;
	s.kernel_string_iters = sums.kernel_string_iters;
	s.locked = region->locked;
	s.halts = region->halts;
	s.faults = faults_in(h->machine, &region->profile, symbols);
	if (selfcheck_cell(s.started, s.clock, s.faults, s.halts, &err) < 0) {
		fail(h, o, c->operation, "self-check", error_text(&err));
		return;
	}
	s.workload = xstrdup(c->operation);
	s.replicate = c->replicate;
	s.ticks = c->ticks;
	s.tries = c->tries;
	s.phase = c->phase;
	s.is_tick = op->is_tick;
	s.profile = region->profile;
	region->profile = (struct profile){ 0 };
	*ARRAY_ADD(o->samples, o->n_samples, o->cap_samples) = s;
}

void harvest_samples(struct harvest *h, const struct symbols *symbols, struct outcome *o)
{
	const struct mailbox *m = h->mailbox;

	if (h->trouble)
		fail(h, o, NULL, "boot", h->trouble);
	if (check_preempt(h->variant, o))
		for (size_t i = 0; i < m->n_cells; i++)
			add_sample(h, o, &m->cells[i], symbols);
	for (size_t i = 0; i < m->n_failures; i++)
		fail(h, o, m->failures[i].operation, "operation", m->failures[i].message);
}
