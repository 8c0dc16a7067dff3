/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Roots for guests: from packages made here to an image, files of this machine with their
 * libraries, and the cache, with a script in apt-get's place.
 */
#include <elf.h>
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
#include "guest/hostfiles.h"
#include "guest/root.h"
#include "guest/rootimage.h"
#include "makedeb.h"

/* ---- an image's members, a line each: "100755 usr/bin/dash=TEXT", "120777 bin>usr/bin" ---- */

static char *listing(const char *path)
{
	struct archive *a = archive_read_new();
	struct archive_entry *e;
	struct str text = STR_INIT;

	archive_read_support_format_cpio(a);
	assert_int_equal(archive_read_open_filename(a, path, 4096), ARCHIVE_OK);
	str_add(&text, "\n");
	while (archive_read_next_header(a, &e) == ARCHIVE_OK) {
		char bytes[1000] = { 0 };

		str_addf(&text, "%o %s", archive_entry_mode(e), archive_entry_pathname(e));
		assert_int_equal(archive_entry_mtime(e), 0);
		assert_int_equal(archive_entry_uid(e), 0);
		if (archive_entry_symlink(e))
			str_addf(&text, ">%s", archive_entry_symlink(e));
		else if (archive_entry_size(e) && archive_entry_size(e) < (int64_t)sizeof(bytes)) {
			assert_true(archive_read_data(a, bytes, sizeof(bytes)) > 0);
			str_addf(&text, "=%s", bytes);
		}
		str_add(&text, "\n");
	}
	archive_read_free(a);
	return str_take(&text);
}

static void assert_has(const char *list, const char *line)
{
	_cleanup_free_ char *whole = xasprintf("\n%s\n", line);

	if (!strstr(list, whole))
		fail_msg("no %s in:%s", line, list);
}

static void assert_lacks(const char *list, const char *part)
{
	if (strstr(list, part))
		fail_msg("%s in:%s", part, list);
}

/* Writes image `name`; its listing, owned by the caller, and its sum. */
static char *write_image(const char *name, const struct strv *debs, const struct host_files *host,
			 char **ret_sha256)
{
	_cleanup_free_ char *path = at(name);
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	uint64_t n_bytes;
	struct stat st;

	assert_int_equal(rootimage_write(fd, path, debs, host, ret_sha256, &n_bytes, NULL), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, n_bytes);
	assert_int_equal(n_bytes % 512, 0);
	return listing(path);
}

#define DIR(name, mode) { name, S_IFDIR | (mode), NULL, NULL }
#define FILE_(name, text) { name, S_IFREG | 0644, NULL, text }
#define LINK(name, target) { name, S_IFLNK | 0777, target, NULL }

static const struct deb_member one[] = {
	DIR("./", 0755),
	DIR("./bin", 0755),
	{ "./bin/dash", S_IFREG | 04755, NULL, "dash" },
	LINK("./bin/also", "dash"),
	{ "./usr/bin/hard", S_IFREG | 04755, "./bin/dash", NULL },
	DIR("./lib/x86_64-linux-gnu", 0755),
	FILE_("./lib/x86_64-linux-gnu/libx.so.1", "libx"),
	FILE_("./lib64/ld.so", "ld"),
	FILE_("./usr/lib/x86_64-linux-gnu/libx.a", "no"),
	FILE_("./usr/lib/gcc/x86_64-linux-gnu/12/libgcc.a", "libgcc"),
	FILE_("./usr/lib/gcc/x86_64-linux-gnu/12/crtbegin.o", "crt"),
	FILE_("./usr/lib/gcc/x86_64-linux-gnu/12/lto1", "no"),
	FILE_("./usr/lib/gcc/x86_64-linux-gnu/12/lto-wrapper", "wrapper"),
	FILE_("./usr/lib/x86_64-linux-gnu/gconv/A.so", "no"),
	FILE_("./usr/lib/x86_64-linux-gnu/libasan.so.8.0.0", "no"),
	FILE_("./usr/lib/x86_64-linux-gnu/libgprofng.so.0", "no"),
	FILE_("./usr/bin/x86_64-linux-gnu-ld.gold", "no"),
	FILE_("./usr/bin/x86_64-linux-gnu-ld.bfd", "bfd"),
	FILE_("./usr/lib/x86_64-linux-gnu/perl/5.36.0/CORE/perl.h", "no"),
	FILE_("./usr/lib/x86_64-linux-gnu/perl/5.36.0/auto/Encode/JP/JP.so", "no"),
	FILE_("./usr/lib/x86_64-linux-gnu/perl/5.36.0/auto/Encode/Encode.so", "encode"),
	FILE_("./usr/share/perl/5.36.0/Unicode/Collate/allkeys.txt", "no"),
	FILE_("./usr/lib/python3.11/pydoc_data/topics.py", "no"),
	FILE_("./usr/lib/python3.11/os.py", "os"),
	FILE_("./lib/modules/6.1/a.ko", "no"),
	DIR("./usr/share/doc/one", 0755),
	FILE_("./usr/share/doc/one/copyright", "no"),
	FILE_("./usr/share/documents/one", "yes"),
	FILE_("./etc/one.conf", "conf"),
	FILE_("./usr/bin/\xc5\x91", "not ASCII"),
	{ "./dev/null", S_IFCHR | 0666, NULL, NULL },
};

static const struct deb_member two[] = {
	DIR("./var/run/two", 0700),
	DIR("./var/lib/two/deep", 0750),
	FILE_("./etc/one.conf", "not this one"),
	FILE_("./usr/bin/mawk", "mawk"),
	FILE_("./usr/bin/gcc", "gcc"),
	FILE_("./usr/bin/cc", "its own"),
	FILE_("./usr/sbin/nginx", "nginx"),
	FILE_("./etc/nginx/sites-available/default", "site"),
	DIR("./etc/nginx/sites-enabled", 0755),
};

static void make_two(struct strv *debs)
{
	strv_addf(debs, "%s/one.deb", top);
	strv_addf(debs, "%s/two.deb", top);
	make_deb(debs->v[0], "xz", one, ARRAY_SIZE(one), 0);
	make_deb(debs->v[1], "zstd", two, ARRAY_SIZE(two), 0);
}

static void test_image(void **state)
{
	static const char *const lines[] = {
		"120777 bin>usr/bin", "120777 sbin>usr/sbin", "120777 lib>usr/lib",
		"120777 lib64>usr/lib64", "120777 var/run>../run", "120777 var/lock>../run/lock",
		"41777 tmp", "40555 proc", "104755 usr/bin/dash=dash", "120777 usr/bin/also>dash",
		"120777 usr/bin/hard>/usr/bin/dash", "120777 usr/bin/sh>dash",
		"100644 usr/lib/x86_64-linux-gnu/libx.so.1=libx", "100644 usr/lib64/ld.so=ld",
		"100644 usr/lib/gcc/x86_64-linux-gnu/12/libgcc.a=libgcc",
		"100644 usr/lib/gcc/x86_64-linux-gnu/12/crtbegin.o=crt",
		"100644 usr/lib/gcc/x86_64-linux-gnu/12/lto-wrapper=wrapper",
		"100644 usr/bin/x86_64-linux-gnu-ld.bfd=bfd",
		"100644 usr/lib/x86_64-linux-gnu/perl/5.36.0/auto/Encode/Encode.so=encode",
		"100644 usr/lib/python3.11/os.py=os",
		"100644 usr/share/documents/one=yes", "100644 etc/one.conf=conf",
		"100644 usr/bin/\xc5\x91=not ASCII", "40700 run/two", "40755 var/lib/two",
		"40750 var/lib/two/deep", "120777 usr/bin/awk>mawk", "100644 usr/bin/cc=its own",
		"40755 var/log/nginx",
		"120777 etc/nginx/sites-enabled/default>/etc/nginx/sites-available/default",
		"100644 etc/hosts=127.0.0.1\tlocalhost\n::1\tip6-localhost\n",
	};
	static const char *const absent[] = { "=no\n", "=not this", "share/doc/", "share/doc\n", "modules", " dev/null",
					      " bin/", " lib/", "usr/bin/c++", "usr/bin/nc" };
	_cleanup_free_ char *list = NULL, *again = NULL, *a = NULL, *b = NULL, *c = NULL;
	_cleanup_strv_ struct strv debs = { 0 };
	struct host_files none = { 0 };

	(void)state;
	make_two(&debs);
	list = write_image("a.cpio", &debs, &none, &a);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_has(list, lines[i]);
	assert_non_null(strstr(list, "www-data:x:33:33"));
	for (size_t i = 0; i < ARRAY_SIZE(absent); i++)
		assert_lacks(list, absent[i]);
	/* Parents come first. */
	assert_true(strstr(list, " var/lib/two\n") < strstr(list, " var/lib/two/deep\n"));
	again = write_image("b.cpio", &debs, &none, &b);
	assert_string_equal(list, again);
	assert_string_equal(a, b);
	/* Without the second, it is another. */
	debs.n--;
	free(again);
	again = write_image("b.cpio", &debs, &none, &c);
	debs.n++;
	assert_string_not_equal(a, c);
	assert_lacks(again, "nginx");
}

static void test_broken_package(void **state)
{
	_cleanup_strv_ struct strv debs = { 0 };
	_cleanup_close_ int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct host_files none = { 0 };
	char *sha256 = NULL;
	uint64_t n_bytes;

	(void)state;
	make_two(&debs);
	make_deb(debs.v[1], "xz", two, ARRAY_SIZE(two), 80);
	assert_int_equal(rootimage_write(fd, "x", &debs, &none, &sha256, &n_bytes, NULL), -EBADMSG);
	assert_null(sha256);
}

/* ---- files of this machine ---- */

/* The smallest program that needs libraries: one segment, with a dynamic section. */
static void put_elf(const char *name, unsigned machine, const char *needed, const char *folders)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr load, dynamic;
		Elf64_Dyn dyn[4];
		char strings[200];
	} f = { .header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_DYN,
			    .e_machine = (Elf64_Half)machine,
			    .e_version = EV_CURRENT,
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 2 } };
	_cleanup_free_ char *path = at(name);
	char *slash = strrchr(path, '/');

	*slash = 0;
	assert_int_equal(dir_make(path, NULL), 0);
	*slash = '/';
	f.header.e_phoff = offsetof(typeof(f), load);
	f.load = (Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = 0x10000, .p_filesz = sizeof(f) };
	f.dynamic = (Elf64_Phdr){ .p_type = PT_DYNAMIC,
				  .p_offset = offsetof(typeof(f), dyn),
				  .p_filesz = sizeof(f.dyn) };
	f.dyn[0] = (Elf64_Dyn){ .d_tag = needed ? DT_NEEDED : DT_DEBUG, .d_un.d_val = 1 };
	f.dyn[1] = (Elf64_Dyn){ .d_tag = folders ? DT_RUNPATH : DT_DEBUG, .d_un.d_val = 100 };
	f.dyn[2] = (Elf64_Dyn){ .d_tag = DT_STRTAB,
				.d_un.d_ptr = 0x10000 + offsetof(typeof(f), strings) };
	strcpy(f.strings + 1, needed ? needed : "");
	strcpy(f.strings + 100, folders ? folders : "");
	assert_int_equal(file_write(path, &f, sizeof(f), NULL), 0);
}

static void assert_host_refused(const char *path, int rc, const char *part)
{
	_cleanup_strv_ struct strv paths = { 0 };
	_cleanup_error_ struct error err = ERROR_INIT;
	struct host_files files = { 0 };

	strv_add(&paths, path);
	assert_int_equal(host_files_read("riscv64", &paths, &files, &err), rc);
	if (!strstr(error_text(&err), part))
		fail_msg("%s", error_text(&err));
}

static void test_host_files(void **state)
{
	_cleanup_free_ char *program = at("app/bin/../bin//prog"), *plain = at("app/bin/prog");
	_cleanup_free_ char *decoy = at("app/bin/liby.so"), *y = at("app/lib/liby.so");
	_cleanup_free_ char *z = at("app/lib/libz.so"), *script_path = at("app/script");
	_cleanup_free_ char *foreign = at("app/foreign"), *lacking = at("app/lacking");
	_cleanup_strv_ struct strv paths = { 0 };
	struct host_files files = { 0 };

	(void)state;
	put_elf("app/bin/prog", EM_RISCV, "liby.so", "$ORIGIN:${ORIGIN}/../lib");
	put_elf("app/bin/liby.so", EM_X86_64, NULL, NULL);
	put_elf("app/lib/liby.so", EM_RISCV, "libz.so", "$ORIGIN");
	put_elf("app/lib/libz.so", EM_RISCV, "liby.so", "$ORIGIN");
	put_elf("app/foreign", EM_X86_64, NULL, NULL);
	put_elf("app/lacking", EM_RISCV, "libnowhere.so.7", NULL);
	put("app/script", "#!/bin/sh\n");
	strv_add(&paths, program);
	strv_add(&paths, script_path);
	assert_int_equal(host_files_read("riscv64", &paths, &files, NULL), 0);
	assert_int_equal(files.n, 4);
	assert_string_equal(files.v[0].path, plain);
	assert_false(files.v[0].is_library);
	assert_string_equal(files.v[1].path, script_path);
	assert_string_equal(files.v[1].bytes, "#!/bin/sh\n");
	/* Not the one of another architecture that comes first. */
	assert_string_equal(files.v[2].path, y);
	assert_true(files.v[2].is_library);
	assert_string_equal(files.v[3].path, z);
	host_files_finish(&files);

	assert_host_refused(foreign, -EINVAL, "guest of riscv64: it is a program for x86_64");
	assert_host_refused(lacking, -ENOENT, "it needs libnowhere.so.7, which is nowhere");
	assert_host_refused("/nonexistent", -ENOENT, "cannot put /nonexistent into the guest");
	assert_host_refused("/dev/null", -EINVAL, "it has a /dev/ of its own");
	assert_host_refused("relative", -EINVAL, "a path from / on");
	assert_host_refused("/tmp", -EINVAL, "it is no file");
}

/* What was asked for wins over a package, and a package over what comes along. */
static void test_host_in_image(void **state)
{
	static const struct host_file v[] = {
		{ (char *)"/bin/mawk", 0755, (char *)"mine", 4, false },
		{ (char *)"/opt/new/prog", 0700, (char *)"prog", 4, false },
		{ (char *)"/lib/x86_64-linux-gnu/libx.so.1", 0644, (char *)"mine", 4, true },
		{ (char *)"/lib/x86_64-linux-gnu/liby.so.1", 0644, (char *)"liby", 4, true },
	};
	struct host_files host = { .v = (struct host_file *)v, .n = ARRAY_SIZE(v) };
	_cleanup_free_ char *list = NULL, *sha256 = NULL;
	_cleanup_strv_ struct strv debs = { 0 };

	(void)state;
	make_two(&debs);
	list = write_image("a.cpio", &debs, &host, &sha256);
	assert_has(list, "100755 usr/bin/mawk=mine");
	assert_has(list, "40755 opt/new");
	assert_has(list, "100700 opt/new/prog=prog");
	assert_has(list, "100644 usr/lib/x86_64-linux-gnu/libx.so.1=libx");
	assert_has(list, "100644 usr/lib/x86_64-linux-gnu/liby.so.1=liby");
	assert_lacks(list, "usr/bin/mawk=mawk");
}

/* ---- the cache ---- */

/*
 * In $FAKE: `uris` is what an installation would fetch, from `debs`; `fails` what all but that
 * complains about; there is no package wrk, and only further suites have riscv64.
 */
static const char script[] =
	"#!/bin/sh\n"
	"dir=$(dirname \"$2\") group=release\n"
	"case $dir in *-further) group=further ;; esac\n"
	"for word; do case $word in Dir::Cache::archives=*) to=${word#*=} ;; esac; done\n"
	"case $* in\n"
	"*' update')\n"
	"	echo \"update $group\" >>\"$FAKE/log\"\n"
	"	if [ -e \"$FAKE/fails\" ]; then cat \"$FAKE/fails\" >&2; exit 100; fi ;;\n"
	"*' wrk'*) echo 'E: Unable to locate package wrk' >&2; exit 100 ;;\n"
	"*lists-riscv64/*) echo 'E: Unable to locate package coreutils' >&2; exit 100 ;;\n"
	"*' --print-uris '*) cat \"$FAKE/uris\" ;;\n"
	"*' --download-only '*)\n"
	"	echo \"download ${*#* install } from $group\" >>\"$FAKE/log\"\n"
	"	if [ -e \"$FAKE/fails\" ]; then cat \"$FAKE/fails\" >&2; exit 100; fi\n"
	"	[ -d \"$to/partial\" ] && cp \"$FAKE\"/debs/*.deb \"$to\" ;;\n"
	"esac\n";

#define OFFLINE "E: Failed to fetch http://m  Temporary failure resolving 'm'\n"
#define URI_ONE "'http://m/one_1.deb' one_1%3a1.0-1_amd64.deb 100 SHA256:11\n"
#define URI_TWO "'http://m/two_2.deb' two_2_all.deb 200 SHA256:22\n"
#define BASE "coreutils dash mawk netbase"

/* `host_file` and `package` may be NULL. */
static struct root found_with(const char *arch, const char *package, const char *host_file)
{
	_cleanup_strv_ struct strv packages = { 0 }, host = { 0 };
	_cleanup_error_ struct error err = ERROR_INIT;
	struct root r = { 0 };

	if (package)
		strv_add(&packages, package);
	if (host_file)
		strv_add(&host, host_file);
	str_finish(&told);
	if (root_find(arch, &packages, &host, tell, NULL, &r, &err) < 0)
		fail_msg("%s", error_text(&err));
	assert_true(file_exists(r.path));
	return r;
}

static struct root found(const char *arch, const char *package)
{
	return found_with(arch, package, NULL);
}

static void assert_failed(const char *package, int rc, const char *part)
{
	_cleanup_strv_ struct strv packages = { 0 }, host = { 0 };
	_cleanup_error_ struct error err = ERROR_INIT;
	struct root r = { 0 };

	strv_add(&packages, package);
	assert_int_equal(root_find("x86_64", &packages, &host, tell, NULL, &r, &err), rc);
	if (!strstr(error_text(&err), part))
		fail_msg("%s", error_text(&err));
	assert_null(r.path);
}

static void next_day(void)
{
	age("", 25 * 3600);
	age_index("ktoll/roots/x86_64/index");
}

static int start(void **state)
{
	_cleanup_free_ char *debs = at("debs");
	_cleanup_free_ char *first = at("debs/one_1%3a1.0-1_amd64.deb"), *second = at("debs/two_2_all.deb");
	_cleanup_free_ char *fails = at("fails"), *log = at("log");

	(void)state;
	fake_start(script);
	unlink(fails);
	unlink(log);
	assert_int_equal(dir_make(debs, NULL), 0);
	make_deb(first, "xz", one, ARRAY_SIZE(one), 0);
	make_deb(second, "", two, ARRAY_SIZE(two), 0);
	put("uris", "Reading lists\n" URI_TWO URI_ONE);
	return 0;
}

static unsigned mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 07777;
}

/* Programs of the host are for their owner: a root, and those that lie there from before. */
static void test_modes(void **state)
{
	_cleanup_free_ char *roots = at("ktoll/roots"), *arch = at("ktoll/roots/x86_64");
	struct root r;

	(void)state;
	assert_int_equal(dir_make(arch, NULL), 0);
	assert_int_equal(chmod(roots, 0755), 0);
	r = found("x86_64", "mawk");
	assert_int_equal(mode_of(r.path), 0600);
	assert_int_equal(mode_of(roots), 0700);
	root_finish(&r);
}

static void test_find(void **state)
{
	_cleanup_free_ char *list = NULL, *bytes = NULL, *tmp = at("ktoll/roots/x86_64/tmp");
	struct root a, b;
	size_t n;

	(void)state;
	a = found("x86_64", "mawk");
	assert_asked("update release,download " BASE " from release,");
	assert_int_equal(a.versions.n, 2);
	assert_string_equal(a.versions.v[0], "one 1:1.0-1");
	assert_string_equal(a.versions.v[1], "two 2");
	assert_int_equal(strlen(a.id), 64);
	assert_int_equal(file_read(a.path, &bytes, &n, NULL), 0);
	assert_int_equal(a.n_bytes, n);
	list = listing(a.path);
	assert_has(list, "100644 etc/one.conf=conf");
	assert_false(file_exists(tmp));
	/* Known for a day: nobody is asked. mawk is there anyway. */
	b = found("x86_64", NULL);
	assert_asked("");
	assert_string_equal(a.id, b.id);
	assert_string_equal(a.path, b.path);
	root_finish(&b);
	/* Another request that comes to the same packages is the same root. */
	b = found("x86_64", "two");
	assert_asked("");
	assert_string_equal(a.path, b.path);
	root_finish(&b);
	root_finish(&a);
}

static void test_host_changes(void **state)
{
	_cleanup_free_ char *path = at("tool"), *list = NULL;
	_cleanup_free_ char *line = xasprintf("100644 %s=second", path + 1);
	struct root a, b;

	(void)state;
	put("tool", "first");
	a = found_with("x86_64", NULL, path);
	b = found_with("x86_64", NULL, path);
	assert_string_equal(a.path, b.path);
	assert_asked("update release,download " BASE " from release,");
	root_finish(&b);
	/* The same packages, another root at once. */
	put("tool", "second");
	b = found_with("x86_64", NULL, path);
	assert_asked("download " BASE " from release,");
	assert_string_not_equal(a.id, b.id);
	list = listing(b.path);
	assert_has(list, line);
	root_finish(&a);
	root_finish(&b);
}

static void test_next_day(void **state)
{
	struct root a, b;

	(void)state;
	a = found("x86_64", NULL);
	assert_asked("update release,download " BASE " from release,");
	next_day();
	b = found("x86_64", NULL);
	assert_asked("update release,");
	assert_string_equal(a.path, b.path);
	root_finish(&b);
	/* Newer packages. */
	next_day();
	put("uris", URI_TWO);
	b = found("x86_64", NULL);
	assert_asked("update release,download " BASE " from release,");
	assert_string_not_equal(a.id, b.id);
	assert_int_equal(b.versions.n, 1);
	root_finish(&a);
	/* Another day, without a network. */
	next_day();
	put("fails", OFFLINE);
	a = found("x86_64", NULL);
	assert_string_equal(a.id, b.id);
	assert_non_null(strstr(str_text(&told), "without a network"));
	assert_non_null(strstr(str_text(&told), "using the guest's root of an earlier day"));
	root_finish(&a);
	root_finish(&b);
}

static void test_missing(void **state)
{
	(void)state;
	assert_failed("wrk", -ENOENT,
		      "cannot fetch packages for amd64, the archive does not have it: Unable to "
		      "locate package wrk");
	/* Other releases are not mixed in. */
	assert_asked("update release,");
	age("", 600);
	assert_failed("wrk", -ENOENT, "wrk");
	assert_asked("update release,");
	assert_failed("--help", -ENOENT, "there can be no package called --help");
	assert_failed("dash-", -ENOENT, "there can be no package called dash-");
	put("uris", "'http://m/x' ../x_1_all.deb 1 SHA256:1\n");
	assert_failed("x", -EIO, "what cannot be understood");
}

static void test_other_release(void **state)
{
	struct root a;

	(void)state;
	a = found("riscv64", NULL);
	assert_asked("update release,update further,download " BASE " from further,");
	root_finish(&a);
	a = found("riscv64", NULL);
	assert_asked("");
	root_finish(&a);
}

static void test_offline(void **state)
{
	(void)state;
	put("fails", OFFLINE);
	assert_failed("x", -ENETUNREACH, "cannot read the package lists without a network");
}

/* Nothing that is not whole gets its name. */
static void test_half(void **state)
{
	_cleanup_free_ char *second = at("debs/two_2_all.deb"), *index = at("ktoll/roots/x86_64/index");
	_cleanup_free_ char *tmp = at("ktoll/roots/x86_64/tmp");
	struct root a;

	(void)state;
	make_deb(second, "", two, ARRAY_SIZE(two), 700);
	assert_failed("x", -EBADMSG, "two_2_all.deb is not a usable package");
	assert_false(file_exists(index));
	assert_false(file_exists(tmp));
	make_deb(second, "", two, ARRAY_SIZE(two), 0);
	assert_asked("update release,download " BASE " x from release,");
	a = found("x86_64", "x");
	assert_asked("download " BASE " x from release,");
	root_finish(&a);
}

static int run(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_image),
		cmocka_unit_test(test_broken_package),
		cmocka_unit_test(test_host_files),
		cmocka_unit_test(test_host_in_image),
		cmocka_unit_test_setup(test_find, start), cmocka_unit_test_setup(test_modes, start),
		cmocka_unit_test_setup(test_host_changes, start),
		cmocka_unit_test_setup(test_next_day, start),
		cmocka_unit_test_setup(test_missing, start),
		cmocka_unit_test_setup(test_other_release, start),
		cmocka_unit_test_setup(test_offline, start),
		cmocka_unit_test_setup(test_half, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
	char template[] = "/tmp/ktoll-test-root-XXXXXX";

	return fake_run(template, run);
}
