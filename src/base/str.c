/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/str.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

void str_add_bytes(struct str *st, const void *p, size_t n_bytes)
{
	if (st->len + n_bytes + 1 > st->cap) {
		st->cap = (st->len + n_bytes + 1) * 2;
		st->s = xrealloc(st->s, st->cap);
	}
	if (n_bytes)
		memcpy(st->s + st->len, p, n_bytes);
	st->len += n_bytes;
	st->s[st->len] = 0;
}

void str_add(struct str *st, const char *text)
{
	str_add_bytes(st, text, strlen(text));
}

void str_addf(struct str *st, const char *fmt, ...)
{
	_cleanup_free_ char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	str_add(st, s);
}

void str_add_quoted(struct str *st, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=,.:/%@";

	if (*word && !word[strspn(word, plain)]) {
		str_add(st, word);
		return;
	}
	str_add(st, "'");
	for (; *word; word++)
		if (*word == '\'')
			str_add(st, "'\\''");
		else
			str_add_bytes(st, word, 1);
	str_add(st, "'");
}

const char *str_text(const struct str *st)
{
	return st->s ? st->s : "";
}

char *str_take(struct str *st)
{
	char *s = st->s ? st->s : xstrdup("");

	*st = STR_INIT;
	return s;
}

void str_finish(struct str *st)
{
	free(st->s);
	*st = STR_INIT;
}

bool str_has_prefix(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_has_suffix(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && strcmp(s + n - m, suffix) == 0;
}

bool str_equal(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

int str_to_u64(const char *s, uint64_t min, uint64_t max, uint64_t *ret)
{
	char *end;
	unsigned long long v;

	if (*s < '0' || *s > '9')
		return -EINVAL;
	errno = 0;
	v = strtoull(s, &end, 10);
	if (*end)
		return -EINVAL;
	if (errno || v < min || v > max)
		return -ERANGE;
	*ret = v;
	return 0;
}

void str_make_printable(char *s)
{
	for (; *s; s++)
		if (((unsigned char)*s < 0x20 && *s != '\n' && *s != '\t') || *s == 0x7f)
			*s = '?';
}

const char *str_tail(const char *text, size_t lines)
{
	const char *p = text + strlen(text);

	if (p > text && p[-1] == '\n')
		p--;
	while (p > text) {
		if (p[-1] == '\n' && --lines == 0)
			break;
		p--;
	}
	return p;
}

void strv_add(struct strv *l, const char *s)
{
	l->v = array_grow(l->v, l->n + 1, &l->cap, sizeof(char *));
	l->v[l->n++] = xstrdup(s);
	l->v[l->n] = NULL;
}

void strv_add_all(struct strv *l, const struct strv *from)
{
	for (size_t i = 0; i < from->n; i++)
		strv_add(l, from->v[i]);
}

bool strv_has(const struct strv *l, const char *s)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->v[i], s) == 0)
			return true;
	return false;
}

void strv_addf(struct strv *l, const char *fmt, ...)
{
	_cleanup_free_ char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	strv_add(l, s);
}

char *strv_join(const struct strv *l, const char *separator)
{
	struct str st = STR_INIT;

	for (size_t i = 0; i < l->n; i++) {
		if (i)
			str_add(&st, separator);
		str_add(&st, l->v[i]);
	}
	return str_take(&st);
}

void strv_finish(struct strv *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
	*l = (struct strv){ 0 };
}
