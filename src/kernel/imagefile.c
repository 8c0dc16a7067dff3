/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/imagefile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "kernel/about.h"
#include "kernel/image.h"
#include "kernel/packaged.h"
#include "sys/archive.h"
#include "sys/digest.h"
#include "sys/elf.h"
#include "sys/filelock.h"
#include "sys/folder.h"

/* Debug information of a vmlinux: beyond this it is not worth a copy in the cache. */
#define TAIL_MAX_BYTES (32u << 20)

struct import {
	const struct spec *spec;
	debian_progress progress;
	void *data;
	char *dir; /* dir_cache()/image */
	char *bytes; /* the file */
	size_t n_bytes;
	char *key; /* its SHA-256 */
};

static void tell(const struct import *im, const char *sentence)
{
	if (im->progress)
		im->progress(im->data, sentence);
}

static void tell_waiting(void *data)
{
	tell(data, "waiting for another ktoll that is unpacking an image");
}

/* ---- a kernel in the cache ---- */

/* A file of the kernel's folder, if it is what was written. Owned by the caller. */
static char *load_file(const char *dir, const char *about, const char *name)
{
	_cleanup_free_ char *path = path_join(dir, name), *wanted = about_value(about, name);
	_cleanup_free_ char *bytes = NULL, *digest = NULL;
	size_t n;

	if (!wanted || !file_exists(path) || file_read(path, &bytes, &n, NULL) < 0)
		return NULL;
	digest = digest_sha256(bytes, n);
	return strcmp(digest, wanted) == 0 ? TAKE_PTR(bytes) : NULL;
}

/* 0 or -ENOENT, also for what is damaged. */
static int load(const struct import *im, struct kernel *ret, char **ret_banner)
{
	_cleanup_free_ char *dir = path_join(im->dir, im->key), *about_path = path_join(dir, "about");
	_cleanup_free_ char *about = NULL, *image = NULL, *arch = NULL, *config = NULL;
	struct kernel k = { 0 };

	if (!file_exists(about_path) || file_read(about_path, &about, NULL, NULL) < 0)
		return -ENOENT;
	arch = about_value(about, "arch");
	image = load_file(dir, about, "image");
	k.arch = arch ? arch_from_name(arch) : NULL;
	k.content = about_value(about, "content");
	config = about_value(about, "config");
	k.config = config ? load_file(dir, about, "config") : NULL;
	if (!image || !k.arch || !k.content || (config && !k.config)) {
		kernel_finish(&k);
		return -ENOENT;
	}
	k.config_sha256 = TAKE_PTR(config);
	k.image_path = path_join(dir, "image");
	about_read_image(about, &k);
	*ret_banner = about_value(about, "banner");
	*ret = k;
	return 0;
}

static int store_file(const char *dir, const char *name, const void *p, size_t n_bytes,
		      struct str *about, struct error *err)
{
	_cleanup_free_ char *path = path_join(dir, name), *digest = digest_sha256(p, n_bytes);

	about_add(about, name, digest);
	return file_write(path, p, n_bytes, err);
}

/* What is to be started of `bytes`, without debug information that would fill the cache. */
static size_t trim(char *bytes, size_t n)
{
	_cleanup_free_ char *head = NULL;
	size_t n_cut, n_head = n < 65536 ? n : 65536;

	if (n <= TAIL_MAX_BYTES)
		return n;
	/* Headers only: the cut is undone if it was not worth it. */
	head = xmemdup(bytes, n_head);
	n_cut = elf_cut(bytes, n);
	if (n - n_cut > TAIL_MAX_BYTES)
		return n_cut;
	memcpy(bytes, head, n_head);
	return n;
}

/* Writes the folder in full, then gives it its name. */
static int store(const struct import *im, const struct image *i, char *bytes, size_t n_bytes,
		 const char *content, const char *config, struct error *err)
{
	_cleanup_free_ char *dir = path_join(im->dir, im->key), *new = path_join(im->dir, "new");
	_cleanup_free_ char *about_path = path_join(new, "about");
	_cleanup_str_ struct str about = STR_INIT;
	char *boot = i->boot ? i->boot : bytes;
	size_t n_boot = trim(boot, i->boot ? i->boot_bytes : n_bytes);
	const struct kernel k = { .release = i->release,
				  .build_id = i->build_id,
				  .sizes = i->sizes };
	int r = folder_renew(new, err);

	if (r == 0)
		r = store_file(new, "image", boot, n_boot, &about, err);
	if (r == 0 && config)
		r = store_file(new, "config", config, strlen(config), &about, err);
	about_add(&about, "arch", i->arch);
	about_add(&about, "spec", im->spec->text);
	about_add(&about, "content", content);
	about_add(&about, "banner", i->banner);
	about_add_image(&about, &k);
	if (r == 0)
		r = file_write(about_path, str_text(&about), about.len, err);
	return r < 0 ? r : folder_publish(new, dir, err);
}

/* ---- packages ---- */

/*
 * Puts the package's image into the place of the package's bytes. Its config is owned by the
 * caller, NULL if the package has none.
 */
static int open_package(struct import *im, char **ret_config, struct error *err)
{
	struct archive_files files = { 0 };
	struct archive_file *image, *config;
	struct packaged taken = { 0 };
	int r = archive_package_read(im->bytes, im->n_bytes, im->spec->name, packaged_ask, &taken,
				     &files, err);

	if (r < 0)
		return r;
	image = packaged_image(&files);
	config = packaged_config(&files);
	if (!image) {
		r = error_set(err, ENOEXEC,
			      "%s holds no kernel, which would be boot/vmlinuz-VERSION or "
			      "lib/modules/VERSION/vmlinuz: it is in linux-image or, from Linux 6.19 "
			      "on, linux-binary of Debian, kernel-core of Fedora, kernel-default of "
			      "openSUSE",
			      im->spec->name);
	} else {
		free(im->bytes);
		im->bytes = TAKE_PTR(image->bytes);
		im->n_bytes = image->size_bytes;
		*ret_config = config ? TAKE_PTR(config->bytes) : NULL;
	}
	archive_files_finish(&files);
	return r;
}

/* ---- the file ---- */

static int read_user_file(const char *path, const char *what, char **ret, size_t *ret_n,
			  struct error *err)
{
	struct stat st;
	int r;

	if (stat(path, &st) < 0)
		return error_set(err, errno, "cannot read %s %s: %s", what, path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return error_set(err, EISDIR,
				 "%s %s is a folder: name the file in it, or use tree: for a "
				 "kernel's source",
				 what, path);
	if (!S_ISREG(st.st_mode))
		return error_set(err, EINVAL, "%s %s is no regular file", what, path);
	r = file_read(path, ret, ret_n, err);
	if (r == -EFBIG)
		return error_set(err, EFBIG,
				 "%s %s is larger than 1 GiB: take its debug information off, as "
				 "with strip -g",
				 what, path);
	if (r == 0 && !*ret_n)
		r = error_set(err, ENOEXEC, "%s %s is empty", what, path);
	return r;
}

static int import(struct import *im, struct error *err)
{
	_cleanup_free_ char *config = NULL, *content = NULL;
	struct image i;
	int r = 0;

	tell(im, "unpacking the image");
	if (archive_package_kind(im->bytes, im->n_bytes) != ARCHIVE_NONE)
		r = open_package(im, &config, err);
	if (r < 0)
		return r;
	r = image_parse(im->bytes, im->n_bytes, &i, err);
	if (r < 0)
		return error_context(err, r, "%s cannot be used as a kernel",
				     im->spec->name);
	/* Before anything is changed in the bytes. */
	content = digest_sha256(im->bytes, im->n_bytes);
	if (i.config) {
		free(config);
		config = TAKE_PTR(i.config);
	}
	r = store(im, &i, im->bytes, im->n_bytes, content, config, err);
	image_finish(&i);
	return r;
}

/* Loads what the file holds, which is brought into the cache if it is not there. */
static int load_or_import(struct import *im, struct kernel *ret, char **ret_banner,
			  struct error *err)
{
	_cleanup_free_ char *lock = path_join(im->dir, "lock");
	_cleanup_close_ int fd = -1;
	int r;

	if (load(im, ret, ret_banner) == 0)
		return 0;
	fd = file_lock(lock, tell_waiting, im, err);
	if (fd < 0)
		return fd;
	/* Another process may have brought it while this one waited. */
	if (load(im, ret, ret_banner) == 0)
		return 0;
	r = import(im, err);
	if (r == 0 && load(im, ret, ret_banner) < 0)
		r = error_set(err, EIO, "%s was unpacked but cannot be read in %s", im->spec->name,
			      im->dir);
	return r;
}

/* ---- what else the spec says ---- */

static int check_arch(const struct import *im, const struct kernel *k, struct error *err)
{
	if (!im->spec->is_arch_said || strcmp(k->arch, im->spec->arch) == 0)
		return 0;
	return error_set(err, EINVAL, "%s is a kernel for %s, but arch=%s was said: leave it out, or "
				      "name another image",
			 im->spec->name, k->arch, im->spec->arch);
}

static void set_config(struct kernel *k, char *text)
{
	free(k->config);
	free(k->config_sha256);
	k->config = text;
	k->config_sha256 = digest_sha256(text, strlen(text));
}

/* `config-RELEASE` beside `vmlinuz-RELEASE`, `config` beside `vmlinuz`. */
static char *config_beside(const char *image_path)
{
	const char *slash = strrchr(image_path, '/'), *base = slash ? slash + 1 : image_path;
	const char *rest = str_has_prefix(base, "vmlinuz") || str_has_prefix(base, "vmlinux") ?
				   base + strlen("vmlinuz") :
			   str_has_prefix(base, "Image") ? base + strlen("Image") :
							   NULL;
	_cleanup_free_ char *path = NULL;
	char *text;

	if (!rest || (*rest && *rest != '-'))
		return NULL;
	path = xasprintf("%.*sconfig%s", (int)(base - image_path), image_path, rest);
	return file_exists(path) && file_read(path, &text, NULL, NULL) == 0 ? text : NULL;
}

static int find_config(const struct import *im, struct kernel *k, struct error *err)
{
	char *text = NULL;
	size_t n;
	int r = 0;

	if (im->spec->config_file) {
		r = read_user_file(im->spec->config_file, "config=", &text, &n, err);
		if (r == 0 && !strstr(text, "CONFIG_")) {
			free(text);
			return error_set(err, EINVAL, "config=%s is no kernel configuration",
					 im->spec->config_file);
		}
	} else if (!k->config) {
		text = config_beside(im->spec->name);
	}
	if (r == 0 && text)
		set_config(k, text);
	return r;
}

static int find_vmlinux(const struct import *im, struct kernel *k, const char *banner,
			struct error *err)
{
	const char *path = im->spec->vmlinux;
	_cleanup_free_ char *bytes = NULL;
	struct elf_facts f;
	size_t n;
	int r;

	if (!path)
		return 0;
	r = read_user_file(path, "vmlinux=", &bytes, &n, err);
	if (r < 0)
		return r;
	if (elf_read_facts(bytes, n, &f) < 0 || !str_equal(f.arch, k->arch))
		return error_set(err, EINVAL, "vmlinux=%s is no ELF file for %s: the vmlinux that %s was "
					      "made from is wanted",
				 path, k->arch, im->spec->name);
	/* The banner has the build's number and date, if the image does not say its build id. */
	if (k->build_id && f.build_id[0] ? strcmp(k->build_id, f.build_id) != 0 :
					   banner && !memmem(bytes, n, banner, strlen(banner)))
		return error_set(err, EINVAL, "vmlinux=%s is of another build than %s", path,
				 im->spec->name);
	if (f.build_id[0]) {
		free(k->build_id);
		k->build_id = xstrdup(f.build_id);
	}
	k->sizes = f.sizes;
	k->vmlinux_path = xstrdup(path);
	return 0;
}

static int find(struct import *im, struct kernel *ret, struct error *err)
{
	_cleanup_free_ char *cache = NULL, *banner = NULL;
	struct kernel k = { 0 };
	int r = read_user_file(im->spec->name, "the image", &im->bytes, &im->n_bytes, err);

	if (r == 0)
		r = dir_cache(&cache, err);
	if (r < 0)
		return r;
	im->dir = path_join(cache, "image");
	im->key = digest_sha256(im->bytes, im->n_bytes);
	r = dir_make(im->dir, err);
	if (r == 0)
		r = load_or_import(im, &k, &banner, err);
	if (r == 0)
		r = check_arch(im, &k, err);
	if (r == 0)
		r = find_config(im, &k, err);
	if (r == 0)
		r = find_vmlinux(im, &k, banner, err);
	if (r < 0) {
		kernel_finish(&k);
		return r;
	}
	k.source = xstrdup(im->spec->source);
	*ret = k;
	return 0;
}

int imagefile_find(const struct spec *spec, debian_progress progress, void *data,
		   struct kernel *ret, struct error *err)
{
	struct import im = { .spec = spec, .progress = progress, .data = data };
	int r = find(&im, ret, err);

	free(im.dir);
	free(im.bytes);
	free(im.key);
	return r;
}
