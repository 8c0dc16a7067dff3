/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folders that appear complete. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "sys/folder.h"

static char top[] = "/tmp/ktoll-folder-XXXXXX";

static int make_top(void **state)
{
	(void)state;
	return mkdtemp(top) ? 0 : -1;
}

static int remove_top(void **state)
{
	(void)state;
	dir_remove(top);
	return 0;
}

/* A folder with a file that says what it is. */
static void make(const char *path, const char *text)
{
	_cleanup_free_ char *file = path_join(path, "what");

	assert_int_equal(folder_renew(path, NULL), 0);
	assert_int_equal(file_write(file, text, strlen(text), NULL), 0);
}

static void assert_is(const char *path, const char *text)
{
	_cleanup_free_ char *file = path_join(path, "what"), *there = NULL;

	assert_int_equal(file_read(file, &there, NULL, NULL), 0);
	assert_string_equal(there, text);
}

static void test_publish(void **state)
{
	_cleanup_free_ char *new = path_join(top, "new"), *entry = path_join(top, "entry"), *nowhere = path_join(top, "none/entry");
	_cleanup_error_ struct error err = ERROR_INIT;

	(void)state;
	make(new, "first");
	assert_int_equal(folder_publish(new, entry, NULL), 0);
	assert_is(entry, "first");
	assert_false(file_exists(new));
	make(new, "second");
	assert_int_equal(folder_publish(new, entry, NULL), 0);
	assert_is(entry, "second");
	assert_false(file_exists(new));
	/* Nothing to publish: what is there stays. */
	assert_int_equal(folder_publish(new, entry, &err), -ENOENT);
	assert_non_null(strstr(error_text(&err), "cannot create "));
	assert_is(entry, "second");
	/* No place for it: it stays, too. */
	make(new, "third");
	assert_int_equal(folder_publish(new, nowhere, NULL), -ENOENT);
	assert_is(new, "third");
}

/* Whoever looks while it is replaced sees one of the two. */
static void test_always_there(void **state)
{
	_cleanup_free_ char *new = path_join(top, "new"), *entry = path_join(top, "seen");
	int begun[2], over[2], status;
	pid_t pid;
	char c;

	(void)state;
	make(entry, "old");
	assert_int_equal(pipe(begun), 0);
	assert_int_equal(pipe2(over, O_NONBLOCK), 0);
	pid = fork();
	if (pid == 0) {
		bool is_seen = true;

		close(over[1]);
		if (write(begun[1], "", 1) != 1)
			_exit(2);
		while (read(over[0], &c, 1) != 0)
			is_seen = is_seen && access(entry, F_OK) == 0;
		_exit(is_seen ? 0 : 1);
	}
	assert_int_equal(read(begun[0], &c, 1), 1);
	for (unsigned i = 0; i < 200; i++) {
		make(new, "another");
		assert_int_equal(folder_publish(new, entry, NULL), 0);
	}
	close(over[0]);
	close(over[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_publish),
		cmocka_unit_test(test_always_there),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
