/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A lock between processes: a file that one of them has locked at a time. */
#ifndef KTOLL_FILELOCK_H
#define KTOLL_FILELOCK_H

#include "base/error.h"

/*
 * Waits until the lock is to be had; `on_wait` (may be NULL) is called once
 * before. Returns a descriptor: closing it, and the end of the process, give the
 * lock back. -ECANCELED on SIGINT or SIGTERM, -ETIMEDOUT after an hour.
 */
int file_lock(const char *path, void (*on_wait)(void *data), void *data, struct error *err);

#endif
