/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/measurevm.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "cmd/progress.h"
#include "cmd/recording.h"
#include "engine/vm.h"
#include "sys/dialog.h"

#define DEFAULT_BOOTS 3
#define DEFAULT_ROUNDS 10
#define DEFAULT_BLOCK_MS 100

struct booting {
	struct measure *q;
	struct outcome *outcomes; /* of this boot */
	size_t boot, boots;
};

static void on_block(void *data, size_t done, size_t all)
{
	const struct booting *b = data;

	progress_blocks(b->boot * all + done, b->boots * all);
}

static void on_failure(void *data, size_t variant, const char *workload, const char *message, const char *output)
{
	struct booting *b = data;

	outcome_add_failure(&b->outcomes[variant], workload, "run", message, *output ? output : NULL);
}

/* What the guests said stands with the first boot; failures with every one. */
static int store(struct booting *b, struct record *rec, const struct sitting *s, struct error *err)
{
	int r = 0;

	for (size_t v = 0; r == 0 && v < b->q->run.n_variants; v++) {
		const struct outcome *o = &b->outcomes[v];

		if (b->boot == 0)
			r = record_put_outcome(rec, v, 0, o, err);
		for (size_t i = 0; b->boot && r == 0 && i < o->n_failures; i++)
			r = record_put_failure(rec, v, &o->failures[i], err);
	}
	return r < 0 ? r : record_put_sitting(rec, b->boot, s, err);
}

static int one_boot(struct booting *b, struct vm *vm, struct record *rec, struct error *err)
{
	struct sitting s = { .boot = xasprintf("boot %zu", b->boot + 1), .started = (uint64_t)time(NULL) };
	size_t n = b->q->run.n_variants;
	bool failed;
	int r;

	b->outcomes = xcalloc(n, sizeof(*b->outcomes));
	r = vm_run(vm, &s, b->outcomes, &failed, err);
	if (failed) {
		/* Half a boot is none. */
		struct sitting none = { .boot = TAKE_PTR(s.boot), .started = s.started };

		sitting_finish(&s);
		s = none;
		facts_add(&s.facts, "ended", "the boot failed: nothing of it is used");
	}
	if (r == 0)
		r = store(b, rec, &s, err);
	for (size_t v = 0; v < n; v++)
		outcome_finish(&b->outcomes[v]);
	free(TAKE_PTR(b->outcomes));
	sitting_finish(&s);
	return r;
}

static void add_number(struct facts *f, const char *key, uint64_t v)
{
	_cleanup_free_ char *s = xasprintf("%llu", (unsigned long long)v);

	facts_add(f, key, s);
}

int measure_vm(struct measure *q, struct record **rec, struct error *err)
{
	uint64_t boots = q->boots ? q->boots : DEFAULT_BOOTS;
	struct booting b = { .q = q, .boots = boots };
	const struct vm_options options = {
		.machine = machine_find(q->run.variants[0].kernel.arch),
		.timeout_ms = q->timeout_s * 1000,
		.blocks = { .plan = &q->plan, .n_variants = q->run.n_variants,
			    .rounds = (uint32_t)(q->rounds ? q->rounds : DEFAULT_ROUNDS),
			    .block_ms = q->block_ms ? q->block_ms : DEFAULT_BLOCK_MS,
			    .deadline_ms = q->timeout_s * 1000, .on_block = on_block, .on_failure = on_failure,
			    .data = &b },
	};
	_cleanup_vm_ struct vm *vm = NULL;
	struct facts facts = { 0 };
	int r = vm_new(&options, q->run.variants, &facts, &vm, err);

	if (r == 0) {
		facts_add(&facts, "clocked", "1");
		add_number(&facts, "boots", boots);
		add_number(&facts, "rounds", options.blocks.rounds);
		add_number(&facts, "block_ms", options.blocks.block_ms);
		recording_fill_head(q, &facts);
		r = recording_get(q, rec, err);
	}
	facts_finish(&facts);
	if (r == 0)
		r = dialog_watch_signals(err);
	for (b.boot = q->run.n_sittings; r == 0 && b.boot < boots; b.boot++)
		r = one_boot(&b, vm, *rec, err);
	progress_end();
	if (r == 0 && !q->run.complete)
		r = record_set_complete(*rec, err);
	return r;
}
