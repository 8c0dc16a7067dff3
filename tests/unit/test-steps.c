/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps between two specs. Their order comes from make, here in a tree whose Makefile is a small configurator with
 * known answers: no kernel is built or configured.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "kernel/kbuild.h"
#include "kernel/steps.h"
#include "sys/folder.h"

static char top[] = "/tmp/ktoll-steps-XXXXXX";
static char *tree;

/* DEBUG_PREEMPT needs PREEMPT_DYNAMIC; BOTH_A and BOTH_B need each other; NEVER comes to nothing. */
static const char makefile[] =
	"C = $(O)/.config\n"
	"allnoconfig:\n"
	"\tcp $(KCONFIG_ALLCONFIG) $(C)\n"
	"\tgrep -q ^CONFIG_PREEMPT_DYNAMIC=y $(C) || sed -i /CONFIG_DEBUG_PREEMPT=/d $(C)\n"
	"\tgrep -q ^CONFIG_BOTH_A=y $(C) || sed -i /CONFIG_BOTH_B=/d $(C)\n"
	"\tgrep -q ^CONFIG_BOTH_B=y $(C) || sed -i /CONFIG_BOTH_A=/d $(C)\n"
	"\tsed -i /CONFIG_NEVER=/d $(C)\n";

static void put(const char *name, const char *text)
{
	_cleanup_free_ char *path = path_join(tree, name), *dir = xstrdup(path);

	*strrchr(dir, '/') = 0;
	assert_int_equal(dir_make(dir, NULL), 0);
	assert_int_equal(file_write(path, text, strlen(text), NULL), 0);
}

static int setup(void **state)
{
	static const char *const arches[] = { "x86", "arm64", "powerpc", "riscv" };

	(void)state;
	if (!mkdtemp(top))
		return -1;
	setenv("XDG_CACHE_HOME", top, 1);
	setenv("XDG_CONFIG_HOME", top, 1);
	tree = path_join(top, "tree");
	put("Makefile", makefile);
	put("Kconfig", "mainmenu \"Small\"\nconfig EXPERT\n\tbool \"For experts\"\n");
	put("scripts/kconfig/conf.c", "\n");
	put("init/main.c", "\n");
	for (size_t i = 0; i < ARRAY_SIZE(arches); i++) {
		_cleanup_free_ char *path = xasprintf("arch/%s/Kconfig", arches[i]);

		put(path, "\n");
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	dir_remove(top);
	free(tree);
	return 0;
}

/* "tree:TOP/tree,SETTINGS" */
static char *spec(const char *settings)
{
	return xasprintf("tree:%s%s%s", tree, *settings ? "," : "", settings);
}

static int find(const char *base, const char *other, struct steps *ret, struct error *err)
{
	static const struct built_hooks hooks;
	_cleanup_free_ char *a = spec(base), *b = spec(other);
	struct known_costs costs = { 0 };
	int r;

	assert_int_equal(known_costs_load(&costs, NULL), 0);
	r = steps_find(a, b, &costs, &hooks, ret, err);
	known_costs_finish(&costs);
	return r;
}

static void need_make(void)
{
	_cleanup_free_ char *lacking = kbuild_packages(arch_find(arch_host()));

	assert_null(lacking);
}

static void assert_spec(const struct steps *s, const bool *set, const char *settings)
{
	_cleanup_free_ char *is = steps_spec(s, set), *want = spec(settings);

	assert_string_equal(is, want);
}

static void test_no_steps(void **state)
{
	static const struct {
		const char *base, *other, *says;
	} cases[] = {
		{ "A=y", "A=y", "ask for the same options" },
		{ "A=y,B=n", "B=n,CONFIG_A=y", "ask for the same options" },
		{ "A=y", "B=y,cc=clang", "differ in more than options (cc=clang)" },
		{ "A=y,+preempt=full", "B=y", "differ in more than options (+preempt=full)" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_error_ struct error err = ERROR_INIT;
		struct steps s;

		assert_int_equal(find(cases[i].base, cases[i].other, &s, &err), -EINVAL);
		assert_non_null(strstr(error_text(&err), cases[i].says));
		assert_int_equal(err.blame, ERROR_USAGE);
	}
}

/* A tree that is not there can be configured in no way: all is one step, and its ends are the two specs. */
static void test_nothing_can_be_set(void **state)
{
	static const struct built_hooks hooks;
	struct known_costs costs = { 0 };
	struct steps s;
	_cleanup_free_ char *base = NULL, *other = NULL;

	(void)state;
	assert_int_equal(steps_find("tree:/nonexistent,debuginfo,A=n,B=\"x\\,y\",C=4",
				    "tree:/nonexistent,debuginfo,C=8,D=y,B=\"x\\,y\"", &costs, &hooks, &s, NULL), 0);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.n_suspects, 0);
	assert_int_equal(s.v[0].options.n, 3);
	assert_string_equal(s.v[0].name, "A n -> (not asked), C 4 -> 8, D (not asked) -> y");
	/* What both ask for stays, an escaped comma as it was. */
	base = steps_spec(&s, (bool[]){ false });
	assert_string_equal(base, "tree:/nonexistent,debuginfo,B=\"x\\,y\",A=n,C=4");
	other = steps_spec(&s, (bool[]){ true });
	assert_string_equal(other, "tree:/nonexistent,debuginfo,B=\"x\\,y\",C=8,D=y");
	steps_finish(&s);
}

/* What is known to cost comes first, as early as what it needs allows; the rest by name. */
static void test_order(void **state)
{
	static const char *const expected[] = { "PREEMPT_DYNAMIC n -> y", "DEBUG_PREEMPT (not asked) -> y",
						"AAA (not asked) -> y", "VETH (not asked) -> y" };
	struct steps s;

	(void)state;
	need_make();
	assert_int_equal(find("PREEMPT_DYNAMIC=n", "VETH=y,AAA=y,DEBUG_PREEMPT=y,CONFIG_PREEMPT_DYNAMIC=y", &s, NULL), 0);
	assert_int_equal(s.n, ARRAY_SIZE(expected));
	for (size_t i = 0; i < s.n; i++)
		assert_string_equal(s.v[i].name, expected[i]);
	assert_int_equal(s.n_suspects, 2);
	assert_spec(&s, (bool[]){ false, false, false, false }, "PREEMPT_DYNAMIC=n");
	assert_spec(&s, (bool[]){ true, true, false, false }, "CONFIG_PREEMPT_DYNAMIC=y,DEBUG_PREEMPT=y");
	assert_spec(&s, (bool[]){ false, false, false, true }, "PREEMPT_DYNAMIC=n,VETH=y");
	/* DEBUG_PREEMPT cannot be set on the base alone. */
	assert_false(steps_can(&s, (bool[]){ false, true, false, false }, &(struct built_hooks){ 0 }));
	assert_true(steps_can(&s, (bool[]){ true, false, false, true }, &(struct built_hooks){ 0 }));
	steps_finish(&s);
}

/* Two that need each other are one step, after what can be set by itself. */
static void test_together(void **state)
{
	struct steps s;

	(void)state;
	need_make();
	assert_int_equal(find("", "BOTH_A=y,BOTH_B=y,VETH=y", &s, NULL), 0);
	assert_int_equal(s.n, 2);
	assert_string_equal(s.v[0].name, "VETH (not asked) -> y");
	assert_string_equal(s.v[1].name, "BOTH_A (not asked) -> y, BOTH_B (not asked) -> y");
	assert_spec(&s, (bool[]){ false, true }, "BOTH_A=y,BOTH_B=y");
	steps_finish(&s);
}

/* An option that never comes out takes what is left with it, and nothing before. */
static void test_left_over(void **state)
{
	struct steps s;

	(void)state;
	need_make();
	assert_int_equal(find("", "NEVER=y,VETH=y,BOTH_A=y", &s, NULL), 0);
	assert_int_equal(s.n, 2);
	assert_string_equal(s.v[0].name, "VETH (not asked) -> y");
	assert_int_equal(s.v[1].options.n, 2);
	steps_finish(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_steps),
		cmocka_unit_test(test_nothing_can_be_set),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_left_over),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
