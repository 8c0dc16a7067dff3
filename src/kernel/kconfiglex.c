/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/kconfiglex.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* A variable may name others: so deep, and so many times in one statement. */
#define MAX_DEPTH 8
#define MAX_EXPANSIONS 256
#define MAX_VARS 1024
#define MAX_VALUE_BYTES 4096

/* ---- variables ---- */

static const char *vars_get(const struct klex_vars *v, const char *name, size_t n)
{
	for (size_t i = 0; i < v->names.n; i++)
		if (strncmp(v->names.v[i], name, n) == 0 && !v->names.v[i][n])
			return v->values.v[i];
	return NULL;
}

void klex_vars_set(struct klex_vars *v, const char *name, const char *value)
{
	for (size_t i = 0; i < v->names.n; i++)
		if (strcmp(v->names.v[i], name) == 0) {
			free(v->values.v[i]);
			v->values.v[i] = xstrdup(value);
			return;
		}
	if (v->names.n == MAX_VARS)
		return;
	strv_add(&v->names, name);
	strv_add(&v->values, value);
}

void klex_vars_finish(struct klex_vars *v)
{
	strv_finish(&v->names);
	strv_finish(&v->values);
}

/* ---- macros ---- */

/* Bytes of "$(…)" at s, the parentheses balanced; up to the end of the line if they are not. */
static size_t macro_length(const char *s, const char *end)
{
	const char *c = s + 1;
	size_t depth = 0;

	for (; c < end && *c != '\n'; c++) {
		depth += *c == '(';
		depth -= *c == ')';
		if (!depth)
			return (size_t)(c + 1 - s);
	}
	return (size_t)(c - s);
}

/*
 * Adds the text with its variables replaced. False where something in it is
 * not known: functions, whose answers depend on programs, and other names.
 */
static bool expand(struct klex *l, const char *s, size_t n, unsigned depth, struct str *out)
{
	const char *end = s + n;

	while (s < end) {
		const char *value;
		size_t length;

		if (*s != '$' || s + 1 == end || s[1] != '(') {
			str_add_bytes(out, s++, 1);
			continue;
		}
		length = macro_length(s, end);
		if (length < 3 || s[length - 1] != ')' || depth == MAX_DEPTH ||
		    l->n_expansions++ >= MAX_EXPANSIONS || out->len > MAX_VALUE_BYTES)
			return false;
		value = vars_get(l->vars, s + 2, length - 3);
		if (!value || !expand(l, value, strlen(value), depth + 1, out))
			return false;
		s += length;
	}
	return true;
}

/* ---- lines ---- */

static bool is_word_char(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

static const char *line_end(const struct klex *l, const char *s)
{
	const char *nl = s < l->end ? memchr(s, '\n', (size_t)(l->end - s)) : NULL;

	return nl ? nl : l->end;
}

static void skip_line(struct klex *l)
{
	l->s = line_end(l, l->s);
	if (l->s < l->end) {
		l->s++;
		l->next_line++;
	}
}

/* "NAME = value", ":=" or "+=": taken in, true. Values are expanded where they are used. */
static bool take_assignment(struct klex *l)
{
	const char *end = line_end(l, l->s), *s = l->s, *name = s;
	_cleanup_free_ char *owned = NULL, *value = NULL;
	const char *old;
	bool adds;

	while (s < end && is_word_char(*s))
		s++;
	owned = xstrndup(name, (size_t)(s - name));
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	adds = s < end && *s == '+';
	s += s < end && (*s == ':' || *s == '+');
	if (!*owned || s == end || *s != '=')
		return false;
	for (s++; s < end && (*s == ' ' || *s == '\t');)
		s++;
	value = xstrndup(s, (size_t)(end - s) < MAX_VALUE_BYTES ? (size_t)(end - s) :
								  MAX_VALUE_BYTES);
	old = adds ? vars_get(l->vars, owned, strlen(owned)) : NULL;
	if (old && strlen(old) < MAX_VALUE_BYTES) {
		_cleanup_free_ char *both = xasprintf("%s %s", old, value);

		klex_vars_set(l->vars, owned, both);
	} else {
		klex_vars_set(l->vars, owned, value);
	}
	l->s = end;
	skip_line(l);
	return true;
}

static void add_token(struct klex *l, enum klex_kind kind, const char *s, size_t n)
{
	struct klex_token *t = ARRAY_ADD(l->tokens, l->n, l->cap);

	t->kind = kind;
	t->at = l->scratch.len;
	str_add_bytes(&l->scratch, s, n);
	str_add_bytes(&l->scratch, "", 1);
}

/* A word, with macros in it. */
static void take_word(struct klex *l)
{
	_cleanup_str_ struct str text = STR_INIT;
	const char *s = l->s;

	while (s < l->end && (is_word_char(*s) || *s == '$')) {
		if (*s == '$' && s + 1 < l->end && s[1] == '(')
			s += macro_length(s, l->end);
		else
			s++;
	}
	if (!expand(l, l->s, (size_t)(s - l->s), 0, &text))
		add_token(l, KLEX_OPAQUE, l->s, (size_t)(s - l->s));
	else if (text.len)
		add_token(l, KLEX_WORD, str_text(&text), text.len);
	l->s = s;
}

static void take_quoted(struct klex *l)
{
	_cleanup_str_ struct str text = STR_INIT;
	char quote = *l->s;
	const char *s = l->s + 1;
	bool is_known = true;

	while (s < l->end && *s != '\n' && *s != quote) {
		size_t n = 1;

		if (*s == '\\' && s + 1 < l->end && s[1] != '\n') {
			str_add_bytes(&text, s + 1, 1);
			n = 2;
		} else if (*s == '$' && s + 1 < l->end && s[1] == '(') {
			n = macro_length(s, l->end);
			is_known &= expand(l, s, n, 0, &text);
		} else {
			str_add_bytes(&text, s, 1);
		}
		s += n;
	}
	s += s < l->end && *s == quote;
	if (is_known)
		add_token(l, KLEX_QUOTED, str_text(&text), text.len);
	else
		add_token(l, KLEX_OPAQUE, l->s, (size_t)(s - l->s));
	l->s = s;
}

static void take_operator(struct klex *l)
{
	static const char *const operators[] = { "&&", "||", "!=", "<=", ">=", ":=", "+=",
						 "=",  "<",  ">",  "!",	 "(",  ")" };

	for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
		size_t n = strlen(operators[i]);

		if ((size_t)(l->end - l->s) < n || memcmp(l->s, operators[i], n) != 0)
			continue;
		add_token(l, KLEX_OPERATOR, operators[i], n);
		l->s += n;
		return;
	}
	/* Kconfig itself warns of other characters and goes on. */
	l->s++;
}

/* The rest of a statement: to the end of the line that no backslash continues. */
static void take_statement(struct klex *l)
{
	while (l->s < l->end && *l->s != '\n') {
		if (*l->s == '\\' && l->s + 1 < l->end && l->s[1] == '\n')
			skip_line(l);
		else if (*l->s == '#')
			l->s = line_end(l, l->s);
		else if (*l->s == '"' || *l->s == '\'')
			take_quoted(l);
		else if (is_word_char(*l->s) || *l->s == '$')
			take_word(l);
		else
			take_operator(l);
	}
	skip_line(l);
}

bool klex_next(struct klex *l)
{
	while (l->s < l->end) {
		l->n = l->scratch.len = l->n_expansions = 0;
		while (l->s < l->end && (*l->s == ' ' || *l->s == '\t'))
			l->s++;
		l->line = l->next_line;
		if (take_assignment(l))
			continue;
		take_statement(l);
		for (size_t i = 0; i < l->n; i++)
			l->tokens[i].text = l->scratch.s + l->tokens[i].at;
		if (l->n)
			return true;
	}
	return false;
}

void klex_skip_help(struct klex *l)
{
	size_t first = 0;

	while (l->s < l->end) {
		const char *end = line_end(l, l->s), *s = l->s;
		size_t column = 0;

		for (; s < end && (*s == ' ' || *s == '\t'); s++)
			column = *s == '\t' ? (column & ~(size_t)7) + 8 : column + 1;
		if (s < end && *s != '\r') {
			if (!column || column < first)
				return;
			first = first ? first : column;
		}
		skip_line(l);
	}
}

bool klex_is(const struct klex *l, size_t i, enum klex_kind kind, const char *text)
{
	return i < l->n && l->tokens[i].kind == kind && strcmp(l->tokens[i].text, text) == 0;
}

void klex_init(struct klex *l, const char *text, size_t n_bytes, struct klex_vars *vars)
{
	*l = (struct klex){ .s = text, .end = text + n_bytes, .next_line = 1, .vars = vars };
}

void klex_finish(struct klex *l)
{
	free(l->tokens);
	str_finish(&l->scratch);
}
