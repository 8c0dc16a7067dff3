/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/rootimage.h"

#include <errno.h>
#include <fnmatch.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "sys/archive.h"

/* ---- what goes where ---- */

/* The folders above them are there, too. All belong to root, as everything here. */
static const struct {
	const char *path;
	mode_t mode;
} folders[] = {
	{ "dev/pts", 0755 },   { "dev/shm", 01777 },  { "etc", 0755 },	    { "mnt", 0755 },
	{ "proc", 0555 },      { "root", 0700 },      { "run/lock", 01777 }, { "sys", 0555 },
	{ "tmp", 01777 },      { "usr/bin", 0755 },   { "usr/lib", 0755 },   { "usr/lib64", 0755 },
	{ "usr/sbin", 0755 },  { "var/cache", 0755 }, { "var/lib", 0755 },   { "var/log", 0755 },
	{ "var/spool", 0755 }, { "var/tmp", 01777 },
};

/* What packages have below the first is put below the second. */
static const struct {
	const char *path, *target;
} links[] = {
	{ "bin", "usr/bin" },	  { "sbin", "usr/sbin" },   { "lib", "usr/lib" },
	{ "lib64", "usr/lib64" }, { "var/lock", "run/lock" }, { "var/run", "run" },
};

/*
 * Debian's base-passwd and what else packages' scripts would have added. localhost has one
 * address, so that a kernel with IPv6 runs the same as one without.
 */
static const struct {
	const char *path, *text;
} files[] = {
	{ "etc/passwd", "root:x:0:0:root:/root:/bin/sh\n"
			"daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n"
			"bin:x:2:2:bin:/bin:/usr/sbin/nologin\n"
			"sys:x:3:3:sys:/dev:/usr/sbin/nologin\n"
			"mail:x:8:8:mail:/var/mail:/usr/sbin/nologin\n"
			"www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin\n"
			"nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n" },
	{ "etc/group", "root:x:0:\ndaemon:x:1:\nbin:x:2:\nsys:x:3:\nadm:x:4:\ntty:x:5:\ndisk:x:6:\n"
		       "mail:x:8:\nkmem:x:15:\nwww-data:x:33:\nshadow:x:42:\nutmp:x:43:\n"
		       "users:x:100:\nnogroup:x:65534:\n" },
	{ "etc/hosts", "127.0.0.1\tlocalhost\n::1\tip6-localhost\n" },
	{ "etc/nsswitch.conf", "passwd: files\ngroup: files\nshadow: files\nhosts: files\n"
			       "networks: files\nprotocols: files\nservices: files\n" },
};

/*
 * What installing a package that has the first would have made, if no package brings it: a link
 * with what it says, or a folder. Where several make the same, the first of them counts.
 */
static const struct {
	const char *needs, *path, *target;
} made[] = {
	{ "usr/bin/dash", "usr/bin/sh", "dash" },
	{ "usr/bin/mawk", "usr/bin/awk", "mawk" },
	{ "usr/bin/gawk", "usr/bin/awk", "gawk" },
	{ "usr/bin/gcc", "usr/bin/cc", "gcc" },
	{ "usr/bin/g++", "usr/bin/c++", "g++" },
	{ "usr/bin/nc.openbsd", "usr/bin/nc", "nc.openbsd" },
	{ "usr/bin/nc.traditional", "usr/bin/nc", "nc.traditional" },
	{ "usr/bin/which.debianutils", "usr/bin/which", "which.debianutils" },
	{ "usr/sbin/nginx", "var/log/nginx", NULL },
	{ "etc/nginx/sites-available/default", "etc/nginx/sites-enabled/default",
	  "/etc/nginx/sites-available/default" },
};

/* Left out, with all that is below. */
static const char *const left_out[] = {
	"boot", "usr/lib/debug", "usr/lib/modules", "usr/share/X11",
	"usr/share/applications", "usr/share/bash-completion", "usr/share/bug", "usr/share/doc",
	"usr/share/doc-base", "usr/share/gdb", "usr/share/icons", "usr/share/info",
	"usr/share/lintian", "usr/share/locale", "usr/share/man", "usr/share/menu",
	"usr/share/pixmaps", "usr/share/vim", "usr/share/zoneinfo",
};

/* The same by pattern. Every MB is copied, a byte at a time, by the guest that unpacks it. */
static const char *const patterns[] = {
	/* Converters of character sets. */
	"usr/lib/*/gconv", "usr/lib/*/gconv/*", "usr/lib/*/perl/*/auto/Encode/[CJKT][NPRW]/*",
	/* gcc's parts for -flto, -fsanitize=, coverage, plugins that gdb loads. */
	"usr/lib/gcc/*/lto1", "usr/bin/*lto-dump*", "usr/lib/*/lib*asan.so*", "usr/lib/*/liblsan.so*",
	"usr/lib/*/libtsan.so*", "usr/lib/*/libubsan.so*", "usr/bin/*-gcov*", "usr/lib/*/libcc1.so*",
	/* What binutils has that a compiler does not call: the other linker, a profiler. */
	"usr/bin/*-ld.gold", "usr/bin/*-dwp", "usr/bin/*gprofng", "usr/bin/*gp-archive",
	"usr/bin/*gp-collect-app", "usr/bin/*gp-display-*", "usr/lib/*/gprofng",
	"usr/lib/*/gprofng/*", "usr/lib/*/libgprofng.so*",
	/* Perl and Python: headers for extensions, documentation, tests, orders of all scripts. */
	"usr/lib/*/perl/*/CORE/*.h", "usr/*/perl/*.pod", "usr/*/perl/*/Unicode/Collate*",
	"usr/lib/python3*/pydoc_data/*", "usr/lib/python3*/test/*",
};

/*
 * Static libraries are large, and a compiler in the guest links the shared ones. For that it
 * needs these; libpthread.a and its like are empty.
 */
static const char *const static_libraries[] = { "libgcc.a", "libgcc_eh.a", "libc_nonshared.a",
						"libpthread.a", "libdl.a", "librt.a", "libutil.a",
						"libanl.a" };

static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return strncmp(path, folder, n) == 0 && (!path[n] || path[n] == '/');
}

/* Where a package's file goes. Owned by the caller. */
static char *place(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		if (is_below(name, links[i].path))
			return xasprintf("%s%s", links[i].target, name + strlen(links[i].path));
	return xstrdup(name);
}

static bool is_left_out(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(left_out); i++)
		if (is_below(path, left_out[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
		if (fnmatch(patterns[i], path, 0) == 0)
			return true;
	if (!str_has_suffix(path, ".a"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(static_libraries); i++)
		if (strcmp(strrchr(path, '/') ? strrchr(path, '/') + 1 : path,
			   static_libraries[i]) == 0)
			return false;
	return true;
}

/* ---- the image ---- */

struct member {
	mode_t mode;
	char path[];
};

struct image {
	struct cpio *cpio;
	void *members; /* what is in it, a tree of tsearch() */
};

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct member *)a)->path, ((const struct member *)b)->path);
}

static struct member *new_member(const char *path, mode_t mode)
{
	struct member *e = xcalloc(1, sizeof(*e) + strlen(path) + 1);

	e->mode = mode;
	strcpy(e->path, path);
	return e;
}

static struct member *find(const struct image *im, const char *path)
{
	_cleanup_free_ struct member *key = new_member(path, 0);
	struct member **found = tfind(key, &im->members, by_path);

	return found ? *found : NULL;
}

static void remember(struct image *im, const char *path, mode_t mode)
{
	if (!tsearch(new_member(path, mode), &im->members, by_path))
		abort();
}

/* The kernel takes a folder's later mode where it has it twice. */
static void add_folder(struct image *im, const char *path, mode_t mode)
{
	const char *slash = strrchr(path, '/');
	struct member *e = find(im, path);

	if (e && (!S_ISDIR(e->mode) || e->mode == (S_IFDIR | mode)))
		return;
	if (slash) {
		_cleanup_free_ char *above = xstrndup(path, (size_t)(slash - path));

		if (!find(im, above))
			add_folder(im, above, 0755);
	}
	cpio_add_dir(im->cpio, path, mode);
	if (e)
		e->mode = S_IFDIR | mode;
	else
		remember(im, path, S_IFDIR | mode);
}

/* Is the path free, and its folder there? */
static bool make_way(struct image *im, const char *path, mode_t mode)
{
	const char *slash = strrchr(path, '/');

	if (find(im, path))
		return false;
	if (slash) {
		_cleanup_free_ char *above = xstrndup(path, (size_t)(slash - path));

		if (!find(im, above))
			add_folder(im, above, 0755);
	}
	remember(im, path, mode);
	return true;
}

static void add_file(struct image *im, const char *path, mode_t mode, const void *p, size_t n_bytes)
{
	if (make_way(im, path, S_IFREG))
		cpio_add_file(im->cpio, path, mode, p, n_bytes);
}

static void add_link(struct image *im, const char *path, const char *target)
{
	if (make_way(im, path, S_IFLNK))
		cpio_add_symlink(im->cpio, path, target);
}

/* ---- what goes into it ---- */

static void add_frame(struct image *im)
{
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		add_folder(im, folders[i].path, folders[i].mode);
	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		/* var/run says ../run. */
		_cleanup_free_ char *target = xasprintf("%s%s", strchr(links[i].path, '/') ? "../" : "",
							links[i].target);

		add_link(im, links[i].path, target);
	}
}

static void add_host_files(struct image *im, const struct host_files *host, bool libraries)
{
	for (size_t i = 0; i < host->n; i++) {
		const struct host_file *f = &host->v[i];
		_cleanup_free_ char *path = place(f->path + 1);

		if (f->is_library == libraries)
			add_file(im, path, f->mode, f->bytes, f->n_bytes);
	}
}

static enum archive_answer ask(void *data, struct archive_file *f)
{
	_cleanup_free_ char *path = place(f->name);

	(void)data;
	if (!S_ISREG(f->mode) && !S_ISDIR(f->mode) && !S_ISLNK(f->mode))
		return ARCHIVE_SKIP;
	return is_left_out(path) ? ARCHIVE_SKIP : ARCHIVE_TAKE;
}

static void add_packed(struct image *im, const struct archive_file *f)
{
	_cleanup_free_ char *path = place(f->name);

	if (S_ISDIR(f->mode)) {
		add_folder(im, path, f->mode & 07777);
	} else if (S_ISLNK(f->mode)) {
		add_link(im, path, f->link);
	} else if (f->link) {
		/* A second name of a file: a link to the first takes no room in memory. */
		_cleanup_free_ char *first = archive_safe_name(f->link);
		_cleanup_free_ char *there = first ? place(first) : NULL;
		_cleanup_free_ char *target = xasprintf("/%s", there ? there : f->link);

		add_link(im, path, target);
	} else {
		add_file(im, path, f->mode & 07777, f->bytes, f->size_bytes);
	}
}

static int add_package(struct image *im, const char *deb, struct error *err)
{
	struct archive_files packed = { 0 };
	int r = archive_deb_read(deb, ask, NULL, &packed, err);

	for (size_t i = 0; r == 0 && i < packed.n; i++)
		add_packed(im, &packed.files[i]);
	archive_files_finish(&packed);
	return r;
}

static void add_made(struct image *im)
{
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		add_file(im, files[i].path, 0644, files[i].text, strlen(files[i].text));
	for (size_t i = 0; i < ARRAY_SIZE(made); i++) {
		if (!find(im, made[i].needs))
			continue;
		if (made[i].target)
			add_link(im, made[i].path, made[i].target);
		else if (!find(im, made[i].path))
			add_folder(im, made[i].path, 0755);
	}
}

int rootimage_write(int fd, const char *path, const struct strv *debs,
		    const struct host_files *host, char **ret_sha256, uint64_t *ret_n_bytes,
		    struct error *err)
{
	struct image im = { .cpio = cpio_new_fd(fd, path) };
	int r = 0;

	add_frame(&im);
	add_host_files(&im, host, false);
	for (size_t i = 0; r == 0 && i < debs->n; i++)
		r = add_package(&im, debs->v[i], err);
	add_host_files(&im, host, true);
	add_made(&im);
	tdestroy(im.members, free);
	if (r < 0)
		cpio_free(im.cpio);
	else
		r = cpio_finish_fd(im.cpio, ret_sha256, ret_n_bytes, err);
	return r;
}
