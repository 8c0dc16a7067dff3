/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Child processes: what they inherit, how they end, and that nothing is left of them. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "sys/child.h"

#define DEADLINE_MS 20000

static char *shell(const char *script, uint64_t deadline_ms, int expect_rc)
{
	char *argv[] = { "sh", "-c", (char *)script, NULL };
	struct error err = ERROR_INIT;
	struct child_result result;
	char *out;

	assert_int_equal(child_run(argv, deadline_ms, &result, &err), expect_rc);
	out = str_take(&result.out);
	child_result_finish(&result);
	error_finish(&err);
	return out;
}

/* Waits until the process is gone; it may be nobody's child here. */
static void assert_gone(pid_t pid)
{
	for (int i = 0; i < 500; i++) {
		_cleanup_free_ char *path = xasprintf("/proc/%d/stat", (int)pid);
		FILE *f = fopen(path, "r");
		char state = 0;
		int n;

		if (!f)
			return;
		n = fscanf(f, "%*d (%*[^)]) %c", &state);
		fclose(f);
		if (n != 1 || state == 'Z')
			return;
		poll(NULL, 0, 20);
	}
	fail_msg("process %d is still there", (int)pid);
}

static void test_collects(void **state)
{
	char *argv[] = { "sh", "-c", "echo out; echo err >&2; exit 3", NULL };
	struct child_result result;

	(void)state;
	assert_int_equal(child_run(argv, DEADLINE_MS, &result, NULL), 0);
	assert_string_equal(str_text(&result.out), "out\n");
	assert_string_equal(str_text(&result.err), "err\n");
	assert_true(WIFEXITED(result.status));
	assert_int_equal(WEXITSTATUS(result.status), 3);
	assert_false(child_is_success(result.status));
	child_result_finish(&result);
}

static void test_killed_by_a_signal(void **state)
{
	char *argv[] = { "sh", "-c", "kill -9 $$", NULL };
	struct child_result result;

	(void)state;
	assert_int_equal(child_run(argv, DEADLINE_MS, &result, NULL), 0);
	assert_true(WIFSIGNALED(result.status));
	assert_int_equal(WTERMSIG(result.status), SIGKILL);
	child_result_finish(&result);
}

static void test_much_output(void **state)
{
	_cleanup_free_ char *out =
		shell("i=0; while [ $i -lt 20000 ]; do echo 0123456789012345678; i=$((i+1)); done",
		      DEADLINE_MS, 0);

	(void)state;
	assert_int_equal(strlen(out), 400000);
}

static void test_missing_program(void **state)
{
	char *argv[] = { "no-such-program-anywhere", NULL };
	struct error err = ERROR_INIT;
	struct child_result result;

	(void)state;
	assert_int_equal(child_run(argv, DEADLINE_MS, &result, &err), -ENOENT);
	assert_string_equal(error_text(&err),
			    "cannot run no-such-program-anywhere: No such file or directory");
	child_result_finish(&result);
	error_finish(&err);
	/* It left no zombie. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void test_surroundings(void **state)
{
	_cleanup_free_ char *out = NULL;
	int leak = open("/dev/zero", O_RDONLY); /* without CLOEXEC */

	(void)state;
	assert_true(leak >= 0);
	setenv("LC_ALL", "de_DE.UTF-8", 1);
	out = shell("echo $LC_ALL; readlink /proc/self/fd/0; "
		    "ls -l /proc/$$/fd | grep -c /dev/zero; "
		    "grep SigBlk /proc/self/status; "
		    "[ $(cut -d' ' -f5 /proc/$$/stat) = $$ ] && echo leader",
		    DEADLINE_MS, 0);
	assert_string_equal(out, "C\n/dev/null\n0\nSigBlk:\t0000000000000000\nleader\n");
	close(leak);
}

static void test_deadline(void **state)
{
	_cleanup_free_ char *out = shell("sleep 60 & echo $$; wait", 300, -ETIMEDOUT);

	(void)state;
	assert_gone(atoi(out));
}

static void test_leftovers_are_killed(void **state)
{
	/* The background process holds the pipe; the end of the command is what counts. */
	_cleanup_free_ char *out = shell("sleep 60 & echo $!", DEADLINE_MS, 0);

	(void)state;
	assert_true(atoi(out) > 0);
	assert_gone(atoi(out));
}

static void test_interrupted(void **state)
{
	sigset_t before, after;
	_cleanup_free_ char *out = NULL, *script = NULL;

	(void)state;
	script = xasprintf("echo $$; kill -TERM %d; sleep 60", (int)getpid());
	sigprocmask(SIG_SETMASK, NULL, &before);
	out = shell(script, DEADLINE_MS, -ECANCELED);
	sigprocmask(SIG_SETMASK, NULL, &after);
	assert_int_equal(sigismember(&after, SIGTERM), sigismember(&before, SIGTERM));
	assert_int_equal(sigismember(&after, SIGINT), 0);
	assert_gone(atoi(out));
}

/* Ctrl-C may reach the command first: it did not fail, it was interrupted. */
static void test_interrupted_itself(void **state)
{
	static const struct {
		const char *script;
		bool was_interrupted;
	} cases[] = { { "kill -INT $$", true }, { "kill -TERM $$", true }, { "kill -SEGV $$", false }, { "exit 130", false } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *argv[] = { "sh", "-c", (char *)cases[i].script, NULL };
		struct child_result result;

		assert_int_equal(child_run(argv, DEADLINE_MS, &result, NULL), 0);
		assert_int_equal(child_was_interrupted(result.status), cases[i].was_interrupted);
		child_result_finish(&result);
	}
}

static void test_fds_may_cross(void **state)
{
	char *argv[] = { "sh", "-c", "cat <&3; cat <&4; echo end >&5", NULL };
	struct error err = ERROR_INIT;
	int a[2], b[2], answer[2], fds[2], status;
	char got[64] = { 0 };
	pid_t pid;

	(void)state;
	/* Two files on the very numbers which they are to swap, whatever was there. */
	assert_int_equal(pipe2(a, O_CLOEXEC) | pipe2(b, O_CLOEXEC) | pipe2(answer, O_CLOEXEC), 0);
	assert_int_equal(write(a[1], "a\n", 2) + write(b[1], "b\n", 2), 4);
	close(a[1]);
	close(b[1]);
	fds[0] = fcntl(a[0], F_DUPFD_CLOEXEC, 20);
	fds[1] = fcntl(b[0], F_DUPFD_CLOEXEC, 20);
	assert_int_equal(dup3(fds[0], 3, O_CLOEXEC) + dup3(fds[1], 4, O_CLOEXEC), 7);
	answer[1] = answer[1] <= 4 ? fcntl(answer[1], F_DUPFD_CLOEXEC, 30) : answer[1];
	pid = child_start(argv,
			  (struct child_fd[]){ { .from = 4, .to = 3 },
					       { .from = 3, .to = 4 },
					       { .from = answer[1], .to = 5 },
					       { .from = answer[1], .to = 1 } },
			  4, &err);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(child_is_success(status));
	assert_int_equal(read(answer[0], got, sizeof(got) - 1), 8);
	assert_string_equal(got, "b\na\nend\n");
	error_finish(&err);
}

static void test_dies_with_its_parent(void **state)
{
	int ends[2];
	pid_t parent, child = 0;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	parent = fork();
	if (parent == 0) {
		char *argv[] = { "sleep", "60", NULL };

		child = child_start(argv, NULL, 0, NULL);
		if (write(ends[1], &child, sizeof(child)) != sizeof(child))
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(read(ends[0], &child, sizeof(child)), sizeof(child));
	assert_true(child > 0);
	waitpid(parent, NULL, 0);
	assert_gone(child);
	close(ends[0]);
	close(ends[1]);
}

/* A command that starts others: its grandchild is the one that must go. */
static void test_a_group_dies_with_ktoll(void **state)
{
	int ends[2], tell[2];
	pid_t parent, child = 0;
	char text[16] = "";

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(pipe(tell), 0);
	parent = fork();
	if (parent == 0) {
		char *argv[] = { "sh", "-c", "sh -c 'echo $$; sleep 60' & wait", NULL };

		child = child_start_group(argv, (struct child_fd[]){ { tell[1], 1 } }, 1, NULL);
		if (write(ends[1], &child, sizeof(child)) != sizeof(child))
			_exit(1);
		pause();
	}
	assert_int_equal(read(ends[0], &child, sizeof(child)), sizeof(child));
	assert_true(child > 0);
	assert_true(read(tell[0], text, sizeof(text) - 1) > 1);
	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
	assert_gone(atoi(text));
	assert_gone(child);
	close(ends[0]);
	close(ends[1]);
	close(tell[0]);
	close(tell[1]);
}

static void test_a_group_passes_the_status_on(void **state)
{
	char *exits[] = { "sh", "-c", "exit 7", NULL }, *dies[] = { "sh", "-c", "kill -9 $$", NULL };
	char *absent[] = { "no-such-program", NULL };
	int status;
	pid_t pid = child_start_group(exits, NULL, 0, NULL);

	(void)state;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 7);
	pid = child_start_group(dies, NULL, 0, NULL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
	assert_int_equal(child_start_group(absent, NULL, 0, NULL), -ENOENT);
}

static void test_kill(void **state)
{
	char *argv[] = { "sleep", "60", NULL };
	pid_t pid = child_start(argv, NULL, 0, NULL);

	(void)state;
	assert_true(pid > 0);
	child_kill(pid);
	assert_int_equal(kill(pid, 0), -1);
	child_kill(0);
	child_kill(-1);
}

static void nothing(int sig)
{
	(void)sig;
}

/* A signal to the one that waits is no reason to kill who still has time. */
static void test_end_in_time(void **state)
{
	char *argv[] = { "sh", "-c", "sleep 0.3; echo done >&3", NULL };
	const struct itimerval often = { { 0, 10000 }, { 0, 10000 } }, never = { 0 };
	char said[5] = "";
	int out[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(out), 0);
	pid = child_start(argv, &(struct child_fd){ .from = out[1], .to = 3 }, 1, NULL);
	assert_true(pid > 0);
	close(out[1]);
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = nothing }, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	child_end(pid, DEADLINE_MS);
	setitimer(ITIMER_REAL, &never, NULL);
	assert_int_equal(read(out[0], said, sizeof(said)), 5);
	assert_memory_equal(said, "done\n", 5);
	close(out[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_collects),
		cmocka_unit_test(test_killed_by_a_signal),
		cmocka_unit_test(test_much_output),
		cmocka_unit_test(test_missing_program),
		cmocka_unit_test(test_surroundings),
		cmocka_unit_test(test_deadline),
		cmocka_unit_test(test_leftovers_are_killed),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_interrupted_itself),
		cmocka_unit_test(test_dies_with_its_parent),
		cmocka_unit_test(test_a_group_dies_with_ktoll),
		cmocka_unit_test(test_a_group_passes_the_status_on),
		cmocka_unit_test(test_kill),
		cmocka_unit_test(test_end_in_time),
		cmocka_unit_test(test_fds_may_cross), /* last: it takes descriptors 3 and 4 over */
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
