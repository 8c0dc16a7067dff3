/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/debcache.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "debian/debversion.h"
#include "kernel/about.h"
#include "model/spec.h"
#include "sys/digest.h"
#include "sys/folder.h"

/* ---- the folder and its lock ---- */

int debcache_init(struct debcache *c, struct error *err)
{
	_cleanup_free_ char *kernels = NULL;
	int r;

	*c = DEBCACHE_INIT;
	r = lists_home(&c->dir, err);
	if (r < 0)
		return r;
	kernels = path_join(c->dir, "kernels");
	r = dir_make(kernels, err);
	if (r < 0)
		debcache_finish(c);
	return r;
}

void debcache_finish(struct debcache *c)
{
	if (c->lock_fd >= 0)
		close(c->lock_fd);
	free(c->dir);
	*c = DEBCACHE_INIT;
}

int debcache_lock(struct debcache *c, debian_progress progress, void *data, struct error *err)
{
	int fd = lists_lock(c->dir, progress, data, err);

	if (fd < 0)
		return fd;
	c->lock_fd = fd;
	return 0;
}

int debcache_scratch(struct debcache *c, char **ret, struct error *err)
{
	_cleanup_free_ char *path = path_join(c->dir, "tmp");
	int r = folder_renew(path, err);

	if (r == 0)
		*ret = TAKE_PTR(path);
	return r;
}

void debcache_scratch_remove(struct debcache *c)
{
	_cleanup_free_ char *path = path_join(c->dir, "tmp");

	dir_remove(path);
}

/* ---- kernels ---- */

static int load_dir(const char *dir, bool with_config, struct kernel *ret)
{
	_cleanup_free_ char *about_path = path_join(dir, "about"), *about = NULL, *arch = NULL;
	_cleanup_free_ char *config_path = path_join(dir, "config");
	struct kernel k = { 0 };
	size_t n;

	if (file_read(about_path, &about, NULL, NULL) < 0)
		return -ENOENT;
	arch = about_value(about, "arch");
	k.package = about_value(about, "package");
	k.version = about_value(about, "version");
	k.release = about_value(about, "release");
	k.image_path = path_join(dir, "image");
	k.arch = arch ? arch_from_name(arch) : NULL;
	if (!k.arch || !k.package || !k.version || !k.release || !file_exists(k.image_path) ||
	    (with_config && file_read(config_path, &k.config, &n, NULL) < 0)) {
		kernel_finish(&k);
		return -ENOENT;
	}
	if (with_config)
		k.config_sha256 = digest_sha256(k.config, n);
	*ret = k;
	return 0;
}

static char *kernel_dir(const struct debcache *c, const char *package, const char *version,
			const char *arch)
{
	return xasprintf("%s/kernels/%s_%s_%s", c->dir, package, version, arch);
}

int debcache_load(const struct debcache *c, const char *package, const char *version,
		  const char *arch, struct kernel *ret)
{
	_cleanup_free_ char *highest = NULL, *dir = NULL;

	if (!version) {
		struct kernel *all = NULL;
		size_t n = 0;

		debcache_list(c, &all, &n, NULL);
		for (size_t i = 0; i < n; i++) {
			if (strcmp(all[i].package, package) == 0 &&
			    strcmp(all[i].arch, arch) == 0 &&
			    (!highest || deb_version_compare(all[i].version, highest) > 0)) {
				free(highest);
				highest = xstrdup(all[i].version);
			}
			kernel_finish(&all[i]);
		}
		free(all);
		if (!highest)
			return -ENOENT;
		version = highest;
	}
	dir = kernel_dir(c, package, version, arch);
	return load_dir(dir, true, ret);
}

static int store_file(const char *dir, const char *name, const void *p, size_t n_bytes,
		      struct error *err)
{
	_cleanup_free_ char *path = path_join(dir, name);

	return file_write(path, p, n_bytes, err);
}

int debcache_store(struct debcache *c, const char *package, const char *version, const char *arch,
		   const char *release, const void *image, size_t image_bytes, const char *config,
		   size_t config_bytes, struct error *err)
{
	_cleanup_free_ char *dir = kernel_dir(c, package, version, arch);
	_cleanup_free_ char *new = xasprintf("%s/tmp/new", c->dir);
	_cleanup_free_ char *about = xasprintf("package: %s\nversion: %s\narch: %s\nrelease: %s\n",
					       package, version, arch, release);
	int r = folder_renew(new, err);

	if (r == 0)
		r = store_file(new, "image", image, image_bytes, err);
	if (r == 0)
		r = store_file(new, "config", config, config_bytes, err);
	if (r == 0)
		r = store_file(new, "about", about, strlen(about), err);
	return r < 0 ? r : folder_publish(new, dir, err);
}

int debcache_list(const struct debcache *c, struct kernel **ret, size_t *ret_n, struct error *err)
{
	_cleanup_free_ char *kernels = path_join(c->dir, "kernels");
	struct dirent **names = NULL;
	struct kernel *list = NULL;
	size_t used = 0, cap = 0;
	int n = scandir(kernels, &names, NULL, versionsort);

	if (n < 0)
		return error_set(err, errno, "cannot read %s: %s", kernels, strerror(errno));
	for (int i = 0; i < n; i++) {
		_cleanup_free_ char *dir = path_join(kernels, names[i]->d_name);
		struct kernel k;

		if (names[i]->d_name[0] != '.' && load_dir(dir, false, &k) == 0)
			*ARRAY_ADD(list, used, cap) = k;
		free(names[i]);
	}
	free(names);
	*ret = list;
	*ret_n = used;
	return 0;
}
