/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of a Kconfig file, statement by statement: continuation lines are
 * joined, comments and help texts left out, $(NAME) replaced where the name is
 * known. What a macro would have to run a program for, and every name that is
 * not known, makes its word opaque. Any bytes may be read. For the parser in
 * kconfigtree.c; Documentation/kbuild/kconfig-language.rst and
 * kconfig-macro-language.rst in a kernel tree describe the language.
 */
#ifndef KTOLL_KCONFIGLEX_H
#define KTOLL_KCONFIGLEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum klex_kind {
	KLEX_WORD,
	KLEX_QUOTED,
	KLEX_OPAQUE, /* its text is what stands in the file */
	KLEX_OPERATOR,
};

struct klex_token {
	enum klex_kind kind;
	const char *text; /* lives until the next statement */
	size_t at;
};

/* Variables by name: first those of the caller, then those that the files assign. */
struct klex_vars {
	struct strv names, values;
};

struct klex {
	const char *s, *end;
	unsigned next_line, line; /* `line` is the statement's first */
	struct klex_vars *vars;
	struct klex_token *tokens; /* of the statement */
	size_t n, cap;
	struct str scratch;
	unsigned n_expansions; /* in this statement */
};

/* Sets a variable, or another value of it. */
void klex_vars_set(struct klex_vars *v, const char *name, const char *value);
void klex_vars_finish(struct klex_vars *v);

/* The text and the variables are borrowed. */
void klex_init(struct klex *l, const char *text, size_t n_bytes, struct klex_vars *vars);
void klex_finish(struct klex *l);

/* The next statement, with at least one token; false at the end. Assignments are taken in. */
bool klex_next(struct klex *l);
/* After the statement `help`: goes on behind the text, which ends where the indentation does. */
void klex_skip_help(struct klex *l);

/* Is token i the word (or, for an operator, the sign) `text`? */
bool klex_is(const struct klex *l, size_t i, enum klex_kind kind, const char *text);

#endif
