/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/plain.h"

#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "sys/utf8.h"

/* Nothing that a person wrote is longer; nor a command with all variants that a study may have. */
#define MAX_PARAGRAPH 4000
#define MAX_COMMAND   65536

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
	text = plain_cut(raw, MAX_PARAGRAPH);
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

/* The quote that each character stands in, 0 for none; '\\' where it belongs to the backslash before it. */
static char *quotes_of(const char *text)
{
	char *v = xcalloc(strlen(text) + 1, 1), quote = 0;

	for (size_t i = 0; text[i]; i++) {
		v[i] = quote;
		if (quote != '\'' && text[i] == '\\' && text[i + 1])
			v[++i] = '\\';
		else if (text[i] == quote)
			quote = 0;
		else if (!quote && (text[i] == '\'' || text[i] == '"'))
			quote = text[i];
	}
	return v;
}

/* Where a line of at most `room` ends: before a blank or behind a comma, else where a shell joins the two. */
static size_t find_cut(const char *text, const char *quotes, size_t room)
{
	size_t cut = room;

	while (cut && (quotes[cut] || (text[cut] != ' ' && text[cut - 1] != ',')))
		cut--;
	if (cut)
		return cut;
	return quotes[room] == '\\' ? room - 1 : room;
}

void plain_command(struct str *out, const char *command)
{
	_cleanup_free_ char *text = plain_cut(command, MAX_COMMAND), *quotes = quotes_of(text);
	size_t at = 0, reopened = 0;

	while (reopened + strlen(text + at) > PLAIN_WIDTH) {
		size_t n = find_cut(text + at, quotes + at, PLAIN_WIDTH - strlen("''\\") - reopened);
		bool is_quoted = quotes[at + n] == '\'';

		/* In single quotes a backslash is one: they end before it, and begin anew. */
		str_addf(out, "%s%.*s%s\\\n", reopened ? "'" : "", (int)n, text + at, is_quoted ? "'" : "");
		reopened = is_quoted;
		at += n;
	}
	str_addf(out, "%s%s\n", reopened ? "'" : "", text + at);
}
