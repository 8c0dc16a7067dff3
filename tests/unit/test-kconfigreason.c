/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why options flipped, and why some did not come out, in a small tree with known answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "kernel/kconfigreason.h"
#include "kernel/kconfigunmet.h"
#include "minikconfig.h"

static struct kconfigtree tree;

static int setup(void **state)
{
	(void)state;
	return mini_parse(&tree);
}

static int teardown(void **state)
{
	(void)state;
	kconfigtree_finish(&tree);
	return 0;
}

/* One side: a config, what was given, and one thing asked. */
struct end {
	const char *config, *given, *name, *value;
};

struct pair {
	struct kconfig configs[2], given[2];
	struct spec_option asked[2];
	struct kconfigreason_side sides[2];
};

static void pair_init(struct pair *p, const struct end *base, const struct end *other)
{
	const struct end *const ends[] = { base, other };

	for (size_t i = 0; i < 2; i++) {
		const struct end *e = ends[i];

		kconfig_parse(e->config, strlen(e->config), &p->configs[i]);
		kconfig_parse(e->given ? e->given : "", e->given ? strlen(e->given) : 0, &p->given[i]);
		p->asked[i] = (struct spec_option){ (char *)e->name, (char *)e->value, false };
		p->sides[i] = (struct kconfigreason_side){ &tree, &p->configs[i],
							   e->given ? &p->given[i] : NULL,
							   &p->asked[i], e->name ? 1 : 0 };
	}
}

static void pair_finish(struct pair *p)
{
	for (size_t i = 0; i < 2; i++) {
		kconfig_finish(&p->configs[i]);
		kconfig_finish(&p->given[i]);
	}
}

static void assert_reason(const struct end *base, const struct end *other, const char *option,
			  const char *expected)
{
	struct pair p;
	_cleanup_free_ char *reason = NULL;

	pair_init(&p, base, other);
	reason = kconfigreason_change(&p.sides[0], &p.sides[1], option);
	if (!str_equal(reason, expected))
		fail_msg("%s: %s\nand not: %s", option, reason ? reason : "(null)",
			 expected ? expected : "(null)");
	pair_finish(&p);
}

static const struct end voluntary = { MINI_VOLUNTARY, NULL, NULL, NULL };
static const struct end dynamic = { MINI_DYNAMIC, NULL, "CONFIG_PREEMPT_DYNAMIC", "y" };
static const struct end not_dynamic = { MINI_VOLUNTARY, NULL, "CONFIG_PREEMPT_DYNAMIC", "n" };
static const struct end dynamic_unasked = { MINI_DYNAMIC, NULL, NULL, NULL };

static void test_up(void **state)
{
	static const char *const answers[][2] = {
		{ "PREEMPT_DYNAMIC", "asked" },
		{ "PREEMPT_BUILD", "selected by PREEMPT_DYNAMIC (asked)" },
		{ "PREEMPTION", "selected by PREEMPT_BUILD, selected by PREEMPT_DYNAMIC (asked)" },
		{ "PREEMPT_COUNT", "selected by PREEMPTION, selected by PREEMPT_BUILD, selected by "
				   "PREEMPT_DYNAMIC (asked)" },
		{ "CONFIG_PREEMPT_RCU",
		  "default y, as PREEMPTION, which came with PREEMPT_DYNAMIC (asked)" },
		{ "TASKS_RCU", "default y, as PREEMPTION, which came with PREEMPT_DYNAMIC (asked)" },
		{ "UNINLINE_SPIN_UNLOCK",
		  "selected by PREEMPT_BUILD, selected by PREEMPT_DYNAMIC (asked)" },
		{ "INLINE_READ_UNLOCK",
		  "depends on !PREEMPTION, which came with PREEMPT_DYNAMIC (asked)" },
		{ "PREEMPT_VOLUNTARY_BUILD",
		  "no longer selected by PREEMPT_VOLUNTARY: needs !PREEMPT_DYNAMIC (asked)" },
		{ "NR_CPUS", "default 8, as PREEMPTION, which came with PREEMPT_DYNAMIC (asked)" },
		{ "NR_QUEUES", "default: that of NR_CPUS, which changed with PREEMPT_DYNAMIC (asked)" },
		{ "NEVER_HEARD_OF", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++)
		assert_reason(&voluntary, &dynamic, answers[i][0], answers[i][1]);
}

static void test_down(void **state)
{
	static const char *const answers[][2] = {
		{ "PREEMPT_DYNAMIC", "asked" },
		{ "PREEMPT_COUNT", "no longer selected by PREEMPTION, no longer selected by "
				   "PREEMPT_BUILD, no longer selected by PREEMPT_DYNAMIC (asked)" },
		{ "PREEMPT_RCU",
		  "default n: needs PREEMPTION, which went with PREEMPT_DYNAMIC (asked)" },
		{ "INLINE_READ_UNLOCK",
		  "default y, as !PREEMPTION, which went with PREEMPT_DYNAMIC (asked)" },
		{ "PREEMPT_VOLUNTARY_BUILD",
		  "selected by PREEMPT_VOLUNTARY, as !PREEMPT_DYNAMIC (asked)" },
		{ "NR_CPUS",
		  "default 4, no longer PREEMPTION, which went with PREEMPT_DYNAMIC (asked)" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++)
		assert_reason(&dynamic_unasked, &not_dynamic, answers[i][0], answers[i][1]);
	/* Nobody asked: the reasons end where the files end. */
	assert_reason(&voluntary, &dynamic_unasked, "PREEMPT_BUILD", "selected by PREEMPT_DYNAMIC");
}

static void test_choice(void **state)
{
	static const struct end full = {
		MINI_ALWAYS "CONFIG_PREEMPT=y\nCONFIG_PREEMPT_BUILD=y\nCONFIG_PREEMPTION=y\n"
			    "CONFIG_PREEMPT_COUNT=y\n",
		NULL, "CONFIG_PREEMPT", "y"
	};

	(void)state;
	assert_reason(&voluntary, &full, "PREEMPT_VOLUNTARY",
		      "choice: PREEMPT was taken instead (asked)");
	assert_reason(&voluntary, &full, "PREEMPT_VOLUNTARY_BUILD",
		      "no longer selected by PREEMPT_VOLUNTARY, which went with PREEMPT (asked)");
}

/* The compiler, a file, an older version: what the tree does not tell, or tells otherwise. */
static void test_elsewhere(void **state)
{
	static const struct end with = { "CONFIG_CC_HAS_FENCE=y\nCONFIG_CC_VERSION_TEXT=\"a\"\n", NULL,
					 NULL, NULL };
	static const struct end without = { "CONFIG_CC_VERSION_TEXT=\"b\"\n", NULL, NULL, NULL };
	static const struct end set = { "CONFIG_EXPERT=y\n", "CONFIG_EXPERT=y\n", NULL, NULL };
	static const struct end unset = { "", "", NULL, NULL };
	static const struct end imply = { "CONFIG_EXPERT=y\nCONFIG_NET_TEST=y\nCONFIG_TEXT_HELPER=y\n", NULL,
					  "CONFIG_NET_TEST", "y" };

	static const struct end modular = { "CONFIG_MODULES=y\nCONFIG_NET_TEST=m\n", NULL, NULL, NULL };
	static const struct end built_in = { "CONFIG_NET_TEST=y\n", NULL, "CONFIG_MODULES", "n" };
	static const struct end both = { "CONFIG_DEBUG_KERNEL=y\nCONFIG_PREEMPTION=y\n"
					 "CONFIG_DEBUG_PREEMPT=y\nCONFIG_NR_CPUS=8\n", NULL, NULL, NULL };
	static const struct end neither = { "CONFIG_NR_CPUS=4\n", NULL, "CONFIG_DEBUG_KERNEL", "n" };

	(void)state;
	assert_reason(&without, &with, "CC_HAS_FENCE", "the compiler or tools differ");
	assert_reason(&with, &without, "CC_VERSION_TEXT", "the compiler or tools differ");
	assert_reason(&unset, &set, "EXPERT", "the files of the two set it differently");
	assert_reason(&set, &unset, "EXPERT", "the files of the two set it differently");
	assert_reason(&set, &imply, "TEXT_HELPER", "implied by NET_TEST (asked)");
	assert_reason(&modular, &built_in, "NET_TEST", "m needs MODULES (asked)");
	/* Two terms moved, and one was asked: that one says it. */
	assert_reason(&both, &neither, "DEBUG_PREEMPT", "depends on DEBUG_KERNEL (asked)");
	assert_reason(&both, &neither, "NR_CPUS", "default 4, no longer PREEMPTION");
}

#define FILE_TEXT "CONFIG_DEBUG_KERNEL=y\nCONFIG_DEBUG_PREEMPT=y\nCONFIG_PREEMPT_COUNT=y\n"

static void test_woken(void **state)
{
	static const struct end base = { MINI_VOLUNTARY "CONFIG_DEBUG_KERNEL=y\n", FILE_TEXT, NULL,
					 NULL };
	static const struct end other = {
		MINI_DYNAMIC "CONFIG_DEBUG_KERNEL=y\nCONFIG_DEBUG_PREEMPT=y\n",
		FILE_TEXT "CONFIG_PREEMPT_DYNAMIC=y\n", "CONFIG_PREEMPT_DYNAMIC", "y"
	};
	/* The other one's file alone has it: then it was set, not woken. */
	static const struct end silent = { MINI_VOLUNTARY "CONFIG_DEBUG_KERNEL=y\n",
					   "CONFIG_DEBUG_KERNEL=y\n", NULL, NULL };
	struct pair p;

	(void)state;
	pair_init(&p, &base, &other);
	assert_true(kconfigreason_is_woken(&p.sides[0], &p.sides[1], "CONFIG_DEBUG_PREEMPT"));
	/* Also in both files and woken up, but by others: nobody can set it. */
	assert_false(kconfigreason_is_woken(&p.sides[0], &p.sides[1], "PREEMPT_COUNT"));
	assert_false(kconfigreason_is_woken(&p.sides[0], &p.sides[1], "PREEMPT_DYNAMIC"));
	assert_false(kconfigreason_is_woken(&p.sides[1], &p.sides[0], "DEBUG_PREEMPT"));
	pair_finish(&p);
	assert_reason(&base, &other, "DEBUG_PREEMPT",
		      "was dormant in the file (needs PREEMPTION); PREEMPT_DYNAMIC woke it");
	assert_reason(&other, &base, "DEBUG_PREEMPT",
		      "depends on PREEMPTION, which went with PREEMPT_DYNAMIC (asked)");
	pair_init(&p, &silent, &other);
	assert_false(kconfigreason_is_woken(&p.sides[0], &p.sides[1], "DEBUG_PREEMPT"));
	pair_finish(&p);
}

static void test_unmet(void **state)
{
	static const struct {
		const char *config, *option, *asked, *answer;
	} cases[] = {
		{ MINI_DYNAMIC, "CONFIG_PREEMPT_DYNAMIC", "y", NULL },
		{ MINI_DYNAMIC, "CONFIG_NEVER_HEARD_OF", "y", "no such option in this version" },
		{ MINI_DYNAMIC, "CONFIG_NEVER_HEARD_OF", "n", NULL },
		{ MINI_VOLUNTARY, "CONFIG_DEBUG_PREEMPT", "y",
		  "depends on DEBUG_KERNEL && PREEMPTION: DEBUG_KERNEL is n, PREEMPTION is n" },
		{ MINI_DYNAMIC, "CONFIG_DEBUG_PREEMPT", "y",
		  "depends on DEBUG_KERNEL: DEBUG_KERNEL is n" },
		{ MINI_VOLUNTARY, "CONFIG_FENCE", "y", "depends on !64BIT: 64BIT is y" },
		{ "CONFIG_CC_HAS_FENCE=y\n", "CONFIG_FENCE", "y",
		  "its prompt needs EXPERT: EXPERT is n" },
		{ MINI_VOLUNTARY, "CONFIG_PREEMPT_COUNT", "y",
		  "it has no prompt: only other options set it (force:PREEMPT_COUNT=y does)" },
		{ MINI_DYNAMIC, "CONFIG_PREEMPT_COUNT", "n", "selected by PREEMPTION, cannot be n" },
		{ MINI_DYNAMIC, "CONFIG_PREEMPT_RCU", "n",
		  "it has no prompt: only other options set it (force:PREEMPT_RCU=n does)" },
		{ MINI_VOLUNTARY, "CONFIG_PREEMPT", "y",
		  "choice: PREEMPT_VOLUNTARY was taken; this kernel offers PREEMPT_NONE, "
		  "PREEMPT_VOLUNTARY, PREEMPT" },
		{ MINI_VOLUNTARY "CONFIG_ARCH_NO_PREEMPT=y\n", "CONFIG_PREEMPT_VOLUNTARY", "n",
		  "choice: one has to be taken, and no other was" },
		{ MINI_VOLUNTARY "CONFIG_EXPERT=y\n", "CONFIG_PREEMPT_RT", "y",
		  "depends on ARCH_SUPPORTS_RT: ARCH_SUPPORTS_RT is n; this kernel offers "
		  "PREEMPT_NONE, PREEMPT_VOLUNTARY, PREEMPT" },
		{ MINI_VOLUNTARY, "CONFIG_TICKS", "1000", "it has no prompt: EXPERT=y brings this value" },
		{ MINI_VOLUNTARY, "CONFIG_TICKS", "100", "it has no prompt: only other options set it (force:TICKS=100 does)" },
		{ MINI_VOLUNTARY, "CONFIG_NR_CPUS", "9", "out of range [1 8]" },
		{ MINI_VOLUNTARY "CONFIG_EXPERT=y\n", "CONFIG_NR_CPUS", "65", "out of range [2 64]" },
		{ MINI_VOLUNTARY, "CONFIG_NR_CPUS", "y", "a number is wanted" },
		{ MINI_VOLUNTARY, "CONFIG_EXPERT", "m", "it is y or n, never m" },
		{ "", "CONFIG_NET_TEST", "y",
		  "depends on (m || EXPERT): EXPERT is n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *reason = NULL;
		struct kconfig c;

		kconfig_parse(cases[i].config, strlen(cases[i].config), &c);
		reason = kconfigunmet_reason(&tree, &c, cases[i].option, cases[i].asked);
		if (!str_equal(reason, cases[i].answer))
			fail_msg("%s=%s: %s\nand not: %s", cases[i].option, cases[i].asked,
				 reason ? reason : "(null)",
				 cases[i].answer ? cases[i].answer : "(null)");
		kconfig_finish(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_up),    cmocka_unit_test(test_down),
		cmocka_unit_test(test_choice), cmocka_unit_test(test_elsewhere),
		cmocka_unit_test(test_woken), cmocka_unit_test(test_unmet),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
