/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing string, and the few string questions that more than one place
 * asks. `struct str` holds a NUL-terminated text once something was added;
 * str_text() of an empty one is "".
 */
#ifndef KTOLL_STR_H
#define KTOLL_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str {
	char *s;    /* owned */
	size_t len; /* bytes, without the NUL */
	size_t cap;
};

#define STR_INIT ((struct str){ 0 })

void str_add(struct str *st, const char *text);
void str_add_bytes(struct str *st, const void *p, size_t n_bytes);
void str_addf(struct str *st, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Adds a word as a shell takes it: in quotes if it has anything that needs them. */
void str_add_quoted(struct str *st, const char *word);
const char *str_text(const struct str *st);
/* The text, owned by the caller; the str is empty afterwards. */
char *str_take(struct str *st);
void str_finish(struct str *st);

#define _cleanup_str_ __attribute__((cleanup(str_finish)))

bool str_has_prefix(const char *s, const char *prefix);
bool str_has_suffix(const char *s, const char *suffix);
/* NULL-safe equality. */
bool str_equal(const char *a, const char *b);

/* A whole decimal number in [min, max]: 0, or -EINVAL, -ERANGE. */
int str_to_u64(const char *s, uint64_t min, uint64_t max, uint64_t *ret);

/*
 * Drops what a terminal could act on: control characters other than newline
 * and tab become '?', in place. For text that came out of a guest or a file.
 */
void str_make_printable(char *s);

/* The start of the last `lines` lines of `text`. */
const char *str_tail(const char *text, size_t lines);

/* A NULL-terminated list of owned strings. */
struct strv {
	char **v; /* NULL while empty, else NULL-terminated */
	size_t n, cap;
};

void strv_add(struct strv *l, const char *s);
void strv_addf(struct strv *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Copies of all strings of another list. */
void strv_add_all(struct strv *l, const struct strv *from);
bool strv_has(const struct strv *l, const char *s);
char *strv_join(const struct strv *l, const char *separator);
void strv_finish(struct strv *l);

#define _cleanup_strv_ __attribute__((cleanup(strv_finish)))

#endif
