/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file `about` of each folder in the cache: lines of `key: value` that say
 * what is in the folder. It is written last, so that its folder is complete.
 */
#ifndef KTOLL_ABOUT_H
#define KTOLL_ABOUT_H

#include <stdint.h>

#include "base/str.h"
#include "model/kernel.h"

/* The value of a key, owned by the caller; NULL if it is not there. */
char *about_value(const char *about, const char *key);

/* The same for a number; 0 if it is not there or none. */
uint64_t about_number(const char *about, const char *key);

/* Adds a line, of the value its first; nothing for NULL. */
void about_add(struct str *about, const char *key, const char *value);

/* What an image says of itself: release, build id and the sizes. Of `k` nothing else is looked at. */
void about_add_image(struct str *about, const struct kernel *k);
void about_read_image(const char *about, struct kernel *k);

#endif
