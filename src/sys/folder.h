/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folders that several ktoll processes share: a lock, a whole tree removed,
 * the room on its disk, a folder that appears complete.
 */
#ifndef KTOLL_FOLDER_H
#define KTOLL_FOLDER_H

#include <stdint.h>

#include "base/error.h"

/*
 * Locks the file `path`, which is created; the lock is given back when the
 * descriptor is closed, also by a crash. Waits for others; `on_wait` (may be
 * NULL) is called once before. The descriptor, -ECANCELED on SIGINT or SIGTERM,
 * -ETIMEDOUT after `deadline_s`.
 */
int folder_lock(const char *path, uint64_t deadline_s, void (*on_wait)(void *data), void *data,
		struct error *err);

/* The folder and all in it; nothing where there is none. Symbolic links are not followed. */
void folder_remove(const char *path);

/* Makes the folder anew and empty. */
int folder_renew(const char *path, struct error *err);

/* -ENOSPC with a sentence if less than that is free for `what` ("a kernel build") there. */
int folder_check_room(const char *path, uint64_t need_bytes, const char *what, struct error *err);

/* Gives the finished folder `from` its name; one of that name is replaced. Syncs first. */
int folder_publish(const char *from, const char *to, struct error *err);

#endif
