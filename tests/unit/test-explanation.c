/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From profiles to mechanisms, on two kernels made by hand. The base:
 *   work      10 instructions, one of them the call of a lock; helper() is inlined in it
 *   _raw_spin_lock  4, one of which raises the preemption count
 * The other calls __rcu_read_lock as well, has 100 NOPs more in work, and helper() out of line.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "explain/comparison.h"
#include "explain/explanation.h"
#include "explain/listing.h"
#include "explain/mechanism.h"

#define WORK   0xffffffff81000000ull
#define LOCK   0xffffffff81001000ull
#define RCU    0xffffffff81002000ull
#define HELPER 0xffffffff81003000ull
#define USER   0x401000ull
#define OPS    100

static const char symbols[] = "000000000001cfa0 __preempt_count\n"
			      "ffffffff81000000 work\n"
			      "ffffffff81001000 _raw_spin_lock\n"
			      "ffffffff81002000 __rcu_read_lock\n"
			      "ffffffff81003000 helper.isra.0\n";
static const char base_symbols[] = "000000000001cfa0 __preempt_count\n"
				   "ffffffff81000000 work\n"
				   "ffffffff81001000 _raw_spin_lock\n";

/* One side, grown instruction by instruction. */
struct maker {
	struct outcome *o;
	struct profile_count counts[512];
	struct code_insn code[512];
	size_t n, n_code;
};

static void add(struct maker *m, uint64_t addr, uint64_t per_op, const void *bytes, uint8_t len)
{
	struct code_insn *c = &m->code[m->n_code];

	m->counts[m->n++] = (struct profile_count){ .addr = addr, .count = per_op * OPS };
	if (!profile_is_kernel(addr))
		return;
	*c = (struct code_insn){ .addr = addr, .len = len };
	memcpy(c->bytes, bytes, len);
	m->n_code++;
}

static void add_call(struct maker *m, uint64_t addr, uint64_t per_op, uint64_t target)
{
	uint8_t call[5] = { 0xe8 };
	int32_t offset = (int32_t)(target - addr - sizeof(call));

	memcpy(call + 1, &offset, sizeof(offset));
	add(m, addr, per_op, call, sizeof(call));
}

static void add_nops(struct maker *m, uint64_t addr, size_t n, uint64_t per_op)
{
	for (size_t i = 0; i < n; i++)
		add(m, addr + i, per_op, "\x90", 1);
}

/* mov %rax,%rbx: nothing special */
static void add_plain(struct maker *m, uint64_t addr, size_t n, uint64_t per_op)
{
	for (size_t i = 0; i < n; i++)
		add(m, addr + 3 * i, per_op, "\x48\x89\xc3", 3);
}

static void finish_side(struct maker *m, const char *text, uint64_t restarts)
{
	struct sample *s = ARRAY_ADD(m->o->samples, m->o->n_samples, m->o->cap_samples);
	struct profile p = { m->counts, m->n };
	struct profile_sums sums;

	profile_sum(&p, &sums);
	*s = (struct sample){ .workload = xstrdup("op"),
			      .ops = OPS,
			      .started = sums.started,
			      .clock = sums.started - restarts,
			      .faults = restarts,
			      .kernel_insns = sums.kernel_insns,
			      .user_insns = sums.user_insns };
	s->profile.counts = xcalloc(m->n, sizeof(*m->counts));
	memcpy(s->profile.counts, m->counts, m->n * sizeof(*m->counts));
	s->profile.n = m->n;
	code_merge(&m->o->code, m->code, m->n_code);
	m->o->symbols = xstrdup(text);
	m->o->symbols_bytes = strlen(text);
	m->o->done = true;
}

static void make_base(struct outcome *o)
{
	struct maker m = { .o = o };
	uint32_t site;

	add(&m, USER, 3, "", 0);
	add_plain(&m, WORK, 5, 1);
	add_call(&m, WORK + 15, 2, LOCK);
	add_plain(&m, WORK + 20, 4, 1); /* helper(), inlined */
	add(&m, LOCK, 2, "\x65\xff\x04\x25\xa0\xcf\x01\x00", 8);
	add_plain(&m, LOCK + 8, 3, 2);
	site = inlines_enter(&o->inlines, 0, "helper");
	inlines_add_range(&o->inlines, site, WORK + 20, WORK + 32);
	inlines_build(&o->inlines);
	finish_side(&m, base_symbols, 0);
}

static void make_other(struct outcome *o)
{
	struct maker m = { .o = o };

	add(&m, USER, 3, "", 0);
	add_plain(&m, WORK, 5, 1);
	add_call(&m, WORK + 15, 2, LOCK);
	add_call(&m, WORK + 20, 8, RCU);
	add_nops(&m, WORK + 25, 100, 1);
	add(&m, WORK + 125, 1, "\x0f\x1f\x44\x00\x00", 5);
	add(&m, LOCK, 2, "\x65\xff\x04\x25\xa0\xcf\x01\x00", 8);
	add_plain(&m, LOCK + 8, 3, 2);
	add_plain(&m, RCU, 5, 8);
	add_plain(&m, HELPER, 4, 1);
	finish_side(&m, symbols, 7);
}

struct fixture {
	struct run run;
	struct result result;
};

static void setup(struct fixture *f)
{
	*f = (struct fixture){ 0 };
	f->run.n_variants = 2;
	f->run.variants = xcalloc(2, sizeof(*f->run.variants));
	f->run.outcomes = xcalloc(2, sizeof(*f->run.outcomes));
	f->run.variants[0].name = xstrdup("base");
	f->run.variants[1].name = xstrdup("other");
	f->run.variants[0].kernel.arch = f->run.variants[1].kernel.arch = "x86_64";
	facts_add(&f->run.head, "engine", "count");
	make_base(&f->run.outcomes[0]);
	make_other(&f->run.outcomes[1]);
	assert_int_equal(result_build(NULL, &f->run, 0, &f->result, NULL), 0);
}

static void teardown(struct fixture *f)
{
	result_finish(&f->result);
	run_finish(&f->run);
}

static const struct explanation_group *group(const struct explanation *e, const char *name)
{
	for (size_t i = 0; i < e->n_groups; i++)
		if (str_equal(e->groups[i].name, name))
			return &e->groups[i];
	fail_msg("no group %s", name ? name : "other code");
	return NULL;
}

static const struct explanation_row *row(const struct explanation *e, const char *name,
					 const char *label)
{
	const struct explanation_group *g = group(e, name);

	for (size_t i = 0; i < g->n; i++)
		if (strcmp(g->rows[i].label, label) == 0)
			return &g->rows[i];
	fail_msg("no row %s", label);
	return NULL;
}

static void check(const struct two_sides *v, int64_t base_per_op, int64_t other_per_op)
{
	assert_int_equal(v->base, base_per_op * OPS);
	assert_int_equal(v->other, other_per_op * OPS);
}

static void test_mechanisms(void **state)
{
	struct fixture f;
	struct explanation *list;
	struct two_sides sum = { 0 };
	const struct explanation_row *r;
	size_t n;

	(void)state;
	setup(&f);
	assert_int_equal(explanation_make(&(struct explain_request){ .result = &f.result }, &list, &n,
					  NULL), 0);
	assert_int_equal(n, 1);
	/* The operand comes before the function that it is in. */
	check(&row(&list[0], "preempt_count", "%gs:__preempt_count")->insns, 2, 2);
	check(&row(&list[0], "lock", "_raw_spin_lock")->insns, 6, 6);
	check(&row(&list[0], "lock", "_raw_spin_lock")->calls, 2, 2);
	check(&row(&list[0], "lock", "call _raw_spin_lock")->insns, 2, 2);
	check(&group(&list[0], "lock")->insns, 8, 8);
	r = row(&list[0], "RCU reader", "__rcu_read_lock");
	check(&r->insns, 0, 40);
	check(&r->calls, 0, 8);
	assert_true(r->is_other_only);
	r = row(&list[0], "RCU reader", "call __rcu_read_lock");
	check(&r->insns, 0, 8);
	assert_int_equal(r->callers.n, 1);
	assert_string_equal(r->callers.v[0], "work");
	check(&r->caller_counts[0], 0, 8);
	/* A planted cost is one row: no place where something could be patched in has one byte. */
	check(&row(&list[0], NULL, "work")->insns, 5, 105);
	/* One that has five is. */
	check(&row(&list[0], "static call or key", "NOP inside a function")->insns, 0, 1);
	/* Inlined on one side, out of line on the other: one row that does not differ. */
	r = row(&list[0], NULL, "helper");
	check(&r->insns, 4, 4);
	check(&row(&list[0], NULL, "[user]")->insns, 3, 3);
	/* What was restarted is not executed twice. */
	assert_int_equal(row(&list[0], NULL, "[restarted after a fault, counted twice above]")->insns.other, -7);
	for (size_t i = 0; i < list[0].n_groups; i++) {
		sum.base += list[0].groups[i].insns.base;
		sum.other += list[0].groups[i].insns.other;
	}
	assert_int_equal(sum.base, list[0].total.base);
	assert_int_equal(sum.other, list[0].total.other);
	assert_int_equal(list[0].total.other, 171 * OPS - 7);
	assert_true(fabs(two_sides_delta(&list[0].total, &list[0].ops) - 148.93) < 1e-9);
	explanation_finish(&list[0]);
	free(list);
	teardown(&f);
}

static void test_functions(void **state)
{
	struct fixture f;
	struct explanation *list;
	size_t n;

	(void)state;
	setup(&f);
	assert_int_equal(explanation_make(&(struct explain_request){ .result = &f.result,
								      .by_function = true },
					  &list, &n, NULL), 0);
	assert_int_equal(list[0].n_groups, 1);
	check(&row(&list[0], NULL, "work")->insns, 7, 116);
	check(&row(&list[0], NULL, "_raw_spin_lock")->insns, 8, 8);
	assert_true(list[0].other_share == 1);
	explanation_finish(&list[0]);
	free(list);
	assert_int_equal(explanation_make(&(struct explain_request){ .result = &f.result,
								      .workload = "nothing" },
					  &list, &n, NULL), 0);
	assert_int_equal(n, 0);
	free(list);
	teardown(&f);
}

static const struct explanation_class *class_of(const struct explanation *e, const char *name)
{
	for (size_t i = 0; i < e->n_classes; i++)
		if (strcmp(e->classes[i].name, name) == 0)
			return &e->classes[i];
	fail_msg("no class %s", name);
	return NULL;
}

static void test_classes(void **state)
{
	struct fixture f;
	struct explanation *list;
	size_t n;

	(void)state;
	setup(&f);
	assert_int_equal(explanation_make(&(struct explain_request){ .result = &f.result }, &list, &n,
					  NULL), 0);
	check(&class_of(&list[0], "calls")->count, 2, 10);
	check(&class_of(&list[0], "nops")->count, 0, 101);
	check(&class_of(&list[0], "loads")->count, 2, 2);
	explanation_finish(&list[0]);
	free(list);
	teardown(&f);
}

/* A profile that does not fit its sample is refused: an explanation with a hole is none. */
static void test_damaged(void **state)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	struct fixture f;
	struct explanation *list;
	size_t n;

	(void)state;
	setup(&f);
	f.run.outcomes[1].samples[0].profile.counts[4].count++;
	assert_int_equal(explanation_make(&(struct explain_request){ .result = &f.result }, &list, &n,
					  &err), -EBADMSG);
	assert_non_null(strstr(error_text(&err), "do not add up"));
	teardown(&f);
}

static void test_listing(void **state)
{
	struct fixture f;
	struct listings l;
	struct explain_request q = { 0 };

	(void)state;
	setup(&f);
	q.result = &f.result;
	assert_int_equal(listings_make(&q, 1, "op", "work", &l, NULL), 0);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.ops, OPS);
	assert_int_equal(l.v[0].n, 108);
	assert_string_equal(l.v[0].v[5].target, "_raw_spin_lock");
	assert_string_equal(l.v[0].v[5].mechanism, "lock");
	assert_int_equal(l.v[0].v[6].count, 8 * OPS);
	assert_string_equal(l.v[0].v[0].text, "mov %rax, %rbx");
	listings_finish(&l);
	assert_int_equal(listings_make(&q, 0, "op", "work", &l, NULL), 0);
	assert_string_equal(l.v[0].v[6].inlined, "helper");
	listings_finish(&l);
	/* By the name without its suffix. */
	assert_int_equal(listings_make(&q, 1, "op", "helper", &l, NULL), 0);
	assert_int_equal(l.n, 1);
	assert_string_equal(l.v[0].name, "helper.isra.0");
	listings_finish(&l);
	assert_int_equal(listings_make(&q, 1, "op", "help", &l, NULL), 0);
	assert_int_equal(l.n, 0);
	listings_finish(&l);
	teardown(&f);
}

/* ---- the rules ---- */

static int parse(struct mechanisms *m, const char *text, struct error *err)
{
	return mechanisms_parse(m, "m.yaml", text, strlen(text), "aarch64", err);
}

static void refuse(const char *text, const char *sentence)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	struct mechanisms m = { 0 };

	assert_int_equal(parse(&m, text, &err), -EINVAL);
	if (!strstr(error_text(&err), sentence))
		fail_msg("'%s' instead of '%s'", error_text(&err), sentence);
	mechanisms_finish(&m);
}

static void test_rules(void **state)
{
	struct mechanisms m = { 0 };

	(void)state;
	assert_int_equal(parse(&m, "- {mechanism: a, functions: [foo, bar_*], inlined: [tiny]}\n"
				   "- {mechanism: b, functions: [bar_x, other], site: barrier}\n"
				   "- {mechanism: a, functions: [more], arch: [aarch64]}\n"
				   "- {mechanism: a, functions: [not_here], arch: [x86_64]}\n", NULL), 0);
	assert_int_equal(m.n, 2);
	assert_int_equal(mechanisms_of_function(&m, "foo"), 0);
	assert_int_equal(mechanisms_of_function(&m, "bar_x"), 0);
	assert_int_equal(mechanisms_of_function(&m, "bar"), -1);
	assert_int_equal(mechanisms_of_function(&m, "more"), 0);
	assert_int_equal(mechanisms_of_function(&m, "not_here"), -1);
	assert_int_equal(mechanisms_of_function(&m, "tiny"), -1);
	assert_int_equal(mechanisms_of_inlined(&m, "tiny"), 0);
	assert_int_equal(mechanisms_of_inlined(&m, "other"), 1);
	assert_int_equal(mechanisms_of_site(&m, SITE_BARRIER), 1);
	assert_int_equal(mechanisms_of_site(&m, SITE_ATOMIC), -1);
	mechanisms_finish(&m);
	refuse("- {mechanism: a, function: [x]}\n", "m.yaml:1:18: unknown key");
	refuse("- {functions: [x]}\n", "its name is wanted");
	refuse("- {mechanism: a, site: lock}\n", "m.yaml:1:24: site is one of");
	refuse("- {mechanism: a, percpu: [x+y]}\n", "m.yaml:1:27: a variable is wanted");
	refuse("- {mechanism: a, arch: [z80]}\n", "m.yaml:1:25: an architecture is wanted");
	refuse("a: b\n", "a list of mechanisms is wanted");
	refuse("- mechanism: a\n- ? -:\t-\n", "m.yaml:2: keys behind '?' are not taken");
	refuse("- mechanism: a\n- \xff\n", "m.yaml:2: bytes that are no text");
}

/* What is in the program can be read, for each architecture, and names these. */
static void test_shipped(void **state)
{
	static const char *const archs[] = { "x86_64", "ppc64le", "aarch64", "riscv64" };
	static const char *const pairs[][2] = {
		{ "__rcu_read_lock", "RCU reader" },
		{ "_raw_spin_lock_irqsave", "lock" },
		{ "check_preemption_disabled", "DEBUG_PREEMPT check" },
		{ "__cond_resched", "resched point" },
		{ "selinux_task_kill", "LSM" },
		{ "__memcg_slab_post_alloc_hook", "memcg" },
		{ "__update_load_avg_se", "context switch and wake-up" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(archs); i++) {
		_cleanup_error_ struct error err = ERROR_INIT;
		struct mechanisms m;

		if (mechanisms_load(&m, archs[i], &err) < 0)
			fail_msg("%s", error_text(&err));
		for (size_t j = 0; j < ARRAY_SIZE(pairs); j++) {
			int at = mechanisms_of_function(&m, pairs[j][0]);

			assert_true(at >= 0);
			assert_string_equal(m.v[at].name, pairs[j][1]);
		}
		assert_int_equal(mechanisms_of_function(&m, "vfs_write"), -1);
		mechanisms_finish(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mechanisms), cmocka_unit_test(test_functions),
		cmocka_unit_test(test_classes),	   cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_listing),	   cmocka_unit_test(test_rules),
		cmocka_unit_test(test_shipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
