/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/pool.h"

#include <errno.h>
#include <time.h>

#include "base/alloc.h"

#define PROGRESS_MS 250

struct pool;

struct place {
	struct pool *pool;
	size_t index;
	struct boot *boot; /* NULL: not running */
};

struct pool {
	struct engine *engine;
	const struct boot_request *requests;
	size_t n, next, ended;
	const struct pool_hooks *hooks;
	struct loop *loop;
	struct place *places;
	unsigned jobs;
	struct loop_source *timer;
	struct timespec start;
	struct error *err;
};

static void fill(struct pool *p);

static void on_done(void *data, struct outcome *outcome, int rc, const struct error *err)
{
	struct place *place = data;
	struct pool *p = place->pool;

	place->boot = NULL;
	if (rc < 0) {
		outcome_finish(outcome);
		loop_stop(p->loop, error_set(p->err, rc, "%s", error_text(err)));
		return;
	}
	p->ended++;
	rc = p->hooks->on_outcome(p->hooks->data, place->index, outcome, p->err);
	if (rc < 0)
		loop_stop(p->loop, rc);
	else
		fill(p);
}

/* Starts what there is room for; stops the loop when nothing is left. */
static void fill(struct pool *p)
{
	size_t running = 0;

	for (unsigned i = 0; i < p->jobs; i++) {
		struct place *place = &p->places[i];

		if (!place->boot && p->next < p->n) {
			int r;

			place->index = p->next++;
			r = p->engine->ops->start(p->engine, p->loop, &p->requests[place->index],
						  on_done, place, &place->boot, p->err);
			if (r < 0) {
				loop_stop(p->loop, r);
				return;
			}
		}
		running += place->boot != NULL;
	}
	if (!running)
		loop_stop(p->loop, 0);
}

static void on_tick(void *data)
{
	struct pool *p = data;
	double done = (double)p->ended, seconds, left = -1;
	size_t running = 0;
	struct timespec now;

	for (unsigned i = 0; i < p->jobs; i++) {
		if (!p->places[i].boot)
			continue;
		running++;
		done += p->engine->ops->progress(p->places[i].boot);
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	seconds = (double)(now.tv_sec - p->start.tv_sec) +
		  (double)(now.tv_nsec - p->start.tv_nsec) / 1e9;
	done /= (double)p->n;
	if (done > 0.05)
		left = seconds * (1 - done) / done;
	if (p->hooks->on_progress)
		p->hooks->on_progress(p->hooks->data, done, running, p->ended, left);
	loop_timer_set(p->timer, PROGRESS_MS);
}

int pool_run(struct engine *e, const struct boot_request *requests, size_t n, unsigned jobs,
	     const struct pool_hooks *hooks, struct error *err)
{
	_cleanup_loop_ struct loop *loop = NULL;
	struct pool p = { .engine = e, .requests = requests, .n = n, .hooks = hooks,
			  .jobs = jobs < n ? jobs : (unsigned)n, .err = err };
	int r;

	if (n == 0)
		return 0;
	r = loop_new(&loop, err);
	if (r < 0)
		return r;
	p.loop = loop;
	p.places = xcalloc(p.jobs, sizeof(*p.places));
	for (unsigned i = 0; i < p.jobs; i++)
		p.places[i].pool = &p;
	clock_gettime(CLOCK_MONOTONIC, &p.start);
	p.timer = loop_add_timer(loop, PROGRESS_MS, on_tick, &p);
	fill(&p);
	r = loop_run(loop);
	for (unsigned i = 0; i < p.jobs; i++)
		if (p.places[i].boot)
			e->ops->cancel(p.places[i].boot);
	loop_remove(p.timer);
	free(p.places);
	if (r == -ECANCELED)
		error_set(err, ECANCELED, "interrupted");
	return r;
}
