/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text of a mail: ASCII, lines of at most PLAIN_WIDTH columns, whatever comes in.
 */
#ifndef KTOLL_PLAIN_H
#define KTOLL_PLAIN_H

#include <stddef.h>

#include "base/str.h"

#define PLAIN_WIDTH 72

/* ASCII without control characters, at most `columns` of it: what was cut ends with "...". Owned by the caller. */
char *plain_cut(const char *text, size_t columns);

/* A paragraph: words in lines that begin with `first`, and with `indent` blanks from the second on. */
void plain_wrap(struct str *out, const char *first, size_t indent, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* A command that can be pasted: broken with backslashes, between words or behind commas. */
void plain_command(struct str *out, const char *command);

#endif
