/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trees of strangers: what they are at a moment, and private copies of them with patches. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
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
#include "kernel/patched.h"
#include "kernel/patchfunctions.h"
#include "kernel/treestate.h"
#include "sys/folder.h"

static char top[] = "/tmp/ktoll-test-XXXXXX";

static char *in_top(const char *name)
{
	return path_join(top, name);
}

static void put(const char *name, const char *text)
{
	_cleanup_free_ char *path = in_top(name), *dir = xstrdup(path);

	*strrchr(dir, '/') = 0;
	assert_int_equal(dir_make(dir, NULL), 0);
	assert_int_equal(file_write(path, text, strlen(text), NULL), 0);
}

static void assert_content(const char *name, const char *text)
{
	_cleanup_free_ char *path = in_top(name), *is = NULL;

	assert_int_equal(file_read(path, &is, NULL, NULL), 0);
	assert_string_equal(is, text);
}

static void shell(const char *command)
{
	_cleanup_free_ char *in = xasprintf("cd %s && %s", top, command);

	assert_int_equal(system(in), 0);
}

static int setup(void **state)
{
	return mkdtemp(top) ? 0 : -1;
}

static int teardown(void **state)
{
	dir_remove(top);
	return 0;
}

static void make_tree(const char *name)
{
	static const char *const files[] = { "Makefile", "Kconfig", "scripts/kconfig/conf.c",
					     "arch/x86/Kconfig", "init/main.c" };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", name, files[i]);

		put(path, "first\nsecond\nthird\n");
	}
}

static const char patch_one[] = "--- a/init/main.c\n+++ b/init/main.c\n"
				"@@ -1,3 +1,4 @@\n first\n+one\n second\n third\n";
static const char patch_new[] = "diff --git a/init/new.c b/init/new.c\nnew file mode 100644\n"
				"--- /dev/null\n+++ b/init/new.c\n@@ -0,0 +1,1 @@\n+fresh\n";

static int make(bool may_link, const char *content, const char *p1, const char *p2,
		struct error *err)
{
	_cleanup_free_ char *dir = in_top("copy"), *tree = in_top("tree"), *copy = NULL;
	_cleanup_strv_ struct strv patches = { 0 };
	int r;

	if (p1)
		strv_addf(&patches, "%s/%s", top, p1);
	if (p2)
		strv_addf(&patches, "%s/%s", top, p2);
	assert_int_equal(dir_make(dir, NULL), 0);
	r = patched_make(dir, tree, content, may_link, &patches, &copy, err);
	return r;
}

static time_t modified(const char *name)
{
	_cleanup_free_ char *path = in_top(name);
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mtime;
}

static void patches_come_and_go(bool may_link)
{
	struct error err = ERROR_INIT;

	make_tree("tree");
	shell("touch -d '2020-01-01' tree/init/main.c tree/Kconfig; rm -rf copy");
	put("one.patch", patch_one);
	put("new.patch", patch_new);
	put("bad.patch", "--- a/Kconfig\n+++ b/Kconfig\n@@ -1,2 +1,2 @@\n nothing\n-like\n+that\n");

	assert_int_equal(make(may_link, "v1", "one.patch", "new.patch", &err), 0);
	assert_content("copy/tree/init/main.c", "first\none\nsecond\nthird\n");
	assert_content("copy/tree/init/new.c", "fresh\n");
	assert_content("tree/init/main.c", "first\nsecond\nthird\n");
	assert_content("copy/tree/Kconfig", "first\nsecond\nthird\n");

	/* The same again touches nothing. */
	shell("touch -d '2021-01-01' copy/tree/init/main.c");
	assert_int_equal(make(may_link, "v1", "one.patch", "new.patch", &err), 0);
	assert_true(modified("copy/tree/init/main.c") < modified("tree/Makefile"));

	/* One patch less: its file goes; make sees by its time that the other one was written. */
	assert_int_equal(make(may_link, "v1", "one.patch", NULL, &err), 0);
	assert_content("copy/tree/init/main.c", "first\none\nsecond\nthird\n");
	shell("test ! -e copy/tree/init/new.c");

	/* One that does not apply leaves the tree's own files. */
	assert_int_equal(make(may_link, "v1", "one.patch", "bad.patch", &err), -EINVAL);
	assert_int_equal(err.blame, ERROR_KERNEL);
	assert_non_null(strstr(error_text(&err), "bad.patch"));
	error_finish(&err);
	assert_content("copy/tree/init/main.c", "first\nsecond\nthird\n");
	assert_true(time(NULL) - modified("copy/tree/init/main.c") < 600);
	shell("test -z \"$(find copy/tree tree -name '*.rej' -o -name '*.orig')\"");
	assert_int_equal(make(may_link, "v1", "one.patch", NULL, &err), 0);
	assert_content("copy/tree/init/main.c", "first\none\nsecond\nthird\n");

	/* A diff of another form behind a unified one: what was not read is not applied. */
	shell("(cat one.patch; printf '*** a/Kconfig\\t1\\n--- b/Kconfig\\t2\\n***************\\n*** 1,3 ****\\n! first\\n  second\\n  third\\n"
	      "--- 1,3 ----\\n! sneaked in\\n  second\\n  third\\n') > mixed.patch");
	assert_int_equal(make(may_link, "v1", "mixed.patch", NULL, &err), -EINVAL);
	assert_non_null(strstr(error_text(&err), "mixed.patch:8: a diff of another form"));
	error_finish(&err);
	assert_content("copy/tree/Kconfig", "first\nsecond\nthird\n");

	/* Another content of the tree: all anew. */
	put("tree/Kconfig", "other\n");
	assert_int_equal(make(may_link, "v2", "one.patch", NULL, &err), 0);
	assert_content("copy/tree/Kconfig", "other\n");
	assert_content("copy/tree/init/main.c", "first\none\nsecond\nthird\n");
	assert_content("tree/init/main.c", "first\nsecond\nthird\n");
	assert_true(modified("tree/init/main.c") < 1600000000);
}

/* Before anything is made: one that applies, two of which the second needs the first, and one that does not. */
static void test_check(void **state)
{
	static const char second[] = "--- a/init/main.c\n+++ b/init/main.c\n@@ -1,4 +1,5 @@\n first\n one\n+two\n second\n third\n";
	static const struct {
		const char *first, *second;
		int r;
	} cases[] = { { "one.patch", NULL, 0 }, { "one.patch", "two.patch", 0 }, { "one.patch", "new.patch", 0 },
		      { "one.patch", "bad.patch", -EINVAL }, { "bad.patch", NULL, -EINVAL } };
	_cleanup_free_ char *tree = in_top("checked");

	make_tree("checked");
	put("one.patch", patch_one);
	put("two.patch", second);
	put("new.patch", patch_new);
	put("bad.patch", "--- a/Kconfig\n+++ b/Kconfig\n@@ -1,2 +1,2 @@\n nothing\n-like\n+that\n");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *a = in_top(cases[i].first), *b = cases[i].second ? in_top(cases[i].second) : NULL;
		_cleanup_strv_ struct strv patches = { 0 };
		_cleanup_error_ struct error err = ERROR_INIT;

		strv_add(&patches, a);
		if (b)
			strv_add(&patches, b);
		if (patched_check(tree, &patches, &err) != cases[i].r)
			fail_msg("%zu: %s", i, error_text(&err));
		if (cases[i].r)
			assert_non_null(strstr(error_text(&err), "does not apply"));
		assert_content("checked/init/main.c", "first\nsecond\nthird\n");
	}
}

static void test_copies(void **state)
{
	patches_come_and_go(false);
}

static void test_links(void **state)
{
	patches_come_and_go(true);
}

/* As a crash would leave it: touched files listed, patches unknown. */
static void test_after_a_crash(void **state)
{
	struct error err = ERROR_INIT;

	make_tree("tree");
	shell("rm -rf copy");
	put("one.patch", patch_one);
	assert_int_equal(make(true, "v1", "one.patch", NULL, &err), 0);
	shell("sed -i '/^patches:/d' copy/state && echo half > copy/tree/init/main.c");
	assert_int_equal(make(true, "v1", "one.patch", NULL, &err), 0);
	assert_content("copy/tree/init/main.c", "first\none\nsecond\nthird\n");
}

static void test_no_patches(void **state)
{
	struct error err = ERROR_INIT;

	make_tree("tree");
	put("text", "hello\n");
	put("outside.patch", "--- a/../x\n+++ b/../x\n@@ -1,1 +1,1 @@\n-a\n+b\n");
	assert_int_equal(make(true, "v1", "text", NULL, &err), -EINVAL);
	assert_non_null(strstr(error_text(&err), "is no patch"));
	assert_int_equal(make(true, "v1", "outside.patch", NULL, &err), -EINVAL);
	assert_non_null(strstr(error_text(&err), "outside"));
	assert_int_equal(make(true, "v1", "absent.patch", NULL, &err), -ENOENT);
	error_finish(&err);
}

/* ---- what a tree is ---- */

static char *content_of(const char *name)
{
	_cleanup_free_ char *path = in_top(name);
	struct treestate t;
	char *content;

	assert_int_equal(treestate_read(path, &t, NULL), 0);
	content = xasprintf("%s%s", t.content, t.diff ? " dirty" : "");
	treestate_finish(&t);
	return content;
}

static void test_git_tree(void **state)
{
	_cleanup_free_ char *clean = NULL, *dirty = NULL, *more = NULL, *again = NULL;

	make_tree("repo");
	shell("cd repo && git init -q . && git config user.email a@b && git config user.name n && "
	      "echo '*.o' > .gitignore && git add -A && git commit -qm one");
	clean = content_of("repo");
	assert_null(strstr(clean, "dirty"));
	put("repo/init/main.c", "changed\n");
	dirty = content_of("repo");
	assert_non_null(strstr(dirty, "dirty"));
	put("repo/init/extra.c", "unknown to git\n");
	more = content_of("repo");
	assert_string_not_equal(dirty, more);
	/* What git ignores does not matter; time does not, either. */
	put("repo/init/main.o", "object\n");
	shell("touch repo/init/main.c");
	again = content_of("repo");
	assert_string_equal(again, more);
	shell("cd repo && rm init/extra.c && git checkout -q init/main.c");
	free(again);
	again = content_of("repo");
	assert_string_equal(again, clean);
	/* Within a hook of another repository: still this one's state. */
	shell("mkdir other && cd other && git init -q .");
	setenv("GIT_DIR", "../other/.git", 1);
	setenv("GIT_INDEX_FILE", "nowhere", 1);
	free(again);
	again = content_of("repo");
	unsetenv("GIT_DIR");
	unsetenv("GIT_INDEX_FILE");
	assert_string_equal(again, clean);
}

static void test_plain_tree(void **state)
{
	_cleanup_free_ char *one = NULL, *two = NULL, *three = NULL;

	make_tree("plain");
	one = content_of("plain");
	two = content_of("plain");
	assert_string_equal(one, two);
	shell("touch -d '2022-02-02' plain/init/main.c");
	three = content_of("plain");
	assert_string_not_equal(one, three);
}

static void test_no_tree(void **state)
{
	_cleanup_free_ char *absent = in_top("absent"), *empty = in_top("empty");
	_cleanup_free_ char *built = in_top("built");
	struct error err = ERROR_INIT;
	struct treestate t;

	assert_int_equal(treestate_read(absent, &t, &err), -ENOENT);
	assert_int_equal(dir_make(empty, NULL), 0);
	assert_int_equal(treestate_read(empty, &t, &err), -EINVAL);
	assert_non_null(strstr(error_text(&err), "no kernel tree"));
	make_tree("built");
	put("built/.config", "CONFIG_X=y\n");
	assert_int_equal(treestate_read(built, &t, &err), -EBUSY);
	assert_non_null(strstr(error_text(&err), "mrproper"));
	error_finish(&err);
}

static void test_functions(void **state)
{
	static const char patch[] = "--- a/kernel/sys.c\n+++ b/kernel/sys.c\n"
				    "@@ -1,3 +1,4 @@ static int helper(struct task *t)\n {\n+\tnops();\n }\n"
				    "@@ -9,3 +9,4 @@\n \n SYSCALL_DEFINE2(kill, pid_t, pid, int, sig)\n {\n+\tx = call(1);\n"
				    "-int gone (void)\n+bool came(void)\n\\ No newline at end of file\n"
				    "diff --git a/x b/x\nnot_in_a_hunk(1)\n";
	_cleanup_strv_ struct strv l = { 0 };

	(void)state;
	patch_functions_of(patch, &l);
	assert_string_equal(l.v[0], "helper");
	assert_true(strv_has(&l, "__x64_sys_kill") && strv_has(&l, "sys_kill"));
	assert_true(strv_has(&l, "gone") && strv_has(&l, "came"));
	assert_false(strv_has(&l, "call") || strv_has(&l, "nops") || strv_has(&l, "not_in_a_hunk"));
	assert_int_equal(l.n, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_copies),	     cmocka_unit_test(test_links),
		cmocka_unit_test(test_after_a_crash), cmocka_unit_test(test_no_patches),
		cmocka_unit_test(test_git_tree),      cmocka_unit_test(test_plain_tree),
		cmocka_unit_test(test_no_tree),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
