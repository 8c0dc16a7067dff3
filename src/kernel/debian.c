/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/debian.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "debian/packages.h"
#include "kernel/debcache.h"
#include "kernel/packaged.h"
#include "sys/archive.h"

/* Beside the download: the unpacked image and .config, and room for the cache's small files. */
#define UNPACKED_BYTES (100ull << 20)

/* ---- from a package to a kernel ---- */

static int unpack_all(const char *dir, struct archive_files *ret, struct error *err)
{
	struct dirent **entries = NULL;
	struct packaged taken = { 0 };
	int n, r = 0;

	n = scandir(dir, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		_cleanup_free_ char *path = path_join(dir, entries[i]->d_name);
		struct archive_files files = { 0 };

		if (r == 0 && str_has_suffix(path, ".deb"))
			r = archive_deb_read(path, packaged_ask, &taken, &files, err);
		for (size_t j = 0; j < files.n; j++)
			*ARRAY_ADD(ret->files, ret->n, ret->cap) = files.files[j];
		free(files.files);
		free(entries[i]);
	}
	free(entries);
	return r;
}

static int store(struct debsearch *s, const char *dir, const struct package *p,
		 struct error *err)
{
	struct archive_files files = { 0 };
	const struct archive_file *image, *config;
	int r = unpack_all(dir, &files, err);

	image = packaged_image(&files);
	config = packaged_config(&files);
	if (r == 0 && (!image || !config))
		r = error_set(err, ENODATA,
			      "%s %s holds no %s where Debian's kernel packages have it: use "
			      "another kernel",
			      p->name, p->version, image ? ".config" : "image");
	if (r == 0)
		r = debcache_store(&s->cache, p->name, p->version, s->arch, p->release, image->bytes,
				   image->size_bytes, config->bytes, config->size_bytes, err);
	archive_files_finish(&files);
	return r;
}

/* ---- the search ---- */

static const struct package *choose(const struct debsearch *s, const struct packages *p)
{
	return packages_choose(p, s->subject, s->arch);
}

static int explain(const struct debsearch *s, const struct packages *p, struct error *err)
{
	return packages_explain_missing(p, s->subject, s->arch, err);
}

static bool has(const struct debsearch *s, const char *package, const char *version)
{
	struct kernel k;

	if (debcache_load(&s->cache, package, version, s->arch, &k) < 0)
		return false;
	kernel_finish(&k);
	return true;
}

static uint64_t room_bytes(uint64_t download_bytes)
{
	(void)download_bytes;
	return UNPACKED_BYTES;
}

static const struct debsearch_ops kernel_ops = { choose, explain, has, store, room_bytes };

/*
 * A package of its own name means the same bytes for good, but for release candidates, whose
 * packages are called the same; a meta package is never in the cache.
 */
static bool is_there_for_good(const struct debsearch *s, const struct package_request *request,
			      struct kernel *ret)
{
	struct kernel k;

	if (request->kind != REQUEST_PACKAGE ||
	    debcache_load(&s->cache, request->package, NULL, s->arch, &k) < 0)
		return false;
	if (strstr(k.version, "~rc")) {
		kernel_finish(&k);
		return false;
	}
	*ret = k;
	return true;
}

static int find(struct debsearch *s, const struct package_request *request, struct kernel *ret,
		struct error *err)
{
	_cleanup_free_ char *package = NULL, *version = NULL;
	int r;

	if (is_there_for_good(s, request, ret))
		return 0;
	r = debsearch_find(s, &package, &version, err);
	if (r == 0 && debcache_load(&s->cache, package, version, s->arch, ret) < 0)
		r = error_set(err, EIO, "%s was there but cannot be read in %s", package,
			      s->cache.dir);
	return r;
}

int debian_find(const struct spec *spec, debian_progress progress, void *data, struct kernel *ret,
		struct error *err)
{
	struct package_request request;
	struct debsearch s = { .ops = &kernel_ops,
			       .subject = &request,
			       .arch = spec->arch,
			       .key = spec->name,
			       .cache = DEBCACHE_INIT,
			       .progress = progress,
			       .data = data };
	struct kernel k = { 0 };
	int r = package_request_parse(spec->name, &request, err);

	if (r < 0)
		return r;
	r = debcache_init(&s.cache, err);
	if (r == 0)
		r = find(&s, &request, &k, err);
	if (r == 0) {
		k.source = xstrdup(spec->source);
		*ret = k;
	}
	debcache_finish(&s.cache);
	package_request_finish(&request);
	return r;
}

/* ---- the list ---- */

struct kernel_list {
	struct debian_kernel *v;
	size_t n, cap;
};

static void list_offers(const struct debcache *cache, const char *arch, struct kernel_list *l)
{
	struct package_offer *offers = NULL;
	struct packages packages = { 0 };
	size_t n;

	debsearch_lists(cache, arch, &packages);
	n = packages_offers(&packages, arch, &offers);
	for (size_t i = 0; i < n; i++) {
		struct debian_kernel *k = ARRAY_ADD(l->v, l->n, l->cap);
		const struct package *p = offers[i].package, *parts[2];

		k->spec = xstrdup(offers[i].spec);
		k->package = xstrdup(p->name);
		k->version = xstrdup(p->version);
		k->suite = xstrdup(p->suite);
		for (size_t j = packages_parts(&packages, p, parts); j--;)
			k->size_bytes += parts[j]->size_bytes;
	}
	package_offers_free(offers, n);
	packages_finish(&packages);
}

static void list_cached(struct kernel_list *l, const struct kernel *cached)
{
	struct debian_kernel *k;

	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->v[i].package, cached->package) == 0 &&
		    strcmp(l->v[i].version, cached->version) == 0) {
			l->v[i].is_cached = true;
			return;
		}
	k = ARRAY_ADD(l->v, l->n, l->cap);
	k->spec = xasprintf("debian:%s", cached->package);
	k->package = xstrdup(cached->package);
	k->version = xstrdup(cached->version);
	k->is_cached = true;
}

int debian_list(const char *arch, struct debian_kernel **ret, size_t *ret_n, struct error *err)
{
	struct debcache cache = DEBCACHE_INIT;
	struct kernel *cached = NULL;
	struct kernel_list l = { 0 };
	size_t n = 0;
	int r = debcache_init(&cache, err);

	if (r == 0)
		r = debcache_list(&cache, &cached, &n, err);
	if (r == 0)
		list_offers(&cache, arch, &l);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(cached[i].arch, arch) == 0)
			list_cached(&l, &cached[i]);
		kernel_finish(&cached[i]);
	}
	free(cached);
	debcache_finish(&cache);
	if (r == 0) {
		*ret = l.v;
		*ret_n = l.n;
	}
	return r;
}

void debian_kernels_free(struct debian_kernel *kernels, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(kernels[i].spec);
		free(kernels[i].package);
		free(kernels[i].version);
		free(kernels[i].suite);
	}
	free(kernels);
}
