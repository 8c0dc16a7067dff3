/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The choice of a Debian kernel from texts: versions, Packages, requests, apt's sources,
 * the index.
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
#include "debian/apt.h"
#include "debian/aptsources.h"
#include "debian/debindex.h"
#include "debian/debversion.h"
#include "debian/packages.h"
#include "kernel/debcache.h"

/* ---- versions ---- */

static void test_versions(void **state)
{
	/*
	 * In rising order; the examples of Debian policy 5.6.12 and kernel versions as
	 * they occur.
	 */
	static const char *const rising[] = {
		"~~",
		"~~a",
		"~",
		"",
		"1.0~beta1~svn1245",
		"1.0~beta1",
		"1.0",
		"1.0-0.1",
		"5.10.249-1",
		"6.1~rc3-1~exp1",
		"6.1.9-1",
		"6.1.176-1",
		"6.1.192-3",
		"6.1.192-10",
		"6.12.95-1~bpo12+1",
		"6.12.95-1",
		"6.12.117-1~deb12u1",
		"6.12.117-1~deb12u1.1",
		"6.12.117-1",
		"6.12.117+ds-1",
		"7.2.13-1",
		"a",
		"1:0.1",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rising); i++)
		for (size_t j = 0; j < ARRAY_SIZE(rising); j++) {
			int r = deb_version_compare(rising[i], rising[j]);

			if ((r > 0) - (r < 0) != (i > j) - (i < j))
				fail_msg("'%s' against '%s' gives %d", rising[i], rising[j], r);
		}
	assert_int_equal(deb_version_compare("1.0", "1.0-0"), 0);
	assert_int_equal(deb_version_compare("0:1.00", "1.0"), 0);
}

/* ---- packages ---- */

#define PACKAGE(name, version, depends)                                                            \
	"Package: " name "\nSource: linux\nVersion: " version "\nDepends: " depends                \
	"\nDescription: Linux\n for tests\nSize: 70000000\n\n"

static const char main_text[] =
	PACKAGE("hello", "2.10-3", "libc6")
	PACKAGE("linux-base", "4.9", "debconf")
	PACKAGE("linux-image-6.1.0-49-amd64", "6.1.174-1", "kmod, linux-base (>= 4.3~)")
	PACKAGE("linux-image-6.1.0-50-amd64", "6.1.176-1", "kmod, linux-base (>= 4.3~)")
	PACKAGE("linux-image-6.1.0-50-amd64-dbg", "6.1.176-1", "")
	PACKAGE("linux-image-6.1.0-50-rt-amd64", "6.1.176-1", "kmod")
	PACKAGE("linux-image-amd64", "6.1.176-1", "linux-image-6.1.0-50-amd64 (= 6.1.176-1)")
	PACKAGE("linux-image-amd64-signed-template", "6.1.176-1", "");

static const char security_text[] =
	PACKAGE("linux-image-6.1.0-57-amd64-unsigned", "6.1.192-3", "kmod")
	PACKAGE("linux-image-6.1.0-57-amd64", "6.1.192-3", "kmod")
	PACKAGE("linux-image-6.1.0-57-cloud-amd64", "6.1.192-3", "kmod")
	PACKAGE("linux-image-6.1.0-57-rt-amd64", "6.1.192-3", "kmod")
	PACKAGE("linux-image-amd64", "6.1.192-3", "linux-image-6.1.0-57-amd64 (= 6.1.192-3)");

static const char backports_text[] =
	PACKAGE("linux-image-6.12.95+deb12-amd64", "6.12.95-1~bpo12+1", "kmod")
	PACKAGE("linux-image-amd64", "6.12.95-1~bpo12+1",
		"linux-image-6.12.95+deb12-amd64 (= 6.12.95-1~bpo12+1)");

static const char split_text[] =
	PACKAGE("linux-image-7.2.13+deb14-powerpc64le", "7.2.13-1",
		"dracut | initramfs-tools, linux-base-7.2.13+deb14-powerpc64le (= 7.2.13-1), "
		"linux-binary-7.2.13+deb14-powerpc64le (= 7.2.13-1), "
		"linux-modules-7.2.13+deb14-powerpc64le (= 7.2.13-1)")
	PACKAGE("linux-image-7.2.13+deb14-powerpc64le-64k", "7.2.13-1",
		"linux-binary-7.2.13+deb14-powerpc64le-64k (= 7.2.13-1)")
	PACKAGE("linux-binary-7.2.13+deb14-powerpc64le", "7.2.13-1", "")
	PACKAGE("linux-binary-7.2.13+deb14-powerpc64le-64k", "7.2.13-1", "")
	PACKAGE("linux-base-7.2.13+deb14-powerpc64le", "7.2.13-1", "")
	PACKAGE("linux-image-powerpc64le", "7.2.13-1",
		"linux-base-powerpc64le, linux-image-7.2.13+deb14-powerpc64le (= 7.2.13-1)");

static struct packages bookworm(void)
{
	struct packages p = { 0 };

	packages_parse(main_text, sizeof(main_text) - 1, "bookworm", &p);
	packages_parse(security_text, sizeof(security_text) - 1, "bookworm-security", &p);
	packages_parse(backports_text, sizeof(backports_text) - 1, "bookworm-backports", &p);
	return p;
}

/* What `debian:NAME` chooses among them; "" for nothing. */
static char *choose(const struct packages *p, const char *name, const char *arch)
{
	struct package_request r;
	const struct package *found;

	assert_int_equal(package_request_parse(name, &r, NULL), 0);
	found = packages_choose(p, &r, arch);
	package_request_finish(&r);
	return found ? xasprintf("%s %s", found->name, found->version) : xstrdup("");
}

static void test_parse(void **state)
{
	struct packages p = bookworm();
	const struct package *k;

	(void)state;
	assert_null(packages_named(&p, "hello"));
	assert_null(packages_named(&p, "linux-image-6.1.0-50-amd64-dbg"));
	assert_null(packages_named(&p, "linux-image-amd64-signed-template"));
	k = packages_named(&p, "linux-image-6.1.0-57-amd64-unsigned");
	assert_string_equal(k->release, "6.1.0-57-amd64");
	assert_string_equal(k->abi, "6.1.0-57");
	assert_string_equal(k->flavour, "amd64");
	assert_string_equal(k->suite, "bookworm-security");
	assert_true(k->is_unsigned && k->is_kernel && !k->is_backport);
	assert_int_equal(k->size_bytes, 70000000);
	k = packages_named(&p, "linux-image-6.12.95+deb12-amd64");
	assert_string_equal(k->abi, "6.12.95+deb12");
	assert_true(k->is_backport && !k->is_unsigned);
	k = packages_named(&p, "linux-image-amd64");
	assert_false(k->is_kernel);
	assert_string_equal(k->follows, "linux-image-6.12.95+deb12-amd64");
	packages_finish(&p);
}

static void test_choose(void **state)
{
	static const char *const expected[][2] = {
		{ "", "linux-image-6.1.0-57-amd64 6.1.192-3" },
		{ "6.1", "linux-image-6.1.0-57-amd64 6.1.192-3" },
		{ "6", "linux-image-6.12.95+deb12-amd64 6.12.95-1~bpo12+1" },
		{ "6.12", "linux-image-6.12.95+deb12-amd64 6.12.95-1~bpo12+1" },
		{ "6.1-rt", "linux-image-6.1.0-57-rt-amd64 6.1.192-3" },
		{ "6.1-rt-amd64", "linux-image-6.1.0-57-rt-amd64 6.1.192-3" },
		{ "6.1-cloud", "linux-image-6.1.0-57-cloud-amd64 6.1.192-3" },
		{ "6.1.176", "linux-image-6.1.0-50-amd64 6.1.176-1" },
		{ "6.1.0-49", "linux-image-6.1.0-49-amd64 6.1.174-1" },
		{ "6.1.0-5", "" },
		{ "6.1.0-50-rt", "linux-image-6.1.0-50-rt-amd64 6.1.176-1" },
		{ "6.12-rt", "" },
		{ "5.10", "" },
		{ "linux-image-amd64", "linux-image-6.1.0-57-amd64 6.1.192-3" },
		{ "linux-image-6.1.0-49-amd64", "linux-image-6.1.0-49-amd64 6.1.174-1" },
		{ "linux-image-6.1.0-57-amd64-unsigned",
		  "linux-image-6.1.0-57-amd64-unsigned 6.1.192-3" },
		{ "linux-image-6.1.0-40-amd64", "" },
	};
	struct packages p = bookworm();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		_cleanup_free_ char *got = choose(&p, expected[i][0], "x86_64");

		if (strcmp(got, expected[i][1]) != 0)
			fail_msg("debian:%s gives '%s'", expected[i][0], got);
	}
	packages_finish(&p);
}

static void test_split_packages(void **state)
{
	struct packages p = { 0 };
	const struct package *parts[2];
	_cleanup_free_ char *plain = NULL, *meta = NULL, *big = NULL;
	size_t n;

	(void)state;
	packages_parse(split_text, sizeof(split_text) - 1, "forky", &p);
	plain = choose(&p, "7.2", "ppc64le");
	assert_string_equal(plain, "linux-image-7.2.13+deb14-powerpc64le 7.2.13-1");
	meta = choose(&p, "linux-image-powerpc64le", "ppc64le");
	assert_string_equal(meta, plain);
	big = choose(&p, "7.2-64k", "ppc64le");
	assert_string_equal(big, "linux-image-7.2.13+deb14-powerpc64le-64k 7.2.13-1");
	n = packages_parts(&p, packages_named(&p, "linux-image-7.2.13+deb14-powerpc64le"), parts);
	assert_int_equal(n, 2);
	assert_string_equal(parts[0]->name, "linux-binary-7.2.13+deb14-powerpc64le");
	assert_string_equal(parts[1]->name, "linux-base-7.2.13+deb14-powerpc64le");
	packages_finish(&p);

	p = bookworm();
	n = packages_parts(&p, packages_named(&p, "linux-image-6.1.0-50-amd64"), parts);
	assert_int_equal(n, 1);
	assert_string_equal(parts[0]->name, "linux-image-6.1.0-50-amd64");
	packages_finish(&p);
}

static void assert_missing(const struct packages *p, const char *name, const char *arch,
			   const char *sentence)
{
	struct error err = ERROR_INIT;
	struct package_request r;

	assert_int_equal(package_request_parse(name, &r, NULL), 0);
	assert_int_equal(packages_explain_missing(p, &r, arch, &err), -ENOENT);
	assert_string_equal(error_text(&err), sentence);
	package_request_finish(&r);
	error_finish(&err);
}

static void test_missing(void **state)
{
	struct packages p = bookworm(), none = { 0 };

	(void)state;
	assert_missing(&p, "linux-image-6.1.0-40-amd64", "x86_64",
		       "linux-image-6.1.0-40-amd64 is no longer in the archive; the newest of its "
		       "series is linux-image-6.1.0-57-amd64: use debian:6.1");
	assert_missing(&p, "linux-image-6.1.0-40-rt-amd64", "x86_64",
		       "linux-image-6.1.0-40-rt-amd64 is no longer in the archive; the newest of "
		       "its series is linux-image-6.1.0-57-rt-amd64: use debian:6.1-rt");
	assert_missing(&p, "5.10-rt", "x86_64",
		       "apt offers no Debian kernel 5.10-rt for x86_64; it has debian:6.12, "
		       "debian:6.1, debian:6.1-cloud, debian:6.1-rt");
	assert_missing(&p, "linux-image-foo", "x86_64",
		       "apt offers no kernel package linux-image-foo for x86_64; it has "
		       "debian:6.12, debian:6.1, debian:6.1-cloud, debian:6.1-rt");
	assert_missing(&none, "", "riscv64",
		       "no suite that was read has kernel packages for riscv64: use another arch=, "
		       "or name other suites in the file suites, see ktoll(1)");
	packages_finish(&p);
}

static void test_requests(void **state)
{
	static const char *const bad[] = { "foo",	 "6.1/..",     "linux-image-../x",
					   "6.1\t",	 "linux-base", "linux-image-a b",
					   "6.1 -o X=Y", "-rt",	       "linux-image-A;" };
	struct package_request r;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct error err = ERROR_INIT;

		assert_int_equal(package_request_parse(bad[i], &r, &err), -EINVAL);
		assert_int_equal(err.blame, ERROR_USAGE);
		error_finish(&err);
	}
	assert_int_equal(package_request_parse("6.13-rc3-cloud", &r, NULL), 0);
	assert_string_equal(r.series, "6.13-rc3");
	assert_string_equal(r.flavour, "cloud");
	package_request_finish(&r);
}

static void test_any_bytes(void **state)
{
	static const char odd[] = "\n\n\nPackage: linux-image-6.1.0-1-amd64\nVersion: ../../x\n\n"
				  "Package: linux-image-../1-amd64\nVersion: 1\n\n"
				  "Package: linux-image-6.1.0-2-amd64\n\n"
				  "Package: linux-image-\nVersion: 1\nSize: -5\n\n"
				  "Package: linux-image-6.1.0-\nVersion: 1\nSize: "
				  "99999999999999999999\n\n"
				  "Package: linux-image-6.1.0-3-amd64\nVersion: 1\nDepends: "
				  "linux-image-6.1.0-3-amd64\n\nPackage: linux-\0\xff\n:\nVersion";
	struct packages p = { 0 };
	struct package_request r = { .kind = REQUEST_PACKAGE,
				     .package = (char *)"linux-image-6.1.0-3-amd64" };

	(void)state;
	packages_parse(odd, sizeof(odd) - 1, "x", &p);
	assert_int_equal(p.n, 3);
	/* One that depends on itself is followed, but not for ever. */
	assert_null(packages_choose(&p, &r, "x86_64"));
	packages_finish(&p);
	for (size_t n = 0; n < sizeof(odd); n++) {
		char *exact = xmemdup(odd, n);

		packages_parse(exact, n, "x", &p);
		packages_finish(&p);
		free(exact);
	}
}

/* ---- apt's sources ---- */

static char *selected(const struct apt_sources *all, const char *codename, bool is_debian)
{
	struct apt_sources s = { 0 };
	struct str text = STR_INIT;

	apt_sources_select(all, codename, is_debian, &s);
	for (size_t i = 0; i < s.n; i++)
		str_addf(&text, "%s %s\n", s.v[i].uri, s.v[i].suite);
	apt_sources_finish(&s);
	return str_take(&text);
}

static void test_one_line_sources(void **state)
{
	static const char text[] =
		"# deb http://mirror.example/debian bookworm main\n"
		"deb http://mirror.example/debian/ bookworm main contrib # ours\n"
		"deb-src http://mirror.example/debian/ bookworm main\n"
		"deb [arch=amd64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg,/x.gpg "
		"check-valid-until=no] http://security.example/any bookworm-security main\n"
		"deb\thttp://mirror.example/debian/   bookworm-updates main\n"
		"deb http://mirror.example/debian/ trixie main\n"
		"deb http://mirror.example/debian/ bookworm-proposed-updates main\n"
		"deb [signed-by=/etc/apt/keyrings/docker.asc] http://docker.example/linux/debian "
		"bookworm stable\n"
		"deb [signed-by=/usr/share/keyrings/vendor.gpg] http://vendor.example/debian "
		"bookworm main\n"
		"deb http://hashi.example bookworm main\n"
		"deb http://vendor.example/debian/12/prod bookworm main\n"
		"deb [broken\ndeb\ndeb http://x\ndeb http://x y\n";
	struct apt_sources all = { 0 }, s = { 0 };
	_cleanup_strv_ struct strv lacking = { 0 };
	_cleanup_free_ char *got = NULL, *file = NULL;

	(void)state;
	apt_sources_parse_list(text, &all);
	got = selected(&all, "bookworm", true);
	assert_string_equal(got, "http://mirror.example/debian/ bookworm\n"
				 "http://security.example/any bookworm-security\n"
				 "http://mirror.example/debian/ bookworm-updates\n"
				 "http://mirror.example/debian/ bookworm-backports\n");
	apt_sources_select(&all, "bookworm", true, &s);
	assert_true(apt_sources_lacking(&s,
					"E: The repository 'http://mirror.example/debian "
					"bookworm-backports Release' does not have a Release file.\n",
					&lacking));
	file = apt_sources_format(&s, &lacking);
	assert_string_equal(file, "Types: deb\nURIs: http://mirror.example/debian/\n"
				  "Suites: bookworm\nComponents: main\nTargets: Packages\n\n"
				  "Types: deb\nURIs: http://security.example/any\n"
				  "Suites: bookworm-security\nComponents: main\nTargets: Packages\n"
				  "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg "
				  "/x.gpg\nCheck-Valid-Until: no\n\n"
				  "Types: deb\nURIs: http://mirror.example/debian/\n"
				  "Suites: bookworm-updates\nComponents: main\n"
				  "Targets: Packages\n\n");
	apt_sources_finish(&s);
	apt_sources_finish(&all);
}

static void test_deb822_sources(void **state)
{
	static const char text[] =
		"Types: deb deb-src\n"
		"# http://snapshot.example/archive/debian/20250520T000000Z\n"
		"URIs: http://mirror.example/debian\n"
		"Suites: bookworm bookworm-updates\n bookworm-backports\n"
		"Components: main\n"
		"Signed-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc\n\n"
		"types: deb\n"
		"uris: http://snapshot.example/archive/debian-security/20250520T000000Z/\n"
		"suites: bookworm-security\ncomponents: main\n\n"
		"Enabled: no\nTypes: deb\nURIs: http://off.example/debian\nSuites: bookworm\n"
		"Components: main\n\n"
		" stray\n\nTypes: deb\nURIs: http://node.example\nSuites: nodistro\n"
		"Components: main\n";
	struct apt_sources all = { 0 }, s = { 0 }, again = { 0 };
	_cleanup_free_ char *got = NULL, *file = NULL, *file_again = NULL;

	(void)state;
	apt_sources_parse_deb822(text, &all);
	got = selected(&all, "bookworm", true);
	assert_string_equal(
		got, "http://mirror.example/debian bookworm\n"
		     "http://mirror.example/debian bookworm-updates\n"
		     "http://mirror.example/debian bookworm-backports\n"
		     "http://snapshot.example/archive/debian-security/20250520T000000Z/ "
		     "bookworm-security\n");
	apt_sources_select(&all, "bookworm", true, &s);
	file = apt_sources_format(&s, NULL);
	assert_non_null(
		strstr(file, "Signed-By: \n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc\n"));
	/* What is written is read back as the same. */
	apt_sources_parse_deb822(file, &again);
	file_again = apt_sources_format(&again, NULL);
	assert_string_equal(file, file_again);
	apt_sources_finish(&again);
	apt_sources_finish(&s);
	apt_sources_finish(&all);
}

static void test_other_releases(void **state)
{
	struct apt_sources all = { 0 };
	_cleanup_free_ char *stable = NULL, *sid = NULL, *mirror = NULL, *derived = NULL,
			    *none = NULL;

	(void)state;
	apt_sources_parse_list("deb http://mirror.example/debian stable main\n"
			       "deb http://chrome.example/deb/ stable main\n",
			       &all);
	stable = selected(&all, "bookworm", true);
	assert_string_equal(stable, "http://mirror.example/debian stable\n"
				    "http://mirror.example/debian stable-backports\n");
	apt_sources_finish(&all);

	apt_sources_parse_list("deb http://mirror.example/debian sid main\n", &all);
	sid = selected(&all, NULL, true);
	assert_string_equal(sid, "http://mirror.example/debian sid\n");
	apt_sources_finish(&all);

	apt_sources_parse_list("deb [signed-by=/k.gpg] http://own.example/mirror bookworm main\n",
			       &all);
	mirror = selected(&all, "bookworm", true);
	assert_string_equal(mirror, "http://own.example/mirror bookworm\n"
				    "http://own.example/mirror bookworm-backports\n");
	derived = selected(&all, "bookworm", false);
	assert_string_equal(derived, "");
	apt_sources_finish(&all);
	none = selected(&all, "bookworm", true);
	assert_string_equal(none, "");
}

static void test_os_release(void **state)
{
	static const char text[] = "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"
				   "VERSION_CODENAME=bookworm\nID='debian'\nEMPTY=\n";
	_cleanup_free_ char *codename = os_release_value(text, "VERSION_CODENAME");
	_cleanup_free_ char *id = os_release_value(text, "ID");
	_cleanup_free_ char *pretty = os_release_value(text, "PRETTY_NAME");

	(void)state;
	assert_string_equal(codename, "bookworm");
	assert_string_equal(id, "debian");
	assert_string_equal(pretty, "Debian GNU/Linux 12 (bookworm)");
	assert_null(os_release_value(text, "EMPTY"));
	assert_null(os_release_value(text, "NAME"));
}

static void assert_explained(const char *said, int rc, const char *part)
{
	struct error err = ERROR_INIT;

	assert_int_equal(apt_explain("fetch x", said, &err), rc);
	if (!strstr(error_text(&err), part))
		fail_msg("%s", error_text(&err));
	error_finish(&err);
}

static void test_apt_explain(void **state)
{
	(void)state;
	assert_explained("W: a\nE: Failed to fetch http://m/x.deb  404  Not Found [IP: 1 80]\n",
			 -ENOENT, "404  Not Found");
	assert_explained("E: Failed to fetch http://m/x  Temporary failure resolving 'm'\n",
			 -ENETUNREACH,
			 "cannot fetch x without a network (Temporary failure resolving 'm')");
	assert_explained("E: Write error - write (28: No space left on device)\n", -ENOSPC,
			 "the disk is full");
	/* What is not signed by a known key is an error, whatever else went wrong. */
	assert_explained("E: The repository 'http://m nosuch Release' does not have a Release file.\n"
			 "W: GPG error: http://m testing InRelease: The following signatures "
			 "couldn't be verified because the public key is not available: NO_PUBKEY "
			 "6ED0E7B82643E131\n",
			 -ENOKEY, "install a newer debian-archive-keyring");
	assert_explained("E: Something \033[1modd\n", -EIO, "apt-get says: Something ?[1modd");
	assert_explained("", -EIO, "apt-get says: nothing");
}

/* ---- the index ---- */

static void test_index(void **state)
{
	static const char text[] = "rubbish\nx86_64\t6.1\tp\n\t\t\t\t\n"
				   "x86_64\t6.1\tlinux-a\t1\tnever\n"
				   "x86_64\t6.1\tlinux-a\t1\t100\textra\n"
				   "x86_64\t6.1\tlinux-a\t1\t100\n"
				   "x86_64\t\tlinux-b\t2\t200\n"
				   "ppc64le\t6.1\tlinux-c\t3\t300";
	struct debindex_entry e, new = { .arch = (char *)"x86_64",
					 .name = (char *)"6.1",
					 .package = (char *)"linux-d",
					 .version = (char *)"4",
					 .time_s = 400 };
	_cleanup_free_ char *replaced = NULL;

	(void)state;
	assert_int_equal(debindex_find(text, "x86_64", "6.1", &e), 0);
	assert_string_equal(e.package, "linux-a");
	assert_string_equal(e.version, "1");
	assert_int_equal(e.time_s, 100);
	debindex_entry_finish(&e);
	assert_int_equal(debindex_find(text, "x86_64", "", &e), 0);
	assert_string_equal(e.package, "linux-b");
	debindex_entry_finish(&e);
	assert_int_equal(debindex_find(text, "ppc64le", "6.1", &e), 0);
	debindex_entry_finish(&e);
	assert_int_equal(debindex_find(text, "x86_64", "6", &e), -ENOENT);
	assert_int_equal(debindex_find("", "x86_64", "6.1", &e), -ENOENT);

	replaced = debindex_replace(text, &new);
	assert_int_equal(debindex_find(replaced, "x86_64", "6.1", &e), 0);
	assert_string_equal(e.package, "linux-d");
	debindex_entry_finish(&e);
	assert_int_equal(debindex_find(replaced, "x86_64", "", &e), 0);
	debindex_entry_finish(&e);
	assert_null(strstr(replaced, "linux-a"));
	assert_null(strstr(replaced, "rubbish"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_choose),
		cmocka_unit_test(test_split_packages),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_any_bytes),
		cmocka_unit_test(test_one_line_sources),
		cmocka_unit_test(test_deb822_sources),
		cmocka_unit_test(test_other_releases),
		cmocka_unit_test(test_os_release),
		cmocka_unit_test(test_apt_explain),
		cmocka_unit_test(test_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
