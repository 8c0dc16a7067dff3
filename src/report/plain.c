/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/plain.h"

#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "sys/utf8.h"

/* Nothing that a person wrote is longer. */
#define MAX_COMMAND 4000

char *plain_cut(const char *text, size_t columns)
{
	struct str s = STR_INIT;

	while (*text && s.len <= columns) {
		size_t n = utf8_length(text);

		/* A character of several bytes is one column. */
		str_add_bytes(&s, n == 1 && *text >= ' ' && *text < 0x7f ? text : *text == '\n' || *text == '\t' ? " " : "?", 1);
		text += n ? n : 1;
	}
	if (s.len > columns) {
		size_t dots = columns < 3 ? columns : 3;

		s.len = columns;
		s.s[columns] = 0;
		memset(s.s + columns - dots, '.', dots);
	}
	if (!s.s)
		str_add(&s, "");
	return str_take(&s);
}

void plain_wrap(struct str *out, const char *first, size_t indent, const char *fmt, ...)
{
	_cleanup_free_ char *raw = NULL, *text = NULL;
	size_t column = strlen(first);
	bool is_begun = false;
	char *save = NULL;
	va_list ap;

	va_start(ap, fmt);
	raw = xvasprintf(fmt, ap);
	va_end(ap);
	text = plain_cut(raw, MAX_COMMAND);
	str_add(out, first);
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		size_t n = strlen(word);

		if (is_begun && column + 1 + n > PLAIN_WIDTH) {
			str_addf(out, "\n%*s", (int)indent, "");
			column = indent;
			is_begun = false;
		}
		if (is_begun) {
			str_add(out, " ");
			column++;
		}
		/* A word that no line can hold is broken where the line ends. */
		while (column + n > PLAIN_WIDTH) {
			size_t part = PLAIN_WIDTH - column;

			str_addf(out, "%.*s\n%*s", (int)part, word, (int)indent, "");
			word += part;
			n -= part;
			column = indent;
		}
		str_add(out, word);
		column += n;
		is_begun = true;
	}
	str_add(out, "\n");
}

void plain_command(struct str *out, const char *command)
{
	_cleanup_free_ char *text = plain_cut(command, MAX_COMMAND);
	const char *at = text;
	const size_t room = PLAIN_WIDTH - strlen(" \\");

	while (strlen(at) > PLAIN_WIDTH) {
		size_t cut = room;

		while (cut && at[cut] != ' ' && at[cut - 1] != ',')
			cut--;
		/* Neither a blank nor a comma: a shell takes a backslash anywhere. */
		if (!cut)
			cut = room;
		str_addf(out, "%.*s\\\n", (int)cut, at);
		at += cut;
	}
	str_addf(out, "%s\n", at);
}
