/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search in Debian's archive, with a script in apt-get's place: which lists are read, in
 * what order, how long an answer holds, and what happens without a network.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "fakeapt.h"
#include "kernel/debsearch.h"

/*
 * In $FAKE: `release` and `further` are the archive's lists, `release.fails` and
 * `further.fails` what an update complains about, `gone` packages that are not there any
 * more; `log` is what was asked for. With `unsandboxed`, apt's own user can write nowhere.
 */
static const char script[] =
	"#!/bin/sh\n"
	"dir=$(dirname \"$2\") group=release\n"
	"case $dir in *-further) group=further ;; esac\n"
	"lists=$dir/lists\n"
	"for word; do case $word in Dir::State::lists=*) lists=${word#*=} ;; esac; done\n"
	/* As apt does: its own user writes, or it warns and root does. */
	"fetch_into()\n"
	"{\n"
	"	as=\n"
	"	[ \"$(id -u)\" -ne 0 ] || as='setpriv --reuid=_apt --regid=nogroup --clear-groups'\n"
	"	if [ -e \"$FAKE/unsandboxed\" ] || ! $as touch \"$1\"; then\n"
	"		echo \"W: Download is performed unsandboxed as root as file '$1' couldn't be accessed by user '_apt'.\" >&2\n"
	"		: >\"$1\"; fi\n"
	"}\n"
	"case $* in\n"
	"*' update')\n"
	"	echo \"update $group\" >>\"$FAKE/log\"\n"
	"	[ \"$(id -u)\" -ne 0 ] || chown _apt \"$lists/partial\"\n"
	"	fetch_into \"$lists/partial/Packages\"\n"
	"	if [ -e \"$FAKE/$group.fails\" ]; then cat \"$FAKE/$group.fails\" >&2; exit 100; fi\n"
	"	cp \"$FAKE/$group\" \"$dir/lists/Packages\" ;;\n"
	"*' indextargets '*)\n"
	"	if [ -e \"$dir/lists/Packages\" ]; then echo \"suite $dir/lists/Packages\"; fi ;;\n"
	"*' download '*)\n"
	"	for last; do :; done\n"
	"	echo \"download $last from $group\" >>\"$FAKE/log\"\n"
	"	if grep -qsx \"$last\" \"$FAKE/gone\"; then\n"
	"		echo 'E: 404  Not Found' >&2; exit 100; fi\n"
	"	fetch_into \"$PWD/got.deb\" ;;\n"
	"esac\n";

#define PACKAGE(series, version) "Package: linux-source-" series "\nVersion: " version "\nSize: 1000\n\n"
#define OFFLINE "E: Failed to fetch http://m  Temporary failure resolving 'm'\n"
#define HALFWAY "E: Failed to fetch http://m  File has unexpected size\n"

/* ---- what is sought ---- */

static const struct package *choose(const struct debsearch *s, const struct packages *p)
{
	return packages_versioned(p, "linux-source-", s->subject);
}

static int explain(const struct debsearch *s, const struct packages *p, struct error *err)
{
	return error_set(err, ENOENT, "%zu packages, no %s", p->n, (const char *)s->subject);
}

static char *stored(const struct debsearch *s, const char *package, const char *version)
{
	return xasprintf("%s/%s_%s", s->cache.dir, package, version);
}

static bool has(const struct debsearch *s, const char *package, const char *version)
{
	_cleanup_free_ char *path = stored(s, package, version);

	return file_exists(path);
}

static int store(struct debsearch *s, const char *dir, const struct package *p, struct error *err)
{
	_cleanup_free_ char *path = stored(s, p->name, p->version), *deb = path_join(dir, "got.deb");

	assert_true(file_exists(deb));
	return file_write(path, "", 0, err);
}

static uint64_t room_needed;

static uint64_t room_bytes(uint64_t download_bytes)
{
	assert_int_equal(download_bytes, 1000);
	return room_needed;
}

static const struct debsearch_ops ops = { choose, explain, has, store, room_bytes };

/* Looks for a version; the answer, or the error in words. Owned by the caller. */
static char *look_for(const char *version, int expected)
{
	struct debsearch s = { .ops = &ops, .subject = version, .arch = "x86_64", .key = version,
			       .cache = DEBCACHE_INIT, .progress = tell };
	_cleanup_free_ char *package = NULL, *found = NULL;
	_cleanup_error_ struct error err = ERROR_INIT;
	int r;

	str_finish(&told);
	assert_int_equal(debcache_init(&s.cache, NULL), 0);
	r = debsearch_find(&s, &package, &found, &err);
	debcache_finish(&s.cache);
	if (r != expected)
		fail_msg("%d: %s", r, error_text(&err));
	return r < 0 ? xstrdup(error_text(&err)) : TAKE_PTR(found);
}

static void assert_found(const char *version, const char *expected)
{
	_cleanup_free_ char *found = look_for(version, 0);

	assert_string_equal(found, expected);
}

static void assert_failed(const char *version, int rc, const char *part)
{
	_cleanup_free_ char *text = look_for(version, rc);

	if (!strstr(text, part))
		fail_msg("%s", text);
}

static int start(void **state)
{
	(void)state;
	fake_start(script);
	put("release", PACKAGE("6.1", "6.1.192-3") PACKAGE("6.12", "6.12.8-1~bpo12+1"));
	put("further", PACKAGE("6.12", "6.12.9-1") PACKAGE("7.2", "7.2.13-1"));
	room_needed = 0;
	for (size_t i = 0; i < 5; i++) {
		static const char *const left[] = { "release.fails", "further.fails", "gone", "log", "unsandboxed" };
		_cleanup_free_ char *path = at(left[i]);

		unlink(path);
	}
	return 0;
}

/* ---- tests ---- */

static void test_release_first(void **state)
{
	(void)state;
	assert_found("6.1", "6.1.192-3");
	assert_asked("update release,download linux-source-6.1=6.1.192-3 from release,");
	assert_found("6.1", "6.1.192-3");
	assert_asked("");
	/* Older than the further suites' one, but this is what the release means by it. */
	assert_found("6.12", "6.12.8-1~bpo12+1");
	assert_asked("download linux-source-6.12=6.12.8-1~bpo12+1 from release,");
}

static void test_further(void **state)
{
	(void)state;
	assert_found("7.2", "7.2.13-1");
	assert_asked("update release,update further,download linux-source-7.2=7.2.13-1 from "
		     "further,");
	assert_found("7.2", "7.2.13-1");
	assert_failed("9.9", -ENOENT, "4 packages, no 9.9");
	assert_asked("");
	/* Lists of some minutes are read anew before something is said not to exist. */
	age("", 600);
	age("-further", 600);
	put("further", PACKAGE("9.9", "9.9.1-1"));
	assert_found("9.9", "9.9.1-1");
	assert_asked("update release,update further,download linux-source-9.9=9.9.1-1 from "
		     "further,");
}

static void test_next_day(void **state)
{
	(void)state;
	assert_found("6.1", "6.1.192-3");
	assert_asked("update release,download linux-source-6.1=6.1.192-3 from release,");
	put("release", PACKAGE("6.1", "6.1.200-1"));
	age("", 25 * 3600);
	age_index("ktoll/debian/index");
	assert_found("6.1", "6.1.200-1");
	assert_asked("update release,download linux-source-6.1=6.1.200-1 from release,");
	/* Another day, without a network: the last answer holds, and it is said why. */
	age("", 25 * 3600);
	age_index("ktoll/debian/index");
	put("release.fails", OFFLINE);
	assert_found("6.1", "6.1.200-1");
	assert_non_null(strstr(str_text(&told), "without a network"));
	assert_non_null(strstr(str_text(&told), "using linux-source-6.1 6.1.200-1 from the cache"));
}

static void test_offline(void **state)
{
	(void)state;
	put("release.fails", OFFLINE);
	put("further.fails", OFFLINE);
	assert_failed("7.2", -ENETUNREACH, "cannot read the package lists without a network");
	/* One wait for the network is enough. */
	assert_asked("update release,");
}

static void test_halfway(void **state)
{
	(void)state;
	/* One index of a mirror is not what its release file says: the rest will do. */
	put("release.fails", HALFWAY);
	assert_found("7.2", "7.2.13-1");
	assert_non_null(strstr(str_text(&told), "File has unexpected size; a newer kernel may be "
						"missing"));
	/* But then nothing is said not to exist. */
	assert_failed("9.9", -EIO, "File has unexpected size");
}

static void test_gone(void **state)
{
	(void)state;
	assert_found("6.12", "6.12.8-1~bpo12+1");
	put("gone", "linux-source-6.1=6.1.192-3\n");
	put("release", PACKAGE("6.1", "6.1.200-1"));
	age("", 600);
	assert_found("6.1", "6.1.200-1");
	assert_asked("update release,download linux-source-6.12=6.12.8-1~bpo12+1 from release,"
		     "download linux-source-6.1=6.1.192-3 from release,update release,"
		     "download linux-source-6.1=6.1.200-1 from release,");
}

static void test_full_disk(void **state)
{
	(void)state;
	room_needed = UINT64_MAX / 2;
	assert_failed("6.1", -ENOSPC, "the disk is full: linux-source-6.1 needs");
	assert_asked("update release,");
}

/* Downloads that apt would do as root: not the lists, and not a package when there are lists. */
static void test_unsandboxed(void **state)
{
	(void)state;
	put("unsandboxed", "");
	assert_failed("6.1", -EPERM, "will not read the package lists as root: apt-get could not run its downloads as its own user");
	start(state);
	assert_found("6.1", "6.1.192-3");
	put("unsandboxed", "");
	assert_failed("6.12", -EPERM, "will not fetch linux-source-6.12 as root: apt-get could not run its downloads as its own user");
}

static void test_own_suites(void **state)
{
	(void)state;
	put("ktoll/suites", "# none\n");
	assert_failed("7.2", -ENOENT, "2 packages, no 7.2");
	assert_asked("update release,");
	put("ktoll/suites", "one\ntwo three four\n");
	assert_failed("7.2", -EINVAL, "suites:2: a suite is wanted");
}

static int run(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_release_first, start),
		cmocka_unit_test_setup(test_further, start),
		cmocka_unit_test_setup(test_next_day, start),
		cmocka_unit_test_setup(test_offline, start),
		cmocka_unit_test_setup(test_halfway, start),
		cmocka_unit_test_setup(test_gone, start),
		cmocka_unit_test_setup(test_full_disk, start),
		cmocka_unit_test_setup(test_unsandboxed, start),
		cmocka_unit_test_setup(test_own_suites, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
	char template[] = "/tmp/ktoll-test-debsearch-XXXXXX";

	return fake_run(template, run);
}
