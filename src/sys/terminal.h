/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is at the other end of a descriptor: a terminal or not, how wide, and
 * whether colour is wanted there.
 */
#ifndef KTOLL_TERMINAL_H
#define KTOLL_TERMINAL_H

#include <stdbool.h>

enum colour_when {
	COLOUR_AUTO, /* on a terminal that is not "dumb", unless NO_COLOR is set */
	COLOUR_ALWAYS,
	COLOUR_NEVER,
};

/* "auto", "always", "never": 0 or -EINVAL. */
int colour_when_parse(const char *s, enum colour_when *ret);

bool terminal_is(int fd);
/* Columns of the terminal; 0 if it is none or does not say. */
unsigned terminal_width(int fd);
/* NO_COLOR as in no-color.org: set and not empty; asking for colour outranks it. */
bool terminal_wants_colour(int fd, enum colour_when when);

#endif
