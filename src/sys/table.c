/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/table.h"

#include <errno.h>
#include <libsmartcols.h>
#include <stdint.h>
#include <string.h>

#include "sys/terminal.h"
#include "sys/utf8.h"

#define SEPARATOR "  "
#define MIN_WRAP_WIDTH 16 /* columns: narrower than that a sentence is a column of words */

struct table {
	struct libscols_table *tb;
	struct libscols_line *line; /* the last one, owned by tb */
	unsigned wraps; /* bits of the columns that wrap */
};

/* libsmartcols fails for want of memory, or for calls this file does not make. */
static void *checked(void *p)
{
	return p ? p : xmalloc(PTRDIFF_MAX);
}

struct table *table_new(void)
{
	struct table *t = xcalloc(1, sizeof(*t));

	t->tb = checked(scols_new_table());
	scols_table_enable_ascii(t->tb, 1);
	scols_table_set_column_separator(t->tb, SEPARATOR);
	return t;
}

void table_free(struct table *t)
{
	if (!t)
		return;
	scols_unref_table(t->tb);
	free(t);
}

void table_add_column(struct table *t, const char *title, unsigned flags)
{
	int fl = (flags & TABLE_RIGHT ? SCOLS_FL_RIGHT : 0) |
		 (flags & TABLE_SHRINK ? SCOLS_FL_TRUNC : 0) |
		 (flags & TABLE_WRAP ? SCOLS_FL_WRAP : 0);
	struct libscols_column *c = checked(scols_table_new_column(t->tb, title, 0, fl));

	if (!(flags & TABLE_WRAP))
		return;
	t->wraps |= 1u << (scols_table_get_ncols(t->tb) - 1);
	scols_column_set_safechars(c, "\n");
	scols_column_set_wrapfunc(c, scols_wrapnl_chunksize, scols_wrapnl_nextchunk, NULL);
}

void table_add_row(struct table *t)
{
	t->line = checked(scols_table_new_line(t->tb, NULL));
}

/* Without tabs, and without newlines unless they are wanted. */
static char *plain_text(const char *text, bool keeps_newlines)
{
	_cleanup_str_ struct str s = STR_INIT;
	char *line;

	utf8_add_printable(&s, text);
	line = str_take(&s);
	for (char *c = line; *c; c++)
		if (*c == '\t' || (*c == '\n' && !keeps_newlines))
			*c = ' ';
	return line;
}

void table_set(struct table *t, size_t column, const char *text)
{
	table_set_coloured(t, column, text, TABLE_PLAIN);
}

void table_set_coloured(struct table *t, size_t column, const char *text, enum table_colour c)
{
	static const char *const names[] = { NULL, "red", "green", "yellow" };
	struct libscols_cell *cell = checked(scols_line_get_cell(t->line, column));

	/* The library frees what it is given. */
	scols_cell_refer_data(cell, plain_text(text, t->wraps & 1u << column));
	if (names[c])
		scols_cell_set_color(cell, names[c]);
}

/* ---- wrapping ---- */

/* Characters in a row of `n` bytes. */
static size_t columns_of(const char *s, size_t n)
{
	size_t columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += ((unsigned char)s[i] & 0xc0) != 0x80;
	return columns;
}

/* The text with newlines at the words that would not fit, and in words that never would. */
static char *wrap(const char *text, size_t width)
{
	struct str out = STR_INIT;
	size_t at = 0;

	while (*text) {
		size_t n = strcspn(text, " \n"), columns = columns_of(text, n);

		if (at && at + 1 + columns > width) {
			str_add(&out, "\n");
			at = 0;
		} else if (at) {
			str_add(&out, " ");
			at++;
		}
		for (size_t i = 0; i < n; i++) {
			bool is_begin = ((unsigned char)text[i] & 0xc0) != 0x80;

			if (is_begin && at == width) {
				str_add(&out, "\n");
				at = 0;
			}
			str_add_bytes(&out, text + i, 1);
			at += is_begin;
		}
		text += n;
		if (*text == '\n') {
			str_add(&out, "\n");
			at = 0;
		}
		text += *text != 0;
	}
	return str_take(&out);
}

/* Columns of the terminal that a column needs, its title included. */
static size_t natural_width(struct table *t, size_t column)
{
	const char *title = scols_column_get_name(scols_table_get_column(t->tb, column));
	size_t width = title ? columns_of(title, strlen(title)) : 0;

	for (size_t i = 0; i < scols_table_get_nlines(t->tb); i++) {
		struct libscols_line *l = scols_table_get_line(t->tb, i);
		const char *s = scols_cell_get_data(scols_line_get_cell(l, column));
		size_t w = s ? columns_of(s, strlen(s)) : 0;

		width = w > width ? w : width;
	}
	return width;
}

/* The columns that wrap share what the others leave. */
static void wrap_cells(struct table *t, size_t width)
{
	size_t n_columns = scols_table_get_ncols(t->tb), n_wraps = 0, taken = 0, each;

	for (size_t c = 0; c < n_columns; c++) {
		if (c)
			taken += strlen(SEPARATOR);
		if (t->wraps & 1u << c)
			n_wraps++;
		else
			taken += natural_width(t, c);
	}
	each = width > taken ? (width - taken) / n_wraps : 0;
	if (each < MIN_WRAP_WIDTH)
		each = MIN_WRAP_WIDTH;
	for (size_t i = 0; i < scols_table_get_nlines(t->tb); i++)
		for (size_t c = 0; c < n_columns; c++) {
			struct libscols_cell *cell =
				scols_line_get_cell(scols_table_get_line(t->tb, i), c);
			const char *s = scols_cell_get_data(cell);

			if ((t->wraps & 1u << c) && s)
				scols_cell_refer_data(cell, wrap(s, each));
		}
}

/* ---- out ---- */

static void add_line(struct str *out, unsigned indent, const char *s, size_t n)
{
	while (n && s[n - 1] == ' ')
		n--;
	if (n)
		str_addf(out, "%*s", (int)indent, "");
	str_add_bytes(out, s, n);
	str_add(out, "\n");
}

void table_render(struct table *t, unsigned width, bool colour, unsigned indent, struct str *out)
{
	_cleanup_free_ char *text = NULL;

	if (!scols_table_get_nlines(t->tb))
		return;
	if (t->wraps && width)
		wrap_cells(t, width > indent ? width - indent : 1);
	scols_table_enable_colors(t->tb, colour);
	scols_table_set_termforce(t->tb, width ? SCOLS_TERMFORCE_ALWAYS : SCOLS_TERMFORCE_NEVER);
	scols_table_set_termwidth(t->tb, width > indent ? width - indent : 1);
	if (scols_print_table_to_string(t->tb, &text) < 0)
		checked(NULL);
	for (const char *s = text; s && *s;) {
		const char *end = strchrnul(s, '\n');

		add_line(out, indent, s, (size_t)(end - s));
		s = *end ? end + 1 : end;
	}
}

int table_print(struct table *t, FILE *f, struct error *err)
{
	_cleanup_str_ struct str out = STR_INIT;

	table_render(t, terminal_width(fileno(f)), false, 0, &out);
	if (fputs(str_text(&out), f) < 0 || fflush(f) < 0) {
		int rc = errno;

		return error_set(err, rc, "cannot write: %s", strerror(rc));
	}
	return 0;
}
