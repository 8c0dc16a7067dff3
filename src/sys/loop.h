/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event loop: sd-event behind five calls. One loop per run; sources are
 * owned by the loop until they are removed. Callbacks run inside loop_run()
 * and may add and remove sources, their own included.
 */
#ifndef KTOLL_LOOP_H
#define KTOLL_LOOP_H

#include <stdint.h>
#include <sys/types.h>

#include "base/alloc.h"
#include "base/error.h"

struct loop;
struct loop_source;

int loop_new(struct loop **ret, struct error *err);
void loop_free(struct loop *l);
DEFINE_CLEANUP(struct loop *, loop_free)
#define _cleanup_loop_ _cleanup_(loop_freep)

/* Called whenever `fd` can be read or has ended; the descriptor stays the caller's. */
typedef void (*loop_fd_fn)(void *data, int fd);
struct loop_source *loop_add_fd(struct loop *l, int fd, loop_fd_fn fn, void *data);

/* Of the clock that deadlines are by; for waits without a loop. */
uint64_t loop_now_ms(void);

/* Called once, `delay_ms` from now. */
typedef void (*loop_timer_fn)(void *data);
struct loop_source *loop_add_timer(struct loop *l, uint64_t delay_ms, loop_timer_fn fn, void *data);
/* Starts the timer anew. */
void loop_timer_set(struct loop_source *s, uint64_t delay_ms);

/* Called once when the child has ended, with its wait status; it is reaped. */
typedef void (*loop_child_fn)(void *data, int status);
struct loop_source *loop_add_child(struct loop *l, pid_t pid, loop_child_fn fn, void *data);

/* NULL is fine. */
void loop_remove(struct loop_source *s);

/* Runs until loop_stop() or SIGINT, SIGTERM, SIGHUP: the code given to loop_stop, or -ECANCELED. */
int loop_run(struct loop *l);
void loop_stop(struct loop *l, int code);

#endif
