/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups of suites: people's file, what an archive lacks, and which group a package comes from. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "debian/packages.h"
#include "debian/suites.h"

static const struct apt_source own = { .uri = (char *)"http://mirror.example/debian/",
				       .suite = (char *)"bookworm",
				       .components = (char *)"main contrib",
				       .signed_by = (char *)"/k.gpg",
				       .options = (char *)"Check-Date: no\n" };

static void test_file(void **state)
{
	static const char text[] = "# mine\n\ntesting   # next\n\thttp://other.example/d  sid\r\n"
				   "trixie/updates";
	_cleanup_free_ char *file = NULL;
	struct apt_sources s = { 0 };

	(void)state;
	assert_int_equal(suites_parse(text, "x", &own, &s, NULL), 0);
	file = apt_sources_format(&s, NULL);
	assert_string_equal(
		file, "Types: deb\nURIs: http://mirror.example/debian/\nSuites: testing\n"
		      "Components: main\nTargets: Packages\nSigned-By: /k.gpg\n\n"
		      "Types: deb\nURIs: http://other.example/d\nSuites: sid\n"
		      "Components: main\nTargets: Packages\nSigned-By: /k.gpg\n\n"
		      "Types: deb\nURIs: http://mirror.example/debian/\nSuites: trixie/updates\n"
		      "Components: main\nTargets: Packages\nSigned-By: /k.gpg\n\n");
	apt_sources_finish(&s);
	/* Nothing but comments: people want no further suites. */
	assert_int_equal(suites_parse("# none\n", "x", &own, &s, NULL), 0);
	assert_int_equal(s.n, 0);
}

static void test_bad_file(void **state)
{
	static const char *const bad[] = { "ok\nsid main\n", "ok\nhttp://x/y sid main\n",
					   "ok\n\"sid\"\n", "ok\nhttp://x/\033y sid\n",
					   "ok\nhttp://x/y\n", "ok\nhttp://x s;d" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct apt_sources s = { 0 };
		struct error err = ERROR_INIT;

		assert_int_equal(suites_parse(bad[i], "/c/suites", &own, &s, &err), -EINVAL);
		assert_string_equal(error_text(&err), "/c/suites:2: a suite is wanted, as in "
						      "`testing`, or an address and a suite");
		error_finish(&err);
		apt_sources_finish(&s);
	}
}

#define LACKS(name) "E: The repository '" name " Release' does not have a Release file.\n"

static void test_lacking(void **state)
{
	struct apt_sources s = { 0 };
	struct strv lacking = { 0 };
	_cleanup_free_ char *file = NULL;

	(void)state;
	apt_sources_add_like(&s, &own, NULL, "stable", true);
	apt_sources_add_like(&s, &own, NULL, "stable-backports", true);
	apt_sources_add_like(&s, &own, NULL, "mine", false);
	/* "stable" is not "stable-backports". */
	assert_true(apt_sources_lacking(
		&s, "Hit:1 x\n" LACKS("http://mirror.example/debian stable-backports"), &lacking));
	assert_int_equal(lacking.n, 1);
	file = apt_sources_format(&s, &lacking);
	assert_non_null(strstr(file, "Suites: stable\n"));
	assert_null(strstr(file, "Suites: stable-backports\n"));
	strv_finish(&lacking);
	/* What people have named themselves has to be there. */
	assert_false(apt_sources_lacking(&s,
					 LACKS("http://mirror.example/debian stable")
						 LACKS("http://mirror.example/debian mine"),
					 &lacking));
	strv_finish(&lacking);
	assert_false(apt_sources_lacking(&s, "E: Something else", &lacking));
	assert_int_equal(lacking.n, 0);
	apt_sources_finish(&s);
}

/* ---- packages of both groups ---- */

#define PACKAGE(name, version, depends)                                                            \
	"Package: " name "\nVersion: " version "\nDepends: " depends "\nSize: 7\n\n"

static void add(struct packages *p, const char *text, const char *suite, unsigned group)
{
	size_t first = p->n;

	packages_parse(text, strlen(text), suite, p);
	for (size_t i = first; i < p->n; i++)
		p->v[i].group = group;
}

static struct packages both(void)
{
	struct packages p = { 0 };

	add(&p, PACKAGE("linux-image-6.12.9+deb14-amd64", "6.12.9-1", "")
	    PACKAGE("linux-image-7.2.13+deb14-amd64", "7.2.13-1", "")
	    PACKAGE("linux-image-amd64", "7.2.13-1", "linux-image-7.2.13+deb14-amd64")
	    PACKAGE("linux-source-7.2", "7.2.13-1", "")
	    PACKAGE("linux-source-6.12", "6.12.9-1", ""), "unstable", 1);
	add(&p, PACKAGE("linux-image-7.2.11+deb13-amd64", "7.2.11-1~bpo13+1", ""),
	    "stable-backports", 1);
	add(&p, PACKAGE("linux-image-7.3-amd64", "7.3~rc7-1~exp1",
			"linux-binary-7.3-amd64 (= 7.3~rc7-1~exp1)")
	    PACKAGE("linux-binary-7.3-amd64", "7.3~rc7-1~exp1", "")
	    PACKAGE("linux-image-amd64", "7.3~rc7-1~exp1", "linux-image-7.3-amd64"),
	    "experimental", 1);
	add(&p, PACKAGE("linux-image-6.1.0-57-amd64", "6.1.192-3", "")
	    PACKAGE("linux-source-6.1", "6.1.190-1", "") PACKAGE("linux-source-6.1", "6.1.192-3", "")
	    PACKAGE("linux-source", "6.1.192-3", "") PACKAGE("linux-config-6.1", "6.1.192-3", ""),
	    "bookworm", 0);
	add(&p, PACKAGE("linux-image-6.12.8+deb12-amd64", "6.12.8-1~bpo12+1", "")
	    PACKAGE("linux-image-amd64", "6.12.8-1~bpo12+1", "linux-image-6.12.8+deb12-amd64"),
	    "bookworm-backports", 0);
	return p;
}

static void test_first_group_wins(void **state)
{
	static const char *const expected[][2] = {
		{ "", "6.1.192-3" },
		{ "6.1", "6.1.192-3" },
		/* Also if it is older than what a further suite has. */
		{ "6.12", "6.12.8-1~bpo12+1" },
		{ "7.2", "7.2.13-1" },
		{ "7.2.11", "7.2.11-1~bpo13+1" },
		/* A release candidate is only meant if nothing else can be. */
		{ "7", "7.2.13-1" },
		{ "7.3", "7.3~rc7-1~exp1" },
		{ "linux-image-amd64", "6.12.8-1~bpo12+1" },
		{ "linux-image-7.3-amd64", "7.3~rc7-1~exp1" },
	};
	struct packages p = both();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		struct package_request r;
		const struct package *found;

		assert_int_equal(package_request_parse(expected[i][0], &r, NULL), 0);
		found = packages_choose(&p, &r, "x86_64");
		assert_non_null(found);
		if (strcmp(found->version, expected[i][1]) != 0)
			fail_msg("debian:%s gives %s", expected[i][0], found->version);
		package_request_finish(&r);
	}
	packages_finish(&p);
}

static void test_parts_of_a_candidate(void **state)
{
	struct packages p = both();
	const struct package *parts[2];

	(void)state;
	/* The next candidate's packages have the same names. */
	add(&p, PACKAGE("linux-binary-7.3-amd64", "7.3~rc8-1~exp1", ""), "experimental", 1);
	assert_int_equal(packages_parts(&p, packages_named(&p, "linux-image-7.3-amd64"), parts), 1);
	assert_string_equal(parts[0]->name, "linux-binary-7.3-amd64");
	assert_string_equal(parts[0]->version, "7.3~rc7-1~exp1");
	/* What is no kernel is its own only part. */
	assert_int_equal(packages_parts(&p, packages_named(&p, "linux-source-7.2"), parts), 1);
	assert_string_equal(parts[0]->name, "linux-source-7.2");
	packages_finish(&p);
}

static void test_sources(void **state)
{
	static const char *const expected[][2] = {
		{ "6.1", "6.1.192-3" }, { "6.1.190", "6.1.190-1" }, { "6.1.192-3", "6.1.192-3" },
		{ "7.2", "7.2.13-1" },	{ "6", "6.1.192-3" },
	};
	struct packages p = both();
	_cleanup_strv_ struct strv series = { 0 };
	_cleanup_free_ char *all = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		assert_string_equal(packages_versioned(&p, "linux-source-", expected[i][0])->version,
				    expected[i][1]);
	assert_null(packages_versioned(&p, "linux-source-", "6.1.19"));
	assert_null(packages_versioned(&p, "linux-config-", "7.2"));
	assert_string_equal(packages_versioned(&p, "linux-config-", "6.1")->name,
			    "linux-config-6.1");
	packages_series(&p, "linux-source-", &series);
	all = strv_join(&series, " ");
	assert_string_equal(all, "7.2 6.12 6.1");
	packages_finish(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_bad_file),
		cmocka_unit_test(test_lacking),
		cmocka_unit_test(test_first_group_wins),
		cmocka_unit_test(test_parts_of_a_candidate),
		cmocka_unit_test(test_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
