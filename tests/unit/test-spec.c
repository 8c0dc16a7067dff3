/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "model/spec.h"

static void test_full(void **state)
{
	struct spec s;

	assert_int_equal(spec_parse("debian:6.1-rt,arch=amd64,+preempt=none,-noreplace-smp,cpu=EPYC-v4,"
				    "+isolcpus=1\\,2",
				    &s, NULL),
			 0);
	assert_string_equal(s.source, "debian:6.1-rt");
	assert_string_equal(s.name, "6.1-rt");
	assert_string_equal(s.arch, "x86_64");
	assert_string_equal(s.cpu, "EPYC-v4");
	assert_int_equal(s.params.n, 2);
	assert_string_equal(s.params.v[0], "preempt=none");
	assert_string_equal(s.params.v[1], "isolcpus=1,2");
	assert_int_equal(s.dropped.n, 1);
	assert_string_equal(s.dropped.v[0], "noreplace-smp");
	spec_finish(&s);
}

static void test_newest(void **state)
{
	struct spec s;

	assert_int_equal(spec_parse("debian:", &s, NULL), 0);
	assert_string_equal(s.name, "");
	assert_int_equal(s.params.n, 0);
	spec_finish(&s);
}

/* What is wrong, and the column the caret stands under. */
static void test_places(void **state)
{
	static const struct {
		const char *text, *column;
	} bad[] = {
		{ "6.1", "column 1:" },
		{ "", "column 1:" },
		{ "debian:6.1,+", "column 12:" },
		{ "debian:6.1,,+a", "column 12:" },
		{ "debian:6.1,arch=vax", "column 17:" },
		{ "debian:6.1,+a b", "column 12:" },
		{ "debian:6.1,preempt=none", "column 12:" },
		{ "debian:../x", "column 8:" },
		{ "debian:6.1,cpu=", "column 16:" },
		{ "debian:6.1,+a=\"b", "column 12:" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct error err = ERROR_INIT;
		struct spec s;

		assert_int_equal(spec_parse(bad[i].text, &s, &err), -EINVAL);
		assert_int_equal(err.blame, ERROR_USAGE);
		if (!strstr(error_text(&err), bad[i].column))
			fail_msg("%s: %s", bad[i].text, error_text(&err));
		error_finish(&err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_newest),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
