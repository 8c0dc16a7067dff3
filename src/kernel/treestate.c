/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/treestate.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "sys/child.h"
#include "sys/digest.h"

#define GIT_DEADLINE_MS (5 * 60 * 1000)
/* A new file larger than this is known by its size and time alone. */
#define NEW_FILE_MAX_BYTES (4u << 20)

void treestate_finish(struct treestate *t)
{
	free(t->path);
	free(t->content);
	free(t->describe);
	free(t->diff);
	*t = (struct treestate){ 0 };
}

/* git rev-parse --local-env-vars */
static const char *const repository_variables[] = {
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_OBJECT_DIRECTORY",
	"GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS",
	"GIT_REPLACE_REF_BASE", "GIT_PREFIX", "GIT_SHALLOW_FILE", "GIT_COMMON_DIR",
};

/* What git says; -EIO if it fails, which is no error here: the tree may not be one of git's. */
static int git(const char *path, const char *const words[], struct str *ret)
{
	_cleanup_strv_ struct strv argv = { 0 };
	struct child_result result;
	int r;

	strv_add(&argv, "env");
	/* Within a hook git says by these which repository is meant, and it is another one. */
	for (size_t i = 0; i < ARRAY_SIZE(repository_variables); i++) {
		strv_add(&argv, "-u");
		strv_add(&argv, repository_variables[i]);
	}
	/* It would refresh its index otherwise, which is a write into the user's tree. */
	strv_add(&argv, "GIT_OPTIONAL_LOCKS=0");
	strv_add(&argv, "git");
	strv_add(&argv, "-C");
	strv_add(&argv, path);
	strv_add(&argv, "-c");
	strv_add(&argv, "core.quotePath=false");
	for (size_t i = 0; words[i]; i++)
		strv_add(&argv, words[i]);
	r = child_run(argv.v, GIT_DEADLINE_MS, &result, NULL);
	if (r == 0 && !child_is_success(result.status))
		r = -EIO;
	if (r == 0) {
		*ret = result.out;
		result.out = STR_INIT;
	}
	child_result_finish(&result);
	return r;
}

/* Files that git does not know and does not ignore: name and content. */
static void add_new_files(const char *path, const char *names, size_t n, struct str *diff)
{
	for (const char *s = names; s < names + n; s += strlen(s) + 1) {
		_cleanup_free_ char *file = path_join(path, s), *bytes = NULL, *digest = NULL;
		struct stat st;
		size_t len;

		if (stat(file, &st) < 0 || !S_ISREG(st.st_mode))
			continue;
		str_addf(diff, "new file %s, %lld bytes", s, (long long)st.st_size);
		if (st.st_size <= NEW_FILE_MAX_BYTES && file_read(file, &bytes, &len, NULL) == 0) {
			digest = digest_sha256(bytes, len);
			str_addf(diff, ", SHA-256 %s\n", digest);
		} else {
			str_addf(diff, ", modified %lld\n", (long long)st.st_mtime);
		}
	}
}

static int ask_git(struct treestate *t, struct error *err)
{
	_cleanup_str_ struct str head = STR_INIT, describe = STR_INIT, diff = STR_INIT,
				new = STR_INIT;
	_cleanup_free_ char *digest = NULL;

	if (git(t->path, (const char *[]){ "rev-parse", "HEAD", NULL }, &head) < 0)
		return -ENOENT;
	if (git(t->path, (const char *[]){ "diff", "HEAD", "--no-ext-diff", "--no-color",
					   "--relative", "--", ".", NULL }, &diff) < 0 ||
	    git(t->path, (const char *[]){ "ls-files", "--others", "--exclude-standard", "-z", NULL },
		&new) < 0)
		return error_set(err, EIO, "git cannot say what differs in %s from its commit: git -C "
				 "%s diff HEAD", t->path, t->path);
	add_new_files(t->path, str_text(&new), new.len, &diff);
	git(t->path, (const char *[]){ "describe", "--always", "--long", "--abbrev=12", NULL }, &describe);
	head.s[strcspn(head.s, "\n")] = 0;
	t->describe = describe.len ? xstrndup(describe.s, strcspn(describe.s, "\n")) : xstrdup(head.s);
	if (diff.len) {
		digest = digest_sha256(diff.s, diff.len);
		t->diff = str_take(&diff);
	}
	t->content = xasprintf("git %s%s%s", head.s, digest ? " with " : "", digest ? digest : "");
	return 0;
}

/* ---- a tree without git ---- */

/* nftw() has no argument for it. */
static struct str *walk_list;
static size_t walk_skip;

static int walk_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)where;
	if (type == FTW_F || type == FTW_SL)
		str_addf(walk_list, "%s %lld %lld.%09ld\n", path + walk_skip, (long long)st->st_size,
			 (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int ask_files(struct treestate *t, struct error *err)
{
	_cleanup_str_ struct str list = STR_INIT, sorted = STR_INIT;
	_cleanup_free_ char *digest = NULL;
	char **lines = NULL, *save = NULL;
	size_t n = 0, cap = 0;
	int r;

	walk_list = &list;
	walk_skip = strlen(t->path);
	r = nftw(t->path, walk_one, 64, FTW_PHYS);
	walk_list = NULL;
	if (r < 0)
		return error_set(err, errno, "cannot read %s: %s", t->path, strerror(errno));
	/* Folders are read in whatever order their file system has. */
	for (char *line = strtok_r(list.s, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		*ARRAY_ADD(lines, n, cap) = line;
	qsort(lines, n, sizeof(*lines), by_text);
	for (size_t i = 0; i < n; i++)
		str_addf(&sorted, "%s\n", lines[i]);
	free(lines);
	digest = digest_sha256(str_text(&sorted), sorted.len);
	t->content = xasprintf("files %s", digest);
	return 0;
}

/* ---- what is a kernel tree ---- */

int treestate_check(const char *path, struct error *err)
{
	static const char *const parts[] = { "Makefile", "Kconfig", "scripts/kconfig", "arch", "init" };
	/* What kbuild itself looks for (Makefile, outputmakefile). */
	static const char *const leftovers[] = { ".config", "include/config" };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		_cleanup_free_ char *part = path_join(path, parts[i]);

		if (!file_exists(part))
			return error_set(err, EINVAL, "%s is no kernel tree: it has no %s", path, parts[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(leftovers); i++) {
		_cleanup_free_ char *part = path_join(path, leftovers[i]);

		if (file_exists(part))
			return error_set(err, EBUSY,
					 "%s was built in place (it has %s), and such a tree cannot be "
					 "built elsewhere: git -C %s worktree add ../clean and name that "
					 "one, or make -C %s mrproper",
					 path, leftovers[i], path, path);
	}
	return 0;
}

int treestate_read(const char *path, struct treestate *ret, struct error *err)
{
	struct treestate t = { .path = realpath(path, NULL) };
	int r;

	if (!t.path)
		return error_set(err, errno, "cannot read the kernel tree %s: %s", path, strerror(errno));
	/* make has no way to write such a name. */
	r = strpbrk(t.path, " \t:#$\\'\"") ?
		    error_set(err, EINVAL, "%s: a kernel cannot be built from a folder with blanks, "
			      "colons or quotes in its name: link or move it", t.path) :
		    treestate_check(t.path, err);
	if (r == 0) {
		r = ask_git(&t, err);
		if (r == -ENOENT)
			r = ask_files(&t, err);
	}
	if (r < 0) {
		treestate_finish(&t);
		return r;
	}
	*ret = t;
	return 0;
}
