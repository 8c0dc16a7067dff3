/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/kconfigexpr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "kernel/kconfigtree.h"

#define MAX_TEXT_BYTES 160

/* ---- making them ---- */

struct kexpr *kexpr_new_symbol(struct arena *a, const struct kconfig_symbol *s)
{
	struct kexpr *e = arena_alloc(a, sizeof(*e));

	*e = (struct kexpr){ .op = KEXPR_SYMBOL, .depth = 1, .symbol = s };
	return e;
}

struct kexpr *kexpr_new_text(struct arena *a, enum kexpr_op op, const char *text)
{
	struct kexpr *e = arena_alloc(a, sizeof(*e));

	*e = (struct kexpr){ .op = op, .depth = 1, .text = text };
	return e;
}

struct kexpr *kexpr_new(struct arena *a, enum kexpr_op op, const struct kexpr *x,
			const struct kexpr *y)
{
	unsigned depth = 1 + (y && y->depth > x->depth ? y->depth : x->depth);
	struct kexpr *e;

	if (depth > KEXPR_MAX_DEPTH)
		return kexpr_new_text(a, KEXPR_OPAQUE, "a very long condition");
	e = arena_alloc(a, sizeof(*e));
	*e = (struct kexpr){ .op = op, .depth = depth, .a = x, .b = y };
	return e;
}

const struct kexpr *kexpr_and(struct arena *a, const struct kexpr *x, const struct kexpr *y)
{
	if (!x || !y || x == y)
		return x ? x : y;
	return kexpr_new(a, KEXPR_AND, x, y);
}

/* ---- values ---- */

enum ktri ktri_parse(const char *value)
{
	if (strcmp(value, "y") == 0)
		return KTRI_Y;
	return strcmp(value, "m") == 0 ? KTRI_M : KTRI_N;
}

enum ktri ktri_and(enum ktri x, enum ktri y)
{
	if (x == KTRI_N || y == KTRI_N)
		return KTRI_N;
	if (x == KTRI_UNKNOWN || y == KTRI_UNKNOWN)
		return KTRI_UNKNOWN;
	return x < y ? x : y;
}

enum ktri ktri_or(enum ktri x, enum ktri y)
{
	if (x == KTRI_Y || y == KTRI_Y)
		return KTRI_Y;
	if (x == KTRI_UNKNOWN || y == KTRI_UNKNOWN)
		return KTRI_UNKNOWN;
	return x > y ? x : y;
}

static enum ktri ktri_not(enum ktri t)
{
	return t == KTRI_UNKNOWN ? t : KTRI_Y - t;
}

static bool is_logic(const struct kconfig_symbol *s)
{
	return s->type == KCONFIG_BOOL || s->type == KCONFIG_TRISTATE;
}

static enum ktri symbol_value(const struct kconfig_symbol *s, const struct kconfig *c)
{
	return is_logic(s) ? ktri_parse(kconfig_value(c, s->full_name)) : KTRI_N;
}

static enum ktri text_value(const char *text, const struct kconfig *c)
{
	enum ktri t = ktri_parse(text);

	/* "m" means "m && MODULES" (scripts/kconfig/menu.c). */
	return t == KTRI_M ? ktri_and(t, ktri_parse(kconfig_value(c, "CONFIG_MODULES"))) : t;
}

/* A value of a .config without its quotes. */
static char *unquote(const char *value)
{
	struct str s = STR_INIT;
	size_t n = strlen(value);

	if (n < 2 || value[0] != '"' || value[n - 1] != '"')
		return xstrdup(value);
	for (size_t i = 1; i < n - 1; i++) {
		if (value[i] == '\\' && i + 1 < n - 1)
			i++;
		str_add_bytes(&s, value + i, 1);
	}
	return str_take(&s);
}

/* The operand as text; NULL if it is opaque. An undefined symbol stands for its own name. */
static char *operand_text(const struct kexpr *e, const struct kconfig *c)
{
	const char *value;

	if (e->op == KEXPR_TEXT)
		return xstrdup(e->text);
	if (e->op != KEXPR_SYMBOL)
		return NULL;
	if (e->symbol->type == KCONFIG_UNTYPED)
		return xstrdup(e->symbol->name);
	value = kconfig_value(c, e->symbol->full_name);
	/* To a .config, a number or a text that is not there is the same as "n". */
	return !is_logic(e->symbol) && strcmp(value, "n") == 0 ? xstrdup("") : unquote(value);
}

/* The operand as a number: expr_parse_string() in scripts/kconfig/expr.c. */
static bool operand_number(const struct kexpr *e, const char *text, long long *ret)
{
	enum kconfig_type type = e->op == KEXPR_SYMBOL ? e->symbol->type : KCONFIG_UNTYPED;
	int base = type == KCONFIG_INT ? 10 : type == KCONFIG_HEX ? 16 : 0;
	char *end;

	if (type == KCONFIG_BOOL || type == KCONFIG_TRISTATE ||
	    (type == KCONFIG_UNTYPED && strlen(text) == 1 && strchr("ymn", *text))) {
		*ret = ktri_parse(text);
		return true;
	}
	errno = 0;
	*ret = strtoll(text, &end, base);
	return *text && !*end && !errno && type != KCONFIG_STRING;
}

static enum ktri compare(const struct kexpr *e, const struct kconfig *c)
{
	_cleanup_free_ char *x = operand_text(e->a, c), *y = operand_text(e->b, c);
	long long m, n;
	int order;
	bool is;

	if (!x || !y)
		return KTRI_UNKNOWN;
	if (operand_number(e->a, x, &m) && operand_number(e->b, y, &n))
		order = (m > n) - (m < n);
	else
		order = strcmp(x, y);
	switch (e->op) {
	case KEXPR_EQUAL:
		is = order == 0;
		break;
	case KEXPR_UNEQUAL:
		is = order != 0;
		break;
	case KEXPR_LESS:
		is = order < 0;
		break;
	case KEXPR_LESS_EQUAL:
		is = order <= 0;
		break;
	case KEXPR_GREATER:
		is = order > 0;
		break;
	default:
		is = order >= 0;
	}
	return is ? KTRI_Y : KTRI_N;
}

enum ktri kexpr_eval(const struct kexpr *e, const struct kconfig *c)
{
	if (!e)
		return KTRI_Y;
	switch (e->op) {
	case KEXPR_SYMBOL:
		return symbol_value(e->symbol, c);
	case KEXPR_TEXT:
		return text_value(e->text, c);
	case KEXPR_OPAQUE:
		return KTRI_UNKNOWN;
	case KEXPR_NOT:
		return ktri_not(kexpr_eval(e->a, c));
	case KEXPR_AND:
		return ktri_and(kexpr_eval(e->a, c), kexpr_eval(e->b, c));
	case KEXPR_OR:
		return ktri_or(kexpr_eval(e->a, c), kexpr_eval(e->b, c));
	default:
		return compare(e, c);
	}
}

char *kexpr_value(const struct kexpr *e, const struct kconfig *c)
{
	return e ? operand_text(e, c) : NULL;
}

/* ---- text ---- */

static const char *op_text(enum kexpr_op op)
{
	static const char *const texts[] = {
		[KEXPR_AND] = " && ",	[KEXPR_OR] = " || ",	  [KEXPR_EQUAL] = " = ",
		[KEXPR_UNEQUAL] = " != ", [KEXPR_LESS] = " < ",	  [KEXPR_LESS_EQUAL] = " <= ",
		[KEXPR_GREATER] = " > ",  [KEXPR_GREATER_EQUAL] = " >= ",
	};

	return texts[op];
}

static void add_text(struct str *s, const struct kexpr *e, enum kexpr_op within)
{
	/* What binds less tightly than what it stands in gets parentheses. */
	bool has_parentheses = (within == KEXPR_NOT && e->op > KEXPR_NOT) ||
			       (within == KEXPR_AND && e->op == KEXPR_OR);

	if (s->len > MAX_TEXT_BYTES)
		return;
	if (has_parentheses)
		str_add(s, "(");
	switch (e->op) {
	case KEXPR_SYMBOL:
		str_add(s, e->symbol->name);
		break;
	case KEXPR_TEXT:
	case KEXPR_OPAQUE:
		str_add(s, e->text);
		break;
	case KEXPR_NOT:
		str_add(s, "!");
		add_text(s, e->a, KEXPR_NOT);
		break;
	default:
		add_text(s, e->a, e->op);
		str_add(s, op_text(e->op));
		add_text(s, e->b, e->op);
	}
	if (has_parentheses)
		str_add(s, ")");
}

char *kexpr_text(const struct kexpr *e)
{
	struct str s = STR_INIT;
	char *text;

	if (!e)
		return xstrdup("y");
	add_text(&s, e, KEXPR_SYMBOL);
	text = str_take(&s);
	if (strlen(text) > MAX_TEXT_BYTES) {
		_cleanup_free_ char *whole = text;
		size_t n = MAX_TEXT_BYTES;

		while (n && ((unsigned char)whole[n] & 0xc0) == 0x80)
			n--;
		return xasprintf("%.*s...", (int)n, whole);
	}
	return text;
}

/* ---- what moved it, what keeps it down ---- */

static void add_once(struct strv *l, const char *s)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->v[i], s) == 0)
			return;
	strv_add(l, s);
}

static void add_symbol(struct kexpr_symbols *l, const struct kconfig_symbol *s)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i] == s)
			return;
	*ARRAY_ADD(l->v, l->n, l->cap) = s;
}

struct moved {
	const struct kconfig *base, *other;
	struct strv *terms;
	struct kexpr_symbols *symbols;
};

/* Symbols below that have another value, for a term that is shown as a whole. */
static void add_changed_symbols(const struct kexpr *e, const struct moved *m)
{
	if (e->op == KEXPR_SYMBOL && strcmp(kconfig_value(m->base, e->symbol->full_name),
					    kconfig_value(m->other, e->symbol->full_name)) != 0)
		add_symbol(m->symbols, e->symbol);
	if (e->a)
		add_changed_symbols(e->a, m);
	if (e->b)
		add_changed_symbols(e->b, m);
}

static void add_moved(const struct kexpr *e, const struct moved *m)
{
	enum ktri base = kexpr_eval(e, m->base), other = kexpr_eval(e, m->other);
	_cleanup_free_ char *text = NULL;

	if (base == other || base == KTRI_UNKNOWN || other == KTRI_UNKNOWN)
		return;
	/*
	 * All terms of an && that went down and all of an || that did are said;
	 * of what moved up likewise. A term that did not move explains nothing.
	 */
	if (e->op == KEXPR_AND || e->op == KEXPR_OR) {
		enum ktri a_base = kexpr_eval(e->a, m->base), a = kexpr_eval(e->a, m->other);
		enum ktri b_base = kexpr_eval(e->b, m->base), b = kexpr_eval(e->b, m->other);

		if ((other > base && a > a_base) || (other < base && a < a_base))
			add_moved(e->a, m);
		if ((other > base && b > b_base) || (other < base && b < b_base))
			add_moved(e->b, m);
		return;
	}
	text = kexpr_text(e);
	add_once(m->terms, text);
	add_changed_symbols(e, m);
}

void kexpr_changed(const struct kexpr *e, const struct kconfig *base, const struct kconfig *other,
		   struct strv *terms, struct kexpr_symbols *symbols)
{
	const struct moved m = { base, other, terms, symbols };

	if (e)
		add_moved(e, &m);
}

static void add_facts(const struct kexpr *e, const struct kconfig *c, struct strv *facts)
{
	if (e->op == KEXPR_SYMBOL) {
		_cleanup_free_ char *fact =
			e->symbol->type == KCONFIG_UNTYPED ?
				xasprintf("%s is not there", e->symbol->name) :
				xasprintf("%s is %s", e->symbol->name,
					  kconfig_value(c, e->symbol->full_name));

		add_once(facts, fact);
	}
	if (e->a)
		add_facts(e->a, c, facts);
	/* A number on the right of a comparison is no option that is missing. */
	if (e->b && !(e->op >= KEXPR_EQUAL && e->b->op == KEXPR_SYMBOL &&
		      e->b->symbol->type == KCONFIG_UNTYPED))
		add_facts(e->b, c, facts);
}

void kexpr_unmet(const struct kexpr *e, const struct kconfig *c, struct strv *terms,
		 struct strv *facts)
{
	_cleanup_free_ char *text = NULL;
	enum ktri t = kexpr_eval(e, c);

	if (t == KTRI_Y || t == KTRI_UNKNOWN)
		return;
	if (e->op == KEXPR_AND) {
		kexpr_unmet(e->a, c, terms, facts);
		kexpr_unmet(e->b, c, terms, facts);
		return;
	}
	text = e->op == KEXPR_OR ? NULL : kexpr_text(e);
	if (!text) {
		_cleanup_free_ char *inside = kexpr_text(e);

		text = xasprintf("(%s)", inside);
	}
	add_once(terms, text);
	add_facts(e, c, facts);
}
