/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "model/symbols.h"

static void test_find(void **state)
{
	static const char text[] = "ffffffff81000200 b\nffffffff81000100 a\nnot a symbol\n"
				   "ffffffff81000200 b_alias\n0 zero\nffffffff81000300 c\x1b[m";
	struct symbols s;

	symbols_parse(text, sizeof(text) - 1, &s);
	assert_int_equal(s.n, 3);
	assert_null(symbols_find(&s, 0xffffffff810000ff));
	assert_string_equal(symbols_find(&s, 0xffffffff81000100)->name, "a");
	assert_string_equal(symbols_find(&s, 0xffffffff810001ff)->name, "a");
	assert_string_equal(symbols_find(&s, 0xffffffff81000200)->name, "b");
	assert_string_equal(symbols_find(&s, UINT64_MAX)->name, "c?[m");
	symbols_finish(&s);
}

static void test_empty(void **state)
{
	struct symbols s;

	symbols_parse("", 0, &s);
	assert_int_equal(s.n, 0);
	assert_null(symbols_find(&s, UINT64_MAX));
	symbols_finish(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
