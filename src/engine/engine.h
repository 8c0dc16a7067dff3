/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a variant runs. An engine starts boots in an event loop; a boot ends
 * by calling back exactly once with its outcome, whatever happened to it. The
 * pool (pool.h) is the only caller.
 */
#ifndef KTOLL_ENGINE_H
#define KTOLL_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "guest/initramfs.h"
#include "model/run.h"
#include "model/symbols.h"
#include "sys/loop.h"

/* One engine ready to boot: made by the engine's own function, e.g. count_new(). */
struct engine {
	const struct engine_ops *ops;
	struct facts facts; /* for the record's head: machine, cpu_model, qemu_version … */
};

struct boot_request {
	const struct variant *variant;
	unsigned null_boot; /* 0: its first boot */
};

struct boot; /* each engine's own */

/*
 * The boot is over and freed. `outcome` is the receiver's. A negative `rc`
 * says that this machine is at fault (`err` tells how): the outcome is then
 * not a result and the run cannot go on.
 */
typedef void (*boot_done_fn)(void *data, struct outcome *outcome, int rc, const struct error *err);

struct engine_ops {
	const char *name; /* "count" */
	/* Fills variant->cmdline of all variants, equally long. */
	int (*prepare)(struct engine *e, struct variant *variants, size_t n, struct error *err);
	/* 0 and a running boot, or -errno: then `done` is not called. */
	int (*start)(struct engine *e, struct loop *loop, const struct boot_request *request,
		     boot_done_fn done, void *data, struct boot **ret, struct error *err);
	/* How far the boot is, 0 to 1. */
	double (*progress)(const struct boot *b);
	/* Ends the boot at once; `done` is not called. */
	void (*cancel)(struct boot *b);
	void (*free)(struct engine *e);
};

static inline void engine_free(struct engine *e)
{
	if (e)
		e->ops->free(e);
}
DEFINE_CLEANUP(struct engine *, engine_free)
#define _cleanup_engine_ _cleanup_(engine_freep)

#endif
