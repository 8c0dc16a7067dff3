/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/buildcache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "kernel/about.h"
#include "sys/digest.h"
#include "sys/elf.h"
#include "sys/folder.h"

char *buildcache_key(const struct strv *words)
{
	_cleanup_free_ char *all = strv_join(words, "\n");

	return digest_sha256(all, strlen(all));
}

int buildcache_dir(const char *kind, const char *key, char **ret, struct error *err)
{
	_cleanup_free_ char *cache = NULL, *parent = NULL;
	int r = dir_cache(&cache, err);

	if (r < 0)
		return r;
	parent = xasprintf("%s/built/%s", cache, kind);
	r = dir_make(parent, err);
	if (r == 0)
		*ret = path_join(parent, key);
	return r;
}

/* ---- a new entry ---- */

static int put_text(const char *dir, const char *name, const char *text, struct error *err)
{
	_cleanup_free_ char *path = path_join(dir, name);

	return file_write(path, text, strlen(text), err);
}

/* The folder in which an entry is put together. Two processes that make the same one have their own. */
static int begin(const char *kind, const char *key, char **ret_dir, char **ret_new, struct error *err)
{
	_cleanup_free_ char *dir = NULL, *new = NULL;
	int r = buildcache_dir(kind, key, &dir, err);

	if (r < 0)
		return r;
	new = xasprintf("%s.new-%ld", dir, (long)getpid());
	r = folder_renew(new, err);
	if (r == 0) {
		*ret_dir = TAKE_PTR(dir);
		*ret_new = TAKE_PTR(new);
	}
	return r;
}

static int end(const char *dir, const char *new, int r, struct error *err)
{
	if (r == 0)
		r = folder_publish(new, dir, err);
	if (r < 0)
		dir_remove(new);
	return r;
}

/* ---- configurations ---- */

int buildcache_load_config(const char *key, char **ret_given, char **ret_resolved)
{
	_cleanup_free_ char *dir = NULL, *given = NULL, *resolved = NULL;
	_cleanup_free_ char *given_path = NULL, *resolved_path = NULL;

	if (buildcache_dir("configs", key, &dir, NULL) < 0)
		return -ENOENT;
	given_path = path_join(dir, "given");
	resolved_path = path_join(dir, "resolved");
	if (file_read(given_path, &given, NULL, NULL) < 0 ||
	    file_read(resolved_path, &resolved, NULL, NULL) < 0)
		return -ENOENT;
	*ret_given = TAKE_PTR(given);
	*ret_resolved = TAKE_PTR(resolved);
	return 0;
}

int buildcache_store_config(const char *key, const char *given, const char *resolved,
			    struct error *err)
{
	_cleanup_free_ char *dir = NULL, *new = NULL;
	int r = begin("configs", key, &dir, &new, err);

	if (r < 0)
		return r;
	r = put_text(new, "given", given, err);
	if (r == 0)
		r = put_text(new, "resolved", resolved, err);
	return end(dir, new, r, err);
}

/* ---- kernels ---- */

int buildcache_load_kernel(const char *key, const struct arch *arch, struct kernel *ret)
{
	_cleanup_free_ char *dir = NULL, *about_path = NULL, *about = NULL, *config_path = NULL;
	_cleanup_free_ char *image = NULL, *vmlinux = NULL;
	struct kernel k = { .arch = arch->name };
	size_t n;

	if (buildcache_dir("kernels", key, &dir, NULL) < 0)
		return -ENOENT;
	about_path = path_join(dir, "about");
	config_path = path_join(dir, "config");
	image = path_join(dir, "image");
	vmlinux = path_join(dir, "vmlinux");
	if (file_read(about_path, &about, NULL, NULL) < 0 || !file_exists(vmlinux) ||
	    file_read(config_path, &k.config, &n, NULL) < 0)
		return -ENOENT;
	k.config_sha256 = digest_sha256(k.config, n);
	k.image_path = xstrdup(file_exists(image) ? image : vmlinux);
	k.vmlinux_path = TAKE_PTR(vmlinux);
	k.content = xstrdup(key);
	k.compiler = about_value(about, "compiler");
	about_read_image(about, &k);
	*ret = k;
	return 0;
}

static char *about_text(const struct built_files *files, void *vmlinux, size_t n_bytes)
{
	struct elf_facts facts = { 0 };
	struct kernel k = { .release = (char *)files->release };
	struct str st = STR_INIT;

	if (elf_read_facts(vmlinux, n_bytes, &facts) == 0) {
		k.build_id = facts.build_id[0] ? facts.build_id : NULL;
		k.sizes = facts.sizes;
	}
	about_add(&st, "arch", files->arch);
	about_add(&st, "spec", files->spec);
	about_add(&st, "compiler", files->compiler);
	about_add_image(&st, &k);
	return str_take(&st);
}

static int put_file(const char *dir, const char *name, const char *from, char **ret_bytes,
		    size_t *ret_n, struct error *err)
{
	_cleanup_free_ char *path = path_join(dir, name), *bytes = NULL;
	size_t n;
	int r = file_read(from, &bytes, &n, err);

	if (r == 0)
		r = file_write(path, bytes, n, err);
	if (r == 0 && ret_bytes) {
		*ret_bytes = TAKE_PTR(bytes);
		*ret_n = n;
	}
	return r;
}

int buildcache_store_kernel(const char *key, const struct built_files *files, struct error *err)
{
	_cleanup_free_ char *dir = NULL, *new = NULL, *vmlinux = NULL, *about = NULL;
	size_t n = 0;
	int r = begin("kernels", key, &dir, &new, err);

	if (r < 0)
		return r;
	r = put_file(new, "vmlinux", files->vmlinux, &vmlinux, &n, err);
	if (r == 0 && files->image)
		r = put_file(new, "image", files->image, NULL, NULL, err);
	if (r == 0)
		r = put_text(new, "config", files->resolved, err);
	if (r == 0) {
		about = about_text(files, vmlinux, n);
		r = put_text(new, "about", about, err);
	}
	return end(dir, new, r, err);
}
