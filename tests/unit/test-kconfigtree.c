/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kconfig files: a small tree with everything the language has, expressions
 * and their values, and bytes that are no Kconfig. With KTOLL_TEST_TREE, a
 * kernel tree, and KTOLL_TEST_CONFIG, a .config that it resolved (x86_64),
 * every option's value is worked out and held against the config.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/file.h"
#include "kernel/kconfigload.h"
#include "minikconfig.h"

static int setup(void **state)
{
	*state = xcalloc(1, sizeof(struct kconfigtree));
	return mini_parse(*state);
}

static int teardown(void **state)
{
	kconfigtree_finish(*state);
	free(*state);
	return 0;
}

static const struct kconfig_symbol *find(void **state, const char *name)
{
	const struct kconfig_symbol *s = kconfigtree_find(*state, name);

	assert_non_null(s);
	return s;
}

static void assert_text(const struct kexpr *e, const char *expected)
{
	_cleanup_free_ char *text = kexpr_text(e);

	assert_string_equal(text, expected);
}

static void test_symbols(void **state)
{
	const struct kconfigtree *t = *state;
	const struct kconfig_definition *d;

	assert_int_equal(t->n_files, 3);
	/* The file whose name is not known. */
	assert_int_equal(t->n_problems, 1);
	assert_non_null(strstr(t->problem, "Kconfig:29:"));
	assert_null(kconfigtree_find(t, "NOT_ME"));
	assert_null(kconfigtree_find(t, "NOT_ME_EITHER"));
	assert_null(kconfigtree_find(t, "ARCH_INLINE_READ_UNLOCK")); /* only named */
	assert_ptr_equal(find(state, "CONFIG_PREEMPT"), find(state, "PREEMPT"));
	assert_int_equal(find(state, "NR_CPUS")->type, KCONFIG_INT);
	assert_int_equal(find(state, "NET_TEST")->type, KCONFIG_TRISTATE);
	assert_int_equal(find(state, "CC_VERSION_TEXT")->type, KCONFIG_STRING);
	assert_true(kconfigsymbol_has_prompt(find(state, "CONFIG_PREEMPT_DYNAMIC")));
	assert_false(kconfigsymbol_has_prompt(find(state, "PREEMPT_COUNT")));
	assert_null(kconfigtree_find(t, "NEVER_HEARD_OF"));
	d = find(state, "64BIT")->definitions;
	assert_true(d->has_prompt);
	assert_string_equal(d->file, "arch/x86/Kconfig");
	assert_int_equal(d->line, 8);
	assert_text(d->prompt_if, "x86_64 = x86");
	/* Two definitions of one option. */
	d = find(state, "EXPERT")->definitions;
	assert_true(d->has_prompt);
	assert_non_null(d->next);
	assert_false(d->next->has_prompt);
	assert_text(d->next->defaults->cond, "64BIT = n");
}

static void test_conditions(void **state)
{
	const struct kconfig_symbol *count = find(state, "PREEMPT_COUNT");
	const struct kconfig_definition *d = find(state, "FENCE")->definitions;

	assert_text(d->depends, "CC_HAS_FENCE && !64BIT");
	assert_text(d->prompt_if, "EXPERT");
	assert_int_equal(find(state, "CC_HAS_FENCE")->definitions->defaults->value->op,
			 KEXPR_OPAQUE);
	assert_text(find(state, "CC_HAS_FENCE")->definitions->defaults->value,
		    "$(cc-option,-mfence=(a$(comma)b))");
	assert_text(find(state, "DEBUG_PREEMPT")->definitions->depends, "DEBUG_KERNEL && PREEMPTION");
	assert_text(find(state, "INLINE_READ_UNLOCK")->definitions->depends,
		    "!DEBUG_SPINLOCK && (!PREEMPTION || ARCH_INLINE_READ_UNLOCK)");
	/* Selected by two, one of them with the condition of its menu. */
	assert_non_null(count->selected_by);
	assert_non_null(count->selected_by->next_by);
	assert_null(count->selected_by->next_by->next_by);
	for (const struct kconfig_select *s = count->selected_by; s; s = s->next_by)
		assert_text(s->cond, strcmp(s->by->name, "PREEMPTION") == 0 ? "y" : "DEBUG_KERNEL");
	assert_string_equal(find(state, "TEXT_HELPER")->implied_by->by->name, "NET_TEST");
	/* Two ranges and two defaults, in their order. */
	d = find(state, "NR_CPUS")->definitions;
	assert_text(d->ranges->cond, "EXPERT");
	assert_text(d->ranges->next->hi, "8");
	assert_null(d->ranges->next->next);
	assert_text(d->defaults->value, "8");
	assert_text(d->defaults->next->value, "4");
}

static void test_choice(void **state)
{
	const struct kconfig_definition *rt = find(state, "PREEMPT_RT")->definitions;
	const struct kconfig_choice *c = rt->choice;
	size_t n = 0;

	assert_non_null(c);
	assert_string_equal(c->prompt, "Model");
	assert_text(c->defaults->value, "PREEMPT_NONE");
	for (const struct kconfig_definition *m = c->members; m; m = m->next_member)
		n++;
	assert_int_equal(n, 4);
	assert_text(rt->depends, "EXPERT && ARCH_SUPPORTS_RT");
	assert_null(find(state, "PREEMPT_COUNT")->definitions->choice);
}

/* ---- expressions ---- */

static int one_file(void *data, const char *path, char **ret, size_t *ret_n_bytes)
{
	(void)path;
	*ret = xstrdup(data);
	*ret_n_bytes = strlen(data);
	return 0;
}

/* The value of an expression over a config. */
static enum ktri eval(const char *expression, const char *config)
{
	_cleanup_free_ char *text = xasprintf(
		"config MODULES\n bool\nconfig A\n tristate\nconfig B\n bool\nconfig N\n int\n"
		"config H\n hex\nconfig S\n string\nconfig X\n bool\n depends on %s\n", expression);
	struct kconfigtree t;
	struct kconfig c;
	enum ktri v;

	assert_int_equal(kconfigtree_parse(one_file, text, "Kconfig", NULL, 0, &t, NULL), 0);
	kconfig_parse(config, strlen(config), &c);
	v = kexpr_eval(kconfigtree_find(&t, "X")->definitions->depends, &c);
	kconfig_finish(&c);
	kconfigtree_finish(&t);
	return v;
}

static void test_values(void **state)
{
	static const struct {
		const char *expression, *config;
		enum ktri value;
	} cases[] = {
		{ "A", "", KTRI_N },
		{ "A", "CONFIG_A=m\n", KTRI_M },
		{ "!A", "CONFIG_A=m\n", KTRI_M },
		{ "A && B", "CONFIG_A=m\nCONFIG_B=y\n", KTRI_M },
		{ "A || B", "CONFIG_A=m\nCONFIG_B=y\n", KTRI_Y },
		{ "A && B || y", "", KTRI_Y },
		{ "A && (B || y)", "", KTRI_N },
		{ "!(A || B)", "", KTRI_Y },
		{ "!!A", "CONFIG_A=y\n", KTRI_Y },
		{ "A = m", "CONFIG_A=m\n", KTRI_Y },
		{ "!A = m", "CONFIG_A=m\n", KTRI_N },
		{ "A != n", "", KTRI_N },
		{ "A < y", "CONFIG_A=m\n", KTRI_Y },
		{ "m", "", KTRI_N },
		{ "m", "CONFIG_MODULES=y\n", KTRI_M },
		{ "N >= 100", "CONFIG_N=99\n", KTRI_N },
		{ "N >= 100", "CONFIG_N=100\n", KTRI_Y },
		{ "N < 9", "CONFIG_N=10\n", KTRI_N },
		{ "N = 0", "", KTRI_N },
		{ "H > 0xff", "CONFIG_H=0x100\n", KTRI_Y },
		{ "S = \"\"", "CONFIG_S=\"\"\n", KTRI_Y },
		{ "S = \"a \\\"b\"", "CONFIG_S=\"a \\\"b\"\n", KTRI_Y },
		{ "S != 'x'", "CONFIG_S=\"x\"\n", KTRI_N },
		{ "NOT_DEFINED", "CONFIG_NOT_DEFINED=y\n", KTRI_N },
		{ "$(cc-option,-a)", "", KTRI_UNKNOWN },
		{ "$(cc-option,-a) && A", "", KTRI_N },
		{ "$(cc-option,-a) && A", "CONFIG_A=y\n", KTRI_UNKNOWN },
		{ "$(cc-option,-a) || A", "CONFIG_A=y\n", KTRI_Y },
		{ "$(ver) >= 90000", "", KTRI_UNKNOWN },
		{ "\"$(ver)\" = \"9\"", "", KTRI_UNKNOWN },
		/* What cannot be read is unknown, and not y. */
		{ "A &&", "", KTRI_UNKNOWN },
		{ "(A", "CONFIG_A=y\n", KTRI_UNKNOWN },
		/* Of newer kernels: only asked for if B. */
		{ "A if B", "", KTRI_Y },
		{ "A if B", "CONFIG_B=y\n", KTRI_N },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (eval(cases[i].expression, cases[i].config) != cases[i].value)
			fail_msg("%s over %s: not %d", cases[i].expression, cases[i].config,
				 cases[i].value);
}

static void test_changed(void **state)
{
	const struct kexpr *e = find(state, "INLINE_READ_UNLOCK")->definitions->depends;
	_cleanup_strv_ struct strv terms = { 0 }, unmet = { 0 }, facts = { 0 };
	struct kexpr_symbols symbols = { 0 };
	struct kconfig base, other;

	kconfig_parse("", 0, &base);
	kconfig_parse("CONFIG_PREEMPTION=y\n", 20, &other);
	kexpr_changed(e, &base, &other, &terms, &symbols);
	assert_int_equal(terms.n, 1);
	assert_string_equal(terms.v[0], "!PREEMPTION");
	assert_int_equal(symbols.n, 1);
	assert_string_equal(symbols.v[0]->name, "PREEMPTION");
	kexpr_changed(e, &other, &other, &terms, &symbols);
	assert_int_equal(terms.n, 1);
	kexpr_unmet(e, &other, &unmet, &facts);
	assert_int_equal(unmet.n, 1);
	assert_string_equal(unmet.v[0], "(!PREEMPTION || ARCH_INLINE_READ_UNLOCK)");
	assert_int_equal(facts.n, 2);
	assert_string_equal(facts.v[0], "PREEMPTION is y");
	assert_string_equal(facts.v[1], "ARCH_INLINE_READ_UNLOCK is not there");
	free(symbols.v);
	kconfig_finish(&base);
	kconfig_finish(&other);
}

/* ---- anything else ---- */

static unsigned problems_of(const char *text)
{
	struct kconfigtree t;
	unsigned n;

	assert_int_equal(kconfigtree_parse(one_file, (char *)text, "K", NULL, 0, &t, NULL), 0);
	n = t.n_problems;
	kconfigtree_finish(&t);
	return n;
}

static char *repeated(const char *before, const char *what, size_t n, const char *after)
{
	struct str s = STR_INIT;

	str_add(&s, before);
	for (size_t i = 0; i < n; i++)
		str_add(&s, what);
	str_add(&s, after);
	return str_take(&s);
}

static void test_odd(void **state)
{
	static const char *const odd[] = {
		"config\n", "endif\n", "if\nendif\n", "menu \"x\"\n", "choice\nendmenu\n", "source\n",
		"config A\n range 1\n", "config A\n select\n", "wat\n", "\"x\"\n",
		"config A\n depends on\n",
	};
	static const char *const fine[] = {
		"", "\n#\n", "depends on A\n", "help\n\n", "config A\n help\n", "config A",
		"config A\n bool \"unterminated\n", "a = $(a)\nconfig $(a)X\n", "config A\n\tbool\\\n",
		"comment \"x\"\n depends on A\n", "default y\n", "a := 1\na += $(b)\n",
		"config A\n bool\n optional\n", "$(info,x)\n", "config A\n bool\n\xff\xfe = 3\n",
	};
	/* Deeper than is kept, longer than is walked: nothing but a problem. */
	_cleanup_free_ char *ifs = repeated("", "if A\n", 1000, "config X\n bool\n");
	_cleanup_free_ char *parens = repeated("config X\n depends on ", "(", 100000, "A\n");
	_cleanup_free_ char *ands = repeated("config X\n depends on A", " && A", 100000, "\n");
	_cleanup_free_ char *nots = repeated("config X\n depends on ", "!", 100001, "A\n");
	_cleanup_free_ char *macros = repeated("config X\n depends on ", "$(", 100000, "\n");
	_cleanup_free_ char *itself = repeated("a = $(a)$(a)\n", "config $(a)\n", 10, "");
	_cleanup_free_ char *loop = xstrdup("source \"K\"\nsource \"K\"\n");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++)
		if (!problems_of(odd[i]))
			fail_msg("no problem: %s", odd[i]);
	for (size_t i = 0; i < ARRAY_SIZE(fine); i++)
		(void)problems_of(fine[i]);
	assert_true(problems_of(ifs) > 0);
	assert_true(problems_of(parens) > 0);
	problems_of(ands);
	assert_int_equal(problems_of(nots), 0);
	problems_of(macros);
	problems_of(itself);
	assert_true(problems_of(loop) > 0);
}

static void test_cut_anywhere(void **state)
{
	(void)state;
	for (size_t n = 0; n < sizeof(mini_preempt); n++) {
		_cleanup_free_ char *text = xstrndup(mini_preempt, n);

		problems_of(text);
	}
}

static void test_missing(void **state)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	struct kconfigtree t;

	(void)state;
	assert_int_equal(kconfigtree_parse(mini_read, NULL, "nowhere", NULL, 0, &t, &err), -ENOENT);
	assert_non_null(strstr(error_text(&err), "nowhere"));
	assert_true(kconfigload_tree(".", "vax", &t, &err) < 0);
}

/* ---- a real tree ---- */

static enum ktri lists_value(const struct kconfig_select *list, const struct kconfig *c)
{
	enum ktri t = KTRI_N;

	for (; list; list = list->next_by)
		t = ktri_or(t, ktri_and(ktri_parse(kconfig_value(c, list->by->full_name)),
					kexpr_eval(list->cond, c)));
	return t;
}

static enum ktri default_value(const struct kconfig_symbol *s, const struct kconfig *c)
{
	for (const struct kconfig_definition *d = s->definitions; d; d = d->next)
		for (const struct kconfig_default *f = d->defaults; f; f = f->next) {
			enum ktri t = ktri_and(kexpr_eval(d->depends, c), kexpr_eval(f->cond, c));

			if (t != KTRI_N)
				return ktri_and(kexpr_eval(f->value, c), t);
		}
	return KTRI_N;
}

/* Unknown for one that somebody may have set, or that is a member of a choice. */
static enum ktri worked_out(const struct kconfig_symbol *s, const struct kconfig *c)
{
	enum ktri depends = KTRI_N, value = default_value(s, c), implied = lists_value(s->implied_by, c);

	for (const struct kconfig_definition *d = s->definitions; d; d = d->next) {
		depends = ktri_or(depends, kexpr_eval(d->depends, c));
		if (d->choice || (d->has_prompt && ktri_and(kexpr_eval(d->depends, c),
							    kexpr_eval(d->prompt_if, c)) != KTRI_N))
			return KTRI_UNKNOWN;
	}
	if (implied != KTRI_N)
		value = ktri_and(ktri_or(value, implied), depends);
	value = ktri_or(value, lists_value(s->selected_by, c));
	return value == KTRI_M && s->type == KCONFIG_BOOL ? KTRI_Y : value;
}

static void test_real_tree(void **state)
{
	const char *dir = getenv("KTOLL_TEST_TREE"), *path = getenv("KTOLL_TEST_CONFIG");
	_cleanup_free_ char *text = NULL;
	struct timespec begin, end;
	struct kconfigtree t;
	struct kconfig c;
	size_t n, n_known = 0;

	(void)state;
	assert_non_null(dir);
	assert_non_null(path);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	assert_int_equal(kconfigload_tree(dir, "x86_64", &t, NULL), 0);
	clock_gettime(CLOCK_MONOTONIC, &end);
	assert_true((end.tv_sec - begin.tv_sec) * 1000 + (end.tv_nsec - begin.tv_nsec) / 1000000 < 1000);
	if (t.n_problems)
		fail_msg("%u problems: %s", t.n_problems, t.problem);
	assert_int_equal(file_read(path, &text, &n, NULL), 0);
	kconfig_parse(text, n, &c);
	for (size_t i = 0; i < c.n; i++)
		if (!kconfigtree_find(&t, c.options[i].name))
			fail_msg("%s is not defined", c.options[i].name);
	for (size_t i = 0; i < t.n_slots; i++) {
		const struct kconfig_symbol *s = t.slots[i];
		enum ktri v, is;

		if (!s || !s->definitions ||
		    (s->type != KCONFIG_BOOL && s->type != KCONFIG_TRISTATE))
			continue;
		v = worked_out(s, &c);
		is = ktri_parse(kconfig_value(&c, s->full_name));
		if (v != KTRI_UNKNOWN && v != is)
			fail_msg("%s is %d, worked out as %d", s->name, is, v);
		n_known += v != KTRI_UNKNOWN;
	}
	print_message("%zu options of %zu worked out, all alike\n", n_known, t.n_symbols);
	assert_true(n_known > 5000);
	kconfig_finish(&c);
	kconfigtree_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_symbols, setup, teardown),
		cmocka_unit_test_setup_teardown(test_conditions, setup, teardown),
		cmocka_unit_test_setup_teardown(test_choice, setup, teardown),
		cmocka_unit_test(test_values),
		cmocka_unit_test_setup_teardown(test_changed, setup, teardown),
		cmocka_unit_test(test_odd),
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_missing),
	};
	/* Of a tree that somebody names: tests/boot does. */
	const struct CMUnitTest real[] = { cmocka_unit_test(test_real_tree) };

	return getenv("KTOLL_TEST_TREE") ? cmocka_run_group_tests(real, NULL, NULL) : cmocka_run_group_tests(tests, NULL, NULL);
}
