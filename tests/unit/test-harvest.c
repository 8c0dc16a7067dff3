/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "engine/harvest.h"

#define KERNEL 0xffffffff81000000ull
#define FAULT  (KERNEL + 0x1000)

/* A region: 10 in user space, a string instruction with 6 iterations, `faults` entries. */
static void add_region(struct stream *s, uint64_t faults)
{
	const struct profile_count counts[] = { { 0x401000, 10, 0 },
						{ KERNEL, 8, 2 },
						{ FAULT, faults, 0 },
						{ FAULT + 4, faults, 0 } };
	struct stream_region *r = ARRAY_ADD(s->regions, s->n_regions, s->cap_regions);

	r->profile.n = faults ? 4 : 2;
	r->profile.counts = xmemdup(counts, r->profile.n * sizeof(counts[0]));
	r->started = 18 + 2 * faults;
	r->locked = 3;
}

/* What the plan has: an operation and a program. */
enum { FORK, PROGRAM, CONTROL, NOTHING };

static void add_cell(struct mailbox *m, uint32_t workload, uint32_t region, uint64_t clock)
{
	struct mailbox_cell *c = ARRAY_ADD(m->cells, m->n_cells, m->cap_cells);

	c->cell.workload = workload;
	c->cell.region = region;
	c->cell.ops = 2;
	c->cell.clock = clock;
}

struct fixture {
	const char *arch; /* NULL: x86_64 */
	struct stream stream;
	struct mailbox mailbox;
	struct variant variant;
	struct symbols symbols;
	struct outcome outcome;
	const char *broken;
};

static void finish(struct fixture *f)
{
	stream_finish(&f->stream);
	mailbox_finish(&f->mailbox);
	variant_finish(&f->variant);
	symbols_finish(&f->symbols);
	outcome_finish(&f->outcome);
}

static void run(struct fixture *f, const char *trouble)
{
	static const char text[] = "ffffffff81000000 memset\nffffffff81001000 asm_exc_page_fault\n";
	char *failures[] = { (char *)"^0 [a-z]+" };
	struct workload program = { .name = (char *)"program:n=1",
				    .reader = (char *)"hackbench",
				    .failures = { .v = failures, .n = 1 } };
	struct plan_item items[] = { { .operation = operation_find("fork") },
				     { .workload = &program },
				     { .operation = operation_find(RUN_CONTROL) } };
	struct plan plan = { .items = items, .n_items = 3 };
	struct harvest h = { machine_find(f->arch ? f->arch : "x86_64"), &plan, &f->variant, &f->stream, &f->mailbox,
			     "one\ntwo\n", trouble, f->broken };

	symbols_parse(text, sizeof(text) - 1, &f->symbols);
	harvest_samples(&h, &f->symbols, &f->outcome);
}

static void test_samples(void **state)
{
	struct fixture f = { 0 };
	struct sample *s;

	add_region(&f.stream, 0);
	add_region(&f.stream, 1);
	/* The cells say which region is theirs; a retry leaves one that nobody claims. */
	add_cell(&f.mailbox, FORK, 1, 19);
	run(&f, NULL);
	assert_int_equal(f.outcome.n_failures, 0);
	assert_int_equal(f.outcome.n_samples, 1);
	s = &f.outcome.samples[0];
	assert_string_equal(s->workload, "fork");
	assert_int_equal(s->started, 20);
	assert_int_equal(s->string_iters, 6);
	assert_int_equal(s->faults, 1);
	assert_int_equal(s->user_insns, 10);
	assert_int_equal(s->kernel_insns, 4);
	assert_int_equal(s->locked, 3);
	/* 20 started, 6 of them iterations, one a restart. */
	assert_int_equal(sample_insns(s), 13);
	assert_int_equal(s->profile.n, 4);
	finish(&f);
}

/* On POWER any call of the hypervisor looks like waiting: the clock says whether it was. */
static void test_halts(void **state)
{
	static const struct {
		const char *arch;
		uint64_t clock, halts;
	} cases[] = { { "x86_64", 18, 5 }, { "ppc64le", 18, 0 }, { "ppc64le", 1000, 5 } };

	for (size_t i = 0; i < 3; i++) {
		struct fixture f = { .arch = cases[i].arch };

		add_region(&f.stream, 0);
		f.stream.regions[0].halts = 5;
		add_cell(&f.mailbox, FORK, 0, cases[i].clock);
		run(&f, NULL);
		assert_int_equal(f.outcome.n_samples, 1);
		assert_int_equal(f.outcome.samples[0].halts, cases[i].halts);
		finish(&f);
	}
}

/* What the plugin counted and what the clock says do not agree: a failure, not a number. */
static void test_self_check(void **state)
{
	static const uint64_t wrong_clocks[] = { 17, 21, 0 };

	for (size_t i = 0; i < 3; i++) {
		struct fixture f = { 0 };

		add_region(&f.stream, 1);
		add_cell(&f.mailbox, FORK, 0, wrong_clocks[i]);
		run(&f, NULL);
		assert_int_equal(f.outcome.n_samples, 0);
		assert_int_equal(f.outcome.n_failures, 1);
		assert_string_equal(f.outcome.failures[0].stage, "self-check");
		finish(&f);
	}
}

static void test_hostile_cells(void **state)
{
	struct fixture f = { 0 };

	add_region(&f.stream, 0);
	add_cell(&f.mailbox, FORK, 7, 18);
	add_cell(&f.mailbox, NOTHING, 0, 18);
	add_cell(&f.mailbox, FORK, 0, 18);
	f.mailbox.cells[2].cell.ops = 0;
	run(&f, "the kernel panicked");
	assert_int_equal(f.outcome.n_samples, 0);
	assert_int_equal(f.outcome.n_failures, 4);
	assert_string_equal(f.outcome.failures[0].stage, "boot");
	assert_string_equal(f.outcome.failures[0].log_tail, "one\ntwo\n");
	finish(&f);
}

/* A stream or a report that is none of ours: cells that look well are not used either, and the reason is told once. */
static void test_broken(void **state)
{
	static const char reason[] = "the guest's report has more than 9 cells";

	for (unsigned i = 0; i < 3; i++) {
		struct fixture f = { .broken = reason };

		add_region(&f.stream, 0);
		add_cell(&f.mailbox, FORK, 0, 18);
		f.mailbox.damaged = i == 2;
		run(&f, i ? reason : "the kernel panicked");
		assert_int_equal(f.outcome.n_samples, 0);
		assert_int_equal(f.outcome.n_failures, i ? 1 : 2);
		assert_string_equal(f.outcome.failures[f.outcome.n_failures - 1].message,
				    "the guest's report has more than 9 cells: nothing of this boot is used");
		assert_null(f.outcome.failures[0].workload);
		finish(&f);
	}
}

static void test_program(void **state)
{
	static const struct {
		const char *output, *message;
	} cases[] = {
		{ "Running in process mode with 1 groups using 40 file descriptors each (== 40 tasks)\nTime: 0.250\n", NULL },
		{ "Running in process mode with 1 groups using 40 file descriptors each (== 40 tasks)\n0 bogo\nTime: 0.250\n", "it says: 0 bogo" },
		{ "nothing\n", "no output of hackbench" },
	};

	for (size_t i = 0; i < 3; i++) {
		struct fixture f = { 0 };

		add_region(&f.stream, 0);
		add_cell(&f.mailbox, PROGRAM, 0, 18);
		f.mailbox.cells[0].output = xstrdup(cases[i].output);
		run(&f, NULL);
		if (cases[i].message) {
			assert_int_equal(f.outcome.n_failures, 1);
			assert_string_equal(f.outcome.failures[0].workload, "program:n=1");
			assert_non_null(strstr(f.outcome.failures[0].message, cases[i].message));
			assert_string_equal(f.outcome.failures[0].log_tail, cases[i].output);
		} else {
			assert_int_equal(f.outcome.n_samples, 1);
			assert_true(f.outcome.samples[0].is_program);
			assert_int_equal(f.outcome.samples[0].n_metrics, 1);
			assert_true(f.outcome.samples[0].metrics[0].value == 0.25);
			assert_string_equal(f.outcome.samples[0].output, cases[i].output);
		}
		finish(&f);
	}
}

/* What a boot parameter asks for and the guest does not say: its numbers are not those that were asked for. */
static void assert_mode(const char *asked, const char *key, const char *said, const char *wanted)
{
	struct fixture f = { 0 };

	strv_add(&f.variant.params, asked);
	facts_add(&f.outcome.guest, WIRE_INFO_TOLD, "1");
	if (said)
		facts_add(&f.outcome.guest, key, said);
	add_region(&f.stream, 0);
	add_cell(&f.mailbox, FORK, 0, 18);
	run(&f, NULL);
	assert_int_equal(f.outcome.n_samples, wanted ? 0 : 1);
	if (wanted)
		assert_non_null(strstr(f.outcome.failures[0].message, wanted));
	finish(&f);
}

static void test_modes(void **state)
{
	assert_mode("premept=full", WIRE_INFO_UNKNOWN, "premept=full x=1", "does not know the boot parameter premept=full");
	assert_mode("x=1", WIRE_INFO_UNKNOWN, "premept=full x=1", "does not know the boot parameter x=1");
	assert_mode("x=1", WIRE_INFO_UNKNOWN, "ax=1 x=12", NULL);

	assert_mode("preempt=full", "sched_preempt", "none voluntary (full)", NULL);
	assert_mode("preempt=lazy", "sched_preempt", "none (voluntary) full", "offers and uses");
	assert_mode("preempt=full", "sched_preempt", NULL, "no PREEMPT_DYNAMIC");
	assert_mode("ktoll.selinux=enforcing", "selinux_enforce", "1", NULL);
	assert_mode("ktoll.selinux=permissive", "selinux_enforce", "0", NULL);
	assert_mode("ktoll.selinux=enforcing", "selinux_enforce", "0", "not in the mode");
	assert_mode("ktoll.selinux=permissive", "selinux_enforce", NULL, "does not have it");
}

/* Nothing is said of a guest that said nothing. */
static void test_silent(void **state)
{
	struct fixture f = { 0 };

	strv_add(&f.variant.params, "preempt=full");
	strv_add(&f.variant.params, "ktoll.selinux=enforcing");
	run(&f, "the kernel panicked");
	assert_int_equal(f.outcome.n_failures, 1);
	assert_string_equal(f.outcome.failures[0].message, "the kernel panicked");
	finish(&f);
}

/* Two cells that name one region; a kernel that is not the image's. */
static void test_impostors(void **state)
{
	struct fixture f = { 0 }, g = { 0 };

	add_region(&f.stream, 0);
	add_cell(&f.mailbox, FORK, 0, 18);
	add_cell(&f.mailbox, FORK, 0, 18);
	run(&f, NULL);
	assert_int_equal(f.outcome.n_samples, 1);
	assert_int_equal(f.outcome.n_failures, 1);
	assert_non_null(strstr(f.outcome.failures[0].message, "one region for two cells"));
	finish(&f);
	g.variant.kernel.build_id = xstrdup("aa");
	facts_add(&g.outcome.guest, "build_id", "bb");
	add_region(&g.stream, 0);
	add_cell(&g.mailbox, FORK, 0, 18);
	run(&g, NULL);
	assert_int_equal(g.outcome.n_samples, 0);
	assert_non_null(strstr(g.outcome.failures[0].message, "build id is bb"));
	finish(&g);
}

/* Two times spin, that is 2 * 9 instructions if the agent says so; anything else spoils the whole boot. */
static void test_control(void **state)
{
	static const struct {
		const char *known;
		uint64_t clock;
		bool is_sound;
	} cases[] = { { "9", 18, true }, { "10", 18, false }, { NULL, 18, false }, { "9", 17, false }, { "8", 17, false } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f = { 0 };

		if (cases[i].known)
			facts_add(&f.outcome.guest, WIRE_INFO_SPIN, cases[i].known);
		/* With a fault entry: one may have been started again, which spin does not do. */
		add_region(&f.stream, 0);
		add_region(&f.stream, cases[i].clock != 18);
		f.stream.regions[1].started = 18;
		add_cell(&f.mailbox, FORK, 0, 18);
		add_cell(&f.mailbox, CONTROL, 1, cases[i].clock);
		run(&f, NULL);
		assert_int_equal(f.outcome.n_samples, cases[i].is_sound ? 2 : 0);
		assert_int_equal(f.outcome.n_failures, !cases[i].is_sound);
		if (!cases[i].is_sound) {
			assert_string_equal(f.outcome.failures[0].stage, "control");
			assert_null(f.outcome.failures[0].workload);
		}
		finish(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_halts),
		cmocka_unit_test(test_self_check),
		cmocka_unit_test(test_hostile_cells), cmocka_unit_test(test_broken),
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_control),
		cmocka_unit_test(test_silent),
		cmocka_unit_test(test_impostors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
