/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/kconfigparse.h"

#include <string.h>

#include "base/alloc.h"

#define MAX_PARENTHESES 64

const struct kexpr *kconfigparse_operand(struct kconfigtree *t, const struct klex *l, size_t *at)
{
	const struct klex_token *k = *at < l->n ? &l->tokens[*at] : NULL;
	const char *text;

	if (!k || k->kind == KLEX_OPERATOR)
		return NULL;
	++*at;
	if (k->kind == KLEX_WORD && !(strlen(k->text) == 1 && strchr("ymn", *k->text)))
		return kexpr_new_symbol(&t->arena, kconfigtree_intern(t, k->text));
	text = arena_strndup(&t->arena, k->text, strlen(k->text));
	return kexpr_new_text(&t->arena, k->kind == KLEX_OPAQUE ? KEXPR_OPAQUE : KEXPR_TEXT, text);
}

struct reader {
	struct kconfigtree *tree;
	const struct klex *lex;
	size_t *at;
};

static bool take(const struct reader *r, const char *sign)
{
	bool is = klex_is(r->lex, *r->at, KLEX_OPERATOR, sign);

	*r->at += is;
	return is;
}

static const struct kexpr *operand(const struct reader *r)
{
	return kconfigparse_operand(r->tree, r->lex, r->at);
}

static const struct kexpr *parse_or(const struct reader *r, unsigned depth);

static const struct kexpr *parse_comparison(const struct reader *r)
{
	static const char *const signs[] = { "=", "!=", "<", "<=", ">", ">=" };
	const struct kexpr *left = operand(r), *right;

	for (size_t i = 0; left && i < ARRAY_SIZE(signs); i++) {
		if (!take(r, signs[i]))
			continue;
		right = operand(r);
		return right ? kexpr_new(&r->tree->arena, KEXPR_EQUAL + (enum kexpr_op)i, left, right) :
			       NULL;
	}
	return left;
}

static const struct kexpr *parse_not(const struct reader *r, unsigned depth)
{
	const struct kexpr *e;
	bool is_negated = false;

	while (take(r, "!"))
		is_negated = !is_negated;
	if (take(r, "(")) {
		e = depth < MAX_PARENTHESES ? parse_or(r, depth + 1) : NULL;
		if (!e || !take(r, ")"))
			return NULL;
	} else {
		e = parse_comparison(r);
	}
	return e && is_negated ? kexpr_new(&r->tree->arena, KEXPR_NOT, e, NULL) : e;
}

static const struct kexpr *parse_and(const struct reader *r, unsigned depth)
{
	const struct kexpr *e = parse_not(r, depth), *right;

	while (e && take(r, "&&")) {
		right = parse_not(r, depth);
		e = right ? kexpr_new(&r->tree->arena, KEXPR_AND, e, right) : NULL;
	}
	return e;
}

static const struct kexpr *parse_or(const struct reader *r, unsigned depth)
{
	const struct kexpr *e = parse_and(r, depth), *right;

	while (e && take(r, "||")) {
		right = parse_and(r, depth);
		e = right ? kexpr_new(&r->tree->arena, KEXPR_OR, e, right) : NULL;
	}
	return e;
}

const struct kexpr *kconfigparse_expr(struct kconfigtree *t, const struct klex *l, size_t *at)
{
	const struct reader r = { t, l, at };

	return parse_or(&r, 0);
}
