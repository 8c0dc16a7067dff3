/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debian packages made here are read back, hostile ones refused; the initramfs is the same
 * bytes.
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
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "makedeb.h"
#include "sys/archive.h"
#include "sys/digest.h"

#define PACKAGE_PATH "/tmp/ktoll-test-archive-%d.deb"

static char package_path[64];

/* A package with `first` as its first member; `cut` bytes are missing at its end. */
static void make_package(const char *compression, const char *first, size_t cut)
{
	const struct deb_member members[] = {
		{ "./", S_IFDIR | 0755, NULL, NULL },
		{ first, S_IFREG | 0644, NULL, "first" },
		{ "./boot/config-6.1", S_IFREG | 0644, NULL, "CONFIG_A=y\n" },
		{ "./boot/vmlinuz-6.1", S_IFREG | 0600, NULL, "image" },
		{ "./vmlinuz", S_IFLNK | 0777, "boot/vmlinuz-6.1", NULL },
	};

	make_deb(package_path, compression, members, ARRAY_SIZE(members), cut);
}

static enum archive_answer take_all(void *data, struct archive_file *f)
{
	(void)data;
	(void)f;
	return ARCHIVE_TAKE;
}

static enum archive_answer take_config_only(void *data, struct archive_file *f)
{
	(void)data;
	if (str_has_prefix(f->name, "boot/vmlinuz"))
		return ARCHIVE_STOP;
	return str_has_prefix(f->name, "boot/config-") ? ARCHIVE_TAKE : ARCHIVE_SKIP;
}

static enum archive_answer config_to_fd(void *data, struct archive_file *f)
{
	f->to_fd = *(int *)data;
	return str_has_prefix(f->name, "boot/config-") ? ARCHIVE_TAKE : ARCHIVE_SKIP;
}

static void test_read(void **state)
{
	static const char *const compressions[] = { "", "xz", "gzip", "zstd" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(compressions); i++) {
		struct archive_files f = { 0 };

		make_package(compressions[i], "./usr/a..b", 0);
		assert_int_equal(archive_deb_read(package_path, take_all, NULL, &f, NULL), 0);
		assert_int_equal(f.n, 4);
		assert_string_equal(f.files[0].name, "usr/a..b");
		assert_string_equal(f.files[1].name, "boot/config-6.1");
		assert_string_equal(f.files[1].bytes, "CONFIG_A=y\n");
		assert_int_equal(f.files[1].size_bytes, 11);
		assert_int_equal(f.files[2].mode, S_IFREG | 0600);
		assert_string_equal(f.files[3].link, "boot/vmlinuz-6.1");
		assert_null(f.files[3].bytes);
		archive_files_finish(&f);
	}
}

static void test_choose(void **state)
{
	struct archive_files f = { 0 };
	char got[64] = { 0 };
	int fd = memfd_create("config", MFD_CLOEXEC);

	(void)state;
	make_package("xz", "./a", 0);
	assert_int_equal(archive_deb_read(package_path, take_config_only, NULL, &f, NULL), 0);
	assert_int_equal(f.n, 1);
	archive_files_finish(&f);
	assert_int_equal(archive_deb_read(package_path, config_to_fd, &fd, &f, NULL), 0);
	assert_int_equal(f.n, 1);
	assert_null(f.files[0].bytes);
	assert_int_equal(pread(fd, got, sizeof(got), 0), 11);
	assert_string_equal(got, "CONFIG_A=y\n");
	archive_files_finish(&f);
	close(fd);
	/* A full disk is told as one. */
	fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_int_equal(archive_deb_read(package_path, config_to_fd, &fd, &f, NULL), -ENOSPC);
	close(fd);
}

static void test_hostile(void **state)
{
	static const char *const names[] = { "../a",	 "./../a",	"a/../../b", "/etc/passwd",
					     "./a/..", "a/b/../c", ".." };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct archive_files f = { 0 };
		struct error err = ERROR_INIT;

		make_package("", names[i], 0);
		assert_int_equal(archive_deb_read(package_path, take_all, NULL, &f, &err),
				 -EBADMSG);
		assert_non_null(strstr(error_text(&err), "leads out of its folder"));
		assert_int_equal(f.n, 0);
		error_finish(&err);
	}
}

static void test_broken(void **state)
{
	static const size_t cuts[] = { 1, 60, 150 };
	struct archive_files f = { 0 };
	struct error err = ERROR_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cuts); i++) {
		make_package("xz", "./a", cuts[i] + 2);
		assert_int_equal(archive_deb_read(package_path, take_all, NULL, &f, NULL),
				 -EBADMSG);
	}
	assert_int_equal(file_write(package_path, "hello", 5, NULL), 0);
	assert_int_equal(archive_deb_read(package_path, take_all, NULL, &f, NULL), -EBADMSG);
	assert_int_equal(archive_deb_read("/nonexistent.deb", take_all, NULL, &f, &err), -ENOENT);
	assert_string_equal(error_text(&err),
			    "cannot read /nonexistent.deb: No such file or directory");
	error_finish(&err);
}

static void fill_cpio(struct cpio *c)
{
	cpio_add_dir(c, "dev", 0755);
	cpio_add_node(c, "dev/console", 0600, 5, 1);
	cpio_add_file(c, "/init", 0755, "#!/bin/sh\n", 10);
	cpio_add_file(c, "empty", 0644, NULL, 0);
	cpio_add_symlink(c, "sh", "init");
}

static void make_cpio(char **ret, size_t *ret_len)
{
	struct cpio *c = cpio_new();

	fill_cpio(c);
	assert_int_equal(cpio_finish(c, ret, ret_len, NULL), 0);
}

/* The field `i` of the newc header at `p`: 8 hex digits behind the magic. */
static unsigned long newc(const char *p, int i)
{
	char hex[9] = { 0 };

	memcpy(hex, p + 6 + 8 * i, 8);
	return strtoul(hex, NULL, 16);
}

static void test_cpio(void **state)
{
	/* ino mode uid gid nlink mtime size devmajor devminor rdevmajor rdevminor namesize */
	static const struct {
		const char *name;
		unsigned long mode, size, major, minor;
	} expected[] = { { "dev", 040755, 0, 0, 0 },	{ "dev/console", 020600, 0, 5, 1 },
			 { "init", 0100755, 10, 0, 0 }, { "empty", 0100644, 0, 0, 0 },
			 { "sh", 0120777, 4, 0, 0 },	{ "TRAILER!!!", 0, 0, 0, 0 } };
	_cleanup_free_ char *a = NULL, *b = NULL;
	size_t n_a, n_b, at = 0;

	(void)state;
	make_cpio(&a, &n_a);
	make_cpio(&b, &n_b);
	assert_int_equal(n_a, n_b);
	assert_memory_equal(a, b, n_a);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_true(at + 110 < n_a);
		assert_memory_equal(a + at, "070701", 6);
		assert_string_equal(a + at + 110, expected[i].name);
		if (i + 1 < ARRAY_SIZE(expected))
			assert_int_equal(newc(a + at, 0), i + 1);
		assert_int_equal(newc(a + at, 1), expected[i].mode);
		assert_int_equal(newc(a + at, 2), 0);
		assert_int_equal(newc(a + at, 5), 0);
		assert_int_equal(newc(a + at, 6), expected[i].size);
		assert_int_equal(newc(a + at, 9), expected[i].major);
		assert_int_equal(newc(a + at, 10), expected[i].minor);
		at += (110 + newc(a + at, 11) + 3) / 4 * 4;
		at += (expected[i].size + 3) / 4 * 4;
	}
	cpio_free(cpio_new());
	cpio_free(NULL);
}

static void test_cpio_fd(void **state)
{
	_cleanup_free_ char *a = NULL, *sha256 = NULL, *expected = NULL;
	_cleanup_close_ int fd = memfd_create("cpio", MFD_CLOEXEC), full = open("/dev/full", O_WRONLY);
	struct error err = ERROR_INIT;
	char got[4096] = { 0 };
	uint64_t n_bytes;
	struct cpio *c;
	size_t n_a;

	(void)state;
	make_cpio(&a, &n_a);
	c = cpio_new_fd(fd, "x");
	fill_cpio(c);
	assert_int_equal(cpio_finish_fd(c, &sha256, &n_bytes, NULL), 0);
	/* The same, and zeros. */
	assert_true(n_bytes >= n_a && n_bytes < n_a + 512 && n_bytes % 512 == 0);
	assert_int_equal(pread(fd, got, sizeof(got), 0), n_bytes);
	assert_memory_equal(got, a, n_a);
	for (size_t i = n_a; i < n_bytes; i++)
		assert_int_equal(got[i], 0);
	expected = digest_sha256(got, n_bytes);
	assert_string_equal(sha256, expected);
	/* A full disk is told as one. */
	c = cpio_new_fd(full, "/the/path");
	fill_cpio(c);
	assert_int_equal(cpio_finish_fd(c, &sha256, &n_bytes, &err), -ENOSPC);
	assert_string_equal(error_text(&err), "cannot write /the/path: No space left on device");
	error_finish(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),	cmocka_unit_test(test_choose),
		cmocka_unit_test(test_hostile), cmocka_unit_test(test_broken),
		cmocka_unit_test(test_cpio),	cmocka_unit_test(test_cpio_fd),
	};
	int r;

	snprintf(package_path, sizeof(package_path), PACKAGE_PATH, (int)getpid());
	r = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(package_path);
	return r;
}
