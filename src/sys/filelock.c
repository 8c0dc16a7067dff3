/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/filelock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

#define LOCK_DEADLINE_S 3600
#define LOCK_POLL_NS (100 * 1000 * 1000)

/* Waits a moment; true if SIGINT or SIGTERM came meanwhile. Both are blocked. */
static bool wait_or_signal(const sigset_t *set)
{
	return sigtimedwait(set, NULL, &(struct timespec){ .tv_nsec = LOCK_POLL_NS }) > 0;
}

static int wait_for(int fd, const char *path, const sigset_t *set, void (*on_wait)(void *data),
		    void *data, struct error *err)
{
	struct timespec start, now;
	bool told = false;

	clock_gettime(CLOCK_MONOTONIC, &start);
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return error_set(err, errno, "cannot lock %s: %s", path, strerror(errno));
		if (!told && on_wait)
			on_wait(data);
		told = true;
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec - start.tv_sec > LOCK_DEADLINE_S)
			return error_set(
				err, ETIMEDOUT,
				"another ktoll has held %s for an hour: end it and try again",
				path);
		if (wait_or_signal(set))
			return error_set(err, ECANCELED, "interrupted");
	}
	return 0;
}

int file_lock(const char *path, void (*on_wait)(void *data), void *data, struct error *err)
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
	r = wait_for(fd, path, &set, on_wait, data, err);
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (r < 0)
		return r;
	r = fd;
	fd = -1;
	return r;
}
