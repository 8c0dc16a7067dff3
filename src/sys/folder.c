/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"

#define LOCK_POLL_NS (100 * 1000 * 1000)

/* Waits a moment; true if SIGINT or SIGTERM came meanwhile. Both are blocked. */
static bool wait_or_signal(const sigset_t *set)
{
	return sigtimedwait(set, NULL, &(struct timespec){ .tv_nsec = LOCK_POLL_NS }) > 0;
}

static int wait_for_lock(int fd, const char *path, uint64_t deadline_s,
			 void (*on_wait)(void *data), void *data, const sigset_t *set,
			 struct error *err)
{
	struct timespec start, now;

	clock_gettime(CLOCK_MONOTONIC, &start);
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return error_set(err, errno, "cannot lock %s: %s", path, strerror(errno));
		if (on_wait)
			on_wait(data);
		on_wait = NULL;
		clock_gettime(CLOCK_MONOTONIC, &now);
		if ((uint64_t)(now.tv_sec - start.tv_sec) > deadline_s)
			return error_set(err, ETIMEDOUT,
					 "another ktoll has held %s for %llu minutes: end it and "
					 "try again",
					 path, (unsigned long long)deadline_s / 60);
		if (wait_or_signal(set))
			return error_set(err, ECANCELED, "interrupted");
	}
	return 0;
}

int folder_lock(const char *path, uint64_t deadline_s, void (*on_wait)(void *data), void *data,
		struct error *err)
{
	_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	sigset_t set, old;
	int r;

	if (fd < 0)
		return error_set(err, errno, "cannot open %s: %s", path, strerror(errno));
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &old);
	r = wait_for_lock(fd, path, deadline_s, on_wait, data, &set, err);
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (r == 0) {
		r = fd;
		fd = -1;
	}
	return r;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

void folder_remove(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int folder_renew(const char *path, struct error *err)
{
	folder_remove(path);
	return dir_make(path, err);
}

int folder_check_room(const char *path, uint64_t need_bytes, const char *what, struct error *err)
{
	struct statvfs st;
	uint64_t have;

	if (statvfs(path, &st) < 0)
		return 0; /* who writes will find out */
	have = (uint64_t)st.f_bavail * st.f_frsize;
	if (have >= need_bytes)
		return 0;
	return error_set(err, ENOSPC,
			 "the disk is full: %s needs %llu MB in %s, %llu MB are free: make room, "
			 "or set XDG_CACHE_HOME to a folder on another disk",
			 what, (unsigned long long)(need_bytes >> 20), path,
			 (unsigned long long)(have >> 20));
}

int folder_publish(const char *from, const char *to, struct error *err)
{
	_cleanup_close_ int fd = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	/* Its files before its name. */
	if (fd < 0 || syncfs(fd) < 0)
		return error_set(err, errno, "cannot write %s: %s", from, strerror(errno));
	if (file_exists(to))
		folder_remove(to);
	if (rename(from, to) < 0)
		return error_set(err, errno, "cannot write %s: %s", to, strerror(errno));
	return 0;
}
