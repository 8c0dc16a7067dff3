/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the text renderer share: text.c is the frame, texttables.c has the numbers,
 * textorigin.c what two kernels were made of.
 */
#ifndef KTOLL_TEXTPARTS_H
#define KTOLL_TEXTPARTS_H

#include "base/str.h"
#include "report/render.h"
#include "sys/table.h"

struct text {
	const struct result *r;
	const struct report_options *options;
	struct str *out;
};

/* One line, and one line only, whatever is in the strings; printable. */
void text_line(const struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_table(const struct text *t, struct table *tb);
/* The name of a variant. */
const char *text_name(const struct text *t, size_t variant);

/*
 * textorigin.c: source, patches and compiler where the two kernels differ in them. Nothing if the
 * contents are the same, nor of two kernels of Debian's, whose releases say it.
 */
void text_add_origin(const struct text *t, const struct result_config *c);

/* texttables.c: per other variant the numbers and the notes about them; without comparisons the
 * cells. */
void text_add_numbers(const struct text *t);
/* Per other variant the functions that make up the largest differences. */
void text_add_functions(const struct text *t);

/* clockedtext.c: of engines with a clock, how it was measured; and the differences. */
void text_add_clock_header(const struct text *t);
void text_add_clocked(const struct text *t);

/* studiedtext.c: of a study, published and measured beside each other. */
void text_add_studied(const struct text *t);

#endif
