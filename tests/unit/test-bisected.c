/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Searches and ladders whose answers are known: what they say, against golden files, and which rungs a
 * count does not order. KTOLL_UPDATE_GOLDEN=1 writes the files anew.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"

#include "base/alloc.h"
#include "report/bisectedreport.h"

static void make(struct bisected *b, size_t n_workloads)
{
	static const char *const steps[] = { "PREEMPT_DYNAMIC n -> y", "DEBUG_PREEMPT n -> y", "PSI n -> y",
					     "FUSE_FS n -> y" };

	*b = (struct bisected){ .base = xstrdup("source:6.1"),
				.other = xstrdup("source:6.1,PREEMPT_DYNAMIC=y"),
				.share = 0.9,
				.n_workloads = n_workloads,
				.workloads = xcalloc(n_workloads, sizeof(*b->workloads)),
				.n_measured = 5,
				.n_built = 2,
				.record = xstrdup("b.ktoll") };
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		strv_add(&b->steps, steps[i]);
}

/* Points and ranges: five of each. */
static struct bisected_workload *set(struct bisected *b, size_t i, const char *name, const char *unit,
				     const double *points, const double *ranges)
{
	struct bisected_workload *w = &b->workloads[i];
	size_t n = b->steps.n + 1;

	*w = (struct bisected_workload){ .name = xstrdup(name),
					 .unit = xstrdup(unit),
					 .points = xcalloc(n, sizeof(*points)),
					 .ranges = xcalloc(n, sizeof(*ranges)),
					 .together = NAN,
					 .floor = NAN,
					 .is_searched = i == 0 };
	memcpy(w->points, points, n * sizeof(*points));
	memcpy(w->ranges, ranges, n * sizeof(*ranges));
	return w;
}

static void add_culprit(struct bisected_workload *w, size_t step, double alone, const char *not_alone)
{
	struct bisected_culprit *c;

	w->culprits = xrealloc(w->culprits, (w->n_culprits + 1) * sizeof(*w->culprits));
	c = &w->culprits[w->n_culprits++];
	*c = (struct bisected_culprit){ .from = step - 1, .to = step, .alone = alone,
					.not_alone = not_alone ? xstrdup(not_alone) : NULL };
	c->delta = w->points[step] - w->points[step - 1];
	c->share = c->delta / (w->points[4] - w->points[0]);
}

static void check(const struct bisected *b, const char *name)
{
	_cleanup_free_ char *txt = xasprintf("%s.txt", name), *json = xasprintf("%s.json", name);
	_cleanup_str_ struct str as_text = STR_INIT, as_json = STR_INIT;

	bisected_text(b, &(struct report_options){ 0 }, &as_text);
	check_golden(txt, str_text(&as_text));
	bisected_json(b, &as_json);
	check_golden(json, str_text(&as_json));
}

/*
 * Of kill all counts are exact: +64, +23 and -7 are in order. Of hackbench each rung has a range of 5 + 5: +400 and
 * +390 are in no order, since 10 is not larger than 20; +390 and +20, and +20 and -10, are.
 */
static void test_ladder(void **state)
{
	struct bisected b;

	(void)state;
	make(&b, 2);
	b.is_ladder = true;
	set(&b, 0, "kill", "operation", (double[]){ 368, 432, 455, 455, 448 }, (double[]){ 0, 0, 0, 0, 0 });
	set(&b, 1, "hackbench", "message", (double[]){ 4000, 4400, 4790, 4810, 4800 }, (double[]){ 5, 5, 5, 5, 5 });
	check(&b, "bisect-ladder");
	bisected_finish(&b);
}

static void test_unordered(void **state)
{
	_cleanup_free_ struct bisected_pair *exact = NULL, *near = NULL, *unknown = NULL;
	const double points[] = { 100, 130, 160, 160, 181.5 };
	struct bisected b;

	(void)state;
	make(&b, 3);
	/* Equal costs have no order even if they are exact; the rung that costs nothing is left out. */
	set(&b, 0, "a", "operation", points, (double[]){ 0, 0, 0, 0, 0 });
	assert_int_equal(bisected_unordered(&b, &b.workloads[0], &exact), 1);
	assert_int_equal(exact[0].larger.to, 1);
	assert_int_equal(exact[0].smaller.to, 2);
	assert_true(exact[0].gap == 0 && exact[0].lo == 0 && exact[0].hi == 0);
	/* 30, 30, 21.5: the second pair is 8.5 apart, and its ranges are 1 + 2 and 2 + 4. */
	set(&b, 1, "b", "operation", points, (double[]){ 3, 1, 2, 2, 4 });
	assert_int_equal(bisected_unordered(&b, &b.workloads[1], &near), 2);
	assert_true(near[0].lo == -7 && near[0].hi == 7);
	assert_int_equal(near[1].larger.to, 2);
	assert_int_equal(near[1].smaller.to, 4);
	assert_true(near[1].gap == 8.5 && near[1].lo == -0.5 && near[1].hi == 17.5);
	/* Ranges that are not known say nothing. */
	set(&b, 2, "c", "operation", points, (double[]){ NAN, NAN, NAN, NAN, NAN });
	assert_int_equal(bisected_unordered(&b, &b.workloads[2], &unknown), 0);
	bisected_finish(&b);
}

/* Two steps of 40 and 10, and replicates that move together: each has the first as the larger one. */
static void test_paired_order(void **state)
{
	const double v[][2] = { { 95, 105 }, { 133, 147 }, { 144, 156 } };
	_cleanup_free_ struct bisected_pair *apart = NULL, *near = NULL;
	struct bisected_workload *w;
	struct bisected b;

	(void)state;
	make(&b, 1);
	w = set(&b, 0, "a", "operation", (double[]){ 100, 140, 150, NAN, NAN }, (double[]){ 10, 14, 12, NAN, NAN });
	/* By their ranges they could be either way: 40 - 10 is not above 10 + 14 + 14 + 12. */
	assert_int_equal(bisected_unordered(&b, w, &near), 1);
	w->replicates = xcalloc(b.steps.n + 1, sizeof(*w->replicates));
	w->n_replicates = 2;
	for (size_t i = 0; i < 3; i++)
		w->replicates[i] = xmemdup(v[i], sizeof(v[i]));
	/* 38 - 11 and 42 - 9. */
	assert_int_equal(bisected_unordered(&b, w, &apart), 0);
	free(TAKE_PTR(apart));
	/* And 10 - 39 in the second: not the same one in both. */
	w->replicates[1][1] = 115;
	w->replicates[2][1] = 154;
	assert_int_equal(bisected_unordered(&b, w, &apart), 1);
	assert_true(apart[0].lo == -29 && apart[0].hi == 27);
	bisected_finish(&b);
}

/* 64 and 20 alone, 80 together: they take 4 from each other. */
static void test_parts_do_not_add_up(void **state)
{
	_cleanup_str_ struct str text = STR_INIT;
	struct bisected_workload *w;
	struct bisected b;

	(void)state;
	make(&b, 1);
	w = set(&b, 0, "kill", "operation", (double[]){ 368, 432, 455, NAN, 455 }, (double[]){ 0, 0, 0, NAN, 0 });
	w->together = 80;
	w->floor = 2;
	add_culprit(w, 1, 64, NULL);
	add_culprit(w, 2, 20, NULL);
	bisected_text(&b, &(struct report_options){ 0 }, &text);
	assert_non_null(strstr(str_text(&text), "on the base without anything else: +80\n"));
	assert_non_null(strstr(str_text(&text), "interaction (together less each alone): -4\n"));
	check(&b, "bisect-search");
	/* Without the figure of one alone there is no interaction to tell. */
	str_finish(&text);
	text = STR_INIT;
	w->culprits[1].alone = NAN;
	w->culprits[1].not_alone = xstrdup("cannot be set without others");
	bisected_text(&b, &(struct report_options){ 0 }, &text);
	assert_non_null(strstr(str_text(&text), "cannot be set without others\n"));
	assert_null(strstr(str_text(&text), "interaction"));
	bisected_finish(&b);
}

/* Of a ladder one kernel does not build: its step and the next are one rung. */
static void test_skipped(void **state)
{
	struct bisected b;

	(void)state;
	make(&b, 1);
	b.is_ladder = true;
	strv_add(&b.skipped, "DEBUG_PREEMPT n -> y: the kernel does not build\nfile.c:1: error");
	set(&b, 0, "kill", "operation", (double[]){ 368, 432, NAN, 496, 496 }, (double[]){ 0, 1, NAN, 0, 0 });
	check(&b, "bisect-skipped");
	bisected_finish(&b);
}

static void test_nothing_above_the_floor(void **state)
{
	_cleanup_str_ struct str text = STR_INIT, none = STR_INIT, failed = STR_INIT;
	struct bisected_workload *w;
	struct bisected b;

	(void)state;
	make(&b, 1);
	w = set(&b, 0, "kill", "operation", (double[]){ 368, NAN, NAN, NAN, 370 }, (double[]){ 0, NAN, NAN, NAN, 0 });
	w->floor = 3;
	bisected_text(&b, &(struct report_options){ 0 }, &text);
	assert_non_null(strstr(str_text(&text), "nothing above 3: "));
	assert_null(strstr(str_text(&text), "carried by"));
	w->points[4] = 368;
	bisected_text(&b, &(struct report_options){ 0 }, &none);
	assert_non_null(strstr(str_text(&none), "no difference: there is nothing to find\n"));
	w->points[4] = NAN;
	bisected_text(&b, &(struct report_options){ 0 }, &failed);
	assert_true(str_has_prefix(str_text(&failed), "kill: failed at an end\n"));
	bisected_finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ladder),
		cmocka_unit_test(test_unordered),
		cmocka_unit_test(test_paired_order),
		cmocka_unit_test(test_parts_do_not_add_up),
		cmocka_unit_test(test_skipped),
		cmocka_unit_test(test_nothing_above_the_floor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
