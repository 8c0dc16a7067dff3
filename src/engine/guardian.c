/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/guardian.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sys/loop.h"

/* Orphans come to us; those that are killed leave theirs, so it takes some rounds. */
static void end_children(void)
{
	/* A process that a disk holds does not die at once, and perhaps not at all. */
	const struct timespec pause = { .tv_nsec = 10000000 };
	unsigned n_left = 1000;
	pid_t pid;

	do {
		FILE *f = fopen("/proc/thread-self/children", "re");

		while (f && fscanf(f, "%d", &pid) == 1)
			kill(pid, SIGKILL);
		if (f)
			fclose(f);
		pid = waitpid(-1, NULL, WNOHANG);
		if (pid == 0)
			nanosleep(&pause, NULL);
	} while (pid > 0 || (pid == 0 && n_left--) || (pid < 0 && errno == EINTR));
}

/*
 * The worker's status. It may work as long as it likes; from the first signal that it was passed on it has `end_ms`, and
 * then counts as killed, which end_children() does.
 */
static int wait_for(pid_t worker, const sigset_t *set, uint64_t end_ms)
{
	uint64_t end = 0;
	int status;

	for (;;) {
		uint64_t now = loop_now_ms(), left_ms = end > now ? end - now : 0;
		const struct timespec left = { .tv_sec = (time_t)(left_ms / 1000), .tv_nsec = (long)(left_ms % 1000) * 1000000 };
		pid_t pid;
		int sig;

		if (end && !left_ms)
			return SIGKILL;
		sig = sigtimedwait(set, NULL, end ? &left : NULL);
		if (sig > 0 && sig != SIGCHLD) {
			kill(worker, sig);
			end = end ? end : loop_now_ms() + end_ms;
		}
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
			if (pid == worker)
				return status;
	}
}

int guardian_run(int (*work)(void *data), void (*clean)(void *data), void *data, int killed_status, uint64_t end_ms)
{
	/* Set by the worker when its work returned: however else it ended, there is something to put back. */
	bool *has_returned = mmap(NULL, sizeof(*has_returned), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t parent = getpid(), worker;
	bool is_clean;
	sigset_t set, old;
	int status;

	if (has_returned == MAP_FAILED) {
		perror("ktoll: no memory");
		return killed_status;
	}
	fflush(NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &old);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	worker = fork();
	if (worker == 0) {
		int r;

		/* A group of its own: what is sent to the group of the two must not kill both. */
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(killed_status);
		sigdelset(&set, SIGCHLD);
		sigprocmask(SIG_SETMASK, &old, NULL);
		sigprocmask(SIG_BLOCK, &set, NULL);
		r = work(data);
		fflush(NULL);
		*has_returned = true;
		_exit(r);
	}
	if (worker < 0) {
		perror("ktoll: cannot start a process");
		return killed_status;
	}
	status = wait_for(worker, &set, end_ms);
	end_children();
	sigprocmask(SIG_SETMASK, &old, NULL);
	is_clean = *has_returned;
	munmap(has_returned, sizeof(*has_returned));
	if (!is_clean)
		clean(data);
	return WIFEXITED(status) ? WEXITSTATUS(status) : killed_status;
}
