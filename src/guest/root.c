/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "debian/apt.h"
#include "debian/debindex.h"
#include "guest/hostfiles.h"
#include "guest/rootimage.h"
#include "sys/digest.h"
#include "sys/folder.h"

/* In every guest. */
static const char *const base_packages[] = { "coreutils", "dash", "mawk", "netbase" };

/*
 * Taken to be there: what only serves to install packages, which nobody does in a guest, with
 * all that would come along with it.
 */
static const char *const not_needed[] = { "adduser", "debconf", "debconf-2.0", "dpkg",
					  "init-system-helpers", "lsb-base", "ucf" };

/* Packages are packed to a quarter or a fifth of their size. */
#define ROOM_TIMES 7

struct search {
	const char *arch;
	debian_progress progress;
	void *data;
	struct strv packages, there;
	struct host_files host;
	char *host_text; /* a line for each of its files */
	char *request;   /* the name in the index */
	char *home;      /* of the package lists */
	char *dir;       /* of the roots of this architecture */
	enum suite_group group;
	struct apt *apt; /* of that group; NULL before */
	uint64_t age_s;	 /* of its lists */
};

/* Of suites of several releases, the one that changes least is meant. */
static struct apt_wish wish_of(const struct search *s)
{
	return (struct apt_wish){ .packages = &s->packages,
				  .there = &s->there,
				  .suite = s->group == SUITES_FURTHER ? "stable" : NULL };
}

static void tell(const struct search *s, const char *sentence)
{
	if (s->progress)
		s->progress(s->data, sentence);
}

/* ---- the request ---- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void set_packages(struct search *s, const struct strv *packages)
{
	for (size_t i = 0; i < ARRAY_SIZE(base_packages); i++)
		strv_add(&s->packages, base_packages[i]);
	for (size_t i = 0; i < packages->n; i++)
		if (!strv_has(&s->packages, packages->v[i]))
			strv_add(&s->packages, packages->v[i]);
	qsort(s->packages.v, s->packages.n, sizeof(char *), by_text);
	for (size_t i = 0; i < ARRAY_SIZE(not_needed); i++)
		if (!strv_has(&s->packages, not_needed[i]))
			strv_add(&s->there, not_needed[i]);
}

static void set_request(struct search *s)
{
	_cleanup_str_ struct str host = STR_INIT, request = STR_INIT;
	_cleanup_free_ char *names = strv_join(&s->packages, " ");

	for (size_t i = 0; i < s->host.n; i++) {
		const struct host_file *f = &s->host.v[i];
		_cleanup_free_ char *sha256 = digest_sha256(f->bytes, f->n_bytes);

		str_addf(&host, "host %o %d %s %s\n", (unsigned)f->mode, f->is_library, sha256,
			 f->path);
	}
	str_addf(&request, "format %d\n%s\n%s", ROOTIMAGE_FORMAT, names, str_text(&host));
	s->request = digest_sha256(str_text(&request), request.len);
	s->host_text = xstrdup(str_text(&host));
}

/* ---- the cache: KEY.cpio, and KEY.about with what is in it ---- */

static char *path_of(const struct search *s, const char *key, const char *ending)
{
	return xasprintf("%s/%s.%s", s->dir, key, ending);
}

/* Made of these packages and files, it is this one. Owned by the caller. */
static char *key_of(const struct search *s, const struct apt_debs *debs)
{
	_cleanup_str_ struct str text = STR_INIT;

	str_addf(&text, "format %d\n%s", ROOTIMAGE_FORMAT, s->host_text);
	for (size_t i = 0; i < debs->n; i++)
		str_addf(&text, "deb %s %s\n", debs->v[i].hash, debs->v[i].file);
	return digest_sha256(str_text(&text), text.len);
}

static int load(const struct search *s, const char *key, struct root *ret)
{
	_cleanup_free_ char *about_path = path_of(s, key, "about"), *about = NULL;
	struct root root = { .path = path_of(s, key, "cpio") };
	char *save = NULL;

	if (!file_exists(root.path) || !file_exists(about_path) ||
	    file_read(about_path, &about, NULL, NULL) < 0) {
		root_finish(&root);
		return -ENOENT;
	}
	for (char *line = strtok_r(about, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (str_has_prefix(line, "id: ") && !root.id)
			root.id = xstrdup(line + strlen("id: "));
		else if (str_has_prefix(line, "bytes: "))
			str_to_u64(line + strlen("bytes: "), 0, UINT64_MAX, &root.n_bytes);
		else if (str_has_prefix(line, "package: "))
			strv_add(&root.versions, line + strlen("package: "));
	}
	if (!root.id || !root.n_bytes) {
		root_finish(&root);
		return -ENOENT;
	}
	if (root.versions.n)
		qsort(root.versions.v, root.versions.n, sizeof(char *), by_text);
	*ret = root;
	return 0;
}

static int store_about(const struct search *s, const char *key, const char *id, uint64_t n_bytes,
		       const struct apt_debs *debs, struct error *err)
{
	_cleanup_free_ char *path = path_of(s, key, "about");
	_cleanup_str_ struct str about = STR_INIT;

	str_addf(&about, "id: %s\nbytes: %llu\n%s", id, (unsigned long long)n_bytes, s->host_text);
	for (size_t i = 0; i < debs->n; i++)
		str_addf(&about, "package: %s %s\n", debs->v[i].name, debs->v[i].version);
	return file_write(path, str_text(&about), about.len, err);
}

/* ---- making one ---- */

static int check_room(const struct search *s, const struct apt_debs *debs, uint64_t *ret_bytes,
		      struct error *err)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < debs->n; i++)
		bytes += debs->v[i].size_bytes;
	*ret_bytes = bytes;
	return folder_check_room(s->dir, ROOM_TIMES * bytes, "a guest's root", err);
}

/* The image in the folder, as root.cpio and on the disk. */
static int write_image(const struct search *s, const char *tmp, const struct apt_debs *debs,
		       const char *path, char **ret_id, uint64_t *ret_n_bytes, struct error *err)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	_cleanup_strv_ struct strv paths = { 0 };
	int r;

	if (fd < 0)
		return error_set(err, errno, "cannot write %s: %s", path, strerror(errno));
	for (size_t i = 0; i < debs->n; i++)
		strv_addf(&paths, "%s/%s", tmp, debs->v[i].file);
	r = rootimage_write(fd, path, &paths, &s->host, ret_id, ret_n_bytes, err);
	if (r == 0 && fsync(fd) < 0)
		r = error_set(err, errno, "cannot write %s: %s", path, strerror(errno));
	return r;
}

static int make_in(struct search *s, const char *tmp, const char *key, const struct apt_debs *debs,
		   struct error *err)
{
	_cleanup_free_ char *image = path_join(tmp, "root.cpio");
	_cleanup_free_ char *path = path_of(s, key, "cpio"), *id = NULL, *sentence = NULL;
	struct apt_wish wish = wish_of(s);
	uint64_t n_bytes;
	int r = check_room(s, debs, &n_bytes, err);

	if (r < 0)
		return r;
	sentence = xasprintf("fetching %zu packages for the guest (%llu MB)", debs->n,
			     (unsigned long long)((n_bytes + 500000) / 1000000));
	tell(s, sentence);
	r = apt_closure_download(s->apt, tmp, &wish, err);
	if (r < 0)
		return r;
	tell(s, "making the guest's root out of them");
	r = write_image(s, tmp, debs, image, &id, &n_bytes, err);
	if (r == 0)
		r = store_about(s, key, id, n_bytes, debs, err);
	if (r == 0 && rename(image, path) < 0)
		r = error_set(err, errno, "cannot create %s: %s", path, strerror(errno));
	return r;
}

static int make(struct search *s, const char *key, const struct apt_debs *debs, struct error *err)
{
	_cleanup_free_ char *tmp = path_join(s->dir, "tmp");
	int r = folder_renew(tmp, err);

	if (r == 0)
		r = make_in(s, tmp, key, debs, err);
	dir_remove(tmp);
	return r;
}

/* ---- the search ---- */

/*
 * apt for a group of suites, with lists that are less than a day old where that can be had; else
 * with what there is, unless -errno.
 */
static int read_lists(struct search *s, enum suite_group group, bool has_fallback,
		      struct error *err)
{
	_cleanup_error_ struct error why = ERROR_INIT;
	_cleanup_free_ char *sentence = NULL;
	int r;

	apt_free(s->apt);
	s->group = group;
	r = lists_open(s->home, group, s->arch, &s->apt, err);
	if (r < 0 || !s->apt)
		return r;
	s->age_s = apt_lists_age_s(s->apt);
	if (s->age_s < LISTS_FRESH_S)
		return 0;
	r = lists_update(s->home, group, s->apt, s->progress, s->data, &why);
	if (r == 0) {
		s->age_s = 0;
		return 0;
	}
	/* Old lists could choose older packages than the fallback, never newer ones. */
	if (!lists_is_about_archive(r) || has_fallback || s->age_s == UINT64_MAX)
		return error_set(err, r, "%s", error_text(&why));
	sentence = xasprintf("%s; the packages of an earlier day are used", error_text(&why));
	tell(s, sentence);
	return 0;
}

static int remember(const struct search *s, const char *key, struct error *err)
{
	uint64_t now = (uint64_t)time(NULL);
	struct debindex_entry e = { .arch = (char *)s->arch,
				    .name = s->request,
				    .package = (char *)key,
				    .version = (char *)"",
				    .time_s = s->age_s < now ? now - s->age_s : 0 };

	return debindex_remember(s->dir, &e, err);
}

/* Makes it if it is not there. */
static int resolve(struct search *s, struct root *ret, struct error *err)
{
	struct apt_debs debs = { 0 };
	struct apt_wish wish = wish_of(s);
	_cleanup_free_ char *key = NULL;
	int r = apt_closure(s->apt, &wish, &debs, err);

	if (r < 0)
		return r;
	key = key_of(s, &debs);
	if (load(s, key, ret) < 0) {
		r = make(s, key, &debs, err);
		if (r == 0 && load(s, key, ret) < 0)
			r = error_set(err, EIO, "the guest's root was made but cannot be read in %s",
				      s->dir);
	}
	apt_debs_finish(&debs);
	if (r == 0) {
		r = remember(s, key, err);
		if (r < 0)
			root_finish(ret);
	}
	return r;
}

/* From the lists that are open; from newer ones if those name what is gone, or not yet what is new. */
static int resolve_anew(struct search *s, struct root *ret, struct error *err)
{
	int r = resolve(s, ret, err);

	if (r != -ENOENT || s->age_s < LISTS_JUST_READ_S || s->age_s >= LISTS_FRESH_S ||
	    lists_update(s->home, s->group, s->apt, s->progress, s->data, NULL) < 0)
		return r;
	s->age_s = 0;
	if (err)
		error_finish(err);
	return resolve(s, ret, err);
}

/* Do the lists that are open know the architecture at all? */
static bool has_base(const struct search *s)
{
	struct strv base = { .v = (char **)base_packages, .n = ARRAY_SIZE(base_packages) };
	struct apt_wish wish = wish_of(s);
	struct apt_debs debs = { 0 };
	int r;

	wish.packages = &base;
	r = apt_closure(s->apt, &wish, &debs, NULL);
	apt_debs_finish(&debs);
	return r != -ENOENT;
}

static int find_with_apt(struct search *s, bool has_fallback, struct root *ret, struct error *err)
{
	_cleanup_error_ struct error further = ERROR_INIT;
	int r = read_lists(s, SUITES_RELEASE, has_fallback, err);

	if (r == 0)
		r = resolve_anew(s, ret, err);
	/* A package that the release lacks is no reason to mix it with others, an architecture is. */
	if (r != -ENOENT || !s->apt || has_base(s))
		return r;
	r = read_lists(s, SUITES_FURTHER, has_fallback, &further);
	if (r == 0 && !s->apt)
		return -ENOENT;
	if (err)
		error_finish(err);
	if (r == 0)
		return resolve_anew(s, ret, err);
	return error_blame(err, further.blame, r, "%s", error_text(&further));
}

/* What the request meant last time, and whether that still holds. */
static int look_in_index(const struct search *s, struct root *ret, bool *ret_is_fresh)
{
	uint64_t now = (uint64_t)time(NULL);
	struct debindex_entry e;
	int r = debindex_resolved(s->dir, s->arch, s->request, &e);

	if (r < 0)
		return r;
	r = load(s, e.package, ret);
	*ret_is_fresh = e.time_s <= now && now - e.time_s < LISTS_FRESH_S;
	debindex_entry_finish(&e);
	return r;
}

static int find(struct search *s, struct root *ret, struct error *err)
{
	_cleanup_error_ struct error why = ERROR_INIT;
	_cleanup_close_ int lock_fd = -1;
	struct root old = { 0 };
	bool is_fresh = false;
	int r;

	if (look_in_index(s, &old, &is_fresh) == 0 && is_fresh) {
		*ret = old;
		return 0;
	}
	root_finish(&old);
	lock_fd = lists_lock(s->home, s->progress, s->data, err);
	if (lock_fd < 0)
		return lock_fd;
	/* Another process may have made it while this one waited. */
	if (look_in_index(s, &old, &is_fresh) == 0 && is_fresh) {
		*ret = old;
		return 0;
	}
	r = find_with_apt(s, old.path, ret, &why);
	if (lists_is_about_archive(r) && old.path) {
		_cleanup_free_ char *sentence = xasprintf(
			"%s; using the guest's root of an earlier day", error_text(&why));

		tell(s, sentence);
		*ret = old;
		return 0;
	}
	root_finish(&old);
	return r < 0 ? error_blame(err, why.blame, r, "%s", error_text(&why)) : 0;
}

static int open_folders(struct search *s, struct error *err)
{
	_cleanup_free_ char *cache = NULL, *roots = NULL;
	int r = dir_cache(&cache, err);

	if (r == 0)
		r = lists_home(&s->home, err);
	if (r < 0)
		return r;
	roots = path_join(cache, "roots");
	s->dir = path_join(roots, s->arch);
	r = dir_make(s->dir, err);
	/*
	 * Roots hold programs of the host, and they may be for their owner alone. Older roots are files that anybody can
	 * read, so the folder is closed. Where it is somebody else's, so are they.
	 */
	if (r == 0 && chmod(roots, 0700) < 0 && errno != EPERM)
		r = error_set(err, errno, "cannot change the mode of %s: %s", roots, strerror(errno));
	return r;
}

int root_find(const char *arch, const struct strv *packages, const struct strv *host_files,
	      debian_progress progress, void *data, struct root *ret, struct error *err)
{
	struct search s = { .arch = arch, .progress = progress, .data = data };
	int r = host_files_read(arch, host_files, &s.host, err);

	if (r == 0)
		r = open_folders(&s, err);
	if (r == 0) {
		set_packages(&s, packages);
		set_request(&s);
		r = find(&s, ret, err);
	}
	strv_finish(&s.packages);
	strv_finish(&s.there);
	host_files_finish(&s.host);
	free(s.host_text);
	free(s.request);
	free(s.home);
	free(s.dir);
	apt_free(s.apt);
	return r;
}

void root_finish(struct root *r)
{
	free(r->path);
	free(r->id);
	strv_finish(&r->versions);
	*r = (struct root){ 0 };
}
