/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <systemd/sd-event.h>

#include "base/alloc.h"
#include "sys/loop.h"

/* A command that talks without end must not eat the memory; nothing ktoll runs says this much. */
#define OUTPUT_MAX_BYTES (64u << 20)

/* A killed process is gone at once unless it hangs in the kernel; then it is left to init. */
#define REAP_DEADLINE_MS 10000

/* ---- in the child, between fork and exec ---- */

static int mark_all_cloexec(int first)
{
	struct rlimit limit;

	if (close_range((unsigned int)first, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
		return 0;
	/* Linux before 5.11 does not know the flag. */
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return -errno;
	for (int fd = first; (rlim_t)fd < limit.rlim_cur && fd < 65536; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

static void close_all(int first)
{
	if (close_range((unsigned int)first, ~0U, 0) < 0)
		for (int fd = first; fd < 65536; fd++)
			close(fd);
}

/*
 * First everything is copied above the highest number wanted, then down to its
 * place: so a `from` that is another one's `to` is not lost.
 */
static int place_fds(const struct child_fd *fds, size_t n_fds, int *error_pipe)
{
	_cleanup_free_ int *high = xcalloc(n_fds, sizeof(*high));
	int base = 3, null;

	for (size_t i = 0; i < n_fds; i++)
		if (fds[i].to >= base)
			base = fds[i].to + 1;
	*error_pipe = fcntl(*error_pipe, F_DUPFD_CLOEXEC, base);
	if (*error_pipe < 0)
		return -errno;
	for (size_t i = 0; i < n_fds; i++) {
		high[i] = fcntl(fds[i].from, F_DUPFD_CLOEXEC, base);
		if (high[i] < 0)
			return -errno;
	}
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0)
		return -errno;
	for (int fd = 0; fd <= 2; fd++)
		if (null != fd && dup2(null, fd) < 0)
			return -errno;
	if (null <= 2) /* it lies where it is wanted: clear its flag */
		fcntl(null, F_SETFD, 0);
	if (mark_all_cloexec(3) < 0)
		return -errno;
	for (size_t i = 0; i < n_fds; i++)
		if (dup2(high[i], fds[i].to) < 0)
			return -errno;
	return 0;
}

static int die_with(pid_t parent, int sig)
{
	if (prctl(PR_SET_PDEATHSIG, sig) < 0)
		return -errno;
	/* The parent may have died before the signal was asked for. */
	if (getppid() != parent)
		_exit(127);
	return 0;
}

static void kill_group(int sig)
{
	(void)sig;
	kill(0, SIGKILL);
}

/*
 * The death of ktoll is signalled to its own child only. This one stays between
 * the two, passes the signal on to the whole group, and the status of the
 * command back. Returns in the command's process.
 */
static int guard(void)
{
	pid_t guardian = getpid(), command;
	int status, r;

	signal(SIGUSR1, kill_group);
	r = die_with(getppid(), SIGUSR1);
	if (r < 0)
		return r;
	command = fork();
	if (command < 0)
		return -errno;
	if (command == 0) {
		signal(SIGUSR1, SIG_DFL);
		return die_with(guardian, SIGKILL);
	}
	/* The report of a failed exec ends when nobody holds its pipe any more. */
	close_all(3);
	while (waitpid(command, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status)) {
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
	}
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 127);
}

static int prepare_and_exec(char *const argv[], const struct child_fd *fds, size_t n_fds,
			    int *error_pipe, pid_t parent, bool guarded)
{
	sigset_t none;
	int r;

	r = place_fds(fds, n_fds, error_pipe);
	if (r < 0)
		return r;
	if (setpgid(0, 0) < 0)
		return -errno;
	r = die_with(parent, SIGKILL);
	if (r < 0)
		return r;
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	if (sigprocmask(SIG_SETMASK, &none, NULL) < 0 || setenv("LC_ALL", "C", 1) < 0)
		return -errno;
	r = guarded ? guard() : 0;
	if (r < 0)
		return r;
	execvp(argv[0], argv);
	return -errno;
}

/* ---- in the parent ---- */

static pid_t start(char *const argv[], const struct child_fd *fds, size_t n_fds, bool guarded,
		   struct error *err)
{
	pid_t parent = getpid(), pid;
	int ends[2], failure = 0;
	sigset_t all, old;
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_set(err, errno, "cannot run %s: %s", argv[0], strerror(errno));
	/* No handler of ours may run in the child. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = fork();
	if (pid == 0) {
		int r = prepare_and_exec(argv, fds, n_fds, &ends[1], parent, guarded);

		n = write(ends[1], &r, sizeof(r));
		_exit(127);
	}
	failure = pid < 0 ? -errno : 0;
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(ends[1]);
	if (pid > 0) {
		setpgid(pid, pid); /* here too: who kills the group next must find it */
		do
			n = read(ends[0], &failure, sizeof(failure));
		while (n < 0 && errno == EINTR);
		if (n != sizeof(failure))
			failure = 0; /* end of file: exec closed the pipe */
	}
	close(ends[0]);
	if (failure < 0) {
		child_kill(pid);
		return error_set(err, failure, "cannot run %s: %s", argv[0], strerror(-failure));
	}
	return pid;
}

pid_t child_start(char *const argv[], const struct child_fd *fds, size_t n_fds, struct error *err)
{
	return start(argv, fds, n_fds, false, err);
}

pid_t child_start_group(char *const argv[], const struct child_fd *fds, size_t n_fds,
			struct error *err)
{
	return start(argv, fds, n_fds, true, err);
}

/* For the process to end, at most so long; signals to this one do not make it shorter, or longer. */
static void wait_for_end(int pidfd, uint64_t deadline_ms)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };
	uint64_t now = loop_now_ms(), end = now + deadline_ms;

	while (poll(&p, 1, (int)(end - now)) < 0 && errno == EINTR) {
		now = loop_now_ms();
		if (now >= end)
			return;
	}
}

void child_kill(pid_t pid)
{
	_cleanup_close_ int fd = -1;

	if (pid <= 0)
		return;
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	fd = pidfd_open(pid, 0);
	if (fd >= 0)
		wait_for_end(fd, REAP_DEADLINE_MS);
	while (waitpid(pid, NULL, fd >= 0 ? WNOHANG : 0) < 0 && errno == EINTR)
		;
}

void child_end(pid_t pid, uint64_t deadline_ms)
{
	_cleanup_close_ int fd = pid > 0 ? pidfd_open(pid, 0) : -1;

	if (fd >= 0)
		wait_for_end(fd, deadline_ms);
	child_kill(pid);
}

struct stream {
	int fd;
	struct str *text;
};

/* Takes what is there. False when no more will come. */
static bool stream_read(struct stream *s)
{
	char buf[65536];

	for (;;) {
		ssize_t n = read(s->fd, buf, sizeof(buf));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN;
		if (n == 0)
			return false;
		if (s->text->len + (size_t)n <= OUTPUT_MAX_BYTES)
			str_add_bytes(s->text, buf, (size_t)n);
	}
}

struct run {
	pid_t pid;
	int status;
	struct stream streams[2];
};

static int on_readable(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	(void)fd;
	(void)revents;
	if (!stream_read(data))
		sd_event_source_set_enabled(source, SD_EVENT_OFF);
	return 0;
}

static int on_end(sd_event_source *source, const siginfo_t *si, void *data)
{
	struct run *run = data;

	/*
	 * sd-event reaps after this function, so the pid and with it the
	 * group's number still are the child's own.
	 */
	kill(-run->pid, SIGKILL);
	run->status = si->si_code == CLD_EXITED ? W_EXITCODE(si->si_status, 0) : si->si_status;
	if (si->si_code == CLD_DUMPED)
		run->status |= WCOREFLAG;
	return sd_event_exit(sd_event_source_get_event(source), 0);
}

static int on_deadline(sd_event_source *source, uint64_t usec, void *data)
{
	(void)usec;
	(void)data;
	return sd_event_exit(sd_event_source_get_event(source), -ETIMEDOUT);
}

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *si, void *data)
{
	(void)si;
	(void)data;
	return sd_event_exit(sd_event_source_get_event(source), -ECANCELED);
}

static int run_loop(struct run *run, uint64_t deadline_ms)
{
	_cleanup_(sd_event_unrefp) sd_event *event = NULL;
	int r = sd_event_new(&event);

	for (size_t i = 0; r >= 0 && i < 2; i++)
		r = sd_event_add_io(event, NULL, run->streams[i].fd, EPOLLIN, on_readable,
				    &run->streams[i]);
	if (r >= 0)
		r = sd_event_add_child(event, NULL, run->pid, WEXITED, on_end, run);
	if (r >= 0)
		r = sd_event_add_signal(event, NULL, SIGINT, on_signal, NULL);
	if (r >= 0)
		r = sd_event_add_signal(event, NULL, SIGTERM, on_signal, NULL);
	if (r >= 0)
		r = sd_event_add_time_relative(event, NULL, CLOCK_MONOTONIC,
					       deadline_ms > UINT64_MAX / 1000 / 2 ?
						       UINT64_MAX / 2 :
						       deadline_ms * 1000,
					       1000, on_deadline, NULL);
	if (r >= 0)
		r = sd_event_loop(event);
	return r;
}

static int run_with_signals_blocked(char *const argv[], uint64_t deadline_ms,
				    struct child_result *ret, struct error *err)
{
	int out[2], errors[2], r;
	struct run run = { 0 };

	if (pipe2(out, O_CLOEXEC) < 0)
		return error_set(err, errno, "cannot run %s: %s", argv[0], strerror(errno));
	if (pipe2(errors, O_CLOEXEC) < 0) {
		r = error_set(err, errno, "cannot run %s: %s", argv[0], strerror(errno));
		close(out[0]);
		close(out[1]);
		return r;
	}
	/* Only this end: O_NONBLOCK on the command's end would be its trouble. */
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	fcntl(errors[0], F_SETFL, O_NONBLOCK);
	run.streams[0] = (struct stream){ .fd = out[0], .text = &ret->out };
	run.streams[1] = (struct stream){ .fd = errors[0], .text = &ret->err };
	run.pid = child_start(argv,
			      (struct child_fd[]){ { .from = out[1], .to = 1 },
						   { .from = errors[1], .to = 2 } },
			      2, err);
	close(out[1]);
	close(errors[1]);
	r = run.pid;
	if (run.pid > 0) {
		r = run_loop(&run, deadline_ms);
		if (r < 0)
			child_kill(run.pid);
		for (size_t i = 0; i < 2; i++)
			stream_read(&run.streams[i]);
		ret->status = run.status;
		if (r == -ETIMEDOUT)
			error_set(err, r, "%s did not end within %.0f s", argv[0],
				  (double)deadline_ms / 1000);
		else if (r == -ECANCELED)
			error_set(err, r, "interrupted");
		else if (r < 0)
			error_set(err, r, "cannot wait for %s: %s", argv[0], strerror(-r));
	}
	close(out[0]);
	close(errors[0]);
	return r < 0 ? r : 0;
}

int child_run(char *const argv[], uint64_t deadline_ms, struct child_result *ret,
	      struct error *err)
{
	sigset_t block, old;
	int r;

	*ret = (struct child_result){ 0 };
	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGTERM);
	sigaddset(&block, SIGCHLD); /* sd-event asks for it where there is no pidfd */
	sigprocmask(SIG_BLOCK, &block, &old);
	r = run_with_signals_blocked(argv, deadline_ms, ret, err);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return r;
}

void child_result_finish(struct child_result *r)
{
	str_finish(&r->out);
	str_finish(&r->err);
}

bool child_was_interrupted(int status)
{
	return WIFSIGNALED(status) &&
	       (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGHUP);
}

int child_is_success(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
