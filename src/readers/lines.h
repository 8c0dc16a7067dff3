/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a program's output, and numbers in them. Output is any bytes:
 * a carriage return ends a line as a newline does, and what a console puts in
 * front of a line is not part of it.
 */
#ifndef KTOLL_LINES_H
#define KTOLL_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct lines {
	/*
	 * The current one, "" before the first, without blanks around it, escape sequences
	 * before it, and the kernel's "[   12.345678] " or "[   12.345678][    T1] ".
	 */
	const char *line;
	size_t number; /* newlines before it + 1 */
	/* Private. */
	char *copy, *next, end;
};

void lines_init(struct lines *l, const char *text);
/* On to the next one, which may be empty; false after the last. */
bool lines_next(struct lines *l);
void lines_finish(struct lines *l);

#define _cleanup_lines_ __attribute__((cleanup(lines_finish)))

/* -EBADMSG, and "line 7: " with the sentence and the current line's beginning, printable. */
int lines_bad(const struct lines *l, struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Is there a line for which `is` is true? */
bool lines_any(const char *text, bool (*is)(const char *line));

/* Behind the marks of a mail that quotes: "> > a" is "a". */
const char *lines_unquoted(const char *line);

/* If `*at` begins with the word: moves behind it and the blanks after it. */
bool scan_word(const char **at, const char *word);

/* No figure is larger, so that sums and other units of figures are finite. */
#define SCAN_MAX 1e100

/*
 * A number from 0 to SCAN_MAX, with a decimal point and no separators of
 * thousands: moves behind it and the blanks after it. False, with nothing
 * moved, for anything else, so "1,234" is not read as 1.
 */
bool scan_number(const char **at, double *ret);

#endif
