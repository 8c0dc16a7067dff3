/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ktoll's package lists: a private apt per architecture and group of suites, below one folder of
 * the cache that one process at a time uses, and for how long its lists hold.
 */
#ifndef KTOLL_LISTS_H
#define KTOLL_LISTS_H

#include <stdbool.h>

#include "base/error.h"
#include "debian/apt.h"
#include "debian/suites.h"

/* How long "the newest" stays what it was: Debian publishes kernels every week or two. */
#define LISTS_FRESH_S (24 * 3600)

/* What these lists do not name now the archive will not have either. */
#define LISTS_JUST_READ_S 300

/* Told what takes time, in a few words without a newline: "fetching linux-image-… (67 MB)". */
typedef void (*debian_progress)(void *data, const char *sentence);

/* The folder, dir_cache()/debian, created; owned by the caller. */
int lists_home(char **ret, struct error *err);

/*
 * Takes the folder's lock: a descriptor, see sys/filelock. `progress` (may be NULL) is told once
 * that another ktoll is waited for.
 */
int lists_lock(const char *home, debian_progress progress, void *data, struct error *err);

/*
 * apt for a group of suites and an architecture (ktoll's name); *ret is NULL for a group without
 * suites. Needs the lock for all but reading what is there.
 */
int lists_open(const char *home, enum suite_group group, const char *arch, struct apt **ret,
	       struct error *err);

/* Is there anything that lists_open() would find? */
bool lists_exist(const char *home, enum suite_group group, const char *arch);

/* Reads the lists anew; -ENOSPC beforehand where they would not fit. Errors as apt_update(). */
int lists_update(const char *home, enum suite_group group, struct apt *apt,
		 debian_progress progress, void *data, struct error *err);

/* Does the failure say that the archive could not be asked, so that what is there may do? */
bool lists_is_about_archive(int r);

#endif
