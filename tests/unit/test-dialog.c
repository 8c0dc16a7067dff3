/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines with another process, and QEMU's protocol with its three outcomes: the other end is a script. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/child.h"
#include "sys/qmp.h"

struct peer {
	struct dialog *d;
	pid_t pid;
};

static struct peer start(const char *script)
{
	char *argv[] = { (char *)"/bin/sh", (char *)"-c", (char *)script, NULL };
	struct peer p = { 0 };
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	p.pid = child_start(argv, (struct child_fd[]){ { ends[1], 0 }, { ends[1], 1 } }, 2, NULL);
	assert_true(p.pid > 0);
	close(ends[1]);
	assert_int_equal(dialog_new(ends[0], ends[0], &p.d, NULL), 0);
	return p;
}

static void stop(struct peer *p)
{
	dialog_free(p->d);
	child_kill(p->pid);
}

static void test_lines_and_bytes(void **state)
{
	_cleanup_str_ struct str bytes = STR_INIT;
	struct peer p = start("read x; printf 'got %s\\r\\nab\\ncdEND' $x; sleep 30");
	const char *line;

	(void)state;
	assert_int_equal(dialog_send(p.d, "hello\n", 5000), 0);
	assert_int_equal(dialog_line(p.d, 5000, &line), 0);
	assert_string_equal(line, "got hello");
	assert_int_equal(dialog_bytes(p.d, 5, 5000, &bytes), 0);
	assert_string_equal(str_text(&bytes), "ab\ncd");
	assert_int_equal(dialog_line(p.d, 100, &line), -ETIMEDOUT);
	stop(&p);
}

static void test_end(void **state)
{
	struct peer p = start("echo one; exit 0");
	const char *line;

	(void)state;
	assert_int_equal(dialog_line(p.d, 5000, &line), 0);
	assert_string_equal(line, "one");
	assert_int_equal(dialog_line(p.d, 5000, &line), -EPIPE);
	assert_int_equal(dialog_send(p.d, "x\n", 1000), -EPIPE);
	stop(&p);
}

#define GREETING "echo '{\"QMP\": {\"version\": {}}}'; read x; echo '{\"return\": {}}'; read x; "

static void test_qmp(void **state)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	/* An event, the answer; then a refusal; then nothing; then no JSON. */
	struct peer p = start(GREETING "echo '{\"event\": \"STOP\"}'; echo '{\"return\": {}}'; read x; "
				       "echo '{\"error\": {\"class\": \"GenericError\", \"desc\": \"not now\"}}'; read x; "
				       "sleep 1; echo 'boom'; read x; exit");

	(void)state;
	assert_int_equal(qmp_begin(p.d, 5000, &err), 0);
	assert_int_equal(qmp_command(p.d, "stop", 5000, &err), 0);
	assert_int_equal(qmp_command(p.d, "cont", 5000, &err), -EPROTO);
	assert_non_null(strstr(error_text(&err), "not now"));
	assert_int_equal(qmp_command(p.d, "stop", 100, &err), -ETIMEDOUT);
	assert_int_equal(qmp_command(p.d, "stop", 5000, &err), -EBADMSG);
	assert_int_equal(qmp_command(p.d, "stop", 5000, &err), -EPIPE);
	stop(&p);
}

/* Last: the signal stays. */
static void test_interrupted(void **state)
{
	struct peer p = start("sleep 30");
	const char *line;

	(void)state;
	assert_int_equal(dialog_watch_signals(NULL), 0);
	assert_false(dialog_is_interrupted());
	raise(SIGTERM);
	assert_true(dialog_is_interrupted());
	assert_int_equal(dialog_line(p.d, 5000, &line), -ECANCELED);
	assert_int_equal(dialog_line(p.d, 5000, &line), -ECANCELED);
	dialog_forget_signals();
	assert_int_equal(dialog_line(p.d, 50, &line), -ETIMEDOUT);
	stop(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_and_bytes),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_qmp),
		cmocka_unit_test(test_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
