/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "kernel/buildlog.h"

static void feed_in_pieces(struct buildlog *l, const char *text, size_t piece)
{
	for (size_t n = strlen(text); n; text += piece, n -= piece) {
		if (piece > n)
			piece = n;
		buildlog_feed(l, text, piece);
	}
}

static void test_objects(void **state)
{
	static const char said[] = "  HOSTCC  scripts/basic/fixdep\n"
				   "  CC      init/main.o\n"
				   "  AS      arch/x86/entry/entry_64.o\n"
				   "  AR      init/built-in.a\n"
				   "  CC [M]  drivers/net/dummy.o\n"
				   "  LD      vmlinux\n"
				   "  CC      last.o\n";

	for (size_t piece = 1; piece < sizeof(said); piece += 7) {
		struct buildlog l = { 0 };

		feed_in_pieces(&l, said, piece);
		assert_int_equal(l.objects, 4);
		assert_int_equal(l.errors.n, 0);
		buildlog_finish(&l);
	}
}

static void test_first_errors(void **state)
{
	struct buildlog l = { 0 };
	struct error err = ERROR_INIT;

	feed_in_pieces(&l, "  CC      kernel/sys.o\n"
			   "kernel/sys.c:17:2: error: expected ';' before 'return'\n"
			   "make[3]: *** [scripts/Makefile.build:250: kernel/sys.o] Error 1\n"
			   "make: *** [Makefile:234: __sub-make] Error 2\n", 10);
	assert_true(buildlog_failed(&l, &err) < 0);
	assert_int_equal(err.blame, ERROR_KERNEL);
	assert_non_null(strstr(error_text(&err), "kernel/sys.c:17:2: error: expected ';'"));
	assert_null(strstr(error_text(&err), "***"));
	error_finish(&err);
	buildlog_finish(&l);
}

static void test_only_make_stopped(void **state)
{
	struct error err = ERROR_INIT;

	assert_true(buildlog_explain("", "make[1]: *** Deleting file 'x'\n", &err) < 0);
	assert_non_null(strstr(error_text(&err), "*** Deleting file"));
	error_finish(&err);
}

/* What is the machine's fault is not blamed on the kernel. */
static void test_machine(void **state)
{
	struct error err = ERROR_INIT;

	assert_int_equal(buildlog_explain("", "/tmp/x.s: fatal error: error writing to y: "
					      "No space left on device\n", &err), -ENOSPC);
	assert_int_equal(err.blame, ERROR_HOST);
	error_finish(&err);
	assert_int_equal(buildlog_explain("", "gcc: fatal error: Killed signal terminated program "
					      "cc1\n", &err), -ENOMEM);
	assert_int_equal(err.blame, ERROR_HOST);
	error_finish(&err);
}

static void test_control_characters(void **state)
{
	struct error err = ERROR_INIT;

	buildlog_explain("", "a.c:1: error: \033[31mred\n", &err);
	assert_null(strchr(error_text(&err), '\033'));
	error_finish(&err);
}

static void test_planned(void **state)
{
	assert_int_equal(buildlog_count_planned(
		"set -e;  gcc -Wp,-MMD,a -c -o init/main.o ../init/main.c\n"
		"printf '%s' 'cmd_init/main.o := gcc -Wp,-MMD,a -c -o init/main.o ../init/main.c'\n"
		"set -e; ld -r -o init/built-in.o\n"
		"set -e;  gcc -D__ASSEMBLY__ -c -o arch/x/entry.o ../arch/x/entry.S\n"), 2);
	assert_int_equal(buildlog_count_planned(""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_first_errors),
		cmocka_unit_test(test_only_make_stopped),
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_control_characters),
		cmocka_unit_test(test_planned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
