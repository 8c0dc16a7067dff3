/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "readers/lines.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "sys/utf8.h"

#define BLANKS " \t\v\f"
#define DIGITS "0123456789"
#define SHOWN_BYTES 100

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char *skip_escapes(char *s)
{
	s += strspn(s, BLANKS);
	while (s[0] == '\033' && s[1] == '[') {
		s += 2;
		s += strspn(s, DIGITS ";?");
		s += *s != '\0';
		s += strspn(s, BLANKS);
	}
	return s;
}

/* "[   12.345678]" */
static char *skip_stamp(char *s)
{
	char *p = s;
	size_t n;

	if (*p++ != '[')
		return s;
	p += strspn(p, " ");
	n = strspn(p, DIGITS);
	if (!n || p[n] != '.')
		return s;
	p += n + 1;
	n = strspn(p, DIGITS);
	return n && p[n] == ']' ? p + n + 1 : s;
}

/* "[    T1]", "[    C0]": who said it, with CONFIG_PRINTK_CALLER. */
static char *skip_caller(char *s)
{
	char *p = s;
	size_t n;

	if (*p++ != '[')
		return s;
	p += strspn(p, " ");
	if (*p != 'T' && *p != 'C')
		return s;
	n = strspn(++p, DIGITS);
	return n && p[n] == ']' ? p + n + 1 : s;
}

void lines_init(struct lines *l, const char *text)
{
	*l = (struct lines){ .line = "", .copy = xstrdup(text), .end = '\n' };
	l->next = l->copy;
}

bool lines_next(struct lines *l)
{
	char *s = l->next, *end = s + strcspn(s, "\r\n");

	if (!*s)
		return false;
	l->number += l->end == '\n';
	/* Both together end one line. */
	l->end = end[0] == '\r' && end[1] == '\n' ? '\n' : *end;
	l->next = end + (*end != '\0') + (end[0] == '\r' && end[1] == '\n');
	while (end > s && strchr(BLANKS, end[-1]))
		end--;
	*end = '\0';
	s = skip_caller(skip_stamp(skip_escapes(s)));
	l->line = s + strspn(s, BLANKS);
	return true;
}

void lines_finish(struct lines *l)
{
	free(l->copy);
	*l = (struct lines){ 0 };
}

int lines_bad(const struct lines *l, struct error *err, const char *fmt, ...)
{
	_cleanup_free_ char *why = NULL, *shown = xstrndup(l->line, SHOWN_BYTES);
	_cleanup_str_ struct str printable = STR_INIT;
	va_list ap;

	va_start(ap, fmt);
	why = xvasprintf(fmt, ap);
	va_end(ap);
	utf8_add_printable(&printable, shown);
	return error_set(err, EBADMSG, "line %zu: %s: '%s'", l->number, why, str_text(&printable));
}

bool lines_any(const char *text, bool (*is)(const char *line))
{
	_cleanup_lines_ struct lines l;

	lines_init(&l, text);
	while (lines_next(&l))
		if (is(l.line))
			return true;
	return false;
}

const char *lines_unquoted(const char *line)
{
	while (*line == '>')
		line += 1 + strspn(line + 1, BLANKS);
	return line;
}

bool scan_word(const char **at, const char *word)
{
	if (!str_has_prefix(*at, word))
		return false;
	*at += strlen(word);
	*at += strspn(*at, BLANKS);
	return true;
}

bool scan_number(const char **at, double *ret)
{
	const char *s = *at;
	char *end;
	double v;

	/* strtod() would also take signs, blanks, newlines, "inf", "nan" and "0x10". */
	if (!is_digit(s[0]) || (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')))
		return false;
	/* Nothing here calls setlocale(): the point is a point. */
	v = strtod(s, &end);
	if (v > SCAN_MAX || (*end && strchr(".,'", *end) && is_digit(end[1])))
		return false;
	*at = end + strspn(end, BLANKS);
	*ret = v;
	return true;
}
