/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "engine/guardian.h"

#define KILLED 99

#define END_MS 100

static bool was_cleaned;

static void clean(void *data)
{
	was_cleaned = true;
}

static int returns(void *data)
{
	return 3;
}

static int exits(void *data)
{
	_exit(7);
}

static int aborts(void *data)
{
	signal(SIGABRT, SIG_DFL);
	abort();
}

static int is_killed(void *data)
{
	return raise(SIGKILL);
}

/* As every part of the program does without memory. */
static int has_no_memory(void *data)
{
	setrlimit(RLIMIT_AS, &(struct rlimit){ 1 << 20, 1 << 20 });
	freopen("/dev/null", "w", stderr);
	xmalloc((size_t)1 << 40);
	return 0;
}

/* Told to end, it does not: signals are blocked in a worker, which has to look for them. */
static int goes_on(void *data)
{
	kill(getppid(), SIGTERM);
	return (int)sleep(60);
}

/* However the worker ends: what its work did not put back itself, the other one does. */
static void test_ends(void **state)
{
	static const struct {
		int (*work)(void *data);
		bool is_cleaned;
		int status;
	} cases[] = { { returns, false, 3 }, { exits, true, 7 }, { aborts, true, KILLED }, { is_killed, true, KILLED },
		      { has_no_memory, true, 128 }, { goes_on, true, KILLED } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		was_cleaned = false;
		assert_int_equal(guardian_run(cases[i].work, clean, NULL, KILLED, END_MS), cases[i].status);
		assert_int_equal(was_cleaned, cases[i].is_cleaned);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_ends) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
