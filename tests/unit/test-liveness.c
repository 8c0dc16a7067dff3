/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "engine/liveness.h"

#define BUDGET_MS 10000
#define PATIENCE  60

static enum liveness look(struct liveness_state *s, uint64_t cpu_ms, bool wants_cpu)
{
	return liveness_look(s, &(struct proctime){ cpu_ms, wants_cpu }, BUDGET_MS, PATIENCE);
}

/* However slow the host: a boot that gains a little now and then, and reports, is never ended. */
static void test_slow(void **state)
{
	struct liveness_state s = { 0 };
	uint64_t cpu = 0;

	for (unsigned i = 1; i <= 100000; i++) {
		if (i % (PATIENCE - 1) == 0)
			cpu += 10;
		assert_int_equal(look(&s, cpu, true), LIVENESS_GOOD);
		if (i % 30000 == 0)
			liveness_reported(&s);
	}
}

static void test_starved_or_asleep(void **state)
{
	for (unsigned wants = 0; wants < 2; wants++) {
		struct liveness_state s = { 0 };

		assert_int_equal(look(&s, 500, true), LIVENESS_GOOD);
		for (unsigned i = 1; i < PATIENCE; i++)
			assert_int_equal(look(&s, 500, wants), LIVENESS_GOOD);
		assert_int_equal(look(&s, 500, wants), wants ? LIVENESS_STARVED : LIVENESS_ASLEEP);
	}
}

static void test_budget(void **state)
{
	struct liveness_state s = { 0 };

	assert_int_equal(look(&s, 9999, true), LIVENESS_GOOD);
	liveness_reported(&s);
	assert_int_equal(look(&s, 19998, true), LIVENESS_GOOD);
	assert_int_equal(look(&s, 19999, true), LIVENESS_SILENT);
}

/* A process that computes, one that was stopped, one that sleeps, none. */
static void test_processes(void **state)
{
	struct proctime first, then;
	pid_t busy = fork(), asleep;

	if (busy == 0)
		for (;;)
			;
	asleep = fork();
	if (asleep == 0)
		for (;;)
			pause();
	do
		assert_int_equal(proctime_get(busy, &first), 0);
	while (!first.cpu_ms);
	assert_true(first.wants_cpu);
	kill(busy, SIGSTOP);
	waitpid(busy, NULL, WUNTRACED);
	assert_int_equal(proctime_get(busy, &first), 0);
	assert_int_equal(proctime_get(busy, &then), 0);
	assert_true(then.wants_cpu && then.cpu_ms == first.cpu_ms);
	do
		assert_int_equal(proctime_get(asleep, &first), 0);
	while (first.wants_cpu);
	kill(busy, SIGKILL);
	kill(asleep, SIGKILL);
	waitpid(busy, NULL, 0);
	waitpid(asleep, NULL, 0);
	assert_true(proctime_get(busy, &first) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slow),
		cmocka_unit_test(test_starved_or_asleep),
		cmocka_unit_test(test_budget),
		cmocka_unit_test(test_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
