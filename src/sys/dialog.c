/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/dialog.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "sys/loop.h"

/* Longer than anything that is said in a line. */
#define LINE_MAX_BYTES (16u << 20)

struct dialog {
	int in, out;
	struct str got; /* from `at` on not given away yet */
	size_t at;
};

static int signal_fd = -1;

int dialog_watch_signals(struct error *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal_fd = signalfd(signal_fd, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return signal_fd < 0 ? error_set(err, errno, "cannot watch signals: %s", strerror(errno)) : 0;
}

void dialog_forget_signals(void)
{
	struct signalfd_siginfo si;

	while (read(signal_fd, &si, sizeof(si)) > 0)
		;
}

/* Nobody else reads the descriptor, so what came stays. */
bool dialog_is_interrupted(void)
{
	struct pollfd p = { .fd = signal_fd, .events = POLLIN };

	return signal_fd >= 0 && poll(&p, 1, 0) > 0;
}

int dialog_new(int in_fd, int out_fd, struct dialog **ret, struct error *err)
{
	struct dialog *d = xcalloc(1, sizeof(*d));

	/* Writing to a process that is gone is an error of the write. */
	signal(SIGPIPE, SIG_IGN);
	d->in = in_fd;
	d->out = out_fd;
	if (fcntl(in_fd, F_SETFL, O_NONBLOCK) < 0 || fcntl(out_fd, F_SETFL, O_NONBLOCK) < 0) {
		int r = error_set(err, errno, "cannot use a pipe: %s", strerror(errno));

		dialog_free(d);
		return r;
	}
	*ret = d;
	return 0;
}

void dialog_free(struct dialog *d)
{
	if (!d)
		return;
	close(d->in);
	if (d->out != d->in)
		close(d->out);
	str_finish(&d->got);
	free(d);
}

/* Until the descriptor is ready. */
static int wait_for(int fd, short events, uint64_t end_ms)
{
	for (;;) {
		struct pollfd p[] = { { .fd = fd, .events = events },
				      { .fd = signal_fd, .events = POLLIN } };
		uint64_t now = loop_now_ms();
		int r = now >= end_ms ? 0 : poll(p, 2, (int)(end_ms - now < 60000 ? end_ms - now : 60000));

		if (p[1].revents)
			return -ECANCELED;
		if (r > 0)
			return 0;
		if (r < 0 && errno != EINTR)
			return -errno;
		if (now >= end_ms)
			return -ETIMEDOUT;
	}
}

int dialog_send(struct dialog *d, const char *text, uint64_t deadline_ms)
{
	uint64_t end = loop_now_ms() + deadline_ms;
	size_t left = strlen(text);

	while (left) {
		ssize_t n = write(d->out, text, left);
		int r;

		if (n > 0) {
			text += n;
			left -= (size_t)n;
		} else if (n < 0 && errno != EAGAIN && errno != EINTR) {
			return -EPIPE;
		} else if ((r = wait_for(d->out, POLLOUT, end)) < 0) {
			return r;
		}
	}
	return 0;
}

static int read_more(struct dialog *d, uint64_t end_ms)
{
	char buf[65536];

	/* What was given away makes room. */
	if (d->at) {
		memmove(d->got.s, d->got.s + d->at, d->got.len - d->at + 1);
		d->got.len -= d->at;
		d->at = 0;
	}
	for (;;) {
		int r = wait_for(d->in, POLLIN, end_ms);
		ssize_t n;

		if (r < 0)
			return r;
		n = read(d->in, buf, sizeof(buf));
		if (n > 0) {
			str_add_bytes(&d->got, buf, (size_t)n);
			return 0;
		}
		if (n == 0 || (errno != EAGAIN && errno != EINTR))
			return -EPIPE;
	}
}

int dialog_line(struct dialog *d, uint64_t deadline_ms, const char **ret)
{
	uint64_t end = loop_now_ms() + deadline_ms;
	size_t seen = d->at;

	for (;;) {
		char *newline = d->got.len > seen ? memchr(d->got.s + seen, '\n', d->got.len - seen) : NULL;
		size_t looked = d->got.len - d->at;
		int r;

		if (newline) {
			*newline = 0;
			if (newline > d->got.s + d->at && newline[-1] == '\r')
				newline[-1] = 0;
			*ret = d->got.s + d->at;
			d->at = (size_t)(newline - d->got.s) + 1;
			return 0;
		}
		if (looked > LINE_MAX_BYTES)
			return -EMSGSIZE;
		r = read_more(d, end);
		if (r < 0)
			return r;
		seen = looked;
	}
}

int dialog_bytes(struct dialog *d, size_t n, uint64_t deadline_ms, struct str *ret)
{
	uint64_t end = loop_now_ms() + deadline_ms;

	while (n) {
		size_t there = d->got.len - d->at, k = there < n ? there : n;
		int r;

		if (k) {
			str_add_bytes(ret, d->got.s + d->at, k);
			d->at += k;
			n -= k;
		} else if ((r = read_more(d, end)) < 0) {
			return r;
		}
	}
	return 0;
}
