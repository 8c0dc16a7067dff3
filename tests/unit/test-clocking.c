/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks that take turns: differences of known size under drift, the noise floor, and what cannot be said. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "explain/clocking.h"
#include "stat/random.h"

struct world {
	struct run run;
	struct random random;
	double noise;
};

static double normal(struct random *r)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += random_unit(r);
	return sum - 6;
}

static void setup_world(struct world *w, size_t n_variants, uint64_t seed)
{
	*w = (struct world){ .noise = 0.02 };
	random_seed(&w->random, seed);
	w->run.n_variants = n_variants;
	w->run.variants = xcalloc(n_variants, sizeof(*w->run.variants));
	w->run.outcomes = xcalloc(n_variants, sizeof(*w->run.outcomes));
	for (size_t i = 0; i < n_variants; i++) {
		w->run.variants[i].name = xasprintf("v%zu", i);
		w->run.variants[i].spec = xstrdup("live");
	}
}

static struct sitting *add_sitting(struct world *w, const char *boot)
{
	struct sitting *s = ARRAY_ADD(w->run.sittings, w->run.n_sittings, w->run.cap_sittings);

	*s = (struct sitting){ .boot = xstrdup(boot) };
	return s;
}

static void add_block(struct world *w, struct sitting *s, size_t variant, uint32_t round, double factor)
{
	struct block *b = sitting_add_block(s);

	b->variant = variant;
	b->workload = xstrdup("work");
	b->round = round;
	b->position = (uint32_t)s->n_blocks - 1;
	b->ops = 1000;
	b->ns = (uint64_t)(1e9 * factor * exp(w->noise * normal(&w->random)));
	block_add_figure(b, FIGURE_METRIC, "rate", "MB/s", true, 1e12 / (double)b->ns);
	block_add_figure(b, FIGURE_COUNTER, "involuntary-switches", "", false, 3);
}

/* Rounds 0 1 1 0 or 1 0 0 1; the machine slows down by `drift` over them all. */
static void take_turns(struct world *w, struct sitting *s, uint32_t rounds, double effect, double drift)
{
	for (uint32_t r = 0; r < rounds; r++) {
		size_t first = random_below(&w->random, 2);

		for (uint32_t i = 0; i < 4; i++) {
			size_t v = (i == 0 || i == 3) ? first : 1 - first;
			double t = (double)(4 * r + i) / (4.0 * rounds);

			add_block(w, s, v, r, (v ? 1 + effect : 1) * (1 + drift * t));
		}
	}
}

static const struct clocked_comparison *time_of(const struct clocked *c)
{
	assert_true(c->n >= 1);
	assert_string_equal(c->comparisons[0].quantity, "time per operation");
	return &c->comparisons[0];
}

static void finish(struct world *w, struct clocked *c)
{
	clocked_finish(c);
	run_finish(&w->run);
}

static void test_drift_cancels(void **state)
{
	size_t covered = 0, found = 0, runs = 200;

	(void)state;
	for (size_t i = 0; i < runs; i++) {
		const struct clocked_comparison *c;
		struct clocked k;
		struct world w;

		setup_world(&w, 2, i);
		take_turns(&w, add_sitting(&w, "b"), 20, 0.02, 0.2);
		clocking_make(&w.run, 0, &k);
		c = time_of(&k);
		covered += c->p.ratio.lo <= 1.02 && c->p.ratio.hi >= 1.02;
		found += c->verdict == JUDGED_HIGHER;
		assert_string_equal(c->level, "rounds");
		assert_int_equal(c->p.n, 20);
		/* Drift is told, and that it does no harm. */
		assert_true(c->warnings.n && strstr(c->warnings.v[0], "drift: "));
		finish(&w, &k);
	}
	/* 95 %, with 200 runs of it: from 183 on in 999 of 1000 cases. */
	assert_in_range(covered, 183, 199);
	/* 20 rounds of 4 with 2 % noise: a standard error of 0.45 %, so 2 % is mostly clear. */
	assert_true(found > 180);
}

static void test_no_effect_is_not_found(void **state)
{
	size_t found = 0;

	(void)state;
	for (size_t i = 0; i < 200; i++) {
		struct clocked k;
		struct world w;

		setup_world(&w, 2, 1000 + i);
		take_turns(&w, add_sitting(&w, "b"), 20, 0, 0.2);
		clocking_make(&w.run, 0, &k);
		found += time_of(&k)->verdict == JUDGED_HIGHER || time_of(&k)->verdict == JUDGED_LOWER;
		/* The base against itself: 10 pairs of rounds, so some standard errors of 0.6 %. */
		assert_true(time_of(&k)->floor > 0 && time_of(&k)->floor < 0.05);
		finish(&w, &k);
	}
	/* 5 %: above 21 of 200 in one of 1000 cases. Two quantities, so Holm makes it less. */
	assert_true(found <= 21);
}

/* All of one side, then all of the other: with a boot each there is no verdict, whatever the numbers. */
static void test_one_boot_a_side(void **state)
{
	struct clocked k;
	struct world w;

	(void)state;
	setup_world(&w, 2, 1);
	for (uint32_t i = 0; i < 20; i++)
		add_block(&w, i ? &w.run.sittings[0] : add_sitting(&w, "x"), 0, i, 1);
	for (uint32_t i = 0; i < 20; i++)
		add_block(&w, i ? &w.run.sittings[1] : add_sitting(&w, "x"), 1, i, 0.5);
	clocking_make(&w.run, 0.01, &k);
	assert_null(time_of(&k)->level);
	assert_string_equal(time_of(&k)->verdict_name, "undecided");
	assert_non_null(strstr(time_of(&k)->reason, "one boot"));
	finish(&w, &k);
}

/* Boots are the units, however many blocks each has. */
static void test_boots(void **state)
{
	struct clocked k;
	struct world w;

	(void)state;
	setup_world(&w, 2, 1);
	for (int boot = 0; boot < 4; boot++) {
		_cleanup_free_ char *a = xasprintf("a%d", boot), *b = xasprintf("b%d", boot);
		struct sitting *s = add_sitting(&w, a);

		for (uint32_t i = 0; i < 10; i++)
			add_block(&w, s, 0, i, 1 + 0.01 * boot);
		s = add_sitting(&w, b);
		for (uint32_t i = 0; i < 10; i++)
			add_block(&w, s, 1, i, 1.2 + 0.01 * boot);
	}
	clocking_make(&w.run, 0.01, &k);
	assert_string_equal(time_of(&k)->level, "boots");
	assert_int_equal(time_of(&k)->p.n, 4);
	assert_string_equal(time_of(&k)->verdict_name, "slower");
	/* The program's own figure, a rate: the same difference in its own direction. */
	assert_int_equal(k.n, 2);
	assert_string_equal(k.comparisons[1].quantity, "rate");
	assert_string_equal(k.comparisons[1].verdict_name, "slower");
	assert_true(k.comparisons[1].p.ratio.estimate < 1);
	finish(&w, &k);
}

static void test_interleaved_boots(void **state)
{
	struct clocked k;
	struct world w;

	(void)state;
	setup_world(&w, 2, 1);
	for (int boot = 0; boot < 3; boot++) {
		_cleanup_free_ char *name = xasprintf("boot %d", boot);

		take_turns(&w, add_sitting(&w, name), 8, 0.1 + 0.02 * boot, 0);
	}
	clocking_make(&w.run, 0.01, &k);
	assert_string_equal(time_of(&k)->level, "boots");
	assert_int_equal(time_of(&k)->p.n, 3);
	finish(&w, &k);
}

static void test_emulator_has_no_verdict(void **state)
{
	struct clocked k;
	struct world w;

	(void)state;
	setup_world(&w, 2, 1);
	facts_add(&w.run.head, CLOCKING_ACCEL, "tcg");
	take_turns(&w, add_sitting(&w, "b"), 20, 0.5, 0);
	clocking_make(&w.run, 0.01, &k);
	assert_string_equal(time_of(&k)->verdict_name, "no-verdict");
	assert_non_null(strstr(time_of(&k)->reason, "emulator"));
	finish(&w, &k);
}

/* Looks on the way cost width: the level of the sitting that had them. */
static void test_looks(void **state)
{
	struct clocked k;
	struct world w;

	(void)state;
	assert_int_equal(paired_looks(8), 1);
	assert_int_equal(paired_looks(9), 2);
	assert_int_equal(paired_looks(256), 6);
	assert_true(fabs(paired_look_level(256) - (1 - 0.05 / 6)) < 1e-12);
	assert_true(paired_is_look(8, 256) && paired_is_look(64, 256) && paired_is_look(256, 256));
	assert_false(paired_is_look(9, 256) || paired_is_look(7, 256));
	setup_world(&w, 2, 1);
	facts_add(&add_sitting(&w, "b")->facts, CLOCKING_LIMIT, "256");
	take_turns(&w, &w.run.sittings[0], 16, 0.1, 0);
	clocking_make(&w.run, 0.01, &k);
	assert_true(fabs(time_of(&k)->p.level - (1 - 0.05 / 6)) < 1e-12);
	finish(&w, &k);
}

/* Student 1908, his table of the extra hours of sleep: mean 1.58, t = 4.06 with 9 degrees of freedom, p = 0.0028. */
static void test_paired_published(void **state)
{
	static const double hours[] = { 1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4 };
	struct paired p;

	(void)state;
	paired_judge(hours, 10, 0.95, 0, &p);
	assert_true(fabs(log(p.ratio.estimate) - 1.58) < 1e-9);
	assert_true(fabs(p.p - 0.002833) < 1e-5);
	assert_true(fabs(log(p.ratio.lo) - 0.7001) < 1e-3 && fabs(log(p.ratio.hi) - 2.4599) < 1e-3);
	assert_int_equal(p.verdict, JUDGED_HIGHER);
	paired_judge(hours, 1, 0.95, 0, &p);
	assert_int_equal(p.verdict, JUDGED_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drift_cancels),
		cmocka_unit_test(test_no_effect_is_not_found),
		cmocka_unit_test(test_one_boot_a_side),
		cmocka_unit_test(test_boots),
		cmocka_unit_test(test_interleaved_boots),
		cmocka_unit_test(test_emulator_has_no_verdict),
		cmocka_unit_test(test_looks),
		cmocka_unit_test(test_paired_published),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
