/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of text. The only place that knows libsmartcols. Columns first, then
 * rows, then table_render() or table_print(). Cells may hold any bytes: what a terminal acts on
 * becomes '?', a newline or tab a space; what is not ASCII is shown as the
 * locale allows (set LC_CTYPE to see it). Lines have no blanks at their end.
 */
#ifndef KTOLL_TABLE_H
#define KTOLL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

struct table;

#define TABLE_LEFT 0u
#define TABLE_RIGHT 1u  /* numbers */
#define TABLE_SHRINK 2u /* cut where the terminal is too narrow; without it a column never is */
#define TABLE_WRAP 4u   /* several lines where it is too narrow; a newline in a cell is one */

enum table_colour {
	TABLE_PLAIN,
	TABLE_RED,
	TABLE_GREEN,
	TABLE_YELLOW,
};

struct table *table_new(void);
void table_free(struct table *t);
DEFINE_CLEANUP(struct table *, table_free)
#define _cleanup_table_ _cleanup_(table_freep)

void table_add_column(struct table *t, const char *title, unsigned flags);
void table_add_row(struct table *t);
/* A cell of the last row. */
void table_set(struct table *t, size_t column, const char *text);
void table_set_coloured(struct table *t, size_t column, const char *text, enum table_colour c);

/*
 * Adds the table, `indent` blanks in front of each line; nothing for a table
 * without rows. `width`: columns of the terminal, 0 for none: then nothing is
 * ever cut.
 */
void table_render(struct table *t, unsigned width, bool colour, unsigned indent, struct str *out);
/* Writes it to a stream, for the terminal there if it is one, without colour. */
int table_print(struct table *t, FILE *f, struct error *err);

#endif
