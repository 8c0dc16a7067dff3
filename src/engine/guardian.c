/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/guardian.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Orphans come to us; those that are killed leave theirs, so it takes some rounds. */
static void end_children(void)
{
	pid_t pid;

	do {
		FILE *f = fopen("/proc/thread-self/children", "re");

		while (f && fscanf(f, "%d", &pid) == 1)
			kill(pid, SIGKILL);
		if (f)
			fclose(f);
		pid = wait(NULL);
	} while (pid > 0 || (pid < 0 && errno == EINTR));
}

static int wait_for(pid_t worker, const sigset_t *set)
{
	int status;

	for (;;) {
		int sig = sigwaitinfo(set, NULL);
		pid_t pid;

		if (sig > 0 && sig != SIGCHLD)
			kill(worker, sig);
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
			if (pid == worker)
				return status;
	}
}

int guardian_run(int (*work)(void *data), void (*clean)(void *data), void *data, int killed_status)
{
	pid_t parent = getpid(), worker;
	sigset_t set, old;
	int status;

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
		_exit(r);
	}
	if (worker < 0) {
		perror("ktoll: cannot start a process");
		return killed_status;
	}
	status = wait_for(worker, &set);
	end_children();
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	clean(data);
	return killed_status;
}
