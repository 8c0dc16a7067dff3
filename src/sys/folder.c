/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"

int folder_renew(const char *path, struct error *err)
{
	dir_remove(path);
	return dir_make(path, err);
}

int folder_check_room(const char *path, uint64_t need_bytes, const char *what, struct error *err)
{
	uint64_t have = dir_room_bytes(path);

	if (have >= need_bytes)
		return 0;
	return error_set(err, ENOSPC,
			 "the disk is full: %s needs %llu MB in %s, %llu MB are free: make room, "
			 "or set XDG_CACHE_HOME to a folder on another disk",
			 what, (unsigned long long)(need_bytes >> 20), path,
			 (unsigned long long)(have >> 20));
}

int folder_sync(const char *path, struct error *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || syncfs(fd) < 0)
		return error_set(err, errno, "cannot write %s: %s", path, strerror(errno));
	return 0;
}

int folder_publish(const char *from, const char *to, struct error *err)
{
	/* There is no moment in which the old one is gone and the new one not there. Others may publish, or remove, meanwhile. */
	do {
		if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0) {
			dir_remove(from);
			return 0;
		}
		if (errno == ENOENT && renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
			return 0;
	} while (errno == EEXIST);
	/* A file system that can neither, or a kernel before 3.15. */
	if (errno == EINVAL || errno == ENOSYS) {
		dir_remove(to);
		if (rename(from, to) == 0)
			return 0;
	}
	return error_set(err, errno, "cannot create %s: %s", to, strerror(errno));
}
