/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text from guests, records and command lines, made fit to hand on: valid
 * UTF-8, and where a terminal may see it, nothing a terminal acts on.
 */
#ifndef KTOLL_UTF8_H
#define KTOLL_UTF8_H

#include <stddef.h>

#include "base/str.h"

/* Bytes of the well-formed character at `s` (1 to 4); 0 where there is none, also at the end. */
size_t utf8_length(const char *s);

/* Adds the text; each byte that belongs to no character becomes U+FFFD. */
void utf8_add(struct str *out, const char *s);

/*
 * The same for a terminal: control characters (C0, DEL, C1), marks that change
 * the direction of text, and stray bytes become '?'. Newline and tab stay.
 */
void utf8_add_printable(struct str *out, const char *s);

#endif
