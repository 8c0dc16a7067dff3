/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Child processes. Every child gets a process group of its own, dies with
 * ktoll (parent-death signal), has no standard input, runs with LC_ALL=C and
 * inherits no descriptor but those it is given. Waiting goes through sd-event;
 * every wait has a deadline in milliseconds, after which the group is killed.
 */
#ifndef KTOLL_CHILD_H
#define KTOLL_CHILD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/str.h"

struct child_fd {
	int from; /* descriptor here; stays open here */
	int to;   /* its number in the child */
};

/*
 * Starts argv[0], looked up in PATH. `fds` are dup2'ed in the child; 0, 1 and 2
 * are /dev/null unless named. Returns the pid, or -errno with a sentence, also
 * when the program is not there ("cannot run X: No such file or directory").
 */
pid_t child_start(char *const argv[], const struct child_fd *fds, size_t n_fds, struct error *err);

/*
 * The same for a command that starts others, make for instance: all of them die
 * with ktoll. The pid is that of the group.
 */
pid_t child_start_group(char *const argv[], const struct child_fd *fds, size_t n_fds,
			struct error *err);

/*
 * Kills the child's process group and reaps the child, which must not have been reaped.
 * pid <= 0: nothing.
 */
void child_kill(pid_t pid);

/* Waits so long, below 2^31 ms, for a child to end by itself, then as child_kill(). */
void child_end(pid_t pid, uint64_t deadline_ms);

struct child_result {
	int status;     /* as from waitpid */
	struct str out; /* standard output; what goes beyond 64 MiB is dropped */
	struct str err; /* standard error, the same */
};

/*
 * Runs a command to its end and collects what it says. -ETIMEDOUT when the
 * deadline passed (the child is then gone), -ECANCELED when SIGINT or SIGTERM
 * arrived (blocked meanwhile, the caller's mask is restored). What the command
 * left running in its group is killed when it ends. A non-zero exit status is
 * not an error here: see `status`.
 * child_result_finish() in every case.
 */
int child_run(char *const argv[], uint64_t deadline_ms, struct child_result *ret,
	      struct error *err);
void child_result_finish(struct child_result *r);

/* True if the status is an exit with 0. */
int child_is_success(int status);
/* It ended of SIGINT, SIGTERM or SIGHUP: somebody wanted it to end. */
bool child_was_interrupted(int status);

#endif
