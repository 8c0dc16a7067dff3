/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/patched.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "sys/child.h"
#include "sys/digest.h"
#include "sys/folder.h"

#define PATCH_DEADLINE_MS (60 * 1000)
/* A kernel tree of 2026 is 1.7 GB. */
#define COPY_BYTES (2000ull << 20)

int patched_digest(const struct strv *patches, char **ret, struct error *err)
{
	_cleanup_str_ struct str all = STR_INIT;

	for (size_t i = 0; i < patches->n; i++) {
		_cleanup_free_ char *text = NULL, *digest = NULL;
		size_t n;
		int r = file_read(patches->v[i], &text, &n, err);

		if (r < 0)
			return error_context(err, r, "patch=%s", patches->v[i]);
		digest = digest_sha256(text, n);
		str_addf(&all, "%s%s", i ? " " : "", digest);
	}
	*ret = xstrdup(str_text(&all));
	return 0;
}

/* ---- copying ---- */

static int copy_file(const char *from, const char *to)
{
	_cleanup_close_ int in = open(from, O_RDONLY | O_CLOEXEC), out = -1;
	struct stat st;
	ssize_t n;

	if (in < 0 || fstat(in, &st) < 0)
		return -errno;
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, st.st_mode & 07777);
	if (out < 0)
		return -errno;
	/* Shares the blocks where the file system can. */
	while ((n = copy_file_range(in, NULL, out, NULL, 1 << 30, 0)) > 0)
		;
	if (n < 0 && (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP)) {
		char buf[65536];

		while ((n = read(in, buf, sizeof(buf))) > 0)
			if (fd_write_all(out, buf, (size_t)n) < 0)
				return -errno;
	}
	return n < 0 ? -errno : 0;
}

static int copy_symlink(const char *from, const char *to)
{
	char target[PATH_MAX];
	ssize_t n = readlink(from, target, sizeof(target) - 1);

	if (n < 0)
		return -errno;
	target[n] = 0;
	return symlink(target, to) < 0 ? -errno : 0;
}

/* nftw() has no argument for it. */
static struct {
	size_t skip; /* bytes of the source's name in a path */
	const char *to;
	bool may_link;
	char *unreadable; /* what cannot be looked into */
} copying;

static int copy_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	_cleanup_free_ char *to = xasprintf("%s%s", copying.to, path + copying.skip);
	int r = 0;

	(void)st;
	if (type == FTW_DNR || type == FTW_NS) {
		copying.unreadable = xstrdup(path);
		errno = EACCES;
		return FTW_STOP;
	}
	if (where->level == 1 && strcmp(path + where->base, ".git") == 0)
		return type == FTW_D ? FTW_SKIP_SUBTREE : FTW_CONTINUE;
	if (type == FTW_D)
		r = where->level && mkdir(to, 0755) < 0 ? -errno : 0;
	else if (type == FTW_SL)
		r = copy_symlink(path, to);
	else if (type == FTW_F && copying.may_link && link(path, to) == 0)
		r = 0;
	else if (type == FTW_F)
		r = copy_file(path, to);
	errno = -r;
	return r < 0 ? FTW_STOP : FTW_CONTINUE;
}

static int copy_tree(const char *from, const char *to, bool may_link, struct error *err)
{
	int r = folder_renew(to, err);

	if (r == 0 && !may_link)
		r = folder_check_room(to, COPY_BYTES, "the copy of a kernel tree", err);
	if (r < 0)
		return r;
	copying.skip = strlen(from);
	copying.to = to;
	copying.may_link = may_link;
	copying.unreadable = NULL;
	errno = 0;
	r = nftw(from, copy_one, 64, FTW_PHYS | FTW_ACTIONRETVAL);
	if (r != 0 && copying.unreadable) {
		_cleanup_free_ char *what = TAKE_PTR(copying.unreadable);

		return error_set(err, EACCES, "cannot copy the kernel tree %s: %s cannot be read", from, what);
	}
	if (r != 0)
		return error_set(err, errno ? errno : EIO, "cannot copy the kernel tree %s to %s: %s",
				 from, to, strerror(errno));
	return 0;
}

/* ---- the state of a copy ---- */

/* A text file: the tree's content, the patches, and the files that may differ from the tree's. */
struct copy {
	char *state_path;
	const char *tree;
	char *copy;
	char *content, *patches; /* NULL: unknown */
	struct strv touched;
};

static void copy_finish(struct copy *c)
{
	free(c->state_path);
	free(c->copy);
	free(c->content);
	free(c->patches);
	strv_finish(&c->touched);
}

static void state_read(struct copy *c)
{
	_cleanup_free_ char *text = NULL;
	char *save = NULL;

	if (file_read(c->state_path, &text, NULL, NULL) < 0)
		return;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (str_has_prefix(line, "content: "))
			c->content = xstrdup(line + 9);
		else if (str_has_prefix(line, "patches: "))
			c->patches = xstrdup(line + 9);
		else if (str_has_prefix(line, "touched: "))
			strv_add(&c->touched, line + 9);
	}
}

static int state_write(const struct copy *c, const char *content, const char *patches,
		       struct error *err)
{
	_cleanup_str_ struct str st = STR_INIT;

	str_addf(&st, "content: %s\n", content);
	if (patches)
		str_addf(&st, "patches: %s\n", patches);
	for (size_t i = 0; i < c->touched.n; i++)
		str_addf(&st, "touched: %s\n", c->touched.v[i]);
	return file_write(c->state_path, str_text(&st), st.len, err);
}

/*
 * The tree's file in place of the copy's, with the time of now: make has to see
 * that it is another one.
 */
static int restore(const struct copy *c, const char *name, struct error *err)
{
	_cleanup_free_ char *from = path_join(c->tree, name), *to = path_join(c->copy, name);
	int r;

	unlink(to);
	if (!file_exists(from))
		return 0;
	r = copy_file(from, to);
	return r < 0 ? error_set(err, r, "cannot write %s: %s", to, strerror(-r)) : 0;
}

static int restore_all(struct copy *c, const char *content, struct error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->touched.n; i++)
		r = restore(c, c->touched.v[i], err);
	if (r == 0) {
		strv_finish(&c->touched);
		r = state_write(c, content, "", err);
	}
	return r;
}

/* ---- patches ---- */

/* Adds the file that a line of a patch names, behind its first folder; false for one that leads outside. */
static bool add_touched(struct strv *touched, const char *line, size_t n, bool strip)
{
	_cleanup_free_ char *name = xstrndup(line, n);
	char *path = name, *slash;

	path[strcspn(path, "\t\r")] = 0;
	if (strcmp(path, "/dev/null") == 0)
		return true;
	slash = strchr(path, '/');
	if (strip && slash)
		path = slash + 1;
	if (*path == '/' || !*path || str_has_prefix(path, "../") || strstr(path, "/../"))
		return false;
	for (size_t i = 0; i < touched->n; i++)
		if (strcmp(touched->v[i], path) == 0)
			return true;
	strv_add(touched, path);
	return true;
}

/*
 * A line outside of hunks that begins a diff of another form: patch(1) takes it for one, -u or not, and what it is in
 * would not be undone. "***************" and "*** FILE" of a context diff, "3,4d2" and "3a" of a normal one and of ed.
 */
static bool is_other_form(const char *line, const char *next)
{
	size_t n = strspn(line, "0123456789,");

	if (str_has_prefix(line, "***************") || (str_has_prefix(line, "*** ") && str_has_prefix(next, "--- ")))
		return true;
	if (!isdigit((unsigned char)*line) || !line[n] || !strchr("acd", line[n]))
		return false;
	n++;
	n += strspn(line + n, "0123456789,\r");
	return !line[n] || line[n] == '\n';
}

/* "@@ -3,7 +3,8 @@": how many lines of either side follow; one where no number stands. */
static void read_hunk(const char *line, unsigned *ret_old, unsigned *ret_new)
{
	unsigned n;

	if (sscanf(line, "@@ -%u,%u +%u,%u @@", &n, ret_old, &n, ret_new) == 4)
		return;
	*ret_old = *ret_new = 1;
	if (sscanf(line, "@@ -%u +%u,%u @@", &n, &n, ret_new) == 3 || sscanf(line, "@@ -%u,%u +%u @@", &n, ret_old, &n) == 3)
		return;
	if (sscanf(line, "@@ -%u +%u @@", &n, &n) != 2)
		*ret_old = *ret_new = 0;
}

static int list_touched(const char *patch, struct strv *touched, struct error *err)
{
	static const char *const git[] = { "rename from ", "rename to ", "copy to " };
	_cleanup_free_ char *text = NULL;
	size_t n_files = 0, n_line = 0;
	unsigned old_left = 0, new_left = 0; /* lines of the hunk */
	int r = file_read(patch, &text, NULL, err);
	bool fine = true;

	for (const char *line = text; r == 0 && *line;) {
		size_t n = strcspn(line, "\n"), m;
		const char *next = line + n + (line[n] == '\n');

		n_line++;
		if (old_left || new_left) {
			old_left -= old_left && *line != '+' && *line != '\\';
			new_left -= new_left && *line != '-' && *line != '\\';
			line = next;
			continue;
		}
		read_hunk(line, &old_left, &new_left);
		if (is_other_form(line, next))
			r = error_set(err, EINVAL, "%s:%zu: a diff of another form than a unified one", patch, n_line);
		/* A removed line can begin like the first of the two, but not both. */
		if (str_has_prefix(line, "--- ") && str_has_prefix(next, "+++ ")) {
			m = strcspn(next, "\n");
			n_files++;
			fine &= add_touched(touched, line + 4, n - 4, true) &&
				add_touched(touched, next + 4, m - 4, true);
		}
		for (size_t i = 0; i < ARRAY_SIZE(git); i++) {
			m = strlen(git[i]);
			n_files += str_has_prefix(line, git[i]);
			if (str_has_prefix(line, git[i]))
				fine &= add_touched(touched, line + m, n - m, false);
		}
		line = next;
	}
	if (r == 0 && !fine)
		r = error_set(err, EINVAL, "the patch %s touches files outside the tree", patch);
	if (r == 0 && !n_files)
		r = error_set(err, EINVAL, "%s is no patch: a unified diff for patch -p1 is wanted", patch);
	return r;
}

static int apply(const struct copy *c, const char *patch, struct error *err)
{
	_cleanup_free_ char *path = realpath(patch, NULL);
	char *argv[] = { "patch", "-u", "-p1", "-s", "-f", "-N", "--no-backup-if-mismatch", "-r", "-",
			 "-d", c->copy, "-i", path, NULL };
	struct child_result result;
	int r = child_run(argv, PATCH_DEADLINE_MS, &result, err);

	if (r == -ENOENT)
		r = error_set(err, ENOENT, "applying patches needs patch: apt install patch");
	if (r == 0 && !child_is_success(result.status)) {
		_cleanup_free_ char *said = xasprintf("%s%s", str_text(&result.out), str_text(&result.err));
		size_t n = strlen(said);

		while (n && said[n - 1] == '\n')
			said[--n] = 0;
		str_make_printable(said);
		r = error_blame(err, ERROR_KERNEL, EINVAL, "the patch %s does not apply to %s:\n%s", patch,
				c->tree, said);
	}
	child_result_finish(&result);
	return r;
}

/* A file that is a link to the tree's own must not be written to. */
static int unshare(const struct copy *c, struct error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->touched.n; i++)
		r = restore(c, c->touched.v[i], err);
	return r;
}

static int apply_all(struct copy *c, const char *content, const struct strv *patches,
		     const char *digest, struct error *err)
{
	_cleanup_error_ struct error why = ERROR_INIT;
	int r = 0;

	for (size_t i = 0; r == 0 && i < patches->n; i++)
		r = list_touched(patches->v[i], &c->touched, err);
	/* Before anything is touched: whoever comes after a crash knows what to restore. */
	if (r == 0)
		r = state_write(c, content, NULL, err);
	if (r == 0)
		r = unshare(c, err);
	if (r < 0)
		return r;
	for (size_t i = 0; r == 0 && i < patches->n; i++)
		r = apply(c, patches->v[i], &why);
	if (r == 0)
		return state_write(c, content, digest, err);
	restore_all(c, content, NULL);
	return error_blame(err, why.blame, r, "%s", error_text(&why));
}

int patched_make(const char *dir, const char *tree, const char *content, bool may_link,
		 const struct strv *patches, char **ret_tree, struct error *err)
{
	_cleanup_(copy_finish) struct copy c = { .tree = tree, .copy = path_join(dir, "tree"),
						 .state_path = path_join(dir, "state") };
	_cleanup_free_ char *digest = NULL;
	int r = patched_digest(patches, &digest, err);

	if (r < 0)
		return r;
	state_read(&c);
	if (!str_equal(c.content, content)) {
		unlink(c.state_path);
		strv_finish(&c.touched);
		r = copy_tree(tree, c.copy, may_link, err);
		if (r == 0)
			r = state_write(&c, content, "", err);
		if (r < 0)
			return r;
	} else if (str_equal(c.patches, digest)) {
		*ret_tree = TAKE_PTR(c.copy);
		return 0;
	}
	r = restore_all(&c, content, err);
	if (r == 0)
		r = apply_all(&c, content, patches, digest, err);
	if (r == 0)
		*ret_tree = TAKE_PTR(c.copy);
	return r;
}

/* The tree's file of that name, if there is one, into an otherwise empty tree. */
static int take_over(const char *tree, const char *name, const char *to, struct error *err)
{
	_cleanup_free_ char *from = path_join(tree, name), *there = path_join(to, name), *dir = xstrdup(there);
	int r;

	*strrchr(dir, '/') = 0;
	r = dir_make(dir, err);
	if (r < 0 || !file_exists(from))
		return r;
	r = copy_file(from, there);
	return r < 0 ? error_set(err, r, "cannot copy %s to %s: %s", from, there, strerror(-r)) : 0;
}

int patched_check(const char *tree, const struct strv *patches, struct error *err)
{
	const char *tmp = getenv("TMPDIR");
	_cleanup_free_ char *dir = xasprintf("%s/ktoll-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
	_cleanup_strv_ struct strv touched = { 0 };
	const struct copy c = { .tree = tree, .copy = dir };
	int r = 0;

	for (size_t i = 0; r == 0 && i < patches->n; i++)
		r = list_touched(patches->v[i], &touched, err);
	if (r < 0)
		return r;
	if (!mkdtemp(dir))
		return error_set(err, errno, "cannot make a folder in %s: %s", tmp ? tmp : "/tmp", strerror(errno));
	for (size_t i = 0; r == 0 && i < touched.n; i++)
		r = take_over(tree, touched.v[i], dir, err);
	for (size_t i = 0; r == 0 && i < patches->n; i++)
		r = apply(&c, patches->v[i], err);
	dir_remove(dir);
	return r;
}
