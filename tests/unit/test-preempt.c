/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "kernel/preempt.h"

#define DYNAMIC "CONFIG_PREEMPT_DYNAMIC=y\n"
#define LAZY	"CONFIG_ARCH_HAS_PREEMPT_LAZY=y\n"

/* kernel/sched/core.c, sched_dynamic_mode(), of 6.1, 6.12, 6.13 and 7.2. */
static void test_models(void **state)
{
	assert_string_equal(preempt_models(DYNAMIC, "6.1.0-57-amd64"), "none voluntary full");
	assert_string_equal(preempt_models(DYNAMIC LAZY, "6.13.2"), "none voluntary full lazy");
	assert_string_equal(preempt_models(DYNAMIC LAZY, "7.0.0"), "full lazy");
	assert_string_equal(preempt_models(DYNAMIC, "7.2"), "none voluntary full");
	assert_string_equal(preempt_models(DYNAMIC LAZY "CONFIG_PREEMPT_RT=y\n", "6.13"), "full lazy");
	assert_string_equal(preempt_models(LAZY "CONFIG_PREEMPT_LAZY=y\n", "7.2"), "");
	assert_string_equal(preempt_models("CONFIG_PREEMPT_VOLUNTARY=y\n", "6.1"), "");
}

static int check(const char *config, const char *release, const char *param, struct error *err)
{
	struct kernel k = { .config = (char *)config, .release = (char *)release };
	struct strv params = { 0 };
	int r;

	strv_add(&params, "quiet");
	strv_add(&params, param);
	r = preempt_check(&k, &params, err);
	strv_finish(&params);
	return r;
}

static void test_check(void **state)
{
	struct error err = ERROR_INIT;

	assert_int_equal(check(DYNAMIC, "6.1", "preempt=none", &err), 0);
	assert_int_equal(check(DYNAMIC, "6.1", "preemptive=lazy", &err), 0);
	assert_int_equal(check(NULL, "6.1", "preempt=lazy", &err), 0);
	assert_true(check(DYNAMIC, "6.1", "preempt=lazy", &err) < 0);
	assert_int_equal(err.blame, ERROR_KERNEL);
	assert_non_null(strstr(error_text(&err), "none voluntary full"));
	assert_true(check(DYNAMIC LAZY, "7.2", "preempt=voluntary", &err) < 0);
	assert_non_null(strstr(error_text(&err), "only: full lazy"));
	assert_true(check("CONFIG_PREEMPT=y\n", "6.1", "preempt=full", &err) < 0);
	assert_non_null(strstr(error_text(&err), "no PREEMPT_DYNAMIC"));
	/* Half a name is no name. */
	assert_true(check(DYNAMIC, "6.1", "preempt=vol", &err) < 0);
	assert_true(check(DYNAMIC, "6.1", "preempt=", &err) < 0);
	error_finish(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_models),
		cmocka_unit_test(test_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
