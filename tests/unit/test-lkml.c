/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mail: ASCII, no line of more than 72 columns, commands that a shell takes for what they were, whatever
 * is in the record; and the other formats of the same results. KTOLL_UPDATE_GOLDEN=1 writes the golden file anew.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "golden.h"
#include "made.h"

#include "explain/studied.h"
#include "report/plain.h"
#include "report/render.h"
#include "sys/jsonvalue.h"
#include "sys/utf8.h"

/* ---- what holds of every mail ---- */

static void assert_mail(const char *text)
{
	size_t column = 0, line = 1;

	for (const char *c = text; *c; c++) {
		if (*c == '\n') {
			column = 0;
			line++;
			continue;
		}
		if (*c < 0x20 || *c > 0x7e)
			fail_msg("line %zu: byte %02x", line, (unsigned char)*c);
		if (++column > PLAIN_WIDTH)
			fail_msg("line %zu is too long: %.80s", line, c - column + 1);
	}
	assert_memory_equal(text, "Subject: [ktoll] ", 17);
	assert_true(strlen(text) > 18 && text[strlen(text) - 1] == '\n');
}

/* Nothing that a terminal acts on, and well-formed. */
static void assert_harmless(const char *text)
{
	_cleanup_str_ struct str again = STR_INIT;

	utf8_add_printable(&again, text);
	assert_string_equal(str_text(&again), text);
	assert_null(strchr(text, '\t'));
}

static void assert_ascii_json(const char *text)
{
	_cleanup_json_ struct json *o = json_parse(text);

	assert_non_null(o);
	for (const char *c = text; *c; c++)
		assert_true(*c == '\n' || *c >= 0x20);
}

/* All formats; the mail is the caller's. */
static char *render_all(const struct made *m)
{
	const struct report_options options = { 0 }, full = { .full = true, .width = 80 };
	_cleanup_str_ struct str text = STR_INIT, wide = STR_INIT, json = STR_INIT, many = STR_INIT, jsons = STR_INIT,
				 texts = STR_INIT;
	const struct result twice[2] = { m->r, m->r };
	struct str mail = STR_INIT;

	assert_int_equal(report_lkml.render(&m->r, &mail, &options, NULL), 0);
	assert_mail(str_text(&mail));
	assert_int_equal(report_lkml.render_many(twice, 2, &many, &options, NULL), 0);
	assert_mail(str_text(&many));
	assert_int_equal(report_text.render(&m->r, &text, &options, NULL), 0);
	assert_harmless(str_text(&text));
	assert_int_equal(report_text.render(&m->r, &wide, &full, NULL), 0);
	assert_harmless(str_text(&wide));
	assert_int_equal(report_text.render_many(twice, 2, &texts, &options, NULL), 0);
	assert_harmless(str_text(&texts));
	assert_int_equal(report_json.render(&m->r, &json, &options, NULL), 0);
	assert_ascii_json(str_text(&json));
	assert_int_equal(report_json.render_many(twice, 2, &jsons, &options, NULL), 0);
	assert_ascii_json(str_text(&jsons));
	return str_take(&mail);
}

/* ---- a pair ---- */

static void add_head(struct made *m, const char *engine, const char *workloads)
{
	static const char *const pairs[][2] = {
		{ "tool_version", "0.1.0" }, { "seed", "1" },		{ "replicates", "3" },	 { "qemu_version", "7.2.22" },
		{ "machine", "pc-q35-7.2" }, { "cpu_model", "Nehalem,+x,+y" }, { "plugin_api", "1" }, { "host_os", "Debian 12" },
		{ "host_cpu", "EPYC" },	     { "created", "1700000000" },
	};

	facts_add(&m->run.head, "engine", engine);
	facts_add(&m->run.head, "workloads", workloads);
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		facts_add(&m->run.head, pairs[i][0], pairs[i][1]);
	m->run.path = xstrdup("r.ktoll");
}

static struct configdiff_row *add_option(struct result_config *c, const char *option, const char *base, const char *other)
{
	struct configdiff_row *row = ARRAY_ADD(c->diff.rows, c->diff.n, c->diff.cap);

	strv_addf(&c->lines, "%s %s -> %s", option, base, other);
	c->n_lines++;
	*row = (struct configdiff_row){ .option = xstrdup(option), .base = xstrdup(base), .other = xstrdup(other) };
	return row;
}

static struct result_config *add_config(struct made *m, size_t other)
{
	struct result_config *c;

	m->r.configs = xrealloc(m->r.configs, (m->r.n_configs + 1) * sizeof(*c));
	c = &m->r.configs[m->r.n_configs++];
	*c = (struct result_config){ .base = run_base(&m->run, other), .other = other, .known = true, .base_model = "voluntary",
				     .other_model = "full" };
	c->diff.is_known = true;
	c->diff.base_name = xstrdup(m->run.variants[c->base].spec);
	c->diff.other_name = xstrdup(m->run.variants[other].spec);
	c->diff.base_sizes = m->run.variants[c->base].kernel.sizes;
	c->diff.other_sizes = m->run.variants[other].kernel.sizes;
	return c;
}

static struct explanation_row *add_row(struct explanation_group *g, const char *label, int64_t base, int64_t other)
{
	struct explanation_row *row = ARRAY_ADD(g->rows, g->n, g->cap);

	*row = (struct explanation_row){ .label = xstrdup(label), .insns = { base, other }, .calls = { 10, 30 } };
	g->insns.base += base;
	g->insns.other += other;
	return row;
}

/* Per operation 310 and 352: 40 in a mechanism, 2 in other code. */
static void add_explanation(struct made *m, const char *workload, const char *mechanism, const char *function)
{
	struct explanation *e = xcalloc(1, sizeof(*e));
	struct explanation_group *g;
	struct explanation_class *k;

	*e = (struct explanation){ .workload = xstrdup(workload), .other = 1, .ops = { 10, 10 }, .total = { 3100, 3520 } };
	g = ARRAY_ADD(e->groups, e->n_groups, e->cap_groups);
	g->name = xstrdup(mechanism);
	g->about = xstrdup("about it");
	g->is_touched = true;
	g->calls = (struct two_sides){ 10, 30 };
	add_row(g, function, 100, 500);
	g = ARRAY_ADD(e->groups, e->n_groups, e->cap_groups);
	add_row(g, "do_syscall_64", 3000, 3020)->calls = (struct two_sides){ -1, -1 };
	k = ARRAY_ADD(e->classes, e->n_classes, e->cap_classes);
	*k = (struct explanation_class){ .name = "barriers", .kind = xstrdup("mfence"), .count = { 10, 20 } };
	k = ARRAY_ADD(e->classes, e->n_classes, e->cap_classes);
	*k = (struct explanation_class){ .name = "atomics", .kind = xstrdup(""), .count = { 40, 40 } };
	m->r.explanations = e;
	m->r.n_explanations = 1;
}

static void make_pair(struct made *m)
{
	static const char *const names[] = { "n", "y" };
	struct result_config *c;
	struct configdiff_row *row;

	made_begin(m, names, 2);
	add_head(m, "count", "getppid\nunix\nkill");
	for (size_t v = 0; v < 2; v++) {
		struct kernel *k = &m->run.variants[v].kernel;

		k->config_sha256 = xstrdup(v ? "0123456789abcdef" : "fedcba9876543210");
		k->compiler = xstrdup("gcc (Debian 12.2.0-14) 12.2.0");
		k->sizes.code = 9000000 + v * 4096;
		facts_add(&m->run.outcomes[v].guest, "release", "6.1.0");
		facts_add(&m->run.outcomes[v].guest, "build_id", "00112233445566778899");
	}
	made_cell(m, "getppid", 0, 310, 310, 310);
	made_cell(m, "getppid", 1, 352, 352, 352);
	made_cell(m, "unix", 0, 4380.2, 4380.1, 4380.3);
	made_cell(m, "unix", 1, 4380.25, 4380, 4380.5);
	made_cell(m, "kill", 0, 460, 460, 460);
	made_cell(m, "kill", 1, NAN, NAN, NAN);
	for (size_t i = 0; i < 3; i++)
		made_compare(m, m->r.cells[2 * i].workload, 1);
	outcome_add_failure(&m->run.outcomes[1], "kill", "operation", "Operation not permitted", "[ 1.0] log\n");
	m->r.n_failures = 1;
	c = add_config(m, 1);
	add_option(c, "PREEMPT_DYNAMIC", "n", "y");
	c->diff.n_asked = 1;
	c->diff.other_is_dynamic = true;
	row = add_option(c, "DEBUG_PREEMPT", "n", "y");
	row->reason = xstrdup("default y if PREEMPTION");
	row->is_dormant_woken = true;
	row->severity = SEVERITY_HIGH;
	row->known_cost = xstrdup("A tenth of hackbench in a memory cgroup.");
	for (unsigned i = 0; i < 10; i++) {
		_cleanup_free_ char *name = xasprintf("OPTION_%u", i);

		add_option(c, name, "n", "m");
	}
	add_explanation(m, "getppid", "RCU reader", "__rcu_read_lock");
}

static void test_golden(void **state)
{
	_cleanup_free_ char *mail = NULL;
	struct made m;

	make_pair(&m);
	mail = render_all(&m);
	check_golden("lkml.txt", mail);
	made_finish(&m);
}

static size_t count_of(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
		n++;
	return n;
}

/* ---- a study ---- */

#define STUDY                                                                                                   \
	"about: a\nquestion: What is it?\nhypothesis: Much.\nrefuted-by: Nothing.\nsource: a list\nparts:\n"    \
	"- name: x86_64\n  kernels: {a: debian:6.1, b: debian:6.2, c: debian:6.3}\n  ladder: [a, b, c]\n"           \
	"  workloads: [w]\npublished:\n- workload: w\n  unit: MB/s\n  better: higher\n  about: one machine\n"   \
	"  figures: {a: [110, 100], b: 80, c: 50}\n"

static void make_study(struct made *m, bool is_clocked)
{
	static const char *const names[] = { "a", "b", "c" };
	static const double insns[] = { 1000, 1250, 1400 };

	made_begin(m, names, 3);
	add_head(m, is_clocked ? "vm" : "count", "w");
	facts_add(&m->run.head, "study", "mine");
	facts_add(&m->run.head, "study_part", "x86_64");
	facts_add(&m->run.head, "study_text", STUDY);
	facts_add(&m->run.head, "study_kernel", "tree:/a b");
	facts_add(&m->run.head, "study_only", "b\nx y");
	facts_add(&m->run.head, "study_full", "1");
	if (is_clocked)
		made_clocked(m);
	for (size_t v = 0; v < 3; v++)
		if (is_clocked)
			made_timed(m, "w", v, insns[v]);
		else
			made_cell(m, "w", v, insns[v], insns[v], insns[v]);
	if (is_clocked) {
		made_time_compare(m, "w", 1, 1.25, 1.2, 1.3);
		/* One boot. */
		made_time_compare(m, "w", 2, 1.4, NAN, NAN);
		strv_add(&m->r.clocked->notes, "one-boot: what a boot lays out otherwise is not in it");
	} else {
		made_compare(m, "w", 1);
		made_compare(m, "w", 2);
	}
	assert_int_equal(studied_make(&m->r, &m->r.studied, NULL), 0);
}

static void assert_in(const char *text, const char *what)
{
	if (!strstr(text, what))
		fail_msg("no '%s' in:\n%s", what, text);
}

/* Of one replicate there is no range that a difference could be larger than. */
static void test_one_replicate(void **state)
{
	static const char *const names[] = { "n", "y" };
	_cleanup_free_ char *one = NULL, *two = NULL;
	struct made m;

	(void)state;
	for (size_t n = 1; n <= 2; n++) {
		made_begin(&m, names, 2);
		add_head(&m, "count", "w");
		made_cell(&m, "w", 0, 100, 100, 100);
		made_cell(&m, "w", 1, 110, 110, 110);
		made_compare(&m, "w", 1);
		m.r.cells[0].n = m.r.cells[1].n = n;
		if (n == 1)
			one = render_all(&m);
		else
			two = render_all(&m);
		made_finish(&m);
	}
	assert_in(one, "(  +10.0%)       more");
	assert_in(two, "(  +10.0%)*      more");
}

static void test_study(void **state)
{
	const struct report_options options = { 0 };
	_cleanup_free_ char *mail = NULL;
	_cleanup_str_ struct str many = STR_INIT;
	struct result both[2];
	struct made m;

	make_study(&m, false);
	mail = render_all(&m);
	assert_in(mail, "\nQuestion: What is it?\nHypothesis: Much.\nIt would be refuted by: Nothing.\nPublished: a list\n");
	/* 105 / 80 and, of the runs, 100 / 80 and 110 / 80. */
	assert_in(mail, "\nb                          80  +25.0..+37.5         +25.0\n    same direction, within a factor of two\n");
	assert_in(mail, "\nc                          50    +100..+120         +40.0\n"
			"    same direction, less than half: the rest is no instruction count\n");
	assert_in(mail, "\n  - a before b holds\n  - b before c holds\n");
	assert_in(mail, "\nLadder, w: 1000 per operation on a\n  b: +250 (+25.0 %), 62.5 % of the whole\n"
			"  c: +150 (+15.0 %), 37.5 % of the whole\n");
	assert_in(mail, "\nktoll run mine --only x86_64 --only b --only 'x y' --full --kernel");
	both[0] = both[1] = m.r;
	assert_int_equal(report_lkml.render_many(both, 2, &many, &options, NULL), 0);
	assert_int_equal(count_of(str_text(&many), "\nQuestion: "), 1);
	assert_int_equal(count_of(str_text(&many), "Subject: "), 1);
	assert_int_equal(count_of(str_text(&many), "\n======== x86_64\n"), 2);
	assert_int_equal(count_of(str_text(&many), "\nEnvironment\n"), 2);
	/* No option was asked for: kernels of other releases are not set beside each other. */
	assert_null(strstr(str_text(&many), "Side by side"));
	made_finish(&m);
}

/* Two parts of a study, and what the second lacks. */
static void test_side_by_side(void **state)
{
	const struct report_options options = { 0 };
	_cleanup_str_ struct str many = STR_INIT, one = STR_INIT;
	struct result both[2], alone;
	struct made m, n;

	for (struct made *x = &m; x; x = x == &m ? &n : NULL) {
		make_study(x, false);
		add_option(add_config(x, 1), "CONFIG_A", "n", "y");
		x->r.configs[0].diff.n_asked = 1;
		add_explanation(x, "w", "RCU reader", "f");
	}
	m.r.explanations[0].has_code = n.r.explanations[0].has_code = true;
	while (m.r.explanations[0].n_classes)
		free(m.r.explanations[0].classes[--m.r.explanations[0].n_classes].kind);
	both[0] = m.r;
	both[1] = n.r;
	assert_int_equal(report_lkml.render_many(both, 2, &many, &options, NULL), 0);
	assert_mail(str_text(&many));
	assert_in(str_text(&many), "\nSide by side\n------------\nw, b against a, instructions per operation\n"
				   "x86_64                     1000         1250 (  +25.0%)*      more 100.0\n"
				   "    RCU reader +40\n    barriers 0 -> 0; atomics 0 -> 0\n"
				   "x86_64                     1000         1250 (  +25.0%)*      more 100.0\n"
				   "    RCU reader +40\n    barriers 1 -> 2; atomics 4 -> 4\n\n======== x86_64\n");
	/* In the part itself. */
	assert_in(str_text(&many), "\n  barriers: none on either side\n  atomics: none on either side\n");
	made_finish(&m);
	alone = n.r;
	assert_int_equal(report_lkml.render_many(&alone, 1, &one, &options, NULL), 0);
	assert_null(strstr(str_text(&one), "Side by side"));
	made_finish(&n);
}

static void test_clocked(void **state)
{
	_cleanup_free_ char *mail = NULL;
	_cleanup_str_ struct str text = STR_INIT;
	const struct report_options options = { 0 };
	struct made m;

	make_study(&m, true);
	mail = render_all(&m);
	assert_in(mail, "wall-clock");
	assert_in(mail, "per operation, ns ");
	assert_in(mail, "(  +25.0%)*    slower\n");
	assert_in(mail, "(  +40.0%)  undecided\n");
	assert_in(mail, "one-boot: what a boot lays out otherwise");
	assert_in(mail, "+20.0..+30.0");
	/* Without an interval the difference alone. */
	assert_in(mail, "  +100..+120         +40.0\n    not told apart\n");
	assert_in(mail, "--engine vm");
	assert_null(strstr(mail, "nan"));
	assert_int_equal(report_text.render(&m.r, &text, &options, NULL), 0);
	assert_null(strstr(str_text(&text), "nan"));
	made_finish(&m);
}

/* ---- little, and much ---- */

static void test_little(void **state)
{
	static const char *const one[] = { "alone" };
	_cleanup_free_ char *empty = NULL, *single = NULL, *failed = NULL;
	struct made m;

	made_begin(&m, one, 0);
	m.run.path = xstrdup("r");
	empty = render_all(&m);
	assert_in(empty, "Subject: [ktoll] one kernel, nothing to compare\n");
	made_finish(&m);
	made_begin(&m, one, 1);
	add_head(&m, "count", "kill");
	made_cell(&m, "kill", 0, 5, 5, 5);
	single = render_all(&m);
	assert_in(single, "nothing to compare\n");
	assert_in(single, "ktoll compare --engine count --seed 1 -r 3 -w kill -n\\\n alone=debian:6.1 alone\n");
	made_finish(&m);
	/* Everything failed, and with more than the mail names. */
	make_pair(&m);
	m.r.n_cells = 0;
	for (size_t i = 0; i < m.r.n_comparisons; i++) {
		m.r.comparisons[i].base_cell = m.r.comparisons[i].other_cell = NULL;
		m.r.comparisons[i].ratio = m.r.comparisons[i].delta = (struct range){ NAN, NAN, NAN };
		m.r.comparisons[i].verdict = VERDICT_NONE;
	}
	for (size_t i = 0; i < 6; i++) {
		free(m.r.cells[i].workload);
		m.r.cells[i].workload = NULL;
	}
	for (size_t i = 0; i < 14; i++)
		outcome_add_failure(&m.run.outcomes[0], NULL, "boot", "panic", NULL);
	m.r.n_failures = 15;
	failed = render_all(&m);
	assert_in(failed, "nothing could be compared");
	assert_int_equal(count_of(failed, "n, whole boot: boot: panic"), 10);
	assert_in(failed, "\nand 5 more\n");
	assert_in(failed, "kill                          -            - (      -%)          -\n");
	made_finish(&m);
}

static void test_much(void **state)
{
	static const char *const two[] = { "n", "y" };
	_cleanup_free_ char *mail = NULL;
	_cleanup_str_ struct str list = STR_INIT;
	const char *commands;
	struct made m;

	made_begin(&m, two, 2);
	for (unsigned i = 0; i < 200; i++) {
		_cleanup_free_ char *name = xasprintf("stress-ng:workload-number-%u", i);

		str_addf(&list, "%s%s", i ? "\n" : "", name);
		made_cell(&m, name, 0, 100, 100, 100);
		made_cell(&m, name, 1, 101 + i, 101 + i, 101 + i);
		made_compare(&m, name, 1);
	}
	add_head(&m, "count", str_text(&list));
	mail = render_all(&m);
	assert_in(mail, "\nand 175 with a smaller difference\n");
	/* The largest first; and all of them in the command. */
	assert_in(mail, "Subject: [ktoll] y against n: stress-ng:workload-number-199 +200.0 % ");
	commands = strstr(mail, "To reproduce");
	assert_int_equal(count_of(commands, "-w"), 200 + count_of(commands, "-workload"));
	assert_null(strstr(commands, "..."));
	made_finish(&m);
}

/* Numbers that no table was made for. */
/* What does not fit above a column is said before the table; what is equal has no star, and no word about it. */
static void test_headings(void **state)
{
	static const char *const two[] = { "debian:6.1,+preempt=none", "short" };
	_cleanup_free_ char *mail = NULL;
	struct made m;

	made_begin(&m, two, 2);
	add_head(&m, "count", "w");
	made_cell(&m, "w", 0, 5, 5, 5);
	made_cell(&m, "w", 1, 5, 5, 5);
	made_compare(&m, "w", 1);
	mail = render_all(&m);
	assert_in(mail, "\nA: debian:6.1,+preempt=none\nB: short\n");
	assert_in(mail, "\ninsns per op.                 A            B");
	assert_null(strstr(mail, "(*:"));
	assert_null(strstr(mail, "Where it comes from"));
	made_finish(&m);
}

static void test_large(void **state)
{
	static const double values[] = { 1, 1e6, 1e12, 1e15, 1e300, 1e-300, 123456789.123, 12345678901.5, 0.000123456789 };
	static const char *const two[] = { "n", "y" };
	struct made m;

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		_cleanup_free_ char *mail = NULL;
		struct result_config *c;

		made_begin(&m, two, 2);
		add_head(&m, "count", "w");
		for (size_t v = 0; v < 2; v++)
			m.run.variants[v].kernel.sizes.code = v ? UINT64_MAX / 2 : UINT64_MAX / 2 - 123456789012345678;
		made_cell(&m, "w", 0, 1, 1, 1);
		made_cell(&m, "w", 1, values[i], values[i], values[i]);
		made_cell(&m, "v", 0, values[i], values[i], values[i]);
		made_cell(&m, "v", 1, 1, 1, 1);
		made_compare(&m, "w", 1);
		made_compare(&m, "v", 1);
		c = add_config(&m, 1);
		c->base_model = NULL;
		mail = render_all(&m);
		if (values[i] == 1e6)
			assert_in(mail, "\nw                             1      1000000 ( x1e+06 )*      more 100.0\n");
		assert_null(strstr(mail, "large%"));
		made_finish(&m);
	}
}

/* Every percentage is told: 3 of 800 million, 1 of 30,000, and 12,345 times as much; and which CPU each side had. */
static void test_percentages(void **state)
{
	static const struct {
		double base, other;
		const char *want;
	} cases[] = { { 8e8, 8e8 - 3, "(-<0.001%)" }, { 30000, 30001, "(+0.0033%)" }, { 30000, 29999, "(-0.0033%)" },
		      { 1, 5001, "(+500000%)" }, { 1, 12345, "( x12345 )" } };
	static const char *const two[] = { "n", "y" };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *mail = NULL;
		struct made m;

		made_begin(&m, two, 2);
		add_head(&m, "count", "w");
		m.run.variants[1].cpu = xstrdup("EPYC");
		made_cell(&m, "w", 0, cases[i].base, cases[i].base, cases[i].base);
		made_cell(&m, "w", 1, cases[i].other, cases[i].other, cases[i].other);
		made_compare(&m, "w", 1);
		mail = render_all(&m);
		assert_in(mail, cases[i].want);
		assert_in(mail, "; y: EPYC");
		made_finish(&m);
	}
}

/* ---- names from somebody else ---- */

static char *long_name(const char *start, char c)
{
	struct str s = STR_INIT;

	str_add(&s, start);
	while (s.len < 10000)
		str_add_bytes(&s, &c, 1);
	return str_take(&s);
}

static void check_hostile(const char *name, bool is_clocked)
{
	const char *names[] = { name, name };
	_cleanup_free_ char *mail = NULL;
	struct result_config *c;
	struct configdiff_row *row;
	struct made m;

	made_begin(&m, names, 2);
	facts_add(&m.run.head, "engine", name);
	facts_add(&m.run.head, "workloads", name);
	for (size_t i = 0; i < 9; i++)
		facts_add(&m.run.head,
			  ((const char *[]){ "tool_version", "seed", "replicates", "qemu_version", "machine", "cpu_model", "host_os", "host_cpu",
					     "created" })[i], name);
	for (size_t v = 0; v < 2; v++) {
		struct kernel *k = &m.run.variants[v].kernel;

		free(m.run.variants[v].spec);
		m.run.variants[v].spec = xstrdup(name);
		k->compiler = xstrdup(name);
		k->config_sha256 = xstrdup(name);
		facts_add(&m.run.outcomes[v].guest, "release", name);
		facts_add(&m.run.outcomes[v].guest, "build_id", name);
		facts_add(&m.run.outcomes[v].guest, "vulnerability.x", name);
		outcome_add_failure(&m.run.outcomes[v], name, name, name, name);
	}
	m.r.n_failures = 2;
	m.run.path = xstrdup(name);
	if (is_clocked) {
		struct clocked_comparison *k;

		made_clocked(&m);
		made_timed(&m, name, 0, 100);
		made_timed(&m, name, 1, 110);
		k = made_time_compare(&m, name, 1, 1.1, 1.05, 1.15);
		free(k->quantity);
		k->quantity = xstrdup(name);
		strv_add(&m.r.clocked->notes, name);
	} else {
		struct result_comparison *k;

		for (size_t v = 0; v < 2; v++) {
			made_cell(&m, name, v, 100 + (double)v, 100 + (double)v, 100 + (double)v);
			m.r.cells[v].metric = (struct result_metric){ xstrdup(name), xstrdup(name), true, { 5, 4, 6 } };
		}
		k = made_compare(&m, name, 1);
		strv_addf(&k->warnings, "%s: %s", name, name);
		k->functions = xcalloc(1, sizeof(*k->functions));
		k->functions[k->n_functions++] = (struct result_function){ xstrdup(name), 1, 2 };
		add_explanation(&m, name, name, name);
	}
	c = add_config(&m, 1);
	add_option(c, name, name, "y");
	c->diff.n_asked = 1;
	row = add_option(c, name, name, name);
	row->reason = xstrdup(name);
	row->known_cost = xstrdup(name);
	row->cost_source = xstrdup(name);
	row->severity = SEVERITY_HIGH;
	mail = render_all(&m);
	assert_in(mail, "\nTo reproduce\n");
	made_finish(&m);
}

static void test_hostile(void **state)
{
	_cleanup_free_ char *one = long_name("w", 'w'), *blanks = long_name("a", ' '), *quotes = long_name("a", '\''),
			    *escapes = long_name("\x1b[31m", '\x1b'), *bytes = long_name("\xff", '\xc3'),
			    *lines = long_name("a", '\n'), *slashes = long_name("'", '\\');
	const char *const names[] = {
		"<script>alert(1)</script>&amp;%s%n%d", "\x1b[31mred\x1b[0m", "Gr\xc3\xbc\xc3\x9f""e \xe2\x82\xac \xf0\x9f\x90\xa7",
		"\xff\xfe\x80", "\xc2\x9b""31m", "a\nSubject: b\r\n\tc", "", " ", "-n", "$(rm -rf ~)`x`;|&><*?[]{}~#!\"'\\", one, blanks,
		quotes, escapes, bytes, lines, slashes, "\xe2\x80\xae""evil", "\x7f\x01",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		check_hostile(names[i], false);
		check_hostile(names[i], true);
	}
}

/* A study that somebody else wrote. */
static void test_hostile_study(void **state)
{
	_cleanup_free_ char *one = long_name("w", 'w'), *text = NULL, *mail = NULL;
	static const char *const names[] = { "a", "b" };
	struct made m;

	text = xasprintf("about: a\nquestion: \"\\e[31m \\u20ac %s\"\nhypothesis: \"\\a\"\nsource: \"\\xff\"\nparts:\n"
			 "- name: %s\n  kernels: {a: debian:6.1, b: debian:6.2}\n  ladder: [a, b]\n  workloads: [w]\npublished:\n"
			 "- workload: \"\\e[2J\"\n  unit: \"\\u202e %s\"\n  better: lower\n  about: \"\\n\\n\\n%s\"\n"
			 "  figures: {a: 1e-300, b: [1e300, 1]}\n", one, one, one, one);
	made_begin(&m, names, 2);
	add_head(&m, "count", "w");
	facts_add(&m.run.head, "study", "\x1b[31m it's");
	facts_add(&m.run.head, "study_part", one);
	facts_add(&m.run.head, "study_text", text);
	facts_add(&m.run.head, "split.1", "0 \x1b[31m\xe2\x82\xac");
	made_cell(&m, "\x1b[2J", 0, 1e300, 1e300, 1e300);
	made_cell(&m, "\x1b[2J", 1, 1, 1, 1);
	made_compare(&m, "\x1b[2J", 1);
	assert_int_equal(studied_make(&m.r, &m.r.studied, NULL), 0);
	assert_non_null(m.r.studied);
	mail = render_all(&m);
	assert_in(mail, "Beside what was published");
	made_finish(&m);
}

/* ---- text ---- */

static void test_cut(void **state)
{
	static const struct {
		const char *text;
		size_t columns;
		const char *wanted;
	} cases[] = {
		{ "abc", 3, "abc" },	    { "abcd", 3, "..." },	 { "abcdef", 5, "ab..." },    { "abc", 2, ".." },
		{ "abc", 0, "" },	    { "", 5, "" },		 { "a\nb\tc", 9, "a b c" },   { "\x1b[31m", 9, "?[31m" },
		{ "\xc3\xbc\xe2\x82\xac", 9, "??" }, { "\xff\x80", 9, "??" }, { "a\xf0\x9f\x90\xa7z", 3, "a?z" }, { "\x7f\r", 9, "??" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *cut = plain_cut(cases[i].text, cases[i].columns);

		assert_string_equal(cut, cases[i].wanted);
	}
}

#define TEN "0123456789"
#define SEVENTY TEN TEN TEN TEN TEN TEN TEN

static void test_wrap(void **state)
{
	static const struct {
		const char *first;
		size_t indent;
		const char *text, *wanted;
	} cases[] = {
		{ "", 2, "", "\n" },
		{ "  ", 4, "a  b\n c ", "  a b c\n" },
		/* 72 columns fit, 73 do not. */
		{ "", 2, SEVENTY " b", SEVENTY " b\n" },
		{ "", 2, SEVENTY " bc", SEVENTY "\n  bc\n" },
		{ "", 2, SEVENTY "ab", SEVENTY "ab\n" },
		{ "", 2, SEVENTY "abc", SEVENTY "ab\n  c\n" },
		{ "  ", 4, SEVENTY "abc x", "  " SEVENTY "\n    abc x\n" },
		{ "", 2, "x " SEVENTY "abc", "x\n  " SEVENTY "\n  abc\n" },
		{ "", 2, "%s \x1b", "%s ?\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_str_ struct str s = STR_INIT;

		plain_wrap(&s, cases[i].first, cases[i].indent, "%s", cases[i].text);
		assert_string_equal(str_text(&s), cases[i].wanted);
	}
}

/* What a shell prints of a script. Owned by the caller. */
static char *shell(const char *script)
{
	char path[] = "/tmp/ktoll-test-lkml-XXXXXX";
	int fd = mkstemp(path);
	_cleanup_free_ char *command = xasprintf("sh %s", path);
	struct str s = STR_INIT;
	char buffer[4096];
	FILE *f;
	size_t n;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, script, strlen(script)), strlen(script));
	close(fd);
	f = popen(command, "r");
	assert_non_null(f);
	while ((n = fread(buffer, 1, sizeof(buffer), f)) > 0)
		str_add_bytes(&s, buffer, n);
	assert_int_equal(pclose(f), 0);
	remove(path);
	str_add(&s, "");
	return str_take(&s);
}

static void assert_lines(const char *text)
{
	for (const char *at = text; *at; at = strchr(at, '\n') + 1)
		assert_true(strcspn(at, "\n") <= PLAIN_WIDTH);
}

/* Broken at each place, of each kind of quotes: a shell reads the same words. */
static void test_command(void **state)
{
	static const char words[] = " 'it'\\''s a b' \"two  blanks, and \\\" $X\" a\\ b\\\\ c\\'d,e '' '  ' 'back\\slash' x,y,z "
				    "'a very long word in quotes, with blanks and commas, that no line of 72 columns holds at all' "
				    "source:6.1,PREEMPT_VOLUNTARY=y,AUDIT=y,SECURITY=y,SECURITY_NETWORK=y,SECURITY_SELINUX=y "
				    "'\\' '\\\\\\\\\\\\' \"\\\\\\\\\\\\\\\\\" 0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz0123456789";
	_cleanup_str_ struct str whole = STR_INIT, broken = STR_INIT, one = STR_INIT;
	_cleanup_free_ char *a = NULL, *b = NULL;

	for (int i = 0; i < 80; i++) {
		_cleanup_free_ char *line = xasprintf("printf '[%%s]\\n' %.*s%s", i,
						      SEVENTY TEN, words);

		str_addf(&whole, "X=y\n%s\n", line);
		plain_command(&one, line);
		assert_lines(str_text(&one));
		str_addf(&broken, "X=y\n%s", str_text(&one));
		str_finish(&one);
	}
	a = shell(str_text(&whole));
	b = shell(str_text(&broken));
	assert_true(strlen(a) > 80 * 400);
	assert_string_equal(a, b);
	plain_command(&one, "ktoll run x");
	assert_string_equal(str_text(&one), "ktoll run x\n");
	str_finish(&one);
	plain_command(&one, SEVENTY "a b");
	assert_string_equal(str_text(&one), TEN TEN TEN TEN TEN TEN "012345678\\\n9a b\n");
	str_finish(&one);
	plain_command(&one, TEN TEN TEN TEN " " TEN TEN TEN TEN);
	assert_string_equal(str_text(&one), TEN TEN TEN TEN "\\\n " TEN TEN TEN TEN "\n");
	str_finish(&one);
	plain_command(&one, TEN TEN TEN TEN "," TEN TEN TEN TEN);
	assert_string_equal(str_text(&one), TEN TEN TEN TEN ",\\\n" TEN TEN TEN TEN "\n");
}

/* The mail's command, with words of a record that want quotes: what ktoll would be given. */
static void test_reproduce(void **state)
{
	static const char *const names[] = { "it's", "b" };
	static const char seed[] = "1; echo evil", engine[] = "$(echo evil)";
	static const char *const workloads[] = {
		"cmd:sh -c 'exit {n}; echo \"a b\" `x` $HOME *' and much more than a line of a mail can hold, with  two blanks",
		"hackbench:groups=4", "\\", "!#",
	};
	static const char *const specs[] = { "tree:/my folder/linux,+a=\"b c\"", "source:6.1,PSI=y" };
	_cleanup_free_ char *mail = NULL, *said = NULL, *list = NULL;
	_cleanup_str_ struct str script = STR_INIT, wanted = STR_INIT;
	const char *command;
	struct made m;

	made_begin(&m, names, 2);
	list = xasprintf("%s\n%s\n%s\n%s", workloads[0], workloads[1], workloads[2], workloads[3]);
	facts_add(&m.run.head, "engine", engine);
	facts_add(&m.run.head, "seed", seed);
	facts_add(&m.run.head, "replicates", "&");
	facts_add(&m.run.head, "workloads", list);
	m.run.path = xstrdup("r");
	for (size_t v = 0; v < 2; v++) {
		free(m.run.variants[v].spec);
		m.run.variants[v].spec = xstrdup(specs[v]);
	}
	mail = render_all(&m);
	command = strstr(mail, "\nTo reproduce\n------------\n");
	assert_non_null(command);
	str_addf(&script, "ktoll() { printf '%%s\\n' \"$@\"; }\n%s", command + strlen("\nTo reproduce\n------------\n"));
	said = shell(str_text(&script));
	str_addf(&wanted, "compare\n--engine\n%s\n--seed\n%s\n-r\n&\n", engine, seed);
	for (size_t i = 0; i < ARRAY_SIZE(workloads); i++)
		str_addf(&wanted, "-w\n%s\n", workloads[i]);
	str_addf(&wanted, "-n\nit's=%s\n-n\nb=%s\nit's\nb\n", specs[0], specs[1]);
	assert_string_equal(said, str_text(&wanted));
	made_finish(&m);
}

/* Programs have replicates of their own, and null boots: the command asks for the same, and the mail says what it rests on. */
static void test_programs(void **state)
{
	static const char *const names[] = { "a", "b" };

	for (unsigned with = 0; with < 2; with++) {
		_cleanup_free_ char *mail = NULL;
		const char *command;
		struct made m;

		made_begin(&m, names, 2);
		add_head(&m, "count", "getppid\nxz");
		facts_add(&m.run.head, "replicates.xz", "2");
		if (with)
			facts_add(&m.run.head, "null_boots", "6");
		mail = render_all(&m);
		command = strstr(mail, "\nTo reproduce\n");
		assert_non_null(command);
		assert_null(strstr(command, " -r "));
		assert_non_null(strstr(command, with ? " --null 6" : " --no-null"));
		assert_non_null(strstr(mail, with ? "means of 7 boots of each kernel" : "(--no-null)"));
		made_finish(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut),	cmocka_unit_test(test_wrap),   cmocka_unit_test(test_command),
		cmocka_unit_test(test_reproduce), cmocka_unit_test(test_golden), cmocka_unit_test(test_one_replicate),
		cmocka_unit_test(test_study), cmocka_unit_test(test_side_by_side),
		cmocka_unit_test(test_clocked), cmocka_unit_test(test_little), cmocka_unit_test(test_much),
		cmocka_unit_test(test_headings), cmocka_unit_test(test_large), cmocka_unit_test(test_percentages), cmocka_unit_test(test_programs),	cmocka_unit_test(test_hostile), cmocka_unit_test(test_hostile_study),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
