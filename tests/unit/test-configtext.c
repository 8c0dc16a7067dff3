/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The difference of two configs as text and JSON, against golden files;
 * KTOLL_UPDATE_GOLDEN=1 writes them anew.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"

#include "base/alloc.h"
#include "base/file.h"
#include "report/configjson.h"
#include "report/configtext.h"
#include "sys/table.h"

#define S(text) (char *)text

static struct configdiff_row rows[] = {
	{ .option = S("PREEMPT_DYNAMIC"), .base = S("n"), .other = S("y"), .is_asked = true,
	  .reason = S("asked"), .known_cost = S("Builds the kernel as a preemptible one."),
	  .cost_source = S("a list, 2023"), .severity = SEVERITY_HIGH },
	{ .option = S("HZ_300"), .base = S("n"), .other = S("n"), .is_asked = true,
	  .reason = S("b asks for y: no such option in this version") },
	{ .option = S("DEBUG_PREEMPT"), .base = S("n"), .other = S("y"), .is_dormant_woken = true,
	  .reason = S("was dormant in the file (needs PREEMPTION); PREEMPT_DYNAMIC woke it"),
	  .known_cost = S("Checks every access to a variable of the CPU, which costs an eighth of "
			  "the time of some."),
	  .cost_source = S("another list, 2022"), .severity = SEVERITY_HIGH },
	{ .option = S("PREEMPT_COUNT"), .base = S("n"), .other = S("y"),
	  .reason = S("selected by PREEMPTION, selected by PREEMPT_BUILD, selected by PREEMPT_DYNAMIC "
		      "(asked)"),
	  .known_cost = S("It counts."), .cost_source = S("a list, 2023"), .severity = SEVERITY_MEDIUM },
	{ .option = S("INLINE_READ_UNLOCK"), .base = S("y"), .other = S("n"), .costs_off = true,
	  .reason = S("depends on !PREEMPTION, which came with PREEMPT_DYNAMIC (asked)"),
	  .known_cost = S("An unlock is a call."), .cost_source = S("no figure"),
	  .severity = SEVERITY_LOW },
	{ .option = S("INLINE_WRITE_UNLOCK"), .base = S("y"), .other = S("n"), .costs_off = true,
	  .reason = S("depends on !PREEMPTION, which came with PREEMPT_DYNAMIC (asked)"),
	  .known_cost = S("An unlock is a call."), .cost_source = S("no figure"),
	  .severity = SEVERITY_LOW },
	{ .option = S("LOCALVERSION"), .base = S("\"\""), .other = S("\"-\033[2J\xff\"") },
	{ .option = S("CC_VERSION_TEXT"), .base = S("\"gcc (Debian 12.2.0-14) 12.2.0\""),
	  .other = S("\"gcc 14\""),
	  .reason = S("the compiler or tools differ"), .is_compiler_fact = true },
};

static const struct configdiff example = {
	.base_name = S("tree:linux,PREEMPT_VOLUNTARY=y"),
	.other_name = S("b"),
	.is_known = true,
	.has_reasons = true,
	.base_model = "voluntary",
	.other_model = "full",
	.other_is_dynamic = true,
	.rows = rows,
	.n = ARRAY_SIZE(rows),
	.n_asked = 2,
	.base_sizes = { .code = 9000000, .text = 16777216, .data = 2000000 },
	.other_sizes = { .code = 9123456, .text = 16777216, .data = 1999990, .loaded = 12000000 },
};

static void test_golden(void **state)
{
	const struct report_options options = { 0 }, narrow = { .width = 72 };
	_cleanup_str_ struct str text = STR_INIT, brief = STR_INIT, json = STR_INIT, small = STR_INIT;

	(void)state;
	configtext_add(&example, &options, &text);
	check_golden("diffconfig.txt", str_text(&text));
	configtext_add(&example, &narrow, &small);
	check_golden("diffconfig-narrow.txt", str_text(&small));
	configtext_add_short(&example, 2, &options, &brief);
	check_golden("diffconfig-short.txt", str_text(&brief));
	configjson_add(&example, "1.2.3", &json);
	check_golden("diffconfig.json", str_text(&json));
}

static size_t lines_of(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

static void test_short(void **state)
{
	const struct report_options options = { 0 };
	struct configdiff_row many[100];
	struct configdiff d = example;
	_cleanup_str_ struct str out = STR_INIT, none = STR_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = (struct configdiff_row){ .option = S("X"), .base = S("n"), .other = S("y"),
						   .is_asked = i < 50 };
	d.rows = many;
	d.n = 100;
	d.n_asked = 50;
	configtext_add_short(&d, 0, &options, &out);
	assert_true(lines_of(str_text(&out)) <= 8);
	assert_non_null(strstr(str_text(&out), "and 46 more: ktoll diffconfig"));
	d.n = d.n_asked = 0;
	configtext_add_short(&d, 0, &options, &none);
	assert_non_null(strstr(str_text(&none), "no option differs"));
}

static void test_models(void **state)
{
	static const struct {
		const char *base, *other;
		bool base_is_dynamic, other_is_dynamic;
		const char *answer;
	} cases[] = {
		{ "voluntary", "full", false, true, "no: voluntary, full (dynamic)\n" },
		{ "lazy", "lazy", true, true, "yes: lazy (dynamic)\n" },
		{ "none", "none", false, false, "yes: none\n" },
		{ "voluntary", "voluntary", false, true,
		  "by default, but not in the build: voluntary, voluntary (dynamic)\n" },
		{ NULL, "rt", false, false, "not known: unknown, rt\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct report_options options = { 0 };
		_cleanup_str_ struct str out = STR_INIT;
		struct configdiff d = { .base_name = S("a"), .other_name = S("b") };
		_cleanup_free_ char *want = xasprintf("same preemption model on both sides? %s",
						      cases[i].answer);

		d.base_model = cases[i].base;
		d.other_model = cases[i].other;
		d.base_is_dynamic = cases[i].base_is_dynamic;
		d.other_is_dynamic = cases[i].other_is_dynamic;
		d.is_same_model = str_equal(d.base_model, d.other_model);
		configtext_add(&d, &options, &out);
		assert_true(str_has_prefix(str_text(&out), want));
		assert_non_null(strstr(str_text(&out), "not known, so what else differs"));
	}
}

static void test_colour(void **state)
{
	const struct report_options options = { .width = 100, .colour = true };
	_cleanup_str_ struct str out = STR_INIT;

	(void)state;
	configtext_add(&example, &options, &out);
	assert_non_null(strstr(str_text(&out), "\033[31mDEBUG_PREEMPT"));
	assert_non_null(strstr(str_text(&out), "33mPREEMPT_COUNT"));
	assert_null(strstr(str_text(&out), "\033[2J"));
}

static void test_wrap(void **state)
{
	_cleanup_table_ struct table *t = table_new();
	_cleanup_str_ struct str out = STR_INIT;

	(void)state;
	table_add_column(t, "a", TABLE_LEFT);
	table_add_column(t, "b", TABLE_WRAP);
	table_add_row(t);
	table_set(t, 0, "one\ntwo");
	table_set(t, 1, "three four five\nsix-seven-eight-nine-ten");
	table_render(t, 25, false, 0, &out);
	assert_string_equal(str_text(&out), "a        b\n"
					    "one two  three four five\n"
					    "         six-seven-eight-\n"
					    "         nine-ten\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden), cmocka_unit_test(test_short),
		cmocka_unit_test(test_models), cmocka_unit_test(test_colour),
		cmocka_unit_test(test_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
