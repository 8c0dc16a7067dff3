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

/* What the guest is told on its command line; a kernel that is built gets options for it. */
static void test_guest_settings(void **state)
{
	struct spec s;

	assert_int_equal(spec_parse("debian:6.1,memcg=root,selinux=permissive", &s, NULL), 0);
	assert_int_equal(s.params.n, 4);
	assert_string_equal(s.params.v[0], "ktoll.memcg=root");
	assert_string_equal(s.params.v[1], "ktoll.selinux=permissive");
	assert_string_equal(s.params.v[2], "security=selinux");
	assert_string_equal(s.params.v[3], "selinux=1");
	assert_int_equal(s.n_options, 0);
	spec_finish(&s);
	assert_int_equal(spec_parse("source:6.1,selinux=enforcing", &s, NULL), 0);
	assert_int_equal(s.n_options, 6);
	assert_string_equal(s.options[3].name, "CONFIG_SECURITY_SELINUX");
	spec_finish(&s);
	assert_int_equal(spec_parse("source:6.1,selinux=off", &s, NULL), 0);
	assert_int_equal(s.n_options, 0);
	assert_string_equal(s.params.v[0], "selinux=0");
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

static void test_built(void **state)
{
	struct spec s;

	assert_int_equal(spec_parse("tree:../a\\,b,PREEMPT_NONE=y,force:CONFIG_PREEMPT_COUNT=y,HZ=250,"
				    "LOCALVERSION=-x,patch=1.patch,patch=2.patch,cc=gcc-12,debuginfo=y,"
				    "arch=ppc64el,PREEMPT_NONE=n",
				    &s, NULL),
			 0);
	assert_int_equal(s.kind, SPEC_TREE);
	assert_string_equal(s.name, "../a,b");
	assert_string_equal(s.arch, "ppc64le");
	assert_true(s.is_arch_said && spec_is_built(&s) && s.debuginfo);
	assert_string_equal(s.config, "small");
	assert_int_equal(s.n_options, 4);
	assert_string_equal(s.options[0].name, "CONFIG_PREEMPT_NONE");
	assert_string_equal(s.options[0].value, "n"); /* the last one holds */
	assert_string_equal(s.options[1].name, "CONFIG_PREEMPT_COUNT");
	assert_true(s.options[1].is_forced && !s.options[0].is_forced);
	assert_string_equal(s.options[2].value, "250");
	assert_string_equal(s.options[3].value, "\"-x\"");
	assert_int_equal(s.patches.n, 2);
	assert_string_equal(s.cc, "gcc-12");
	spec_finish(&s);
}

static void test_image(void **state)
{
	struct spec s;

	assert_int_equal(spec_parse("image:/boot/vmlinuz,config=c,vmlinux=v,+quiet", &s, NULL), 0);
	assert_int_equal(s.kind, SPEC_IMAGE);
	assert_string_equal(s.config_file, "c");
	assert_string_equal(s.vmlinux, "v");
	assert_null(s.config);
	assert_false(s.is_arch_said || spec_is_built(&s));
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
		{ "debian:6.1,selinux=on", "enforcing, permissive or off" },
		{ "debian:6.1,memcg=none", "memcg=root is wanted" },
		{ "debian:6.1,+a b", "column 12:" },
		{ "debian:6.1,preempt=none", "column 12:" },
		{ "debian:../x", "column 8:" },
		{ "debian:6.1,cpu=", "column 16:" },
		{ "debian:6.1,+a=\"b", "column 12:" },
		{ "debian:6.1,HZ=250", "column 12:" },
		{ "debian:6.1,patch=x", "column 12:" },
		{ "image:x,HZ=250", "column 9:" },
		{ "image:", "column 7:" },
		{ "source:", "column 8:" },
		{ "source:6.1,cc=tcc", "column 15:" },
		{ "source:6.1,cc=gcc-", "column 15:" },
		{ "source:6.1,force:x=y", "column 18:" },
		{ "source:6.1,HZ", "column 12:" },
		{ "source:6.1,vmlinux=v", "column 12:" },
		{ "source:6.1,debuginfo=maybe", "column 22:" },
		{ "source:6.1,arch=s390x", "column 17:" },
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
		cmocka_unit_test(test_guest_settings), cmocka_unit_test(test_newest),
		cmocka_unit_test(test_built),
		cmocka_unit_test(test_image),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
