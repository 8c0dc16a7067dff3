/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From two configs to what is shown of them; the table of known costs, and mistakes in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "kernel/configcompare.h"
#include "minikconfig.h"

#define FILE_TEXT "CONFIG_DEBUG_KERNEL=y\nCONFIG_DEBUG_PREEMPT=y\n"

static const char costs_text[] = "- option: [PREEMPT_COUNT, CONFIG_PREEMPT_RCU]\n"
				 "  costs: on\n"
				 "  severity: medium\n"
				 "  cost: It counts.\n"
				 "  source: nobody\n"
				 "- option: PREEMPT_RCU\n"
				 "  costs: on\n"
				 "  severity: high\n"
				 "  cost: 'More: calls.'\n"
				 "  source: somebody\n"
				 "- option: INLINE_READ_UNLOCK\n"
				 "  costs: off\n"
				 "  severity: low\n"
				 "  cost: A call.\n"
				 "  source: no figure\n";

static void make(const struct configdiff_side *base, const struct configdiff_side *other,
		 struct configdiff *ret)
{
	struct known_costs costs = { 0 };

	assert_int_equal(known_costs_parse(&costs, "costs", costs_text, strlen(costs_text), NULL), 0);
	configdiff_make(base, other, &costs, ret);
	known_costs_finish(&costs);
}

static void test_order(void **state)
{
	static const char *const expected[] = {
		"PREEMPT_DYNAMIC",	   /* asked */
		"DEBUG_PREEMPT",	   /* woken */
		"PREEMPT_RCU",		   /* high */
		"PREEMPT_COUNT",	   /* medium */
		"INLINE_READ_UNLOCK",	   /* low */
		"NR_CPUS",		   /* by name */
		"NR_QUEUES",
		"PREEMPTION",
		"PREEMPT_BUILD",
		"PREEMPT_VOLUNTARY_BUILD",
		"TASKS_RCU",
		"UNINLINE_SPIN_UNLOCK",
		"WIDE",
		"CC_VERSION_TEXT",	   /* the compiler */
	};
	struct spec_option asked = { (char *)"CONFIG_PREEMPT_DYNAMIC", (char *)"y", false };
	struct kconfigtree tree;
	struct configdiff d;

	(void)state;
	assert_int_equal(mini_parse(&tree), 0);
	const struct configdiff_side base = {
		.name = "a", .tree = &tree, .given = FILE_TEXT,
		.config = MINI_VOLUNTARY "CONFIG_DEBUG_KERNEL=y\nCONFIG_CC_VERSION_TEXT=\"1\"\n"
	};
	const struct configdiff_side other = {
		.name = "b", .tree = &tree, .given = FILE_TEXT "CONFIG_PREEMPT_DYNAMIC=y\n",
		.config = MINI_DYNAMIC FILE_TEXT "CONFIG_CC_VERSION_TEXT=\"2\"\n",
		.asked = &asked, .n_asked = 1
	};

	make(&base, &other, &d);
	assert_true(d.is_known && d.has_reasons && d.is_same_model);
	assert_string_equal(d.base_model, "voluntary");
	assert_true(d.other_is_dynamic && !d.base_is_dynamic);
	assert_int_equal(d.n_asked, 1);
	assert_int_equal(d.n, ARRAY_SIZE(expected));
	for (size_t i = 0; i < d.n; i++)
		assert_string_equal(d.rows[i].option, expected[i]);
	assert_string_equal(d.rows[0].reason, "asked");
	assert_true(d.rows[1].is_dormant_woken);
	assert_string_equal(d.rows[1].reason,
			    "was dormant in the file (needs PREEMPTION); PREEMPT_DYNAMIC woke it");
	assert_string_equal(d.rows[2].known_cost, "More: calls.");
	assert_string_equal(d.rows[2].cost_source, "somebody");
	assert_int_equal(d.rows[3].severity, SEVERITY_MEDIUM);
	assert_true(d.rows[4].costs_off);
	assert_null(d.rows[5].known_cost);
	assert_string_equal(d.rows[5].base, "4");
	assert_string_equal(d.rows[5].other, "8");
	assert_true(d.rows[13].is_compiler_fact);
	configdiff_finish(&d);
	kconfigtree_finish(&tree);
}

/* What was asked and came to nothing is no difference, and stands there all the same. */
static void test_asked_in_vain(void **state)
{
	struct spec_option base_asks[] = { { (char *)"CONFIG_PREEMPT_NONE", (char *)"y", false },
					   { (char *)"CONFIG_EXPERT", (char *)"n", false } };
	struct spec_option other_asks[] = { { (char *)"CONFIG_DEBUG_PREEMPT", (char *)"y", false },
					    { (char *)"CONFIG_EXPERT", (char *)"n", false } };
	struct kconfigtree tree;
	struct configdiff d;

	(void)state;
	assert_int_equal(mini_parse(&tree), 0);
	struct configdiff_side base = { "a", MINI_VOLUNTARY, NULL, base_asks, 2, &tree };
	struct configdiff_side other = { "b", MINI_VOLUNTARY, NULL, other_asks, 2, &tree };

	make(&base, &other, &d);
	assert_int_equal(d.n, 2);
	assert_int_equal(d.n_asked, 2);
	assert_string_equal(d.rows[0].option, "DEBUG_PREEMPT");
	assert_string_equal(d.rows[0].reason, "b asks for y: depends on DEBUG_KERNEL && PREEMPTION: "
					      "DEBUG_KERNEL is n, PREEMPTION is n");
	assert_string_equal(d.rows[1].option, "PREEMPT_NONE");
	assert_string_equal(d.rows[1].reason,
			    "a asks for y: choice: PREEMPT_VOLUNTARY was taken; this kernel offers "
			    "PREEMPT_NONE, PREEMPT_VOLUNTARY, PREEMPT");
	configdiff_finish(&d);
	base.tree = NULL;
	make(&base, &other, &d);
	assert_false(d.has_reasons);
	assert_string_equal(d.rows[1].reason, "a asks for y: it did not come out");
	configdiff_finish(&d);
	kconfigtree_finish(&tree);
}

static void test_without_tree(void **state)
{
	struct configdiff_side base = { .name = "a", .config = MINI_VOLUNTARY };
	struct configdiff_side other = { .name = "b", .config = "CONFIG_PREEMPT_RT=y\n"
								"CONFIG_CC_HAS_X=y\n" };
	struct configdiff d;

	(void)state;
	make(&base, &other, &d);
	assert_true(d.is_known && !d.has_reasons && !d.is_same_model);
	assert_string_equal(d.other_model, "rt");
	assert_int_equal(d.n_asked, 0);
	for (size_t i = 0; i < d.n; i++)
		if (d.rows[i].is_compiler_fact)
			assert_string_equal(d.rows[i].reason, "the compiler or tools differ");
		else
			assert_null(d.rows[i].reason);
	configdiff_finish(&d);
	other.config = NULL;
	make(&base, &other, &d);
	assert_false(d.is_known);
	assert_int_equal(d.n, 0);
	assert_null(d.base_model);
	configdiff_finish(&d);
}

/* ---- known costs ---- */

static void test_costs(void **state)
{
	char dir[] = "/tmp/ktoll-costs-XXXXXX";
	_cleanup_free_ char *folder = NULL, *path = NULL;
	static const char mine[] = "- option: PSI\n  costs: on\n  severity: high\n  cost: Mine.\n"
				   "  source: me\n";
	struct known_costs k;

	(void)state;
	assert_non_null(mkdtemp(dir));
	setenv("XDG_CONFIG_HOME", dir, 1);
	assert_int_equal(known_costs_load(&k, NULL), 0);
	assert_true(k.n >= 40);
	for (size_t i = 0; i < k.n; i++) {
		assert_true(k.v[i].severity != SEVERITY_NONE);
		assert_true(strlen(k.v[i].cost) > 10 && strlen(k.v[i].source) > 5);
	}
	assert_string_not_equal(known_costs_find(&k, "PSI")->cost, "Mine.");
	assert_int_equal(known_costs_find(&k, "CONFIG_DEBUG_PREEMPT")->severity, SEVERITY_HIGH);
	assert_true(known_costs_find(&k, "INLINE_READ_UNLOCK")->costs_off);
	assert_null(known_costs_find(&k, "NEVER_HEARD_OF"));
	known_costs_finish(&k);
	folder = path_join(dir, "ktoll");
	path = path_join(folder, "options.yaml");
	assert_int_equal(dir_make(folder, NULL), 0);
	assert_int_equal(file_write(path, mine, strlen(mine), NULL), 0);
	assert_int_equal(known_costs_load(&k, NULL), 0);
	assert_string_equal(known_costs_find(&k, "PSI")->cost, "Mine.");
	known_costs_finish(&k);
	remove(path);
	remove(folder);
	remove(dir);
}

#define ENTRY "- option: A\n  costs: on\n  severity: low\n  cost: x\n"

static void test_mistakes(void **state)
{
	static const struct {
		const char *text, *place;
	} cases[] = {
		{ "option: A\n", "f:1:1: a list" },
		{ "- A\n", "f:1:3: an entry" },
		{ ENTRY, "f:1:3: source: a text" },
		{ ENTRY "  source: ''\n", "f:5:12: source: a text" },
		{ ENTRY "  source: [a]\n", "f:5:12: source: a text" },
		{ ENTRY "  source: a\n  sauce: b\n", "f:6:3: unknown key sauce" },
		{ "- option: a b\n  costs: on\n  severity: low\n  cost: x\n  source: y\n",
		  "f:1:11: option: the name" },
		{ "- option: A\n  costs: On\n  severity: low\n  cost: x\n  source: y\n",
		  "f:2:10: costs is one of on, off" },
		{ "- option: A\n  costs: on\n  severity: no\n  cost: x\n  source: y\n",
		  "f:3:13: severity is one of low, medium, high" },
		{ "- option: A\n  option: B\n", "f:" },
		{ "- option: &x A\n  costs: *x\n", "f:2:" },
		{ "- option: !!str A\n", "f:1:" },
		{ "- a\n%YAML", "f:2:1: directives" },
		{ "%", "f:1:1: directives" },
		{ "- [\n", "f:" },
		{ "- a: b: c\n", "f:1:" },
		{ "\xff\xfe\x00", "f:" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_error_ struct error err = ERROR_INIT;
		struct known_costs k = { 0 };

		assert_true(known_costs_parse(&k, "f", cases[i].text, strlen(cases[i].text), &err) < 0);
		if (!str_has_prefix(error_text(&err), cases[i].place))
			fail_msg("%s\nis not at %s", error_text(&err), cases[i].place);
		known_costs_finish(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),	     cmocka_unit_test(test_asked_in_vain),
		cmocka_unit_test(test_without_tree), cmocka_unit_test(test_costs),
		cmocka_unit_test(test_mistakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
