/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file `about` of each folder in the cache: lines of `key: value` that say
 * what is in the folder. It is written last, so that its folder is complete.
 */
#ifndef KTOLL_ABOUT_H
#define KTOLL_ABOUT_H

#include <stdint.h>

/* The value of a key, owned by the caller; NULL if it is not there. */
char *about_value(const char *about, const char *key);

/* The same for a number; 0 if it is not there or none. */
uint64_t about_number(const char *about, const char *key);

#endif
