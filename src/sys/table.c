/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/table.h"

#include <errno.h>
#include <libsmartcols.h>
#include <stdint.h>
#include <string.h>

#include "sys/terminal.h"
#include "sys/utf8.h"

struct table {
	struct libscols_table *tb;
	struct libscols_line *line; /* the last one, owned by tb */
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
	scols_table_set_column_separator(t->tb, "  ");
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
		 (flags & TABLE_SHRINK ? SCOLS_FL_TRUNC : 0);

	checked(scols_table_new_column(t->tb, title, 0, fl));
}

void table_add_row(struct table *t)
{
	t->line = checked(scols_table_new_line(t->tb, NULL));
}

static char *one_line(const char *text)
{
	_cleanup_str_ struct str s = STR_INIT;
	char *line;

	utf8_add_printable(&s, text);
	line = str_take(&s);
	for (char *c = line; *c; c++)
		if (*c == '\n' || *c == '\t')
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
	scols_cell_refer_data(cell, one_line(text));
	if (names[c])
		scols_cell_set_color(cell, names[c]);
}

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
