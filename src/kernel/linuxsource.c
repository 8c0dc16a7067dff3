/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/linuxsource.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "kernel/about.h"
#include "kernel/debian.h"
#include "sys/archive.h"
#include "sys/folder.h"
#include "sys/unpack.h"

#define SOURCE "linux-source-"
#define CONFIG "linux-config-"

/*
 * What the download of 140 to 165 MB becomes: the tar.xz in it, of its size, and the tree, in
 * blocks of 4 KiB 10.8 times that for 6.1 and 11.4 times for 7.2.
 */
#define TREE_TIMES 13

#define CONFIG_ROOM_BYTES (16u << 20)
#define CONFIG_MAX_BYTES  (16u << 20)

/* dir_cache()/source, beside what debcache has. Owned by the caller. */
static char *source_dir(const struct debsearch *s, const char *name)
{
	const char *slash = strrchr(s->cache.dir, '/');

	return xasprintf("%.*s/source/%s", (int)(slash - s->cache.dir), s->cache.dir, name);
}

/* ---- from a package to a tree ---- */

static char *tree_dir(const struct debsearch *s, const char *package, const char *version)
{
	_cleanup_free_ char *name = xasprintf("%s_%s", package, version);

	return source_dir(s, name);
}

/* The one .deb in a folder, and a member of it. */
static int read_member(const char *dir, archive_ask ask, void *data, struct archive_files *ret,
		       struct error *err)
{
	DIR *d = opendir(dir);
	int r = error_set(err, ENOENT, "nothing was fetched into %s", dir);

	for (struct dirent *e; d && r < 0 && (e = readdir(d));)
		if (str_has_suffix(e->d_name, ".deb")) {
			_cleanup_free_ char *path = path_join(dir, e->d_name);

			if (err)
				error_finish(err);
			r = archive_deb_read(path, ask, data, ret, err);
			if (r < 0)
				break;
		}
	if (d)
		closedir(d);
	return r;
}

struct wanted {
	const char *name;
	int to_fd;
	bool found;
};

static enum archive_answer ask(void *data, struct archive_file *f)
{
	struct wanted *w = data;

	if (w->found)
		return ARCHIVE_STOP;
	if (!S_ISREG(f->mode) || f->link || strcmp(f->name, w->name) != 0)
		return ARCHIVE_SKIP;
	f->to_fd = w->to_fd;
	w->found = true;
	return ARCHIVE_TAKE;
}

/* The tar.xz out of the package in `dir`, into `path`. */
static int extract_tar(const char *dir, const struct package *p, const char *path,
		       struct error *err)
{
	_cleanup_free_ char *name = xasprintf("usr/src/%s.tar.xz", p->name);
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	struct wanted w = { .name = name, .to_fd = fd };
	struct archive_files files = { 0 };
	int r;

	if (fd < 0)
		return error_set(err, errno, "cannot write %s: %s", path, strerror(errno));
	r = read_member(dir, ask, &w, &files, err);
	archive_files_finish(&files);
	if (r == 0 && !w.found)
		r = error_set(err, ENODATA,
			      "%s %s holds no %s, where Debian's source packages have it: use another "
			      "version",
			      p->name, p->version, name);
	return r;
}

static int unpack_tree(struct debsearch *s, const char *tar, const struct package *p,
		       struct error *err)
{
	_cleanup_free_ char *new = source_dir(s, "new"), *dir = tree_dir(s, p->name, p->version);
	_cleanup_free_ char *about_path = path_join(new, "about");
	_cleanup_free_ char *about = xasprintf("package: %s\nversion: %s\n", p->name, p->version);
	int r;

	r = folder_renew(new, err);
	if (r == 0)
		r = unpack_tar(tar, new, err);
	if (r == 0)
		r = file_write(about_path, about, strlen(about), err);
	/* On the disk before its name says that it is complete. */
	if (r == 0)
		r = folder_sync(new, err);
	if (r == 0)
		r = folder_publish(new, dir, err);
	if (r < 0)
		dir_remove(new);
	return r;
}

static int store_tree(struct debsearch *s, const char *dir, const struct package *p,
		      struct error *err)
{
	_cleanup_free_ char *tar = path_join(dir, "source.tar.xz");
	_cleanup_free_ char *sentence = xasprintf("unpacking %s", p->name);
	int r;

	debsearch_tell(s, sentence);
	r = extract_tar(dir, p, tar, err);
	if (r == 0)
		r = unpack_tree(s, tar, p, err);
	return r;
}

static bool has_tree(const struct debsearch *s, const char *package, const char *version)
{
	_cleanup_free_ char *dir = tree_dir(s, package, version), *about = path_join(dir, "about");
	_cleanup_free_ char *makefile = xasprintf("%s/%s/Makefile", dir, package);

	return file_exists(about) && file_exists(makefile);
}

static const struct package *choose_tree(const struct debsearch *s, const struct packages *p)
{
	return packages_versioned(p, SOURCE, s->subject);
}

static int explain(const struct debsearch *s, const struct packages *p, struct error *err)
{
	_cleanup_strv_ struct strv series = { 0 };
	_cleanup_free_ char *list = NULL;

	packages_series(p, SOURCE, &series);
	list = strv_join(&series, ", source:");
	if (!series.n)
		return error_set(err, ENOENT,
				 "no suite that was read has a linux-source package: name other "
				 "suites in the file suites, see ktoll(1)");
	return error_set(err, ENOENT, "apt offers no source of Linux %s; it has source:%s",
			 (const char *)s->subject, list);
}

static uint64_t tree_room_bytes(uint64_t download_bytes)
{
	return TREE_TIMES * download_bytes;
}

static const struct debsearch_ops tree_ops = { choose_tree, explain, has_tree, store_tree,
					       tree_room_bytes };

/* ---- Debian's configuration ---- */

static char *config_path(const struct debsearch *s, const char *package, const char *version)
{
	_cleanup_free_ char *name = xasprintf("configs/%s_%s_%s", package, version, s->arch);

	return source_dir(s, name);
}

static bool has_config(const struct debsearch *s, const char *package, const char *version)
{
	_cleanup_free_ char *path = config_path(s, package, version);

	return file_exists(path);
}

/* The very version, else its series'. */
static const struct package *choose_config(const struct debsearch *s, const struct packages *p)
{
	const char *version = s->subject;
	const struct package *found = packages_versioned(p, CONFIG, version);
	size_t n = strspn(version, "0123456789");
	_cleanup_free_ char *series = NULL;

	if (found || version[n] != '.')
		return found;
	n += 1 + strspn(version + n + 1, "0123456789");
	series = xstrndup(version, n);
	return packages_versioned(p, CONFIG, series);
}

static int store_config(struct debsearch *s, const char *dir, const struct package *p,
			struct error *err)
{
	const char *debian = arch_to_debian(s->arch);
	_cleanup_free_ char *name = xasprintf("usr/src/%s/config.%s_none_%s.xz", p->name, debian,
					      flavour_plain(s->arch));
	_cleanup_free_ char *path = config_path(s, p->name, p->version);
	_cleanup_free_ char *configs = source_dir(s, "configs"), *text = NULL;
	struct wanted w = { .name = name, .to_fd = -1 };
	struct archive_files files = { 0 };
	size_t n;
	int r = read_member(dir, ask, &w, &files, err);

	if (r == 0 && (!files.n || archive_unpack(files.files[0].bytes, files.files[0].size_bytes,
						  CONFIG_MAX_BYTES, &text, &n) < 0))
		r = error_set(err, ENODATA, "%s %s holds no usable %s: use another version", p->name,
			      p->version, name);
	archive_files_finish(&files);
	if (r == 0)
		r = dir_make(configs, err);
	if (r == 0)
		r = file_write(path, text, n, err);
	return r;
}

static uint64_t config_room_bytes(uint64_t download_bytes)
{
	(void)download_bytes;
	return CONFIG_ROOM_BYTES;
}

static const struct debsearch_ops config_ops = { choose_config, explain, has_config, store_config,
						 config_room_bytes };

/* ---- the search ---- */

/* `key` is the name in the index. */
static int search(const struct spec *spec, const struct debsearch_ops *ops, const char *arch,
		  const char *key, debian_progress progress, void *data, struct debsearch *ret,
		  char **ret_package, char **ret_version, struct error *err)
{
	struct debsearch s = { .ops = ops,
			       .subject = spec->name,
			       .arch = arch,
			       .key = key,
			       .cache = DEBCACHE_INIT,
			       .progress = progress,
			       .data = data };
	_cleanup_free_ char *dir = NULL;
	int r;

	if (!isdigit((unsigned char)spec->name[0]))
		return error_blame(err, ERROR_USAGE, EINVAL,
				   "source:%s is no version: say source:6.1, or source:6.1.192",
				   spec->name);
	r = debcache_init(&s.cache, err);
	if (r == 0) {
		dir = source_dir(&s, "");
		r = dir_make(dir, err);
	}
	if (r == 0)
		r = debsearch_find(&s, ret_package, ret_version, err);
	if (r < 0)
		debcache_finish(&s.cache);
	else
		*ret = s;
	return r;
}

int linuxsource_find(const struct spec *spec, debian_progress progress, void *data,
		     struct linuxsource *ret, struct error *err)
{
	/* Source is the same in each architecture's lists: those of the host are read anyway. */
	const char *arch = arch_host() ? arch_host() : spec->arch;
	_cleanup_free_ char *dir = NULL;
	struct linuxsource found = { 0 };
	struct debsearch s;
	int r = search(spec, &tree_ops, arch, spec->source, progress, data, &s, &found.package,
		       &found.version, err);

	if (r < 0)
		return r;
	dir = tree_dir(&s, found.package, found.version);
	found.dir = path_join(dir, found.package);
	debcache_finish(&s.cache);
	*ret = found;
	return 0;
}

void linuxsource_finish(struct linuxsource *s)
{
	free(s->dir);
	free(s->package);
	free(s->version);
	*s = (struct linuxsource){ 0 };
}

/* Where Debian has no package of configurations: the one of its kernel. */
static int config_of_kernel(const struct spec *spec, debian_progress progress, void *data,
			    char **ret_text, struct error *err)
{
	struct spec image = { .kind = SPEC_DEBIAN, .name = spec->name, .arch = spec->arch };
	_cleanup_free_ char *source = xasprintf("debian:%s", spec->name);
	struct kernel k;
	int r;

	image.source = source;
	r = debian_find(&image, progress, data, &k, err);
	if (r < 0)
		return error_context(err, r, "Debian's configuration of Linux %s for %s", spec->name,
				     spec->arch);
	*ret_text = TAKE_PTR(k.config);
	kernel_finish(&k);
	return 0;
}

int linuxsource_debian_config(const struct spec *spec, debian_progress progress, void *data,
			      char **ret_text, struct error *err)
{
	_cleanup_free_ char *key = xasprintf("config:%s", spec->name), *package = NULL;
	_cleanup_free_ char *version = NULL, *path = NULL;
	struct debsearch s;
	int r = search(spec, &config_ops, spec->arch, key, progress, data, &s, &package, &version,
		       err);

	if (r == -ENOENT) {
		if (err)
			error_finish(err);
		return config_of_kernel(spec, progress, data, ret_text, err);
	}
	if (r < 0)
		return r;
	path = config_path(&s, package, version);
	debcache_finish(&s.cache);
	return file_read(path, ret_text, NULL, err);
}
