/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Published and measured beside each other, with costs that were computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "made.h"

#include "explain/studied.h"

/* ---- the study of tbench, and a result of it ---- */

enum { VOLUNTARY, DYNAMIC, NONE, FULL, DEBUG, WITHOUT };

static const char *const names[] = { "voluntary", "dynamic", "dynamic-none", "dynamic-full", "dynamic-debug",
				     "dynamic-debug-without-DEBUG_PREEMPT" };

/* The built-in one, as a record has it. */
static void add_builtin(struct made *m, const char *study, const char *part)
{
	_cleanup_free_ char *copy = NULL;
	const char *name, *text = NULL;
	size_t n = 0;

	for (size_t i = 0; (name = study_builtin(i, &text, &n)) && strcmp(name, study) != 0; i++)
		;
	assert_non_null(text);
	copy = xstrndup(text, n);
	facts_add(&m->run.head, "study", study);
	facts_add(&m->run.head, "study_part", part);
	facts_add(&m->run.head, "study_text", copy);
}

static void add_study(struct made *m, const char *text)
{
	facts_add(&m->run.head, "study", "mine");
	facts_add(&m->run.head, "study_part", "p");
	facts_add(&m->run.head, "study_text", text);
}

static void set_kernel(struct made *m, size_t v, const char *config, const char *content)
{
	m->run.variants[v].kernel.config_sha256 = xstrdup(config);
	m->run.variants[v].kernel.content = xstrdup(content);
}

/* tbench: 1000, 1040, 1015, 1060 and 1200 instructions, and 1050 without what was woken. */
static void make_tbench(struct made *m)
{
	static const double counted[] = { 1000, 1040, 1015, 1060, 1200, 1050 };

	made_begin(m, names, ARRAY_SIZE(names));
	add_builtin(m, "preempt-dynamic", "x86_64");
	for (size_t v = 0; v < ARRAY_SIZE(names); v++)
		made_cell(m, "tbench", v, counted[v], counted[v], counted[v]);
	for (size_t v = 1; v < ARRAY_SIZE(names); v++)
		made_compare(m, "tbench", v);
	set_kernel(m, VOLUNTARY, "c0", "k0");
	for (size_t v = DYNAMIC; v <= FULL; v++)
		set_kernel(m, v, "c1", "k1");
	set_kernel(m, DEBUG, "c2", "k2");
}

static struct studied *studied(struct made *m)
{
	_cleanup_error_ struct error err = ERROR_INIT;

	if (studied_make(&m->r, &m->r.studied, &err) < 0)
		fail_msg("%s", error_text(&err));
	assert_non_null(m->r.studied);
	return m->r.studied;
}

static void assert_near(double a, double b)
{
	if (!(fabs(a - b) < 1e-6))
		fail_msg("%.9f is not %.9f", a, b);
}

/* hackbench's groups are 1 unless it is said: the record's name is the short one. Of the other eight nothing is there. */
static void test_names(void **state)
{
	static const char *const two[] = { "n", "y" };
	_cleanup_free_ char *missing = NULL;
	struct studied *s;
	struct made m;

	made_begin(&m, two, 2);
	add_builtin(&m, "debug-preempt", "x86_64");
	made_cell(&m, "hackbench", 0, 1000, 1000, 1000);
	made_cell(&m, "hackbench", 1, 1100, 1100, 1100);
	made_compare(&m, "hackbench", 1);
	s = studied(&m);
	assert_int_equal(s->n_results, 9);
	assert_string_equal(s->results[0].published->workload, "hackbench:groups=1");
	assert_near(s->results[0].rows[1].measured, 0.1);
	/* 0.4743 s against 0.4295 s. */
	assert_near(s->results[0].rows[1].published, 0.1043073341);
	for (size_t i = 0; i < s->n_results; i++)
		assert_int_equal(studied_is_measured(&s->results[i]), i == 0);
	missing = studied_unmeasured(s);
	assert_true(str_has_prefix(missing, "hackbench:groups=4, hackbench:groups=7, "));
	assert_true(str_has_suffix(missing, ", hackbench:groups=96"));
	made_finish(&m);
}

/* Three runs each: 3689.99667 MB/s on voluntary, 3563.59333 on dynamic: 1.0354703 of the time. */
static void test_rate(void **state)
{
	struct studied *s;
	const struct studied_result *res;
	struct made m;

	make_tbench(&m);
	s = studied(&m);
	assert_string_equal(s->name, "preempt-dynamic");
	assert_string_equal(s->part->name, "x86_64");
	assert_true(s->is_count);
	assert_int_equal(s->n_results, 3);
	res = &s->results[2];
	assert_int_equal(res->n, 5);
	assert_near(res->rows[0].figure_mean, 3689.9966666666667);
	assert_near(res->rows[0].published, 0);
	assert_near(res->rows[0].published_lo, 0);
	assert_near(res->rows[0].published_hi, 0);
	assert_near(res->rows[0].measured, 0);
	assert_string_equal(res->rows[0].words, "the base");
	assert_string_equal(res->rows[1].figure->variant, "dynamic");
	assert_near(res->rows[1].figure_mean, 3563.5933333333333);
	assert_near(res->rows[1].published, 0.0354707514);
	/* 3679.93 / 3571.62 and 3704.98 / 3550.55 */
	assert_near(res->rows[1].published_lo, 0.0303251746);
	assert_near(res->rows[1].published_hi, 0.0434946698);
	assert_near(res->rows[1].measured, 0.04);
	assert_near(res->rows[1].measured_lo, 0.04);
	assert_string_equal(res->rows[1].words, "same direction, within a factor of two");
	/* 11069.99 / 9104.73 */
	assert_near(res->rows[2].published, 0.2158504360);
	assert_near(res->rows[2].measured, 0.2);
	/* 3831.82 / 3006.54, one figure each. */
	assert_near(s->results[1].rows[1].published, 0.2744949344);
	assert_true(s->results[1].rows[1].published_lo == s->results[1].rows[1].published_hi);
	/* Two have no order beyond the row. */
	assert_int_equal(s->results[1].order.n, 0);
	assert_string_equal(s->results[0].published->workload, "nginx-hey");
	assert_true(isnan(s->results[0].rows[1].measured));
	assert_string_equal(s->results[0].rows[0].words, "the base, not measured");
	assert_string_equal(s->results[0].rows[1].words, "not measured");
	made_finish(&m);
}

/* Runs of neighbours do not overlap, although their costs do, which have the runs of the base in them, too. */
static void test_order(void **state)
{
	static const char *const wanted[] = {
		"voluntary before dynamic-none holds",
		"dynamic-none before dynamic cannot be decided by a count: one kernel, booted with other parameters, that "
		"switches tasks at other moments",
		"dynamic before dynamic-full cannot be decided by a count: one kernel, booted with other parameters, that "
		"switches tasks at other moments",
		"dynamic-full before dynamic-debug holds",
	};
	const struct studied_result *res;
	struct made m;

	make_tbench(&m);
	res = &studied(&m)->results[2];
	assert_int_equal(res->order.n, ARRAY_SIZE(wanted));
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		assert_string_equal(res->order.v[i], wanted[i]);
	assert_true(res->rows[1].published_hi > res->rows[4].published_lo);
	made_finish(&m);
}

/* ---- words ---- */

#define HEAD "about: a\nquestion: b\nparts:\n- name: p\n  workloads: [w]\n  kernels: "
#define TWO HEAD "{a: debian:6.1, b: debian:6.2}\n"
#define FOUR HEAD "{a: debian:6.1, b: debian:6.2, c: debian:6.3, d: debian:6.4}\n"
#define TIME "published:\n- workload: w\n  unit: s\n  better: lower\n  figures: "
#define RATE "published:\n- workload: w\n  unit: MB/s\n  better: higher\n  figures: "

static void test_words(void **state)
{
	static const struct {
		const char *study;
		double lo, mean, hi; /* of b; a has 100 */
		double published;
		const char *words;
	} cases[] = {
		{ TWO TIME "{a: 10, b: 11}\n", 110, 110, 110, 0.1, "same direction, within a factor of two" },
		{ TWO TIME "{a: 10, b: 11}\n", 119, 119.5, 119.9, 0.1, "same direction, within a factor of two" },
		{ TWO TIME "{a: 10, b: 11}\n", 121, 121, 121, 0.1, "same direction, more than twice as much: in time they weigh less" },
		{ TWO TIME "{a: 10, b: 11}\n", 104, 104, 104, 0.1,
		  "same direction, less than half: the rest is no instruction count" },
		{ TWO TIME "{a: 10, b: 11}\n", 90, 90, 90, 0.1, "the other way round: not instructions, then" },
		{ TWO TIME "{a: 10, b: 11}\n", 99, 105, 110, 0.1, "a count cannot tell the two apart" },
		{ TWO TIME "{a: 10, b: 11}\n", 100, 100, 100, 0.1, "a count cannot tell the two apart" },
		{ TWO TIME "{a: 10, b: 11}\n", NAN, NAN, NAN, 0.1, "not measured" },
		{ TWO RATE "{a: 10, b: 8}\n", 125, 125, 125, 0.25, "same direction, within a factor of two" },
		{ TWO RATE "{a: 8, b: 10}\n", 125, 125, 125, -0.2, "the other way round: not instructions, then" },
		{ TWO RATE "{a: 8, b: 10}\n", 80, 80, 80, -0.2, "same direction, within a factor of two" },
		{ TWO TIME "{a: [10, 12], b: [11, 13]}\n", 110, 110, 110, 12.0 / 11 - 1, "published runs overlap: no order to hold it against" },
		/* Of b there is one run, but it lies between those of a. */
		{ TWO TIME "{a: [10, 12], b: 11.5}\n", 110, 110, 110, 11.5 / 11 - 1, "published runs overlap: no order to hold it against" },
		{ TWO TIME "{a: 10, b: 10}\n", 110, 110, 110, 0, "published runs overlap: no order to hold it against" },
	};
	static const char *const two[] = { "a", "b" };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct studied_row *row;
		struct made m;

		made_begin(&m, two, 2);
		add_study(&m, cases[i].study);
		made_cell(&m, "w", 0, 100, 100, 100);
		made_cell(&m, "w", 1, cases[i].mean, cases[i].lo, cases[i].hi);
		made_compare(&m, "w", 1);
		row = &studied(&m)->results[0].rows[1];
		assert_near(row->published, cases[i].published);
		if (strcmp(row->words, cases[i].words) != 0)
			fail_msg("%zu: %s, and not %s", i, row->words, cases[i].words);
		if (!isnan(cases[i].mean))
			assert_near(row->measured, cases[i].mean / 100 - 1);
		else
			assert_true(isnan(row->measured));
		made_finish(&m);
	}
}

/* A clock has other words; without an interval, of one boot, it tells nothing apart. */
static void test_clock(void **state)
{
	static const struct {
		double ratio, lo, hi;
		const char *words, *order;
	} cases[] = {
		{ 1.1, 1.08, 1.12, "same direction, within a factor of two", "b before c holds" },
		{ 1.5, 1.4, 1.6, "same direction, more than twice as much", "b before c is not decided: their intervals overlap" },
		{ 1.9, 1.8, 2.0, "same direction, more than twice as much", "b before c does not hold" },
		{ 0.9, 0.88, 0.92, "the other way round", "b before c holds" },
		{ 1.1, 0.9, 1.3, "not told apart", "b before c holds" },
		{ 1.1, NAN, NAN, "not told apart", "b before c is not decided: their intervals overlap" },
		{ NAN, NAN, NAN, "not measured", "b before c: not measured" },
	};
	static const char *const three[] = { "a", "b", "c" };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct studied *s;
		struct made m;

		made_begin(&m, three, 3);
		add_study(&m, FOUR TIME "{a: 10, b: 11, c: 15}\n");
		made_clocked(&m);
		made_timed(&m, "w", 0, 100);
		made_time_compare(&m, "w", 1, cases[i].ratio, cases[i].lo, cases[i].hi);
		made_time_compare(&m, "w", 2, 1.55, 1.5, 1.6);
		s = studied(&m);
		assert_false(s->is_count);
		if (strcmp(s->results[0].rows[1].words, cases[i].words) != 0)
			fail_msg("%zu: %s, and not %s", i, s->results[0].rows[1].words, cases[i].words);
		assert_int_equal(s->results[0].order.n, 2);
		assert_string_equal(s->results[0].order.v[1], cases[i].order);
		made_finish(&m);
	}
}

/* What was counted of a workload is nothing at all. */
static void test_zero(void **state)
{
	static const char *const two[] = { "a", "b" };
	struct made m;

	made_begin(&m, two, 2);
	add_study(&m, TWO TIME "{a: 10, b: 11}\n");
	made_cell(&m, "w", 0, 0, 0, 0);
	made_cell(&m, "w", 1, 5, 5, 5);
	assert_true(isnan(studied(&m)->results[0].rows[1].measured));
	assert_string_equal(m.r.studied->results[0].rows[1].words, "not measured");
	made_finish(&m);
}

/* The four sentences of an order, from b to d; a is the base. */
static void test_order_words(void **state)
{
	static const struct {
		const char *figures;
		double c_lo, c, c_hi, d_lo, d, d_hi;
		const char *wanted;
	} cases[] = {
		{ "{a: 10, b: 11, c: 12, d: 13}\n", 120, 120, 120, 130, 130, 130, "c before d holds" },
		{ "{a: 10, b: 11, c: 12, d: 13}\n", 130, 130, 130, 120, 120, 120, "c before d does not hold: counted the other way round" },
		{ "{a: 10, b: 11, c: 12, d: 13}\n", 110, 120, 130, 130, 131, 132,
		  "c before d cannot be decided by this count: their ranges overlap" },
		{ "{a: 10, b: 11, c: [12, 13.5], d: [13, 14]}\n", 120, 120, 120, 130, 130, 130,
		  "c before d is open: their published runs overlap" },
		/* Those of the base are wide: that is nothing to the two. */
		{ "{a: [5, 15], b: 18, c: [20, 21], d: [22, 23]}\n", 120, 120, 120, 130, 130, 130, "c before d holds" },
		{ "{a: 10, b: 11, c: 12, d: 13}\n", 120, 120, 120, NAN, NAN, NAN, "c before d: not measured" },
	};
	static const char *const four[] = { "a", "b", "c", "d" };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *text = xasprintf(FOUR TIME "%s", cases[i].figures);
		const struct studied_result *res;
		struct made m;

		made_begin(&m, four, 4);
		add_study(&m, text);
		made_cell(&m, "w", 0, 100, 100, 100);
		made_cell(&m, "w", 1, 105, 105, 105);
		made_cell(&m, "w", 2, cases[i].c, cases[i].c_lo, cases[i].c_hi);
		made_cell(&m, "w", 3, cases[i].d, cases[i].d_lo, cases[i].d_hi);
		for (size_t v = 1; v < 4; v++)
			made_compare(&m, "w", v);
		res = &studied(&m)->results[0];
		assert_int_equal(res->order.n, 3);
		assert_string_equal(res->order.v[0], "a before b holds");
		if (strcmp(res->order.v[2], cases[i].wanted) != 0)
			fail_msg("%zu: %s, and not %s", i, res->order.v[2], cases[i].wanted);
		made_finish(&m);
	}
}

/* ---- ladder, woken ---- */

static void test_ladder(void **state)
{
	const struct studied_ladder *l;
	struct studied *s;
	struct made m;
	double sum = 0;

	make_tbench(&m);
	made_cell(&m, "xz", DYNAMIC, 5, 5, 5);
	facts_add(&m.run.head, "split.5", "4 DEBUG_PREEMPT");
	s = studied(&m);
	assert_int_equal(s->n_ladders, 2);
	l = &s->ladders[0];
	assert_string_equal(l->workload, "tbench");
	assert_near(l->first, 1000);
	assert_int_equal(l->n, 3);
	assert_int_equal(l->rungs[0].from, VOLUNTARY);
	assert_int_equal(l->rungs[0].to, DYNAMIC);
	assert_int_equal(l->rungs[1].to, WITHOUT);
	assert_int_equal(l->rungs[2].from, WITHOUT);
	assert_int_equal(l->rungs[2].to, DEBUG);
	assert_near(l->rungs[0].delta, 40);
	assert_near(l->rungs[0].share, 0.2);
	assert_near(l->rungs[1].share, 0.05);
	assert_near(l->rungs[2].delta, 150);
	assert_near(l->rungs[2].share, 0.75);
	for (size_t i = 0; i < l->n; i++)
		sum += l->rungs[i].share;
	assert_near(sum, 1);
	assert_true(isnan(s->ladders[1].first));
	assert_true(isnan(s->ladders[1].rungs[0].delta));
	assert_int_equal(s->woken.n, 1);
	assert_string_equal(s->woken.v[0],
			    "tbench: of +20.0 % from voluntary to dynamic-debug, +15.0 % of the base, a share of 75 %, are DEBUG_PREEMPT, "
			    "which was dormant in the config file and which the change woke");
	made_finish(&m);
}

static void test_no_way(void **state)
{
	struct made m;

	/* A ladder that leads nowhere has no shares; one rung is none. */
	made_begin(&m, names, 5);
	add_builtin(&m, "preempt-dynamic", "x86_64");
	made_cell(&m, "w", VOLUNTARY, 7, 7, 7);
	made_cell(&m, "w", DYNAMIC, 9, 9, 9);
	made_cell(&m, "w", DEBUG, 7, 7, 7);
	assert_true(isnan(studied(&m)->ladders[0].rungs[0].share));
	assert_near(m.r.studied->ladders[0].rungs[0].delta, 2);
	made_finish(&m);
	made_begin(&m, names, 1);
	add_builtin(&m, "preempt-dynamic", "x86_64");
	made_cell(&m, "w", VOLUNTARY, 7, 7, 7);
	assert_int_equal(studied(&m)->n_ladders, 0);
	made_finish(&m);
}

/* Heads from somebody else: nothing is read that is not there, and nothing is made of it. */
static void test_hostile_split(void **state)
{
	static const char *const values[] = { "",	  "DEBUG",   "4",	      "9 X", "-1 X", "18446744073709551615 X", "4X",
					      "99999999999999999999999 X", "5 X" /* without itself */, " ", "\x1b[31m 4 X", "0x1 X" };
	struct made m;

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		make_tbench(&m);
		facts_add(&m.run.head, "split.5", values[i]);
		facts_add(&m.run.head, "split.17", "4 X");
		facts_add(&m.run.head, "split.-1", "4 X");
		if (studied(&m)->woken.n)
			fail_msg("%s: %s", values[i], m.r.studied->woken.v[0]);
		assert_int_equal(m.r.studied->ladders[0].n, 2);
		made_finish(&m);
	}
	/* One without the other, and the other way round. */
	make_tbench(&m);
	facts_add(&m.run.head, "split.5", "4 X");
	facts_add(&m.run.head, "split.4", "5 Y");
	assert_int_equal(studied(&m)->woken.n, 2);
	made_finish(&m);
}

static void test_bases(void **state)
{
	static const struct {
		const char *bases; /* NULL: not said */
		size_t of[4];
	} cases[] = {
		{ NULL, { 0, 0, 0, 0 } },
		{ "0 0 1 2", { 0, 0, 1, 2 } },
		{ "0 0 0 1", { 0, 0, 0, 1 } },
		{ "", { 0, 0, 0, 0 } },
		{ "x", { 0, 0, 0, 0 } },
		/* Up to where it makes sense. */
		{ "0 0 1", { 0, 0, 1, 0 } },
		{ "0 2 x 1", { 0, 2, 0, 0 } },
		{ "0 0 9 1", { 0, 0, 0, 0 } },
		{ "0 -1 1 1", { 0, 0, 0, 0 } },
		{ "0 1 2 3", { 0, 0, 0, 0 } },
		{ "0 0 99999999999999999999999 1", { 0, 0, 0, 0 } },
	};
	static const char *const four[] = { "a", "b", "c", "d" };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct made m;

		made_begin(&m, four, 4);
		if (cases[i].bases)
			facts_add(&m.run.head, "bases", cases[i].bases);
		for (size_t v = 0; v < 4; v++)
			if (run_base(&m.run, v) != cases[i].of[v])
				fail_msg("%s: base of %zu is %zu", cases[i].bases, v, run_base(&m.run, v));
		made_finish(&m);
	}
}

/* ---- settings ---- */

#define SETTINGS                                                                                  \
	HEAD "{n: debian:6.1, y: debian:6.2, z: debian:6.3}\n  settings: {enforcing: +e, permissive: +p, 'off': +o}\n"

static void test_settings(void **state)
{
	static const char *const nine[] = { "n/enforcing", "n/permissive", "n/off", "y/enforcing", "y/permissive",
					    "y/off",	   "z/enforcing",  "z/permissive", "z/off" };
	/* y: +100, +40, -20; z: +10, +20, and the last was not measured. */
	static const double counted[] = { 1000, 900, 800, 1100, 940, 780, 1010, 920, NAN };
	static const struct {
		size_t base, other;
		double delta, gone;
	} wanted[] = {
		{ 0, 3, 100, NAN }, { 1, 4, 40, 0.6 }, { 2, 5, -20, NAN }, { 0, 6, 10, NAN }, { 1, 7, 20, NAN },
	};
	struct studied *s;
	struct made m;

	made_begin(&m, nine, 9);
	add_study(&m, SETTINGS);
	facts_add(&m.run.head, "bases", "0 0 0 0 1 2 0 1 2");
	for (size_t v = 0; v < 9; v++)
		made_cell(&m, "kill", v, counted[v], counted[v], counted[v]);
	/* All but y/permissive: that one is not said to be clear. */
	for (size_t v = 1; v < 8; v++)
		if (v != 4)
			made_compare(&m, "kill", v);
	s = studied(&m);
	assert_int_equal(s->n_settings, ARRAY_SIZE(wanted));
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		const struct studied_setting *x = &s->settings[i];

		assert_string_equal(x->workload, "kill");
		assert_int_equal(x->base, wanted[i].base);
		assert_int_equal(x->other, wanted[i].other);
		assert_near(x->delta, wanted[i].delta);
		assert_int_equal(x->is_clear, x->other != 4);
		assert_int_equal(!isnan(x->gone), !isnan(wanted[i].gone));
		if (!isnan(x->gone))
			assert_near(x->gone, wanted[i].gone);
	}
	made_finish(&m);
	/* Without the first setting nothing can be gone of it. */
	made_begin(&m, nine, 6);
	add_study(&m, SETTINGS);
	facts_add(&m.run.head, "bases", "0 0 0 0 1 2");
	for (size_t v = 0; v < 6; v++)
		if (v != 3)
			made_cell(&m, "kill", v, counted[v], counted[v], counted[v]);
	s = studied(&m);
	assert_int_equal(s->n_settings, 2);
	for (size_t i = 0; i < 2; i++)
		assert_true(isnan(s->settings[i].gone));
	made_finish(&m);
}

/* ---- records ---- */

static void test_records(void **state)
{
	static const char *const two[] = { "a", "b" };
	_cleanup_error_ struct error err = ERROR_INIT;
	struct studied *s = (void *)1;
	struct made m;

	made_begin(&m, two, 2);
	assert_int_equal(studied_make(&m.r, &s, &err), 0);
	assert_null(s);
	facts_add(&m.run.head, "study_text", "about: a\n");
	assert_int_equal(studied_make(&m.r, &s, &err), -EINVAL);
	assert_null(s);
	assert_non_null(strstr(error_text(&err), "the record's study:1:1: "));
	made_finish(&m);
	/* Of another part, or of none: what was published of p is not for it. */
	made_begin(&m, two, 2);
	facts_add(&m.run.head, "study_text", TWO TIME "{a: 1, b: 2}\n  part: p\n");
	facts_add(&m.run.head, "study_part", "q");
	s = studied(&m);
	assert_null(s->part);
	assert_int_equal(s->n_results, 0);
	assert_string_equal(s->name, "study");
	made_finish(&m);
	/* No variant of the record is one of the study's. */
	made_begin(&m, names, 2);
	add_study(&m, TWO TIME "{a: 1, b: 2}\n");
	made_cell(&m, "w", 0, 1, 1, 1);
	s = studied(&m);
	assert_int_equal(s->n_results, 1);
	assert_string_equal(s->results[0].rows[0].words, "the base, not measured");
	made_finish(&m);
	/* No variant at all; and the kernel that it was about. */
	made_begin(&m, names, 0);
	add_study(&m, HEAD "{a: '{kernel}', b: debian:6.2}\n");
	facts_add(&m.run.head, "study_kernel", "tree:/x");
	assert_string_equal(studied(&m)->study.parts[0].variants[0].spec, "tree:/x");
	made_finish(&m);
}

/*
 * Thirty runs a side: 104.18833 and 106.18510 ns. Welch's interval of these figures is 0.2 to 3.6 %, which is
 * no other answer than the bootstrap's; their ranges overlap by far.
 */
static void test_interval(void **state)
{
	static const char *const two[] = { "n", "y" };
	const struct studied_row *row;
	struct studied *s;
	struct made m;

	made_begin(&m, two, 2);
	add_builtin(&m, "preempt-count", "x86_64");
	made_cell(&m, "refscale:rcu", 0, 2, 2, 2);
	made_cell(&m, "refscale:rcu", 1, 4, 4, 4);
	made_compare(&m, "refscale:rcu", 1);
	s = studied(&m);
	row = &s->results[0].rows[1];
	assert_true(row->is_interval);
	assert_near(row->published, row->figure_mean / s->results[0].rows[0].figure_mean - 1);
	assert_true(fabs(row->published - 0.019165) < 1e-4);
	assert_true(row->published_lo > 0.001 && row->published_lo < 0.006);
	assert_true(row->published_hi > 0.034 && row->published_hi < 0.042);
	assert_string_equal(row->words, "same direction, more than twice as much: in time they weigh less");
	made_finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_rate),	     cmocka_unit_test(test_order),  cmocka_unit_test(test_words),
		cmocka_unit_test(test_clock),	     cmocka_unit_test(test_zero),   cmocka_unit_test(test_order_words),
		cmocka_unit_test(test_ladder),	     cmocka_unit_test(test_no_way), cmocka_unit_test(test_hostile_split),
		cmocka_unit_test(test_bases),	     cmocka_unit_test(test_settings), cmocka_unit_test(test_records),
		cmocka_unit_test(test_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
