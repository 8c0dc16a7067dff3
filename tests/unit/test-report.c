/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The renderers against golden files, and the numbers, tables, JSON and UTF-8
 * they are made of. KTOLL_UPDATE_GOLDEN=1 writes the golden files anew.
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
#include "base/file.h"
#include "report/number.h"
#include "report/render.h"
#include "sys/jsonvalue.h"
#include "sys/table.h"
#include "sys/terminal.h"
#include "sys/utf8.h"

/* ---- a run with known numbers ---- */

static void make_variant(struct run *run, size_t i, const char *name, const char *param)
{
	struct variant *v = &run->variants[i];
	struct outcome *o = &run->outcomes[i];

	v->name = xstrdup(name);
	v->spec = xasprintf("debian:6.12,+%s", param);
	v->kernel.arch = "x86_64";
	v->kernel.config_sha256 = xstrdup("00c0ffee");
	v->cmdline = xasprintf("console=ttyS0 %s", param);
	v->kernel.sizes = (struct elf_sizes){ .code = 9000000 + i, .text = 16777216 };
	strv_add(&v->params, param);
	facts_add(&o->guest, "release", "6.12.0-amd64");
	facts_add(&o->guest, "build_id", "0123456789abcdef");
	facts_add(&o->guest, "sched_preempt",
		  i ? "none voluntary (full) lazy " : "(none) voluntary full lazy ");
	facts_add(&o->guest, "vulnerability.spectre_v2", "Mitigation: Retpolines; STIBP: disabled");
	facts_add(&o->guest, "vulnerability.meltdown", "Mitigation: PTI");
	facts_add(&o->guest, "vulnerability.l1tf", "Not affected");
	o->done = true;
}

static void make_head(struct facts *head)
{
	static const char *const pairs[][2] = {
		{ "tool_version", "0.1.0" },
		{ "engine", "count" },
		{ "seed", "1" },
		{ "replicates", "3" },
		{ "workloads", "getppid\nunix\nkill" },
		{ "qemu_version", "7.2.22" },
		{ "machine", "pc-q35-7.2" },
		{ "cpu_model", "Nehalem" },
		{ "plugin_api", "1" },
		{ "cx16", "faulty: cx16=off" },
		{ "host_kernel", "6.1.0-30-amd64" },
		{ "host_arch", "x86_64" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		facts_add(head, pairs[i][0], pairs[i][1]);
}

static void make_run(struct run *run)
{
	*run = (struct run){ .n_variants = 2, .complete = true, .path = xstrdup("/tmp/run.ktoll") };
	run->variants = xcalloc(2, sizeof(*run->variants));
	run->outcomes = xcalloc(2, sizeof(*run->outcomes));
	make_head(&run->head);
	make_variant(run, 0, "none", "preempt=none");
	make_variant(run, 1, "full", "preempt=full");
	outcome_add_failure(&run->outcomes[1], "kill", "operation",
			    "Operation not permitted\033[2J",
			    "[    1.0] booting\n[    2.0] evil \033]0;title\007 \xc2\x9b"
			    "1m\xff\n"
			    "[    3.0] audit: kill denied\n");
}

#define NOTHING                                                                                    \
	{                                                                                          \
		NAN, NAN, NAN                                                                      \
	}
#define SAME(v)                                                                                    \
	{                                                                                          \
		v, v, v                                                                            \
	}

/* getppid: 310 against 352, exact. unix: ranges of both signs. kill: fails on the second one. */
#define RANGE(m, l, h)                                                                             \
	{                                                                                          \
		m, l, h                                                                            \
	}
#define CELL(w, v, n_, o, i, k, u, st, re, lo, ex, ti, in)                                         \
	{ .workload = (char *)(w), .variant = (v), .n = (n_), .ops = (o), .insns = i, .kernel = (k), \
	  .user = (u), .string_iters = (st), .restarts = (re), .locked = (lo), .is_exact = (ex),   \
	  .is_tick = (ti), .interrupted = (in) }
static const struct result_cell cells[] = {
	CELL("getppid", 0, 3, 1000, SAME(310), 110, 200, 0, 0, 2.5, true, false, 0),
	CELL("unix", 0, 3, 1000, RANGE(4380.2, 4380.1, 4380.3), 4180.2, 200, 64, 0, 2.5, false, false, 0),
	CELL("kill", 0, 3, 1000, SAME(460), 260, 200, 0, 0, 2.5, true, false, 0),
	CELL("getppid", 1, 3, 1000, SAME(352), 152, 200, 0, 0, 2.5, true, false, 0),
	CELL("unix", 1, 3, 1000, RANGE(4380.25, 4380, 4380.5), 4180.5, 200, 64, 0.25, 2.5, false, false, 1),
	CELL("kill", 1, 0, 0, NOTHING, NAN, NAN, NAN, NAN, NAN, false, false, 0),
};

static const struct result_comparison comparisons[] = {
	{ .workload = "getppid",
	  .delta = SAME(42),
	  .ratio = SAME(352.0 / 310),
	  .verdict = VERDICT_MORE,
	  .reason = "the same integer in all 3 replicates" },
	{ .workload = "unix",
	  .delta = { 0.05, -0.1, 0.2 },
	  .ratio = { 1.000011, 0.99998, 1.00005 },
	  .verdict = VERDICT_UNDECIDED,
	  .reason = "some pairs have more and some have less" },
	{ .workload = "kill",
	  .delta = NOTHING,
	  .ratio = NOTHING,
	  .string_iters_delta = NAN,
	  .verdict = VERDICT_NONE,
	  .reason = "full: operation: Operation not permitted\033[2J" },
};

static void add_function(struct result_comparison *c, const char *name, double base, double other)
{
	c->functions = xrealloc(c->functions, (c->n_functions + 1) * sizeof(*c->functions));
	c->functions[c->n_functions++] = (struct result_function){ xstrdup(name), base, other };
}

static void make_config(struct result *r)
{
	struct result_config *c = r->configs = xcalloc(1, sizeof(*c));

	r->n_configs = 1;
	*c = (struct result_config){ .other = 1,
				     .known = true,
				     .n_lines = 10,
				     .base_model = "none",
				     .other_model = "full" };
	for (unsigned i = 1; i <= 10; i++) {
		struct configdiff_row *row = ARRAY_ADD(c->diff.rows, c->diff.n, c->diff.cap);

		strv_addf(&c->lines, "OPTION_%u n -> y", i);
		*row = (struct configdiff_row){ .option = xasprintf("OPTION_%u", i), .base = xstrdup("n"),
						.other = xstrdup("y"), .is_asked = i == 1,
						.severity = i == 2 ? SEVERITY_HIGH : SEVERITY_NONE };
	}
	c->diff.is_known = true;
	c->diff.n_asked = 1;
	c->diff.base_name = xstrdup("debian:6.1,+preempt=none");
	c->diff.other_name = xstrdup("debian:6.1,+preempt=full");
}

static void make_result(const struct run *run, struct result *r)
{
	*r = (struct result){ .run = run,
			      .n_cells = ARRAY_SIZE(cells),
			      .n_failures = 1,
			      .n_comparisons = ARRAY_SIZE(comparisons) };
	r->cells = xmemdup(cells, sizeof(cells));
	r->comparisons = xmemdup(comparisons, sizeof(comparisons));
	for (size_t i = 0; i < r->n_cells; i++)
		r->cells[i].workload = xstrdup(cells[i].workload);
	for (size_t i = 0; i < r->n_comparisons; i++) {
		struct result_comparison *c = &r->comparisons[i];

		c->workload = xstrdup(c->workload);
		c->reason = xstrdup(c->reason);
		c->other = 1;
		c->base_cell = &r->cells[i];
		c->other_cell = r->cells[3 + i].n ? &r->cells[3 + i] : NULL;
	}
	strv_add(&r->comparisons[1].warnings,
		 "interrupt-in-region: full: an interrupt, of a timer mostly, fell into or right before 1 of 3 replicates");
	add_function(&r->comparisons[0], "__rcu_read_lock", 5, 26);
	add_function(&r->comparisons[0], "__rcu_read_unlock", 5, 26);
	add_function(&r->comparisons[1], "unix_stream_sendmsg", 4000.2, 4000.25);
	make_config(r);
}

/* ---- golden files ---- */

static void check_render(const char *format, const struct report_options *options, char **ret)
{
	struct str out = STR_INIT;
	struct result r;
	struct run run;

	make_run(&run);
	make_result(&run, &r);
	assert_int_equal(report_find(format)->render(&r, &out, options, NULL), 0);
	*ret = str_take(&out);
	result_finish(&r);
	run_finish(&run);
}

static void test_golden(void **state)
{
	const struct report_options options = { 0 };
	_cleanup_free_ char *text = NULL, *json = NULL;

	(void)state;
	check_render("text", &options, &text);
	check_golden("compare.txt", text);
	check_render("json", &options, &json);
	check_golden("compare.json", json);
	assert_null(report_find("yaml"));
}

/* Nothing of what a guest says reaches the terminal as a control. */
static void test_text_is_harmless(void **state)
{
	const struct report_options options = { .width = 60, .full = true };
	_cleanup_free_ char *text = NULL;

	(void)state;
	check_render("text", &options, &text);
	for (const char *c = text; *c; c++)
		assert_true(*c == '\n' || ((unsigned char)*c >= 0x20 && *c != 0x7f));
	assert_null(strstr(text, "\xc2\x9b"));
	assert_null(strstr(text, "\xff"));
	assert_non_null(strstr(text, "OPTION_10 n -> y"));
	assert_null(strstr(text, "slower"));
	assert_null(strstr(text, "faster"));
}

/* What a program prints stands in a table of its own, and is called what it is. */
static void test_metrics(void **state)
{
	const struct report_options options = { 0 };
	_cleanup_str_ struct str out = STR_INIT, json = STR_INIT;
	struct result r;
	struct run run;

	(void)state;
	make_run(&run);
	facts_add(&run.head, "unit.unix", "message");
	make_result(&run, &r);
	for (size_t i = 1; i < r.n_cells; i += 3) {
		r.cells[i].is_program = r.cells[i].is_difference = true;
		r.cells[i].metric = (struct result_metric){
			xstrdup("Throughput"), xstrdup("MB/s"), true,
			{ i == 1 ? 200 : 150, i == 1 ? 200 : 149, i == 1 ? 200 : 151 }
		};
	}
	assert_int_equal(report_find("text")->render(&r, &out, &options, NULL), 0);
	assert_non_null(strstr(str_text(&out), "per message, from two sizes"));
	assert_non_null(strstr(str_text(&out), "Throughput, MB/s, more is better"));
	assert_non_null(strstr(str_text(&out), "149..151"));
	assert_non_null(strstr(str_text(&out), "-25.0"));
	assert_non_null(strstr(str_text(&out), "in guest time"));
	assert_int_equal(report_find("json")->render(&r, &json, &options, NULL), 0);
	assert_non_null(strstr(str_text(&json), "\"better\": \"higher\""));
	result_finish(&r);
	run_finish(&run);
}

static void test_colour(void **state)
{
	const struct report_options options = { .colour = true };
	_cleanup_free_ char *text = NULL;

	(void)state;
	check_render("text", &options, &text);
	assert_non_null(strstr(text, "\033[31mmore"));
}

/* A record from somebody else: nothing in it, or nothing that fits together. */
static void test_empty_run(void **state)
{
	const struct report_options options = { 0 };
	const struct run run = { 0 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		_cleanup_str_ struct str out = STR_INIT;
		const struct result r = { .run = &run };

		assert_int_equal(
			(i ? &report_json : &report_text)->render(&r, &out, &options, NULL), 0);
		assert_true(out.len > 0);
	}
}

/* ---- what two kernels were made of ---- */

struct side {
	const char *spec;
	struct kernel kernel;
};

static char *head_of(const struct side *base, const struct side *other, size_t n_lines)
{
	struct variant variants[2] = {
		{ .name = (char *)"a", .spec = (char *)base->spec, .kernel = base->kernel },
		{ .name = (char *)"b", .spec = (char *)other->spec, .kernel = other->kernel },
	};
	struct outcome outcomes[2] = { 0 };
	struct result_config config = { .other = 1, .known = true, .n_lines = n_lines };
	const struct run run = { .variants = variants, .outcomes = outcomes, .n_variants = 2 };
	const struct result r = { .run = &run, .configs = &config, .n_configs = 1 };
	const struct report_options options = { 0 };
	struct str out = STR_INIT;

	assert_int_equal(report_text.render(&r, &out, &options, NULL), 0);
	return str_take(&out);
}

#define PACKAGE (char *)"linux-source-6.1", .version = (char *)"6.1.192-3"
#define GCC	(char *)"gcc (Debian 12.2.0-14) 12.2.0"
#define CLANG	(char *)"Debian clang version 14.0.6"
#define COMMIT	(char *)"v6.1-12-gabc"

static const struct side sides[] = {
	{ "source:6.1", { .content = (char *)"0", .package = PACKAGE, .compiler = GCC } },
	{ "source:6.1,patch=a.patch,patch=b.patch",
	  { .content = (char *)"1", .package = PACKAGE, .compiler = GCC } },
	{ "source:6.1,cc=clang", { .content = (char *)"2", .package = PACKAGE, .compiler = CLANG } },
	{ "tree:t", { .content = (char *)"3", .tree = COMMIT, .compiler = GCC } },
	{ "tree:u", { .content = (char *)"4", .tree = COMMIT, .tree_diff = (char *)"+x", .compiler = GCC } },
	{ "tree:v", { .content = (char *)"5", .tree = COMMIT, .tree_diff = (char *)"+y", .compiler = GCC } },
	{ "tree:w", { .content = (char *)"6", .source = (char *)"tree:w", .compiler = GCC } },
	{ "debian:6.1", { .package = (char *)"linux-image-6.1", .version = (char *)"6.1.1-1" } },
	{ "debian:6.12", { .package = (char *)"linux-image-6.12", .version = (char *)"6.12.1-1" } },
	{ "what,", { .content = (char *)"7", .package = PACKAGE, .compiler = GCC } },
};

static void test_origin(void **state)
{
	static const struct {
		size_t base, other, n_lines;
		const char *lines; /* between the preemption model and the config */
	} cases[] = {
		{ 0, 0, 0, "" },
		{ 0, 1, 0, "  patches: none -> a.patch, b.patch\n" },
		{ 0, 2, 9, "  compiler: gcc (Debian 12.2.0-14) 12.2.0 -> Debian clang version 14.0.6\n" },
		{ 1, 2, 0, "  patches: a.patch, b.patch -> none\n"
			   "  compiler: gcc (Debian 12.2.0-14) 12.2.0 -> Debian clang version 14.0.6\n" },
		{ 0, 3, 0, "  source: linux-source-6.1 6.1.192-3 -> v6.1-12-gabc\n" },
		{ 3, 4, 0, "  source: v6.1-12-gabc -> v6.1-12-gabc with changes\n" },
		{ 4, 5, 0, "  source: v6.1-12-gabc with changes on both sides, but not the same ones\n" },
		{ 3, 6, 0, "  source: v6.1-12-gabc -> tree:w\n" },
		/* The configuration is in the content, too: where it differs the rest need not. */
		{ 0, 9, 1, "" },
		{ 0, 9, 0, "  source: not the same on both sides, but nothing known of it differs\n" },
		{ 7, 8, 0, "" },
		{ 7, 0, 0, "  source: linux-image-6.1 6.1.1-1 -> linux-source-6.1 6.1.192-3\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *head = head_of(&sides[cases[i].base], &sides[cases[i].other],
						    cases[i].n_lines);
		_cleanup_free_ char *wanted =
			xasprintf("unknown against unknown\n%s  config: ", cases[i].lines);

		if (!strstr(head, wanted))
			fail_msg("case %zu: %s", i, head);
	}
}

/* ---- parts ---- */

static void test_numbers(void **state)
{
	(void)state;
	assert_string_equal(number_text(325, false).s, "325");
	assert_string_equal(number_text(325.3911, false).s, "325.391");
	assert_string_equal(number_text(325.5, true).s, "+325.5");
	assert_string_equal(number_text(325.0001, false).s, "325.000");
	assert_string_equal(number_text(0.00012, true).s, "+0.00012");
	assert_string_equal(number_text(-0.0, true).s, "0");
	assert_string_equal(number_text(-36, true).s, "-36");
	assert_string_equal(number_text(NAN, true).s, "-");
	assert_string_equal(number_range((struct range){ 7, 7, 7 }, false).s, "7");
	assert_string_equal(number_range((struct range){ 10430.2, 10424.1, 10435.3 }, false).s,
			    "10424..10435");
	assert_string_equal(number_range((struct range){ 1.5, 0.25, 2.5 }, true).s, "+0.2..+2.5");
	assert_string_equal(number_range((struct range){ 1.5, 1.4996, 1.5004 }, false).s,
			    "1.4996..1.5004");
	assert_string_equal(number_range((struct range){ 1, 0, 2 }, true).s, "0..+2");
	assert_string_equal(number_range((struct range){ 4380.2, 4380, 4380.5 }, false).s,
			    "4380..4380.5");
	assert_string_equal(number_text(4001.2 - 4000.2, true).s, "+1");
	assert_string_equal(number_range((struct range){ NAN, NAN, NAN }, true).s, "-");
	assert_string_equal(number_range((struct range){ 0, -1e300, 1e300 }, true).s,
			    "-1e+300..+1e+300");
	assert_string_equal(number_percent(0.228, true).s, "+22.8");
	assert_string_equal(number_percent(-0.0228, true).s, "-2.28");
	assert_string_equal(number_percent(0.000004, true).s, "+0.0004");
	assert_string_equal(number_percent(0, true).s, "0");
	assert_string_equal(number_percent(NAN, true).s, "-");
}

static void test_utf8(void **state)
{
	_cleanup_str_ struct str s = STR_INIT, p = STR_INIT;
	/* Overlong '/', a surrogate, beyond U+10FFFF, a cut character. */
	static const char bad[] = "\xc0\xaf|\xed\xa0\x80|\xf4\x90\x80\x80|\xe2\x82";

	(void)state;
	assert_int_equal(utf8_length(""), 0);
	assert_int_equal(utf8_length("a"), 1);
	assert_int_equal(utf8_length("\xc3\xa9"), 2);
	assert_int_equal(utf8_length("\xe2\x82\xac"), 3);
	assert_int_equal(utf8_length("\xf0\x9f\x90\xa7"), 4);
	utf8_add_printable(&s, bad);
	assert_string_equal(str_text(&s), "??|???|????|??");
	utf8_add_printable(&p, "a\tb\n\x01\x7f\xc2\x9b\xc2\xa0\xe2\x80\xae\xe2\x82\xac");
	assert_string_equal(str_text(&p), "a\tb\n???\xc2\xa0?\xe2\x82\xac");
}

static void test_json(void **state)
{
	_cleanup_json_ struct json *o = json_new_object();
	_cleanup_str_ struct str out = STR_INIT;
	struct json *a = json_new_array();

	(void)state;
	json_set_u64(o, "z", INT64_MAX);
	json_set_u64(o, "beyond", UINT64_MAX);
	json_set_double(o, "tenth", 0.1);
	json_set_double(o, "third", 1.0 / 3);
	json_set_double(o, "whole", -36);
	json_set_double(o, "nan", NAN);
	json_set_double(o, "tiny", 5e-324);
	json_set_string(o, "string", "\xff\033\"\xc3\xa9\n");
	json_set_string(o, "none", NULL);
	json_set_bool(o, "yes", true);
	json_set(o, "empty", json_new_object());
	json_add_string(a, "x");
	json_add(a, NULL);
	json_set(o, "array", a);
	json_dump(o, &out);
	assert_string_equal(str_text(&out), "{\n"
					    "  \"z\": 9223372036854775807,\n"
					    "  \"beyond\": 1.8446744073709552e+19,\n"
					    "  \"tenth\": 0.1,\n"
					    "  \"third\": 0.3333333333333333,\n"
					    "  \"whole\": -36.0,\n"
					    "  \"nan\": null,\n"
					    "  \"tiny\": 4.94065645841247e-324,\n"
					    "  \"string\": \"\\uFFFD\\u001B\\\"\\u00E9\\n\",\n"
					    "  \"none\": null,\n"
					    "  \"yes\": true,\n"
					    "  \"empty\": {},\n"
					    "  \"array\": [\n"
					    "    \"x\",\n"
					    "    null\n"
					    "  ]\n"
					    "}\n");
}

static void test_table(void **state)
{
	_cleanup_table_ struct table *t = table_new(), *empty = table_new();
	_cleanup_str_ struct str free_width = STR_INIT, narrow = STR_INIT, nothing = STR_INIT;

	(void)state;
	table_add_column(t, "name", TABLE_SHRINK);
	table_add_column(t, "count", TABLE_RIGHT);
	table_add_row(t);
	table_set(t, 0, "a rather long name\n\033[1m");
	table_set(t, 1, "1234567");
	table_add_row(t);
	table_set(t, 0, "b");
	table_set(t, 1, "8");
	table_render(t, 0, false, 2, &free_width);
	assert_string_equal(str_text(&free_width), "  name                       count\n"
						   "  a rather long name ?[1m  1234567\n"
						   "  b                              8\n");
	/* A terminal that is too narrow costs text, never a digit. */
	table_render(t, 20, false, 2, &narrow);
	assert_non_null(strstr(str_text(&narrow), "  1234567\n"));
	assert_null(strstr(str_text(&narrow), "rather long name"));
	table_add_column(empty, "name", TABLE_LEFT);
	table_render(empty, 0, false, 0, &nothing);
	assert_int_equal(nothing.len, 0);
}

static void test_colour_wanted(void **state)
{
	enum colour_when when = COLOUR_NEVER;

	(void)state;
	assert_int_equal(colour_when_parse("always", &when), 0);
	assert_int_equal(when, COLOUR_ALWAYS);
	assert_true(terminal_wants_colour(-1, COLOUR_ALWAYS));
	assert_false(terminal_wants_colour(-1, COLOUR_AUTO));
	assert_false(terminal_wants_colour(-1, COLOUR_NEVER));
	assert_true(colour_when_parse("sometimes", &when) < 0);
	assert_int_equal(terminal_width(-1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_origin),
		cmocka_unit_test(test_golden),        cmocka_unit_test(test_text_is_harmless),
		cmocka_unit_test(test_metrics), cmocka_unit_test(test_colour),        cmocka_unit_test(test_empty_run),
		cmocka_unit_test(test_numbers),       cmocka_unit_test(test_utf8),
		cmocka_unit_test(test_json),          cmocka_unit_test(test_table),
		cmocka_unit_test(test_colour_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
