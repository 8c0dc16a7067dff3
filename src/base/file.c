/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"

#define FILE_MAX_BYTES (1ull << 30)

char *path_join(const char *dir, const char *name)
{
	return xasprintf("%s%s%s", dir, str_has_suffix(dir, "/") ? "" : "/", name);
}

int dir_make(const char *path, struct error *err)
{
	_cleanup_free_ char *p = xstrdup(path);

	for (char *c = p + 1;; c++) {
		if (*c && *c != '/')
			continue;
		char keep = *c;

		*c = 0;
		if (mkdir(p, 0755) < 0 && errno != EEXIST)
			return error_set(err, errno, "cannot create the folder %s: %s", p,
					 strerror(errno));
		*c = keep;
		if (!keep)
			break;
	}
	return 0;
}

static int xdg_path(const char *variable, const char *below_home, char **ret_path,
		    struct error *err)
{
	const char *base = getenv(variable), *home = getenv("HOME");

	/* The XDG specification: a relative path in the variable is to be ignored. */
	if (base && base[0] == '/')
		*ret_path = path_join(base, "ktoll");
	else if (home && home[0] == '/')
		*ret_path = xasprintf("%s/%s/ktoll", home, below_home);
	else
		return error_set(err, ENOENT, "no place for ktoll's files: set HOME or %s",
				 variable);
	return 0;
}

static int xdg_dir(const char *variable, const char *below_home, char **ret_path,
		   struct error *err)
{
	_cleanup_free_ char *dir = NULL;
	int r = xdg_path(variable, below_home, &dir, err);

	if (r == 0)
		r = dir_make(dir, err);
	if (r < 0)
		return r;
	*ret_path = TAKE_PTR(dir);
	return 0;
}

int dir_cache(char **ret_path, struct error *err)
{
	return xdg_dir("XDG_CACHE_HOME", ".cache", ret_path, err);
}

int dir_data(char **ret_path, struct error *err)
{
	return xdg_dir("XDG_DATA_HOME", ".local/share", ret_path, err);
}

int dir_config(char **ret_path, struct error *err)
{
	return xdg_path("XDG_CONFIG_HOME", ".config", ret_path, err);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

void dir_remove(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

uint64_t dir_room_bytes(const char *path)
{
	struct statvfs st;

	return statvfs(path, &st) < 0 ? UINT64_MAX : (uint64_t)st.f_bavail * st.f_frsize;
}

bool file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

char *file_in_path(const char *name)
{
	_cleanup_free_ char *path = xstrdup(getenv("PATH") ?: "/usr/local/bin:/usr/bin:/bin");
	char *state = NULL;

	for (char *dir = strtok_r(path, ":", &state); dir; dir = strtok_r(NULL, ":", &state)) {
		char *file = path_join(dir, name);

		if (access(file, X_OK) == 0)
			return file;
		free(file);
	}
	return NULL;
}

int text_check(const char *text, size_t n_bytes, const char *what, struct error *err)
{
	size_t n_line = 1, n = strlen(text);

	if (n == n_bytes)
		return 0;
	for (const char *c = text; *c; c++)
		n_line += *c == '\n';
	return error_set(err, EBADMSG, "%s:%zu: a NUL byte: this is no text", what, n_line);
}

int file_read(const char *path, char **ret, size_t *ret_len, struct error *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *buf = NULL;
	size_t len = 0, cap = 0;

	if (fd < 0)
		return error_set(err, errno, "cannot read %s: %s", path, strerror(errno));
	for (;;) {
		ssize_t n;

		if (cap - len < 65536)
			buf = xrealloc(buf, cap = cap * 2 + 131072);
		n = read(fd, buf + len, cap - len - 1);
		if (n < 0)
			return error_set(err, errno, "cannot read %s: %s", path, strerror(errno));
		if (n == 0)
			break;
		len += (size_t)n;
		if (len > FILE_MAX_BYTES)
			return error_set(err, EFBIG, "%s is larger than 1 GiB", path);
	}
	buf[len] = 0;
	/* Whoever does not want the length takes it for text, and would not see what stands behind a NUL. */
	if (!ret_len) {
		int r = text_check(buf, len, path, err);

		if (r < 0)
			return r;
	}
	*ret = TAKE_PTR(buf);
	if (ret_len)
		*ret_len = len;
	return 0;
}

int fd_write_all(int fd, const void *p, size_t n_bytes)
{
	const char *c = p;

	while (n_bytes) {
		ssize_t n = write(fd, c, n_bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		c += n;
		n_bytes -= (size_t)n;
	}
	return 0;
}

int file_write(const char *path, const void *p, size_t n_bytes, struct error *err)
{
	_cleanup_free_ char *tmp = xasprintf("%s.XXXXXX", path);
	_cleanup_close_ int fd = mkostemp(tmp, O_CLOEXEC);
	mode_t mask = umask(077);
	int r;

	umask(mask);

	if (fd < 0)
		return error_set(err, errno, "cannot write %s: %s", path, strerror(errno));
	r = fd_write_all(fd, p, n_bytes);
	if (r == 0 && fchmod(fd, 0644 & ~mask) < 0)
		r = -errno;
	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	if (r == 0 && rename(tmp, path) < 0)
		r = -errno;
	if (r < 0) {
		unlink(tmp);
		return error_set(err, r, "cannot write %s: %s", path, strerror(-r));
	}
	return 0;
}

int file_memory(const char *name, const void *p, size_t n_bytes, struct error *err)
{
	int fd = memfd_create(name, MFD_CLOEXEC), r;

	if (fd < 0)
		return error_set(err, errno, "cannot make a file in memory: %s", strerror(errno));
	r = fd_write_all(fd, p, n_bytes);
	if (r < 0) {
		close(fd);
		return error_set(err, r, "cannot fill a file in memory: %s", strerror(-r));
	}
	return fd;
}

int file_copy_from(int fd, const char *path, struct error *err)
{
	_cleanup_close_ int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	off_t at = 0;
	ssize_t n;

	if (to < 0)
		return error_set(err, errno, "cannot write %s: %s", path, strerror(errno));
	do
		n = sendfile(to, fd, &at, FILE_MAX_BYTES);
	while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? error_set(err, errno, "cannot write %s: %s", path, strerror(errno)) : 0;
}

int file_copy_to(const char *path, int fd, struct error *err)
{
	_cleanup_close_ int from = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (from < 0)
		return error_set(err, errno, "cannot read %s: %s", path, strerror(errno));
	do
		n = sendfile(fd, from, NULL, FILE_MAX_BYTES);
	while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? error_set(err, errno, "cannot copy %s: %s", path, strerror(errno)) : 0;
}
