/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pool over an engine that boots nothing: each boot is a timer. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "engine/pool.h"

struct fake {
	struct engine engine;
	int running, most, started, cancelled;
	int fail_start; /* the start of this number fails; 0: none */
	int host_error; /* this boot ends with an error of the machine; 0: none */
	unsigned delay_ms;
};

struct boot {
	struct fake *fake;
	boot_done_fn done;
	void *data;
	int number;
	struct loop_source *timer;
};

static void on_time(void *data)
{
	struct boot *b = data, copy = *b;
	struct outcome o = { .done = true, .wall_ms = (uint64_t)b->number };
	struct error err = ERROR_INIT;
	int r = 0;

	loop_remove(b->timer);
	free(b);
	copy.fake->running--;
	if (copy.number == copy.fake->host_error)
		r = error_set(&err, EIO, "made to fail");
	copy.done(copy.data, &o, r, &err);
	error_finish(&err);
}

static int fake_start(struct engine *e, struct loop *loop, const struct boot_request *request,
		      boot_done_fn done, void *data, struct boot **ret, struct error *err)
{
	struct fake *f = (struct fake *)e;
	struct boot *b;

	if (++f->started == f->fail_start)
		return error_set(err, ENOMEM, "made not to start");
	b = xcalloc(1, sizeof(*b));
	*b = (struct boot){ f, done, data, f->started, NULL };
	/* The later ones are the faster ones. */
	b->timer = loop_add_timer(loop, f->delay_ms - (unsigned)f->started, on_time, b);
	if (++f->running > f->most)
		f->most = f->running;
	*ret = b;
	return 0;
}

static double fake_progress(const struct boot *b)
{
	return 0.5;
}

static void fake_cancel(struct boot *b)
{
	b->fake->cancelled++;
	loop_remove(b->timer);
	free(b);
}

static const struct engine_ops fake_ops = {
	.name = "fake", .start = fake_start, .progress = fake_progress, .cancel = fake_cancel,
};

struct seen {
	int ended;
	uint64_t order[16];
	int stop_at;
};

static int on_outcome(void *data, size_t index, struct outcome *o, struct error *err)
{
	struct seen *s = data;

	assert_int_equal(o->wall_ms, index + 1);
	s->order[s->ended++] = index;
	outcome_finish(o);
	return s->ended == s->stop_at ? error_set(err, ENOSPC, "the disk is full") : 0;
}

static int run(struct fake *f, struct seen *s, unsigned jobs, struct error *err)
{
	static const struct boot_request requests[8];
	struct pool_hooks hooks = { on_outcome, NULL, s };

	f->engine.ops = &fake_ops;
	if (!f->delay_ms)
		f->delay_ms = 20;
	return pool_run(&f->engine, requests, 8, jobs, &hooks, err);
}

static void test_all(void **state)
{
	for (unsigned jobs = 1; jobs < 12; jobs += 3) {
		struct fake f = { 0 };
		struct seen s = { 0 };

		assert_int_equal(run(&f, &s, jobs, NULL), 0);
		assert_int_equal(s.ended, 8);
		assert_int_equal(f.most, jobs < 8 ? jobs : 8);
	}
}

static void test_errors(void **state)
{
	struct error err = ERROR_INIT;
	struct fake no_start = { .fail_start = 3 }, host = { .host_error = 2 }, full = { 0 };
	struct seen s = { 0 }, t = { 0 }, u = { .stop_at = 2 };

	assert_int_equal(run(&no_start, &s, 4, &err), -ENOMEM);
	assert_string_equal(error_text(&err), "made not to start");
	assert_int_equal(no_start.cancelled, 2);
	assert_int_equal(run(&host, &t, 2, &err), -EIO);
	assert_string_equal(error_text(&err), "made to fail");
	assert_int_equal(run(&full, &u, 4, &err), -ENOSPC);
	assert_int_equal(u.ended, 2);
	assert_int_equal(full.running, full.cancelled);
	error_finish(&err);
}

static void test_signal(void **state)
{
	struct fake f = { .delay_ms = 10000 };
	struct error err = ERROR_INIT;
	struct seen s = { 0 };
	pid_t pid = fork();

	if (pid == 0) {
		usleep(100000);
		kill(getppid(), SIGINT);
		_exit(0);
	}
	assert_int_equal(run(&f, &s, 2, &err), -ECANCELED);
	assert_int_equal(f.cancelled, 2);
	assert_int_equal(s.ended, 0);
	error_finish(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_signal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
