/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/loop.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <systemd/sd-event.h>

struct loop {
	sd_event *event;
	sigset_t old_mask;
};

struct loop_source {
	sd_event_source *source;
	void *data;
	union {
		loop_fd_fn fd;
		loop_timer_fn timer;
		loop_child_fn child;
	} fn;
};

static int on_signal(sd_event_source *s, const struct signalfd_siginfo *si, void *data)
{
	(void)si;
	(void)data;
	return sd_event_exit(sd_event_source_get_event(s), -ECANCELED);
}

int loop_new(struct loop **ret, struct error *err)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct loop *l = xcalloc(1, sizeof(*l));
	sigset_t mask;
	int r;

	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaddset(&mask, signals[i]);
	sigprocmask(SIG_BLOCK, &mask, &l->old_mask);
	r = sd_event_new(&l->event);
	for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(signals); i++)
		r = sd_event_add_signal(l->event, NULL, signals[i], on_signal, NULL);
	if (r < 0) {
		loop_free(l);
		return error_set(err, r, "cannot make an event loop: %s", strerror(-r));
	}
	*ret = l;
	return 0;
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	sd_event_unref(l->event);
	sigprocmask(SIG_SETMASK, &l->old_mask, NULL);
	free(l);
}

/* A source lives as long as sd-event knows it. */
static void forget(void *data)
{
	free(data);
}

static struct loop_source *adopted(int r, struct loop_source *s)
{
	/* What can fail is memory, and a descriptor or child that is not one: a bug here. */
	if (r < 0)
		abort();
	sd_event_source_set_destroy_callback(s->source, forget);
	return s;
}

static int on_fd(sd_event_source *es, int fd, uint32_t events, void *data)
{
	struct loop_source *s = data;

	(void)es;
	(void)events;
	s->fn.fd(s->data, fd);
	return 0;
}

struct loop_source *loop_add_fd(struct loop *l, int fd, loop_fd_fn fn, void *data)
{
	struct loop_source *s = xcalloc(1, sizeof(*s));

	s->data = data;
	s->fn.fd = fn;
	return adopted(sd_event_add_io(l->event, &s->source, fd, EPOLLIN, on_fd, s), s);
}

static int on_timer(sd_event_source *es, uint64_t usec, void *data)
{
	struct loop_source *s = data;

	(void)es;
	(void)usec;
	s->fn.timer(s->data);
	return 0;
}

struct loop_source *loop_add_timer(struct loop *l, uint64_t delay_ms, loop_timer_fn fn, void *data)
{
	struct loop_source *s = xcalloc(1, sizeof(*s));

	s->data = data;
	s->fn.timer = fn;
	return adopted(sd_event_add_time_relative(l->event, &s->source, CLOCK_MONOTONIC,
						  delay_ms * 1000, 1000, on_timer, s),
		       s);
}

void loop_timer_set(struct loop_source *s, uint64_t delay_ms)
{
	sd_event_source_set_time_relative(s->source, delay_ms * 1000);
	sd_event_source_set_enabled(s->source, SD_EVENT_ONESHOT);
}

static int on_child(sd_event_source *es, const siginfo_t *si, void *data)
{
	struct loop_source *s = data;
	/* siginfo splits what waitpid puts together. */
	int status = si->si_code == CLD_EXITED ? si->si_status << 8 : si->si_status;

	(void)es;
	s->fn.child(s->data, status);
	return 0;
}

struct loop_source *loop_add_child(struct loop *l, pid_t pid, loop_child_fn fn, void *data)
{
	struct loop_source *s = xcalloc(1, sizeof(*s));

	s->data = data;
	s->fn.child = fn;
	return adopted(sd_event_add_child(l->event, &s->source, pid, WEXITED, on_child, s), s);
}

void loop_remove(struct loop_source *s)
{
	if (s)
		sd_event_source_disable_unref(s->source);
}

int loop_run(struct loop *l)
{
	return sd_event_loop(l->event);
}

void loop_stop(struct loop *l, int code)
{
	sd_event_exit(l->event, code);
}

uint64_t loop_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}
