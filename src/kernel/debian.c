/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/debian.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "kernel/apt.h"
#include "kernel/debcache.h"
#include "kernel/packages.h"
#include "sys/archive.h"

/* How long "the newest" stays what it was: Debian publishes kernels every week or two. */
#define FRESH_S (24 * 3600)

/* What these lists do not name now the archive will not have either. */
#define JUST_READ_S 300

/* Beside the download: the unpacked image and .config, and room for the cache's small files. */
#define UNPACKED_BYTES (100ull << 20)

DEFINE_CLEANUP(struct apt *, apt_free)

struct search {
	const struct spec *spec;
	struct package_request request;
	struct debcache cache;
	debian_progress progress;
	void *data;
	/* What the cache has, for when the archive cannot be asked. */
	bool has_fallback;
	struct kernel fallback;
};

static void tell(const struct search *s, const char *sentence)
{
	if (s->progress)
		s->progress(s->data, sentence);
}

static void tell_waiting(void *data)
{
	tell(data, "waiting for another ktoll that is fetching a kernel");
}

/* ---- what the cache knows ---- */

/*
 * 0 if the answer is in the cache and still good. Else -ENOENT; what is there
 * but old becomes the fallback.
 */
static int look_in_cache(struct search *s, struct kernel *ret)
{
	const char *arch = s->spec->arch;
	struct debindex_entry e;
	uint64_t now = (uint64_t)time(NULL);
	struct kernel k;
	int r;

	/*
	 * A package of its own name means the same bytes for good; a meta package is never
	 * in there.
	 */
	if (s->request.kind == REQUEST_PACKAGE &&
	    debcache_load(&s->cache, s->request.package, NULL, arch, ret) == 0)
		return 0;
	r = debcache_resolved(&s->cache, arch, s->spec->name, &e);
	if (r < 0)
		return r;
	r = debcache_load(&s->cache, e.package, e.version, arch, &k);
	if (r == 0 && (e.time_s > now || now - e.time_s >= FRESH_S)) {
		kernel_finish(&s->fallback);
		s->fallback = k;
		s->has_fallback = true;
		r = -ENOENT;
	} else if (r == 0) {
		*ret = k;
	}
	debindex_entry_finish(&e);
	return r;
}

/* ---- from a package to a kernel ---- */

/*
 * Members of a kernel's packages, in either layout; the release is in the name or the
 * folder above.
 */
struct wanted {
	const char *image_names[4], *config_names[2];
	bool has_image, has_config;
};

static enum archive_answer ask(void *data, struct archive_file *f)
{
	struct wanted *w = data;

	if (w->has_image && w->has_config)
		return ARCHIVE_STOP;
	if (!S_ISREG(f->mode) || f->link)
		return ARCHIVE_SKIP;
	for (size_t i = 0; i < ARRAY_SIZE(w->image_names); i++)
		if (!w->has_image && strcmp(f->name, w->image_names[i]) == 0) {
			w->has_image = true;
			return ARCHIVE_TAKE;
		}
	for (size_t i = 0; i < ARRAY_SIZE(w->config_names); i++)
		if (!w->has_config && strcmp(f->name, w->config_names[i]) == 0) {
			w->has_config = true;
			return ARCHIVE_TAKE;
		}
	return ARCHIVE_SKIP;
}

static bool is_config(const struct archive_file *f)
{
	return strstr(f->name, "config") && !strstr(f->name, "/vmlinu");
}

static int unpack_all(const char *dir, const char *release, struct archive_files *ret_image,
		      struct archive_files *ret_config, struct error *err)
{
	_cleanup_strv_ struct strv names = { 0 };
	struct dirent **entries = NULL;
	struct wanted w = { 0 };
	int n, r = 0;

	/* 7.x on x86 and arm64, older everywhere; ppc64el and riscv64 name the image vmlinux. */
	strv_addf(&names, "boot/vmlinuz-%s", release);
	strv_addf(&names, "boot/vmlinux-%s", release);
	strv_addf(&names, "usr/lib/modules/%s/vmlinuz", release);
	strv_addf(&names, "usr/lib/modules/%s/vmlinux", release);
	strv_addf(&names, "boot/config-%s", release);
	strv_addf(&names, "usr/lib/modules/%s/config", release);
	for (size_t i = 0; i < ARRAY_SIZE(w.image_names); i++)
		w.image_names[i] = names.v[i];
	for (size_t i = 0; i < ARRAY_SIZE(w.config_names); i++)
		w.config_names[i] = names.v[ARRAY_SIZE(w.image_names) + i];

	n = scandir(dir, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		_cleanup_free_ char *path = path_join(dir, entries[i]->d_name);
		struct archive_files files = { 0 };

		if (r == 0 && str_has_suffix(path, ".deb"))
			r = archive_deb_read(path, ask, &w, &files, err);
		for (size_t j = 0; j < files.n; j++) {
			struct archive_files *to = is_config(&files.files[j]) ? ret_config :
										ret_image;

			*ARRAY_ADD(to->files, to->n, to->cap) = files.files[j];
		}
		free(files.files);
		free(entries[i]);
	}
	free(entries);
	return r;
}

static int unpack(struct search *s, const char *dir, const struct package *p, struct error *err)
{
	struct archive_files image = { 0 }, config = { 0 };
	int r = unpack_all(dir, p->release, &image, &config, err);

	if (r == 0 && (!image.n || !config.n))
		r = error_set(err, ENODATA,
			      "%s %s holds no %s where Debian's kernel packages have it: use "
			      "another kernel",
			      p->name, p->version, image.n ? ".config" : "image");
	if (r == 0)
		r = debcache_store(&s->cache, p->name, p->version, s->spec->arch, p->release,
				   image.files[0].bytes, image.files[0].size_bytes,
				   config.files[0].bytes, config.files[0].size_bytes, err);
	archive_files_finish(&image);
	archive_files_finish(&config);
	return r;
}

static int check_room(const struct search *s, uint64_t download_bytes, struct error *err)
{
	uint64_t need = download_bytes + UNPACKED_BYTES, have;
	struct statvfs st;

	if (statvfs(s->cache.dir, &st) < 0)
		return 0; /* who writes will find out */
	have = (uint64_t)st.f_bavail * st.f_frsize;
	if (have >= need)
		return 0;
	return error_set(err, ENOSPC,
			 "the disk is full: a kernel needs %llu MB in %s, %llu MB are free: make "
			 "room, or set XDG_CACHE_HOME to a folder on another disk",
			 (unsigned long long)(need >> 20), s->cache.dir,
			 (unsigned long long)(have >> 20));
}

/* Puts the package's kernel into the cache unless it is there. */
static int fetch(struct search *s, struct apt *apt, const struct packages *packages,
		 const struct package *p, struct error *err)
{
	_cleanup_free_ char *sentence = NULL, *dir = NULL;
	const struct package *parts[2];
	size_t n = packages_parts(packages, p, parts);
	uint64_t bytes = 0;
	int r;

	for (size_t i = 0; i < n; i++)
		bytes += parts[i]->size_bytes;
	r = check_room(s, bytes, err);
	if (r == 0)
		r = debcache_scratch(&s->cache, &dir, err);
	if (r < 0)
		return r;
	sentence = xasprintf("fetching %s (%llu MB)", p->name,
			     (unsigned long long)((bytes + 500000) / 1000000));
	tell(s, sentence);
	r = apt_download(apt, dir, parts, n, err);
	if (r == 0)
		r = unpack(s, dir, p, err);
	debcache_scratch_remove(&s->cache);
	return r;
}

/* ---- the search ---- */

static int update(struct search *s, struct apt *apt, struct error *err)
{
	tell(s, "reading Debian's package lists");
	return apt_update(apt, err);
}

static int remember(struct search *s, const struct apt *apt, const struct kernel *k,
		    struct error *err)
{
	uint64_t age_s = apt_lists_age_s(apt), now = (uint64_t)time(NULL);
	struct debindex_entry e = { .arch = (char *)s->spec->arch,
				    .name = (char *)s->spec->name,
				    .package = k->package,
				    .version = k->version,
				    .time_s = age_s < now ? now - age_s : 0 };

	return debcache_remember(&s->cache, &e, err);
}

/* Chooses from the lists that are there and has it in the cache. */
static int find_in_lists(struct search *s, struct apt *apt, struct kernel *ret, struct error *err)
{
	struct packages packages = { 0 };
	const struct package *p = NULL;
	struct kernel k = { 0 };
	int r = apt_packages(apt, &packages, err);

	if (r == 0)
		p = packages_choose(&packages, &s->request, s->spec->arch);
	if (r == 0 && !p)
		r = packages_explain_missing(&packages, &s->request, s->spec->arch, err);
	if (r == 0 && debcache_load(&s->cache, p->name, p->version, s->spec->arch, &k) < 0) {
		r = fetch(s, apt, &packages, p, err);
		if (r == 0 && debcache_load(&s->cache, p->name, p->version, s->spec->arch, &k) < 0)
			r = error_set(err, EIO, "%s was fetched but cannot be read in %s", p->name,
				      s->cache.dir);
	}
	packages_finish(&packages);
	if (r == 0)
		r = remember(s, apt, &k, err);
	if (r < 0)
		kernel_finish(&k);
	else
		*ret = k;
	return r;
}

/* Can the search go on with what is there, after a failure to ask the archive? */
static bool is_about_archive(int r)
{
	return r == -ENETUNREACH || r == -EIO || r == -ETIMEDOUT;
}

/* The lists were due but could not be read: what an older or incomplete set says, else why. */
static int find_without_update(struct search *s, struct apt *apt, uint64_t age_s, int why_rc,
			       struct error *why, struct kernel *ret, struct error *err)
{
	int r;

	/* Old lists could choose an older kernel than the fallback, never a newer one. */
	if (!is_about_archive(why_rc) || s->has_fallback) {
		*err = *why;
		*why = ERROR_INIT;
		return why_rc;
	}
	r = find_in_lists(s, apt, ret, err);
	if (r == 0) {
		_cleanup_free_ char *sentence = xasprintf(
			"%s; a newer kernel may be missing in what is there", error_text(why));

		tell(s, sentence);
	}
	/* Lists which were never complete know nothing of what is missing in them. */
	if (r == -ENOENT && age_s == UINT64_MAX) {
		error_finish(err);
		*err = *why;
		*why = ERROR_INIT;
		return why_rc;
	}
	return r;
}

static int find_with_apt(struct search *s, struct kernel *ret, struct error *err)
{
	const char *debian_arch = arch_to_debian(s->spec->arch);
	_cleanup_free_ char *name = xasprintf("apt-%s", debian_arch);
	_cleanup_free_ char *dir = path_join(s->cache.dir, name);
	_cleanup_(apt_freep) struct apt *apt = NULL;
	_cleanup_error_ struct error failed = ERROR_INIT;
	uint64_t age_s;
	int r = apt_open(dir, debian_arch, &apt, err);

	if (r < 0)
		return r;
	age_s = apt_lists_age_s(apt);
	if (age_s >= FRESH_S) {
		r = update(s, apt, &failed);
		if (r < 0)
			return find_without_update(s, apt, age_s, r, &failed, ret, err);
		return find_in_lists(s, apt, ret, err);
	}
	r = find_in_lists(s, apt, ret, err);
	/* Not in the lists, or named by them and gone: they are out of date. */
	if (r == -ENOENT && age_s >= JUST_READ_S) {
		r = update(s, apt, &failed);
		if (r == 0) {
			error_finish(err);
			return find_in_lists(s, apt, ret, err);
		}
		/* What the lists say is worth more than "no network". */
		if (is_about_archive(r))
			return -ENOENT;
		error_finish(err);
		*err = failed;
		failed = ERROR_INIT;
	}
	return r;
}

static int find(struct search *s, struct kernel *ret, struct error *err)
{
	_cleanup_error_ struct error why = ERROR_INIT;
	int r;

	if (look_in_cache(s, ret) == 0)
		return 0;
	r = debcache_lock(&s->cache, tell_waiting, s, err);
	if (r < 0)
		return r;
	/* Another process may have fetched it while this one waited. */
	if (look_in_cache(s, ret) == 0)
		return 0;
	r = find_with_apt(s, ret, &why);
	if (is_about_archive(r) && s->has_fallback) {
		_cleanup_free_ char *sentence =
			xasprintf("%s; using %s %s from the cache", error_text(&why),
				  s->fallback.package, s->fallback.version);

		tell(s, sentence);
		*ret = s->fallback;
		s->fallback = (struct kernel){ 0 };
		return 0;
	}
	if (r < 0)
		error_blame(err, why.blame, r, "%s", error_text(&why));
	return r;
}

int debian_find(const struct spec *spec, debian_progress progress, void *data, struct kernel *ret,
		struct error *err)
{
	struct search s = {
		.spec = spec, .cache = DEBCACHE_INIT, .progress = progress, .data = data
	};
	struct kernel k = { 0 };
	int r = package_request_parse(spec->name, &s.request, err);

	if (r < 0)
		return r;
	r = debcache_init(&s.cache, err);
	if (r == 0)
		r = find(&s, &k, err);
	if (r == 0) {
		k.source = xstrdup(spec->source);
		*ret = k;
	}
	kernel_finish(&s.fallback);
	debcache_finish(&s.cache);
	package_request_finish(&s.request);
	return r;
}

/* ---- the list ---- */

struct kernel_list {
	struct debian_kernel *v;
	size_t n, cap;
};

static void list_offers(const struct debcache *cache, const char *arch, struct kernel_list *l)
{
	_cleanup_free_ char *dir = xasprintf("%s/apt-%s", cache->dir, arch_to_debian(arch));
	_cleanup_(apt_freep) struct apt *apt = NULL;
	struct package_offer *offers = NULL;
	struct packages packages = { 0 };
	size_t n;

	/* Without lists, without apt: there is nothing to offer, and no reason to fail. */
	if (!file_exists(dir) || apt_open(dir, arch_to_debian(arch), &apt, NULL) < 0 ||
	    apt_packages(apt, &packages, NULL) < 0)
		return;
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
