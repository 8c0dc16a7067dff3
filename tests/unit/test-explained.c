/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Explanations and listings against golden files. KTOLL_UPDATE_GOLDEN=1 writes them anew.
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
#include "report/explained.h"
#include "report/listed.h"

#define OPS 1000

static struct explanation_row *add_row(struct explanation_group *g, const char *label, int64_t base,
				       int64_t other, int64_t calls_base, int64_t calls_other,
				       const char *rule)
{
	struct explanation_row *r = ARRAY_ADD(g->rows, g->n, g->cap);

	*r = (struct explanation_row){ .label = xstrdup(label),
				       .rule = rule,
				       .insns = { base * OPS, other * OPS },
				       .calls = { calls_base * OPS, calls_other * OPS } };
	g->insns.base += base * OPS;
	g->insns.other += other * OPS;
	if (calls_base >= 0) {
		g->calls.base += calls_base * OPS;
		g->calls.other += calls_other * OPS;
	}
	return r;
}

static struct explanation_group *add_group(struct explanation *e, const char *name)
{
	struct explanation_group *g = ARRAY_ADD(e->groups, e->n_groups, e->cap_groups);

	if (name) {
		g->name = xstrdup(name);
		g->about = xstrdup("what it is");
	}
	return g;
}

static void add_class(struct explanation *e, const char *name, const char *kind, int64_t base,
		      int64_t other, const char *place)
{
	struct explanation_class *c = ARRAY_ADD(e->classes, e->n_classes, e->cap_classes);

	c->name = name;
	c->kind = xstrdup(kind);
	c->count = (struct two_sides){ base * OPS, other * OPS };
	if (!place)
		return;
	strv_add(&c->places, place);
	c->place_counts = xcalloc(1, sizeof(*c->place_counts));
	c->place_counts[0] = c->count;
}

/* Sums: 100 -> 221, of which one was restarted. Names are hostile in places. */
static void make(struct explanation *e)
{
	struct explanation_group *g;

	*e = (struct explanation){ .workload = xstrdup("kill"),
				   .other = 1,
				   .ops = { OPS, OPS },
				   .total = { 100 * OPS, 221 * OPS },
				   .n_other_only = 2,
				   .other_only_share = 0.0625,
				   .touched_share = 0.75,
				   .other_share = 0.125,
				   .rule_shares = { 0.25, 0.125, 0, 0.5 } };
	g = add_group(e, "RCU reader");
	g->is_touched = true;
	add_row(g, "__rcu_read_lock", 0, 40, 0, 8, "function")->is_other_only = true;
	add_row(g, "__rcu_read_unlock", 0, 38, 0, 8, "function")->is_other_only = true;
	add_row(g, "call __rcu_read_lock", 0, 8, -1, -1, "call");
	add_row(g, "call __rcu_read_unlock", 0, 8, -1, -1, "call");
	add_row(g, "rcu_read_lock (inlined)", 0, 4, -1, -1, "inlined");
	add_row(g, "rcu_read_unlock (inlined)", 0, 3, -1, -1, "inlined");
	g = add_group(e, "lock");
	add_row(g, "_raw_spin_lock", 20, 20, 2, 2, "function");
	g = add_group(e, NULL);
	add_row(g, "do_\033[31mkill\n<b>&amp;", 30, 51, 1, 1, NULL);
	add_row(g, "helper", 10, 10, 1, 0, NULL)->is_lifted = true;
	add_row(g, "[user]", 40, 40, -1, -1, NULL);
	add_row(g, "[restarted after a fault, counted twice above]", 0, -1, -1, -1, NULL);
	add_class(e, "barriers", "lwsync", 2, 3, "do_\033[31mkill");
	add_class(e, "calls", "", 5, 21, NULL);
	strv_add(&e->warnings, "phases: the two sides did not do the same work");
}

static void make_run(struct run *run, struct variant *variants)
{
	variants[0].name = (char *)"voluntary";
	variants[1].name = (char *)"dynamic";
	run->variants = variants;
	run->n_variants = 2;
	run->path = (char *)"kill.ktoll";
	facts_add(&run->head, "engine", "count");
}

static void test_explained(void **state)
{
	struct variant variants[2] = { 0 };
	struct run run = { 0 };
	const struct result r = { .run = &run };
	struct explanation e;
	_cleanup_str_ struct str text = STR_INIT, full = STR_INIT, json = STR_INIT, none = STR_INIT;

	(void)state;
	make_run(&run, variants);
	make(&e);
	explained_text(&r, &e, 1, &(struct report_options){ 0 }, &text);
	check_golden("explain.txt", str_text(&text));
	explained_text(&r, &e, 1, &(struct report_options){ .full = true, .width = 80 }, &full);
	check_golden("explain-full.txt", str_text(&full));
	explained_json(&r, &e, 1, &json);
	check_golden("explain.json", str_text(&json));
	explained_text(&r, &e, 0, &(struct report_options){ 0 }, &none);
	assert_string_equal(str_text(&none), "There is no comparison with samples on both sides.\n");
	explanation_finish(&e);
	facts_finish(&run.head);
}

static size_t count(const char *text, const char *words)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, words)); at++)
		n++;
	return n;
}

/* Of two sizes, what a start had more of in the shorter run: below 0, and said so wherever it is shown. */
static void test_startup(void **state)
{
	struct variant variants[2] = { 0 };
	struct run run = { 0 };
	const struct result r = { .run = &run };
	struct explanation e;
	_cleanup_str_ struct str before = STR_INIT, text = STR_INIT, json = STR_INIT;

	(void)state;
	make_run(&run, variants);
	make(&e);
	/* The row of restarts is below 0 by its nature. */
	explained_json(&r, &e, 1, &before);
	assert_int_equal(count(str_text(&before), EXPLANATION_STARTUP), 0);
	e.groups[2].rows[0].insns.base = -3;
	e.classes[0].count.other = -1;
	e.classes[0].place_counts[0].other = -1;
	explained_json(&r, &e, 1, &json);
	assert_int_equal(count(str_text(&json), "\"note\": \"" EXPLANATION_STARTUP "\""), 3);
	explained_text(&r, &e, 1, &(struct report_options){ .full = true }, &text);
	assert_int_equal(count(str_text(&text), EXPLANATION_STARTUP), 2);
	e.classes[0].count.other = 1;
	str_finish(&text);
	explained_text(&r, &e, 1, &(struct report_options){ .full = true }, &text);
	assert_int_equal(count(str_text(&text), "(" EXPLANATION_STARTUP ")"), 1);
	explanation_finish(&e);
	facts_finish(&run.head);
}

static void test_listed(void **state)
{
	static const struct listed_insn v[] = {
		{ 0, 1, "endbr64", NULL, NULL, NULL },
		{ 4, 1, "call 0xffffffff81000000", "__rcu_read_lock", "RCU reader", "rcu_read_lock" },
		{ 0x109, 0.125, "lock xadd %eax, (%rdi)", NULL, "atomic", NULL },
	};
	_cleanup_str_ struct str out = STR_INIT;

	(void)state;
	listed_text("kill, dynamic: do_kill, 2.125 instructions per operation", v, ARRAY_SIZE(v),
		    &(struct report_options){ 0 }, &out);
	check_golden("listing.txt", str_text(&out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_explained), cmocka_unit_test(test_startup),
		cmocka_unit_test(test_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
