/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expressions of Kconfig files, and their value under a resolved config. A
 * value is y, m or n; where it hangs on what only a compiler or a tool could
 * answer, $(cc-option,…) for instance, it is unknown, unless the rest decides
 * it. Nodes live in the arena of the tree they belong to. NULL is the empty
 * condition, which is y.
 */
#ifndef KTOLL_KCONFIGEXPR_H
#define KTOLL_KCONFIGEXPR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"
#include "kernel/kconfig.h"

enum ktri {
	KTRI_N,
	KTRI_M,
	KTRI_Y,
	KTRI_UNKNOWN,
};

enum kconfig_type {
	KCONFIG_UNTYPED, /* named somewhere, defined nowhere */
	KCONFIG_BOOL,
	KCONFIG_TRISTATE,
	KCONFIG_INT,
	KCONFIG_HEX,
	KCONFIG_STRING,
};

enum kexpr_op {
	KEXPR_SYMBOL,
	KEXPR_TEXT,   /* a constant: quoted, or y, m, n */
	KEXPR_OPAQUE, /* what ktoll cannot work out */
	KEXPR_NOT,    /* a */
	KEXPR_AND,
	KEXPR_OR,
	KEXPR_EQUAL, /* from here on a and b are operands: symbol, text or opaque */
	KEXPR_UNEQUAL,
	KEXPR_LESS,
	KEXPR_LESS_EQUAL,
	KEXPR_GREATER,
	KEXPR_GREATER_EQUAL,
};

struct kconfig_symbol;

struct kexpr {
	enum kexpr_op op;
	unsigned depth; /* of the tree below, this node included */
	const struct kexpr *a, *b;
	const struct kconfig_symbol *symbol;
	const char *text; /* of a constant or of what is opaque */
};

/* Depth beyond which an expression becomes opaque: walking one is recursive. */
#define KEXPR_MAX_DEPTH 500

struct kexpr *kexpr_new_symbol(struct arena *a, const struct kconfig_symbol *s);
/* KEXPR_TEXT or KEXPR_OPAQUE. */
struct kexpr *kexpr_new_text(struct arena *a, enum kexpr_op op, const char *text);
struct kexpr *kexpr_new(struct arena *a, enum kexpr_op op, const struct kexpr *x,
			const struct kexpr *y);
/* x && y, where either may be NULL. */
const struct kexpr *kexpr_and(struct arena *a, const struct kexpr *x, const struct kexpr *y);

enum ktri ktri_parse(const char *value);  /* of a .config; n for what is none */
enum ktri ktri_and(enum ktri x, enum ktri y);
enum ktri ktri_or(enum ktri x, enum ktri y);

enum ktri kexpr_eval(const struct kexpr *e, const struct kconfig *c);

/*
 * What the expression is as the value of an int, hex or string option: owned,
 * without quotes; NULL if it is opaque or no single operand.
 */
char *kexpr_value(const struct kexpr *e, const struct kconfig *c);

/* As Kconfig files write it; long ones are cut with "...". */
char *kexpr_text(const struct kexpr *e);

/*
 * Why the expression has another value under `other` than under `base`: the
 * terms whose values moved it, as they stand in it ("PREEMPTION",
 * "!PREEMPTION"), and the symbols in them that changed, in the same order.
 * Adds nothing where it has not moved, or unknown is involved. `symbols` may be NULL.
 */
struct kexpr_symbols {
	const struct kconfig_symbol **v;
	size_t n, cap;
};
void kexpr_changed(const struct kexpr *e, const struct kconfig *base, const struct kconfig *other,
		   struct strv *terms, struct kexpr_symbols *symbols);

/* The terms that keep it from being y ("FOO", "!BAR"), and their facts ("FOO is n", "BAR is y"). */
void kexpr_unmet(const struct kexpr *e, const struct kconfig *c, struct strv *terms,
		 struct strv *facts);

#endif
