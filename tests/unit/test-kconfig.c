/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading a .config, its odd lines, and the difference of two. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "kernel/kconfig.h"

static void test_parse(void **state)
{
	static const char text[] = "#\n# Automatically generated file; DO NOT EDIT.\n"
				   "# Linux/x86 6.1.0 Kernel Configuration\n#\n"
				   "CONFIG_HZ=250\n"
				   "# CONFIG_PREEMPT is not set\n"
				   "CONFIG_CC_VERSION_TEXT=\"gcc-12 (Debian 12.2.0) # = 12\"\n"
				   "CONFIG_64BIT=y\r\n"
				   "CONFIG_EXT4_FS=m\n"
				   "CONFIG_LOCALVERSION=\"\"\n"
				   "CONFIG_NR_CPUS=8192";
	struct kconfig c;

	(void)state;
	kconfig_parse(text, sizeof(text) - 1, &c);
	assert_int_equal(c.n, 7);
	for (size_t i = 1; i < c.n; i++)
		assert_true(strcmp(c.options[i - 1].name, c.options[i].name) < 0);
	assert_string_equal(kconfig_value(&c, "CONFIG_HZ"), "250");
	assert_string_equal(kconfig_value(&c, "HZ"), "250");
	assert_string_equal(kconfig_value(&c, "PREEMPT"), "n");
	assert_string_equal(kconfig_value(&c, "NEVER_HEARD_OF"), "n");
	assert_string_equal(kconfig_value(&c, "CC_VERSION_TEXT"),
			    "\"gcc-12 (Debian 12.2.0) # = 12\"");
	assert_string_equal(kconfig_value(&c, "64BIT"), "y");
	assert_string_equal(kconfig_value(&c, "LOCALVERSION"), "\"\"");
	assert_string_equal(kconfig_value(&c, "NR_CPUS"), "8192");
	kconfig_finish(&c);
}

static void test_any_bytes(void **state)
{
	static const char text[] = "CONFIG_=y\nCONFIG\nCONFIG_A\n# CONFIG_B is not sett\n"
				   "#CONFIG_C is not set\nCONFIG_D E=y\n CONFIG_F=y\n"
				   "CONFIG_G=\033[31m\nCONFIG_H=y\0CONFIG_I=y\n"
				   "CONFIG_J=1\nCONFIG_J=2\n# CONFIG_J is not set\nCONFIG_J=3\n"
				   "\xff\n#";
	struct kconfig c;

	(void)state;
	kconfig_parse(text, sizeof(text) - 1, &c);
	assert_int_equal(c.n, 2);
	assert_string_equal(kconfig_value(&c, "G"), "?[31m");
	assert_string_equal(kconfig_value(&c, "J"), "3");
	kconfig_finish(&c);
	kconfig_parse("", 0, &c);
	assert_int_equal(c.n, 0);
	assert_string_equal(kconfig_value(&c, "J"), "n");
	kconfig_finish(&c);
	/* Not NUL-terminated, of every length: nothing behind the end is looked at. */
	for (size_t n = 0; n < sizeof(text); n++) {
		char *exact = xmemdup(text, n);

		kconfig_parse(exact, n, &c);
		kconfig_finish(&c);
		free(exact);
	}
}

static void test_diff(void **state)
{
	static const char a[] =
		"# one\nCONFIG_A=y\nCONFIG_B=m\n# CONFIG_C is not set\nCONFIG_E=1\n";
	static const char b[] =
		"# two\nCONFIG_E=1\nCONFIG_D=y\nCONFIG_B=y\n# CONFIG_Z is not set\n";
	struct kconfig x, y;
	struct kconfig_diff d;

	(void)state;
	kconfig_parse(a, sizeof(a) - 1, &x);
	kconfig_parse(b, sizeof(b) - 1, &y);
	kconfig_diff(&x, &y, &d);
	assert_int_equal(d.n, 3);
	assert_string_equal(d.changes[0].option, "CONFIG_A");
	assert_string_equal(d.changes[0].base, "y");
	assert_string_equal(d.changes[0].other, "n");
	assert_string_equal(d.changes[1].option, "CONFIG_B");
	assert_string_equal(d.changes[1].base, "m");
	assert_string_equal(d.changes[1].other, "y");
	assert_string_equal(d.changes[2].option, "CONFIG_D");
	assert_string_equal(d.changes[2].base, "n");
	assert_string_equal(d.changes[2].other, "y");
	kconfig_diff_finish(&d);
	kconfig_diff(&x, &x, &d);
	assert_int_equal(d.n, 0);
	kconfig_diff_finish(&d);
	kconfig_finish(&x);
	kconfig_finish(&y);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_any_bytes),
		cmocka_unit_test(test_diff),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
