/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles onto functions, their difference, and verdicts of whole runs. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "explain/comparison.h"
#include "explain/fold.h"

#define K 0xffffffff81000000ull

static const char table[] = "ffffffff81000000 first\n"
			    "ffffffff81000100 second.part.0\n"
			    "ffffffff81000200 .third\n"
			    "ffffffff81000300 second\n"
			    "ffffffff81000400 second.isra.0.cold\n";

static void test_plain_name(void **state)
{
	static const char *const names[][2] = {
		{ "foo", "foo" },
		{ "foo.part.0", "foo" },
		{ "foo.isra.0.cold", "foo" },
		{ "foo.constprop.12", "foo" },
		{ "foo.cold", "foo" },
		{ "foo.llvm.123", "foo" },
		{ "foo.partial", "foo.partial" },
		{ "foo.bar.cold", "foo.bar" },
		{ ".foo", ".foo" },
		{ ".cold", ".cold" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *got = fold_plain_name(names[i][0]);

		assert_string_equal(got, names[i][1]);
	}
}

static uint64_t insns_of(const struct fold *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->functions[i].name, name) == 0)
			return f->functions[i].insns;
	return 0;
}

static void test_fold(void **state)
{
	struct profile_count counts[] = {
		{ 0x401000, 50, 0 }, { K - 0x100, 3, 0 }, { K, 10, 0 },
		{ K + 0x10, 10, 0 }, { K + 0x100, 4, 0 }, { K + 0x210, 800, 20 },
		{ K + 0x310, 7, 0 }, { K + 0x410, 2, 0 },
	};
	const struct profile p = { counts, ARRAY_SIZE(counts) };
	struct symbols symbols;
	struct fold f = { 0 };

	(void)state;
	symbols_parse(table, sizeof(table) - 1, &symbols);
	fold_add(&f, &p, 10, &symbols, false);
	fold_add(&f, &p, 10, &symbols, false);
	assert_int_equal(f.ops, 20);
	assert_int_equal(f.n, 5);
	assert_int_equal(insns_of(&f, "first"), 40);
	assert_int_equal(insns_of(&f, "second"), 2 * (4 + 7 + 2));
	/* Entries of a string instruction, not its iterations. */
	assert_int_equal(insns_of(&f, ".third"), 40);
	assert_int_equal(insns_of(&f, FOLD_USER), 100);
	assert_int_equal(insns_of(&f, FOLD_UNKNOWN), 6);
	assert_int_equal(insns_of(&f, "fourth"), 0);
	fold_finish(&f);

	fold_add(&f, &p, 10, NULL, true);
	assert_int_equal(f.n, 1);
	assert_int_equal(insns_of(&f, FOLD_UNKNOWN), 3 + 10 + 10 + 4 + 20 + 7 + 2);
	fold_finish(&f);
	symbols_finish(&symbols);
}

static void add(struct fold *f, const char *name, uint64_t insns)
{
	struct fold_function *fn = ARRAY_ADD(f->functions, f->n, f->cap);

	fn->name = xstrdup(name);
	fn->insns = insns;
}

static void test_compare(void **state)
{
	struct fold base = { .ops = 10 }, other = { .ops = 20 };
	struct fold_diff d;

	(void)state;
	add(&base, "a", 100);
	add(&base, "b", 30);
	add(&base, "d", 40);
	add(&other, "a", 200); /* the same per operation */
	add(&other, "b", 20);  /* 3 -> 1 */
	add(&other, "c", 100); /* 0 -> 5 */
	add(&other, "d", 40);  /* 4 -> 2 */
	fold_compare(&base, &other, &d);
	assert_int_equal(d.n, 3);
	assert_string_equal(d.changes[0].name, "c");
	assert_true(d.changes[0].base_per_op == 0 && d.changes[0].other_per_op == 5);
	assert_string_equal(d.changes[1].name, "b");
	assert_true(d.changes[1].base_per_op == 3 && d.changes[1].other_per_op == 1);
	assert_string_equal(d.changes[2].name, "d");
	fold_diff_finish(&d);
	fold_finish(&base);

	fold_compare(&base, &other, &d);
	assert_int_equal(d.n, 4);
	assert_string_equal(d.changes[0].name, "a");
	fold_diff_finish(&d);
	fold_finish(&other);
}

/* ---- a whole run ---- */

static struct sample *add_sample(struct outcome *o, const char *workload, uint32_t replicate,
				 uint64_t ops, uint64_t insns)
{
	struct sample *s = ARRAY_ADD(o->samples, o->n_samples, o->cap_samples);

	s->workload = xstrdup(workload);
	s->replicate = replicate;
	s->ops = ops;
	s->started = s->clock = s->kernel_insns = insns;
	return s;
}

static void run_init(struct run *run)
{
	*run = (struct run){ .n_variants = 2 };
	run->variants = xcalloc(2, sizeof(*run->variants));
	run->outcomes = xcalloc(2, sizeof(*run->outcomes));
	run->variants[0].name = xstrdup("base");
	run->variants[1].name = xstrdup("other");
	run->outcomes[0].done = run->outcomes[1].done = true;
}

static bool warns(const struct result_comparison *c, const char *code)
{
	for (size_t i = 0; i < c->warnings.n; i++)
		if (str_has_prefix(c->warnings.v[i], code) && c->warnings.v[i][strlen(code)] == ':')
			return true;
	return false;
}

static void test_restarts_and_warnings(void **state)
{
	struct result result;
	struct sample *s;
	struct run run;

	(void)state;
	run_init(&run);
	facts_add(&run.head, "workloads", "w");
	facts_add(&run.head, "replicates", "3");
	facts_add(&run.outcomes[0].guest, "settled", "0");
	run.variants[1].cpu = xstrdup("EPYC");
	for (uint32_t i = 0; i < 3; i++) {
		s = add_sample(&run.outcomes[0], "w", 2 - i, 10, 1000);
		s->started += 50; /* restarted */
		s->kernel_insns += 20;
		s->started += 30; /* iterations */
		s->string_iters = 30;
		s->clock += 30;
		s->kernel_insns += 30;
	}
	add_sample(&run.outcomes[1], "w", 0, 10, 1000)->ticks = 1;
	add_sample(&run.outcomes[1], "w", 0, 10, 5000); /* a second one of this replicate */
	add_sample(&run.outcomes[1], "w", 1, 10, 1001)->halts = 1;
	add_sample(&run.outcomes[1], "w", 2, 0, 1); /* no operations */
	add_sample(&run.outcomes[1], "w", 3, 10, 1)->lead_ops = SAMPLE_LEAD_UNKNOWN;
	add_sample(&run.outcomes[1], RUN_CONTROL, 0, 1, 1003); /* not asked for: in no table */
	assert_int_equal(result_build(NULL, &run, 0, &result, NULL), 0);
	assert_int_equal(result.n_cells, 2);
	assert_true(result.cells[0].insns.mean == 100 && result.cells[0].is_exact);
	assert_true(fabs(result.cells[0].restarts - 5) < 1e-9);
	assert_true(fabs(result.cells[0].string_iters - 3) < 1e-9);
	/* Three regions of 10 operations with nothing between them. */
	assert_true(result.cells[0].looked_for == 30 && result.cells[1].looked_for == 0);
	assert_int_equal(result.cells[1].n, 3);
	assert_int_equal(result.cells[1].interrupted, 1);
	assert_int_equal(result.n_comparisons, 1);
	assert_int_equal(result.comparisons[0].verdict, VERDICT_UNDECIDED);
	assert_true(warns(&result.comparisons[0], "replicates-missing"));
	assert_true(warns(&result.comparisons[0], "interrupt-in-region"));
	assert_true(warns(&result.comparisons[0], "idle-in-region"));
	assert_true(warns(&result.comparisons[0], "unsettled"));
	assert_true(warns(&result.comparisons[0], "cpu-model"));
	assert_true(warns(&result.comparisons[0], "no-symbols"));
	assert_false(warns(&result.comparisons[0], "mitigations"));
	result_finish(&result);
	run_finish(&run);
}

static void add_profile(struct sample *s, const struct profile_count *counts, size_t n)
{
	s->profile = (struct profile){ xmemdup(counts, n * sizeof(*counts)), n };
}

/* Counts, functions and the sentence of a difference that every replicate confirms. */
static void test_functions(void **state)
{
	const struct profile_count base[] = {
		{ 0x401000, 50, 0 }, { K, 100, 0 }, { K + 0x100, 30, 0 }, { K + 0x200, 10, 0 }
	};
	const struct profile_count other[] = {
		{ 0x401000, 50, 0 }, { K, 100, 0 }, { K + 0x100, 40, 0 }, { K + 0x300, 60, 0 }
	};
	const struct result_comparison *c;
	struct result result;
	struct run run;

	(void)state;
	run_init(&run);
	for (uint32_t i = 0; i < 5; i++) {
		add_profile(add_sample(&run.outcomes[0], "w", i, 10, 190), base, 4);
		add_profile(add_sample(&run.outcomes[1], "w", i, 10, 250), other, 4);
	}
	/* Variants of one kernel: the first one's boot brought the symbols. */
	run.outcomes[0].symbols = xstrdup(table);
	run.outcomes[0].symbols_bytes = sizeof(table) - 1;
	facts_add(&run.outcomes[0].guest, "build_id", "00");
	facts_add(&run.outcomes[1].guest, "build_id", "00");
	facts_add(&run.outcomes[1].guest, "vulnerability.mds", "Vulnerable");
	assert_int_equal(result_build(NULL, &run, 0, &result, NULL), 0);
	c = &result.comparisons[0];
	assert_int_equal(c->verdict, VERDICT_MORE);
	assert_string_equal(c->reason, "the same integer in all 5 replicates");
	assert_true(c->delta.mean == 6 && c->delta.lo == 6 && c->delta.hi == 6);
	assert_int_equal(c->n_functions, 2);
	assert_string_equal(c->functions[0].name, "second");
	assert_true(c->functions[0].base == 3 && c->functions[0].other == 10);
	assert_string_equal(c->functions[1].name, ".third");
	assert_true(c->functions[1].base == 1 && c->functions[1].other == 0);
	assert_false(warns(c, "no-symbols"));
	assert_true(warns(c, "mitigations"));
	result_finish(&result);
	run_finish(&run);
}

static void test_config(void **state)
{
	struct configdiff diff = { .is_known = true };
	_cleanup_strv_ struct strv lines = { 0 };
	struct result result;
	struct run run;

	(void)state;
	run_init(&run);
	facts_add(&run.outcomes[0].guest, "sched_preempt", "(none) voluntary full ");
	facts_add(&run.outcomes[1].guest, "sched_preempt", "none voluntary (full) ");
	assert_int_equal(result_build(NULL, &run, 0, &result, NULL), 0);
	strv_add(&lines, "HZ 250 -> 1000");
	result_add_config(&result, 1, &diff, &lines);
	assert_int_equal(result.n_configs, 1);
	assert_false(result.configs[0].same_preempt_model);
	assert_string_equal(result.configs[0].other_model, "full");
	assert_string_equal(result.configs[0].lines.v[0], "HZ 250 -> 1000");
	result_finish(&result);
	run_finish(&run);
}

static void test_missing_cells(void **state)
{
	struct result result;
	struct run run;

	(void)state;
	run_init(&run);
	facts_add(&run.head, "workloads", "a\nb\nc\nd");
	add_sample(&run.outcomes[0], "a", 0, 1, 100);
	add_sample(&run.outcomes[0], "b", 0, 1, 100);
	add_sample(&run.outcomes[1], "b", 1, 1, 100);
	add_sample(&run.outcomes[0], "d", 0, 1, 100);
	add_sample(&run.outcomes[1], "d", 0, 1, 100);
	outcome_add_failure(&run.outcomes[1], "a", "operation", "no such file", NULL);
	assert_int_equal(result_build(NULL, &run, 0, &result, NULL), 0);
	assert_int_equal(result.n_failures, 1);
	assert_int_equal(result.n_comparisons, 4);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(result.comparisons[i].verdict, VERDICT_NONE);
	assert_string_equal(result.comparisons[0].reason, "other: operation: no such file");
	assert_null(result.comparisons[0].other_cell);
	assert_non_null(result.comparisons[0].base_cell);
	assert_true(isnan(result.comparisons[0].delta.mean));
	assert_string_equal(result.comparisons[1].reason,
			    "no replicate was measured on both sides");
	assert_string_equal(result.comparisons[2].reason,
			    "base: no sample of it; other: no sample of it");
	assert_int_equal(result.comparisons[3].verdict, VERDICT_IDENTICAL);
	result_finish(&result);
	assert_int_equal(result_build(NULL, &run, -1, &result, NULL), -EINVAL);
	assert_int_equal(result_build(NULL, &run, NAN, &result, NULL), -EINVAL);
	run_finish(&run);
}

/* The kernel's part of a tick is the result; user space only waits for it. */
static void test_tick(void **state)
{
	struct result result;
	struct run run;

	(void)state;
	run_init(&run);
	for (size_t v = 0; v < 2; v++) {
		struct sample *s = add_sample(&run.outcomes[v], "tick", 0, 10, 3000 + 500 * v);

		s->is_tick = true;
		s->user_insns = 100000 + v;
		s->started += s->user_insns;
		s->ticks = 10;
	}
	assert_int_equal(result_build(NULL, &run, 0, &result, NULL), 0);
	assert_true(result.cells[0].is_tick);
	assert_true(result.cells[0].insns.mean == 300 && result.cells[0].kernel == 300);
	assert_true(result.cells[0].user == 0 && result.cells[0].restarts == 0);
	assert_int_equal(result.cells[0].interrupted, 0);
	assert_int_equal(result.comparisons[0].verdict, VERDICT_MORE);
	assert_true(result.comparisons[0].delta.mean == 50);
	result_finish(&result);
	run_finish(&run);
}

/* Boots of a program on one variant: an instruction count for each, of one replicate. */
static void add_boots(struct outcome *o, const uint64_t *insns, size_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct sample *s = add_sample(o, "p", 0, 1000, insns[i]);

		s->is_program = true;
		s->null_boot = i;
	}
}

/*
 * Two boots a side, log values apart by 0.02 on each: sd 0.0141421, two degrees of freedom, t(0.995) = 9.924843 (a table's),
 * so that the interval is the estimate times or by exp(0.140359) and the least difference 15.0687 %.
 */
static void test_null_boots(void **state)
{
	static const struct {
		uint64_t base[3], other[3];
		size_t n;
		double threshold, least;
		enum verdict verdict;
	} cases[] = {
		{ { 100000000, 102020134 }, { 110000000, 112222147 }, 2, 0, 0.150687, VERDICT_UNDECIDED },
		{ { 100000000, 102020134 }, { 120000000, 122424161 }, 2, 0, 0.150687, VERDICT_MORE },
		{ { 120000000, 122424161 }, { 100000000, 102020134 }, 2, 0, 0.150687, VERDICT_LESS },
		{ { 120000000, 122424161 }, { 100000000, 102020134 }, 2, 0.3, 0.150687, VERDICT_UNDECIDED },
		{ { 100000000, 102020134 }, { 101000000, 103040335 }, 2, 0.3, 0.150687, VERDICT_SAME },
		/* As equal as can be: what a tick or three move is not called, and a little more is. */
		{ { 100000000, 100000000 }, { 100009000, 100009000 }, 2, 0, 0.0001, VERDICT_UNDECIDED },
		{ { 100000000, 100000000 }, { 100011000, 100011000 }, 2, 0, 0.0001, VERDICT_MORE },
		{ { 100000000, 102020134 }, { 100000000, 102020134 }, 2, 0, 0.150687, VERDICT_IDENTICAL },
		/* One boot a side: nothing is known, however large. */
		{ { 100000000 }, { 200000000 }, 1, 0, NAN, VERDICT_NONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct result_comparison *c;
		struct result result;
		struct run run;

		run_init(&run);
		add_boots(&run.outcomes[0], cases[i].base, cases[i].n);
		add_boots(&run.outcomes[1], cases[i].other, cases[i].n);
		assert_int_equal(result_build(NULL, &run, cases[i].threshold, &result, NULL), 0);
		c = &result.comparisons[0];
		assert_int_equal(c->verdict, cases[i].verdict);
		assert_int_equal(c->null.n, cases[i].n);
		assert_true(isnan(cases[i].least) ? isnan(c->null.least) : fabs(c->null.least - cases[i].least) < 2e-6);
		if (!isnan(cases[i].least)) {
			assert_true(fabs(c->ratio.hi / c->ratio.mean - 1 - cases[i].least) < 2e-6);
			assert_true(fabs(c->delta.lo - (c->ratio.lo - 1) * c->base_cell->insns.mean) < 1e-6 * c->base_cell->insns.mean);
		}
		result_finish(&result);
		run_finish(&run);
	}
}

/* A replicate is paired with that of the same boot, whatever is missing. */
static void test_pairs_of_boots(void **state)
{
	struct result result;
	struct run run;

	(void)state;
	run_init(&run);
	facts_add(&run.head, "replicates.p", "1");
	facts_add(&run.head, "null_boots", "2");
	add_boots(&run.outcomes[0], (const uint64_t[]){ 100000, 300000, 500000 }, 3);
	add_boots(&run.outcomes[1], (const uint64_t[]){ 100000, 300000, 500000 }, 3);
	run.outcomes[1].samples[1].ops = 0; /* lost */
	assert_int_equal(result_build(NULL, &run, 0, &result, NULL), 0);
	assert_true(result.comparisons[0].delta.mean == 0);
	assert_int_equal(result.comparisons[0].verdict, VERDICT_IDENTICAL);
	assert_int_equal(result.comparisons[0].null.n, 2);
	assert_true(warns(&result.comparisons[0], "replicates-missing"));
	result_finish(&result);
	run_finish(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_name),    cmocka_unit_test(test_fold),
		cmocka_unit_test(test_compare),       cmocka_unit_test(test_restarts_and_warnings),
		cmocka_unit_test(test_functions),     cmocka_unit_test(test_config),
		cmocka_unit_test(test_missing_cells), cmocka_unit_test(test_tick),
		cmocka_unit_test(test_null_boots),    cmocka_unit_test(test_pairs_of_boots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
