/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folders of the cache: made anew, with room on their disk, and appearing
 * complete under their name.
 */
#ifndef KTOLL_FOLDER_H
#define KTOLL_FOLDER_H

#include <stdint.h>

#include "base/error.h"

/* Makes the folder anew and empty. */
int folder_renew(const char *path, struct error *err);

/* -ENOSPC with a sentence if less than that is free for `what` ("a kernel build") there. */
int folder_check_room(const char *path, uint64_t need_bytes, const char *what, struct error *err);

/* What was written there is on the disk: also if the power fails. */
int folder_sync(const char *path, struct error *err);

/*
 * Gives the finished folder `from` its name; one of that name is replaced, in one step where the file system can. After an
 * error it is as it was.
 */
int folder_publish(const char *from, const char *to, struct error *err);

#endif
