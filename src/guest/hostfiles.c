/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/hostfiles.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "model/arch.h"
#include "sys/elf.h"

/* ---- where the dynamic loader looks ---- */

static void read_ld_conf(const char *path, int depth, struct strv *ret)
{
	_cleanup_free_ char *text = NULL;
	char *save = NULL;

	if (!file_exists(path) || file_read(path, &text, NULL, NULL) < 0)
		return;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *words = NULL, *word;
		glob_t found;

		line[strcspn(line, "#")] = 0;
		word = strtok_r(line, " \t\r", &words);
		if (word && word[0] == '/')
			strv_add(ret, word);
		if (!word || strcmp(word, "include") != 0)
			continue;
		word = strtok_r(NULL, " \t\r", &words);
		/* It may include itself. */
		if (!word || depth > 3 || glob(word, 0, NULL, &found) != 0)
			continue;
		for (size_t i = 0; i < found.gl_pathc; i++)
			read_ld_conf(found.gl_pathv[i], depth + 1, ret);
		globfree(&found);
	}
}

static void usual_folders(const char *arch, struct strv *ret)
{
	static const char *const plain[] = { "/lib64", "/usr/lib64", "/lib", "/usr/lib" };
	const char *triplet = arch_find(arch)->triplet;

	read_ld_conf("/etc/ld.so.conf", 0, ret);
	strv_addf(ret, "/lib/%s", triplet);
	strv_addf(ret, "/usr/lib/%s", triplet);
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		strv_add(ret, plain[i]);
}

/* The folders that a file brings along, with its own in place of $ORIGIN. */
static void own_folders(const char *path, const char *list, struct strv *ret)
{
	_cleanup_free_ char *copy = xstrdup(list ? list : "");
	char *save = NULL;

	for (char *f = strtok_r(copy, ":", &save); f; f = strtok_r(NULL, ":", &save)) {
		size_t n = str_has_prefix(f, "${ORIGIN}") ? 9 : str_has_prefix(f, "$ORIGIN") ? 7 : 0;

		if (n)
			strv_addf(ret, "%.*s%s", (int)(strrchr(path, '/') - path), path, f + n);
		else
			strv_add(ret, f);
	}
}

/* ---- reading ---- */

struct reading {
	const char *arch;
	struct strv folders;
	struct host_files files;
};

static bool has(const struct reading *r, const char *path)
{
	for (size_t i = 0; i < r->files.n; i++)
		if (strcmp(r->files.v[i].path, path) == 0)
			return true;
	return false;
}

/* Without "//", "." and "..", as far as text goes. Owned by the caller. */
static char *plain_path(const char *path)
{
	_cleanup_free_ char *copy = xstrdup(path);
	struct str plain = STR_INIT;
	char *save = NULL;

	for (char *s = strtok_r(copy, "/", &save); s; s = strtok_r(NULL, "/", &save)) {
		if (strcmp(s, "..") == 0 && plain.len) {
			plain.len = (size_t)(strrchr(plain.s, '/') - plain.s);
			plain.s[plain.len] = 0;
		} else if (strcmp(s, ".") != 0 && strcmp(s, "..") != 0) {
			str_addf(&plain, "/%s", s);
		}
	}
	if (!plain.len)
		str_add(&plain, "/");
	return str_take(&plain);
}

/* The guest mounts something over these. It does over /tmp and /run, too, but keeps what is there. */
static const char *const guests_own[] = { "/dev/", "/proc/", "/sys/" };

static int add(struct reading *rd, const char *said, bool is_library, struct error *err)
{
	_cleanup_free_ char *path = plain_path(said);
	struct host_file f = { .is_library = is_library };
	struct stat st;
	int r;

	if (has(rd, path))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(guests_own); i++)
		if (str_has_prefix(path, guests_own[i]))
			return error_set(err, EINVAL,
					 "cannot put %s into the guest: it has a %s of its own; copy the file elsewhere",
					 path, guests_own[i]);
	if (stat(path, &st) < 0)
		return error_set(err, errno, "cannot put %s into the guest: %s", path,
				 strerror(errno));
	if (!S_ISREG(st.st_mode))
		return error_set(err, EINVAL, "cannot put %s into the guest: it is no file", path);
	r = file_read(path, &f.bytes, &f.n_bytes, err);
	if (r < 0)
		return r;
	f.path = TAKE_PTR(path);
	f.mode = st.st_mode & 07777;
	*ARRAY_ADD(rd->files.v, rd->files.n, rd->files.cap) = f;
	return 0;
}

static bool is_library_for(const char *path, const char *arch)
{
	_cleanup_free_ char *bytes = NULL;
	struct elf_facts facts;
	size_t n;

	return file_exists(path) && file_read(path, &bytes, &n, NULL) == 0 &&
	       elf_read_facts(bytes, n, &facts) == 0 && str_equal(facts.arch, arch);
}

static int add_library(struct reading *rd, const char *name, const char *for_path,
		       const struct strv *own, struct error *err)
{
	const struct strv *lists[] = { own, &rd->folders };

	if (strchr(name, '/'))
		return add(rd, name, true, err);
	for (size_t l = 0; l < ARRAY_SIZE(lists); l++)
		for (size_t i = 0; i < lists[l]->n; i++) {
			_cleanup_free_ char *said = path_join(lists[l]->v[i], name);
			_cleanup_free_ char *path = plain_path(said);

			if (has(rd, path))
				return 0;
			if (is_library_for(path, rd->arch))
				return add(rd, path, true, err);
		}
	return error_set(err, ENOENT,
			 "cannot put %s into the guest: it needs %s, which is nowhere on this machine",
			 for_path, name);
}

/* What a file needs, in turn added behind it. */
static int add_needs(struct reading *rd, size_t i, struct error *err)
{
	/* The array moves, what it points to stays. */
	struct host_file f = rd->files.v[i];
	struct strv own = { 0 };
	struct elf_needs needs;
	int r = 0;

	if (elf_read_needs(f.bytes, f.n_bytes, &needs) < 0)
		return 0;
	if (!str_equal(needs.arch, rd->arch))
		r = error_set(err, EINVAL,
			      "cannot put %s into a guest of %s: it is a program for %s", f.path,
			      rd->arch, needs.arch ? needs.arch : "another architecture");
	own_folders(f.path, needs.folders, &own);
	if (r == 0 && needs.interpreter)
		r = add(rd, needs.interpreter, true, err);
	for (size_t j = 0; r == 0 && j < needs.needed.n; j++)
		r = add_library(rd, needs.needed.v[j], f.path, &own, err);
	strv_finish(&own);
	elf_needs_finish(&needs);
	return r;
}

int host_files_read(const char *arch, const struct strv *paths, struct host_files *ret,
		    struct error *err)
{
	struct reading rd = { .arch = arch };
	int r = 0;

	usual_folders(arch, &rd.folders);
	for (size_t i = 0; r == 0 && i < paths->n; i++) {
		if (paths->v[i][0] != '/')
			r = error_set(err, EINVAL,
				      "cannot put %s into the guest: a path from / on is wanted",
				      paths->v[i]);
		else
			r = add(&rd, paths->v[i], false, err);
	}
	for (size_t i = 0; r == 0 && i < rd.files.n; i++)
		r = add_needs(&rd, i, err);
	strv_finish(&rd.folders);
	if (r < 0)
		host_files_finish(&rd.files);
	else
		*ret = rd.files;
	return r;
}

void host_files_finish(struct host_files *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->v[i].path);
		free(f->v[i].bytes);
	}
	free(f->v);
	*f = (struct host_files){ 0 };
}
