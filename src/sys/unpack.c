/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "sys/archive.h"

#define READ_BYTES (256 * 1024)

static void reader_free(struct archive *a)
{
	archive_read_free(a);
}
DEFINE_CLEANUP(struct archive *, reader_free)

/* The folder of the last member: the next one is in it nearly always. */
struct place {
	int root_fd;
	char *dir; /* relative to the root; NULL if there is none yet */
	int dir_fd;
};

/*
 * A descriptor of the folder `dir`, made if it is not there, one part after the other so that
 * no link is followed. Owned by the place.
 */
static int enter(struct place *p, const char *dir)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *copy = xstrdup(dir);
	char *save = NULL;

	if (p->dir && strcmp(p->dir, dir) == 0)
		return p->dir_fd;
	fd = fcntl(p->root_fd, F_DUPFD_CLOEXEC, 0);
	for (char *part = strtok_r(copy, "/", &save); part && fd >= 0;
	     part = strtok_r(NULL, "/", &save)) {
		int next;

		if (mkdirat(fd, part, 0755) < 0 && errno != EEXIST)
			return -errno;
		next = openat(fd, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0)
			return -errno;
		close(fd);
		fd = next;
	}
	if (fd < 0)
		return -errno;
	if (p->dir)
		close(p->dir_fd);
	free(p->dir);
	p->dir = xstrdup(dir);
	p->dir_fd = fd;
	fd = -1;
	return p->dir_fd;
}

/* The folder of a name, and in *ret_base what it is called there. */
static int enter_parent(struct place *p, const char *name, const char **ret_base)
{
	const char *slash = strrchr(name, '/');
	_cleanup_free_ char *dir = xstrndup(name, slash ? (size_t)(slash - name) : 0);

	*ret_base = slash ? slash + 1 : name;
	return enter(p, dir);
}

static int write_content(struct archive *a, int fd, char *buf)
{
	for (;;) {
		la_ssize_t n = archive_read_data(a, buf, READ_BYTES);
		int r;

		if (n <= 0)
			return n < 0 ? -EBADMSG : 0;
		r = fd_write_all(fd, buf, (size_t)n);
		if (r < 0)
			return r;
	}
}

static int make_file(struct archive *a, struct archive_entry *e, int dir_fd, const char *base,
		     char *buf)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
				     { .tv_sec = archive_entry_mtime(e) } };
	_cleanup_close_ int fd = openat(dir_fd, base,
					O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
					0600 | (archive_entry_perm(e) & 0755));
	int r;

	if (fd < 0)
		return -errno;
	r = write_content(a, fd, buf);
	/* The same each time, so that make does not take an unpacked tree for a changed one. */
	if (r == 0 && futimens(fd, times) < 0)
		r = -errno;
	return r;
}

static int make_hardlink(struct place *p, const char *target, const char *name)
{
	_cleanup_free_ char *safe = archive_safe_name(target);
	_cleanup_close_ int target_fd = -1;
	const char *target_base, *base;
	int fd;

	if (!safe || !safe[0])
		return -EBADMSG;
	fd = enter_parent(p, safe, &target_base);
	if (fd < 0)
		return fd;
	target_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	fd = target_fd < 0 ? -errno : enter_parent(p, name, &base);
	if (fd < 0)
		return fd;
	return linkat(target_fd, target_base, fd, base, 0) < 0 ? -errno : 0;
}

/* -ENOTSUP for what is neither file, folder nor link. */
static int make_member(struct archive *a, struct archive_entry *e, struct place *p,
		       const char *name, char *buf)
{
	const char *hard = archive_entry_hardlink(e), *base;
	mode_t type = archive_entry_filetype(e);
	int fd;

	if (hard)
		return make_hardlink(p, hard, name);
	if (type == AE_IFDIR) {
		fd = enter(p, name);
		return fd < 0 ? fd : 0;
	}
	fd = enter_parent(p, name, &base);
	if (fd < 0)
		return fd;
	if (type == AE_IFREG)
		return make_file(a, e, fd, base, buf);
	if (type == AE_IFLNK)
		return symlinkat(archive_entry_symlink(e), fd, base) < 0 ? -errno : 0;
	return -ENOTSUP;
}

static int explain(int rc, const char *path, const char *name, struct archive *a, struct error *err)
{
	const char *why = archive_error_string(a);

	switch (rc) {
	case -EBADMSG:
		return error_set(err, rc, "%s cannot be unpacked: %s", path,
				 why ? why : "it is cut off");
	case -ENOSPC:
	case -EDQUOT:
		return error_set(err, ENOSPC,
				 "cannot unpack %s, the disk is full: make room, or set "
				 "XDG_CACHE_HOME to a folder on another disk",
				 path);
	case -ENOTDIR: /* a link, or a file, where a folder was to be */
	case -ELOOP:
	case -EEXIST:
	case -ENOTSUP:
		return error_set(err, EBADMSG, "%s is refused: %s in it cannot be made safely", path,
				 name);
	default:
		return error_set(err, rc, "cannot unpack %s of %s: %s", name, path, strerror(-rc));
	}
}

static int unpack_all(struct archive *a, const char *path, struct place *p, struct error *err)
{
	_cleanup_free_ char *buf = xmalloc(READ_BYTES);
	struct archive_entry *e;

	for (;;) {
		_cleanup_free_ char *name = NULL;
		int r = archive_read_next_header(a, &e);

		if (r == ARCHIVE_EOF)
			return 0;
		if (r < ARCHIVE_WARN)
			return explain(-EBADMSG, path, "", a, err);
		name = archive_safe_name(archive_entry_pathname(e));
		if (!name)
			return error_set(err, EBADMSG,
					 "%s is refused: a name in it leads out of its folder",
					 path);
		r = name[0] ? make_member(a, e, p, name, buf) : 0;
		if (r < 0) {
			str_make_printable(name);
			return explain(r, path, name, a, err);
		}
	}
}

int unpack_tar(const char *tar_path, const char *dir, struct error *err)
{
	_cleanup_(reader_freep) struct archive *a = archive_read_new();
	_cleanup_close_ int root_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct place p = { .root_fd = root_fd };
	int r;

	if (root_fd < 0)
		return error_set(err, errno, "cannot open %s: %s", dir, strerror(errno));
	archive_read_support_format_tar(a);
	archive_read_support_filter_xz(a);
	archive_read_support_filter_zstd(a);
	archive_read_support_filter_gzip(a);
	archive_read_support_filter_bzip2(a);
	if (archive_read_open_filename(a, tar_path, READ_BYTES) != ARCHIVE_OK)
		return explain(-EBADMSG, tar_path, "", a, err);
	r = unpack_all(a, tar_path, &p, err);
	if (p.dir)
		close(p.dir_fd);
	free(p.dir);
	return r;
}
