/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debian kernels in ktoll's cache: a folder per kernel with its image and
 * .config, and the index (debian/debindex) of what a moving spec ("debian:6.1")
 * was last resolved to. A kernel's folder appears complete, by a rename; whoever changes
 * anything holds the lock, readers need none.
 */
#ifndef KTOLL_DEBCACHE_H
#define KTOLL_DEBCACHE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "debian/lists.h"
#include "model/kernel.h"

struct debcache {
	char *dir;     /* of lists_home() */
	int lock_fd; /* -1 while not locked */
};

#define DEBCACHE_INIT ((struct debcache){ .lock_fd = -1 })

int debcache_init(struct debcache *c, struct error *err);
/* Gives the lock back. */
void debcache_finish(struct debcache *c);

/*
 * Waits for other ktoll processes, which `progress` (may be NULL) is told. -ECANCELED on SIGINT
 * or SIGTERM, -ETIMEDOUT after an hour.
 */
int debcache_lock(struct debcache *c, debian_progress progress, void *data, struct error *err);

/* A kernel that is there: 0 or -ENOENT. `version` may be NULL: the highest one that is there. */
int debcache_load(const struct debcache *c, const char *package, const char *version,
		  const char *arch, struct kernel *ret);

/* Stores a kernel. Needs the lock. Replaces a damaged one of the same name. */
int debcache_store(struct debcache *c, const char *package, const char *version, const char *arch,
		   const char *release, const void *image, size_t image_bytes, const char *config,
		   size_t config_bytes, struct error *err);

/*
 * Everything that is there, for lists; config is left out. Owned by the caller:
 * kernel_finish() and free.
 */
int debcache_list(const struct debcache *c, struct kernel **ret, size_t *ret_n, struct error *err);

/*
 * An empty folder for downloads, `c->dir`/tmp, which an earlier run's leftovers are
 * removed from.
 */
int debcache_scratch(struct debcache *c, char **ret, struct error *err);
void debcache_scratch_remove(struct debcache *c);

#endif
