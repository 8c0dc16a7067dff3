/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tar archives made here are unpacked; hostile ones write nothing outside of their folder. */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "sys/unpack.h"

struct member {
	const char *name;
	mode_t mode;
	const char *link; /* of a symbolic link; for a file, what a hard link means */
	const char *text;
};

static char *top, *tar, *out; /* a folder, and in it the archive and what it is unpacked to */

static void make_tar(const char *filter, const struct member *members, size_t n)
{
	struct archive *a = archive_write_new();

	archive_write_set_format_gnutar(a);
	if (filter)
		assert_int_equal(archive_write_add_filter_by_name(a, filter), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(a, tar), ARCHIVE_OK);
	for (size_t i = 0; i < n; i++) {
		const struct member *m = &members[i];
		struct archive_entry *e = archive_entry_new();

		archive_entry_set_pathname(e, m->name);
		archive_entry_set_mode(e, m->mode);
		archive_entry_set_mtime(e, 1000000000, 0);
		archive_entry_set_size(e, m->text ? (int64_t)strlen(m->text) : 0);
		if (m->link && S_ISLNK(m->mode))
			archive_entry_set_symlink(e, m->link);
		else if (m->link)
			archive_entry_set_hardlink(e, m->link);
		assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
		if (m->text)
			archive_write_data(a, m->text, strlen(m->text));
		archive_entry_free(e);
	}
	assert_int_equal(archive_write_free(a), ARCHIVE_OK);
	dir_remove(out);
	assert_int_equal(dir_make(out, NULL), 0);
}

static char *below(const char *name)
{
	return path_join(out, name);
}

static void assert_content(const char *name, const char *text)
{
	_cleanup_free_ char *path = below(name), *got = NULL;

	assert_int_equal(file_read(path, &got, NULL, NULL), 0);
	assert_string_equal(got, text);
}

static void test_tree(void **state)
{
	static const char *const filters[] = { NULL, "xz", "zstd", "gzip" };
	static const struct member members[] = {
		{ "./linux/", S_IFDIR | 0775, NULL, NULL },
		{ "./linux/Makefile", S_IFREG | 0664, NULL, "VERSION = 6\n" },
		{ "./linux/scripts/run", S_IFREG | 0777, NULL, "#!/bin/sh\n" },
		{ "./linux/include/link", S_IFLNK | 0777, "../scripts", NULL },
		{ "./linux/same", S_IFREG | 0664, "./linux/Makefile", NULL },
		{ "./linux/empty", S_IFREG | 0600, NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		_cleanup_free_ char *makefile = below("linux/Makefile");
		_cleanup_free_ char *script = below("linux/scripts/run");
		_cleanup_free_ char *link = below("linux/include/link");
		char target[64] = { 0 };
		struct stat st;

		make_tar(filters[i], members, ARRAY_SIZE(members));
		assert_int_equal(unpack_tar(tar, out, NULL), 0);
		assert_content("linux/Makefile", "VERSION = 6\n");
		assert_content("linux/same", "VERSION = 6\n");
		assert_content("linux/empty", "");
		assert_content("linux/include/link/run", "#!/bin/sh\n");
		assert_int_equal(stat(makefile, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0644);
		assert_int_equal(st.st_mtime, 1000000000);
		assert_int_equal(st.st_nlink, 2);
		assert_int_equal(stat(script, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0755);
		assert_int_equal(readlink(link, target, sizeof(target) - 1), 10);
		assert_string_equal(target, "../scripts");
	}
}

static void test_hostile(void **state)
{
	_cleanup_free_ char *outside = path_join(top, "outside");
	_cleanup_free_ char *victim = path_join(outside, "victim");
	const struct member names[] = { { "../outside/victim", S_IFREG | 0644, NULL, "bad" },
					{ victim, S_IFREG | 0644, NULL, "bad" } };
	const struct member through_link[] = { { "a", S_IFLNK | 0777, outside, NULL },
					       { "a/victim", S_IFREG | 0644, NULL, "bad" } };
	const struct member up_link[] = { { "d/a", S_IFLNK | 0777, "../../outside", NULL },
					  { "d/a/victim", S_IFREG | 0644, NULL, "bad" } };
	const struct member over_link[] = { { "a", S_IFLNK | 0777, victim, NULL },
					    { "a", S_IFREG | 0644, NULL, "bad" } };
	const struct member dir_link[] = { { "a", S_IFLNK | 0777, outside, NULL },
					   { "a/b/", S_IFDIR | 0755, NULL, NULL } };
	const struct member hard[] = { { "a", S_IFREG | 0644, "../outside/victim", NULL } };
	const struct member hard_link[] = { { "a", S_IFLNK | 0777, outside, NULL },
					    { "b", S_IFREG | 0644, "a/victim", NULL } };
	const struct member twice[] = { { "a", S_IFREG | 0644, NULL, "1" },
					{ "a", S_IFREG | 0644, NULL, "2" } };
	const struct member pipe[] = { { "a", S_IFIFO | 0644, NULL, NULL } };
	const struct {
		const struct member *v;
		size_t n;
	} cases[] = { { names, 1 },	{ names + 1, 1 }, { through_link, 2 },
		      { up_link, 2 },	{ over_link, 2 }, { dir_link, 2 },
		      { hard, 1 },	{ hard_link, 2 }, { twice, 2 },
		      { pipe, 1 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *content = NULL, *more = path_join(outside, "b");
		struct error err = ERROR_INIT;
		struct stat st;

		assert_int_equal(dir_make(outside, NULL), 0);
		assert_int_equal(file_write(victim, "good", 4, NULL), 0);
		make_tar(NULL, cases[i].v, cases[i].n);
		if (unpack_tar(tar, out, &err) != -EBADMSG)
			fail_msg("case %zu: %s", i, error_text(&err));
		error_finish(&err);
		assert_int_equal(file_read(victim, &content, NULL, NULL), 0);
		assert_string_equal(content, "good");
		assert_int_equal(stat(victim, &st), 0);
		assert_int_equal(st.st_nlink, 1);
		assert_false(file_exists(more));
	}
}

static void test_broken(void **state)
{
	static const struct member members[] = { { "a", S_IFREG | 0644, NULL, "some content" } };
	_cleanup_free_ char *bytes = NULL;
	struct error err = ERROR_INIT;
	size_t n;

	(void)state;
	make_tar("xz", members, 1);
	assert_int_equal(file_read(tar, &bytes, &n, NULL), 0);
	assert_int_equal(file_write(tar, bytes, n - 30, NULL), 0);
	assert_int_equal(unpack_tar(tar, out, &err), -EBADMSG);
	assert_non_null(strstr(error_text(&err), "cannot be unpacked"));
	error_finish(&err);
	assert_int_equal(file_write(tar, "no archive at all", 17, NULL), 0);
	assert_int_equal(unpack_tar(tar, out, NULL), -EBADMSG);
	assert_int_equal(unpack_tar(tar, "/nonexistent", NULL), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_broken),
	};
	char template[] = "/tmp/ktoll-test-unpack-XXXXXX";
	int r;

	top = mkdtemp(template);
	if (!top)
		return 1;
	tar = path_join(top, "tree.tar");
	out = path_join(top, "out");
	r = cmocka_run_group_tests(tests, NULL, NULL);
	dir_remove(top);
	free(tar);
	free(out);
	return r;
}
