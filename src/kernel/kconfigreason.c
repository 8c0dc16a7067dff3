/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/kconfigreason.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* How far a reason is followed. A longer one says less than its end. */
#define MAX_LINKS 8
#define MAX_TERMS 3
#define TOOLS "the compiler or tools differ"

enum link_kind {
	LINK_NONE, /* not known */
	LINK_SELECT,
	LINK_OTHER,
	LINK_WOKEN,
};

/* One step: why an option moved, and which other one moved it. */
struct link {
	enum link_kind kind;
	char *text;
	const struct kconfig_symbol *cause; /* NULL: it ends here */
};

struct question {
	const struct kconfigreason_side *base, *other;
};

/* ---- what was asked and given ---- */

const char *kconfigreason_asked(const struct kconfigreason_side *s, const char *option)
{
	size_t skip = str_has_prefix(option, "CONFIG_") ? strlen("CONFIG_") : 0;

	for (size_t i = s->n_asked; i-- > 0;) {
		const char *name = s->asked[i].name;

		if (strcmp(str_has_prefix(name, "CONFIG_") ? name + strlen("CONFIG_") : name,
			   option + skip) == 0)
			return s->asked[i].value;
	}
	return NULL;
}

bool kconfigreason_is_asked(const struct kconfigreason_side *base,
			    const struct kconfigreason_side *other, const char *option)
{
	return !str_equal(kconfigreason_asked(base, option), kconfigreason_asked(other, option));
}

static bool is_asked(const struct question *q, const struct kconfig_symbol *s)
{
	return kconfigreason_is_asked(q->base, q->other, s->full_name);
}

/* ---- conditions ---- */

static enum ktri settable(const struct kconfig_symbol *s, const struct kconfig *c)
{
	enum ktri t = KTRI_N;

	for (const struct kconfig_definition *d = s->definitions; d; d = d->next)
		if (d->has_prompt)
			t = ktri_or(t, ktri_and(kexpr_eval(d->depends, c),
						kexpr_eval(d->prompt_if, c)));
	return t;
}

bool kconfigreason_is_settable(const struct kconfig_symbol *s, const struct kconfig *c)
{
	return settable(s, c) != KTRI_N;
}

static const char *value_in(const struct kconfigreason_side *side, const struct kconfig_symbol *s)
{
	return kconfig_value(side->config, s->full_name);
}

static bool is_changed(const struct question *q, const struct kconfig_symbol *s)
{
	return strcmp(value_in(q->base, s), value_in(q->other, s)) != 0;
}

static bool is_logic(const struct kconfig_symbol *s)
{
	return s->type == KCONFIG_BOOL || s->type == KCONFIG_TRISTATE;
}

/* Then what was m is y: Kconfig rounds up. */
static bool is_without_modules(const struct question *q)
{
	return str_equal(kconfig_value(q->base->config, "CONFIG_MODULES"), "y") &&
	       str_equal(kconfig_value(q->other->config, "CONFIG_MODULES"), "n");
}

static enum ktri strength(const struct kconfig_select *s, const struct kconfig *c)
{
	return ktri_and(ktri_parse(kconfig_value(c, s->by->full_name)), kexpr_eval(s->cond, c));
}

static bool is_word_char(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static bool names(const char *term, const char *symbol)
{
	size_t n = strlen(symbol);

	for (const char *s = term; (s = strstr(s, symbol)); s++)
		if ((s == term || !is_word_char(s[-1])) && !is_word_char(s[n]))
			return true;
	return false;
}

/* Terms that moved, joined; NULL if none did. The cause is one that was asked for, or the first. */
static char *moved_terms(const struct question *q, const struct kexpr *const *e, size_t n,
			 const struct kconfig_symbol **cause)
{
	_cleanup_strv_ struct strv terms = { 0 }, shown = { 0 };
	struct kexpr_symbols symbols = { 0 };

	for (size_t i = 0; i < n; i++)
		kexpr_changed(e[i], q->base->config, q->other->config, &terms, &symbols);
	for (size_t i = symbols.n; i-- > 0;)
		if (!i || is_asked(q, symbols.v[i]))
			*cause = symbols.v[i];
	free(symbols.v);
	/* What was asked says it all. */
	for (size_t i = 0; i < terms.n; i++)
		if (shown.n < MAX_TERMS && (!*cause || !is_asked(q, *cause) ||
					    names(terms.v[i], (*cause)->name)))
			strv_add(&shown, terms.v[i]);
	return shown.n ? strv_join(&shown, " && ") : NULL;
}

static struct link link_of_terms(const struct question *q, const struct kexpr *const *e, size_t n,
				 const char *before, const char *after)
{
	struct link l = { 0 };
	_cleanup_free_ char *terms = moved_terms(q, e, n, &l.cause);

	if (!terms)
		return (struct link){ 0 };
	l.kind = LINK_OTHER;
	l.text = xasprintf("%s%s%s", before, terms, after);
	return l;
}

/* ---- selected, implied ---- */

/* Which of two selects is the better answer: asked for, then changed, then changed in its condition. */
static int select_rank(const struct question *q, const struct kconfig_select *s)
{
	return is_asked(q, s->by) ? 3 : is_changed(q, s->by) ? 2 : 1;
}

/* The one whose strength rose to `level` or fell below it from `from` to `to`. */
static const struct kconfig_select *find_select(const struct question *q,
						const struct kconfig_select *list,
						const struct kconfig *without,
						const struct kconfig *with, enum ktri level)
{
	const struct kconfig_select *best = NULL;

	for (const struct kconfig_select *s = list; s; s = s->next_by) {
		enum ktri a = strength(s, without), b = strength(s, with);

		if (a == KTRI_UNKNOWN || b == KTRI_UNKNOWN || b < level || a >= level)
			continue;
		if (!best || select_rank(q, s) > select_rank(q, best))
			best = s;
	}
	return best;
}

static struct link link_select(const struct question *q, const struct kconfig_select *s,
			       const char *verb, const char *before_terms)
{
	struct link l = { LINK_SELECT, NULL, s->by };
	_cleanup_free_ char *terms = NULL;

	if (is_changed(q, s->by)) {
		l.text = xasprintf("%s %s", verb, s->by->name);
		return l;
	}
	l.kind = LINK_OTHER;
	terms = moved_terms(q, &s->cond, 1, &l.cause);
	l.text = terms ? xasprintf("%s %s%s%s", verb, s->by->name, before_terms, terms) :
			 xasprintf("%s %s", verb, s->by->name);
	return l;
}

/* ---- choices ---- */

/* The member of the same choice that is y. */
static const struct kconfig_symbol *taken(const struct kconfig_symbol *s, const struct kconfig *c)
{
	for (const struct kconfig_definition *d = s->definitions; d; d = d->next)
		for (const struct kconfig_definition *m = d->choice ? d->choice->members : NULL; m;
		     m = m->next_member)
			if (m->symbol != s &&
			    ktri_parse(kconfig_value(c, m->symbol->full_name)) == KTRI_Y)
				return m->symbol;
	return NULL;
}

static struct link link_choice_taken(const struct question *q, const struct kconfig_symbol *s)
{
	const struct kconfig_symbol *before = taken(s, q->base->config);

	if (!before)
		return (struct link){ 0 };
	return (struct link){ LINK_OTHER, xasprintf("choice: taken instead of %s", before->name),
			      before };
}

static struct link link_choice_lost(const struct question *q, const struct kconfig_symbol *s)
{
	const struct kconfig_symbol *now = taken(s, q->other->config);

	if (!now)
		return (struct link){ 0 };
	return (struct link){ LINK_OTHER, xasprintf("choice: %s was taken instead", now->name),
			      now };
}

/* ---- defaults ---- */

struct held {
	const struct kconfig_definition *definition;
	const struct kconfig_default *entry;
	size_t place;	 /* among all of the symbol */
	bool is_unknown; /* or one before it may hold */
};

/* The default that holds: the first whose conditions are met. */
static struct held held_default(const struct kconfig_symbol *s, const struct kconfig *c)
{
	struct held h = { 0 };

	for (const struct kconfig_definition *d = s->definitions; d; d = d->next)
		for (const struct kconfig_default *f = d->defaults; f; f = f->next) {
			enum ktri t = ktri_and(kexpr_eval(d->depends, c), kexpr_eval(f->cond, c));

			h.place++;
			if (t == KTRI_N)
				continue;
			h.is_unknown |= t == KTRI_UNKNOWN;
			h.definition = d;
			h.entry = f;
			return h;
		}
	h.place++;
	return h;
}

static bool is_opaque(const struct kexpr *e)
{
	return e && (e->op == KEXPR_OPAQUE || is_opaque(e->a) || is_opaque(e->b));
}

/* Does a default of it hang on what only the compiler or a tool knows? */
static bool hangs_on_tools(const struct kconfig_symbol *s)
{
	for (const struct kconfig_definition *d = s->definitions; d; d = d->next) {
		if (is_opaque(d->depends))
			return true;
		for (const struct kconfig_default *f = d->defaults; f; f = f->next)
			if (is_opaque(f->value) || is_opaque(f->cond))
				return true;
	}
	return false;
}

static struct link link_default(const struct question *q, const struct kconfig_symbol *s)
{
	struct held base = held_default(s, q->base->config);
	struct held other = held_default(s, q->other->config);
	bool is_earlier = other.place < base.place;
	const struct held *h = other.entry && other.place <= base.place ? &other : &base;
	_cleanup_free_ char *verb = NULL;

	if (!h->entry)
		return (struct link){ 0 };
	const struct kexpr *e[] = { h->definition->depends, h->entry->cond, h->entry->value };

	/* A text or a number that follows another option; y, m and n are conditions like others. */
	if (base.place == other.place && e[2]->op == KEXPR_SYMBOL && !is_logic(s) &&
	    is_changed(q, e[2]->symbol))
		return (struct link){ LINK_OTHER, xasprintf("default: that of %s", e[2]->symbol->name),
				      e[2]->symbol };
	if (str_equal(value_in(q->other, s), "n"))
		verb = xstrdup(is_logic(s) ? "default n: needs " : "depends on ");
	else
		verb = xasprintf("default %s, %s ", value_in(q->other, s),
				 is_earlier || base.place == other.place ? "as" : "no longer");
	return link_of_terms(q, e, ARRAY_SIZE(e), verb, "");
}

/* ---- up, down, another value ---- */

/* Does the text that was given on this side say what came out? */
static bool is_given(const struct kconfigreason_side *side, const struct kconfig_symbol *s)
{
	return side->given &&
	       strcmp(kconfig_value(side->given, s->full_name), value_in(side, s)) == 0;
}

static bool is_given_alike(const struct question *q, const struct kconfig_symbol *s)
{
	return q->base->given && q->other->given &&
	       strcmp(kconfig_value(q->base->given, s->full_name),
		      kconfig_value(q->other->given, s->full_name)) == 0;
}

/* What somebody set became visible, or is no longer. */
static struct link link_visible(const struct question *q, const struct kconfig_symbol *s,
				const char *before, const char *after)
{
	struct link l = { 0 };

	for (const struct kconfig_definition *d = s->definitions; d && !l.text; d = d->next) {
		const struct kexpr *e[] = { d->depends, d->prompt_if };

		l = link_of_terms(q, e, ARRAY_SIZE(e), before, after);
	}
	return l;
}

static bool is_woken(const struct question *q, const struct kconfig_symbol *s)
{
	enum ktri base = ktri_parse(value_in(q->base, s)), other = ktri_parse(value_in(q->other, s));

	return other > base && !is_asked(q, s) && is_given_alike(q, s) && is_given(q->other, s) &&
	       kconfigreason_is_settable(s, q->other->config) &&
	       settable(s, q->base->config) < other && !taken(s, q->base->config) &&
	       !find_select(q, s->selected_by, q->base->config, q->other->config, other);
}

static struct link link_woken(const struct question *q, const struct kconfig_symbol *s)
{
	struct link l = link_visible(q, s, "was dormant in the file (needs ", ")");

	if (!l.text)
		l.text = xstrdup("was dormant in the file");
	l.kind = LINK_WOKEN;
	return l;
}

static struct link link_up(const struct question *q, const struct kconfig_symbol *s)
{
	const struct kconfig *base = q->base->config, *other = q->other->config;
	enum ktri level = ktri_parse(kconfig_value(other, s->full_name));
	const struct kconfig_select *by = find_select(q, s->selected_by, base, other, level);
	struct link l;

	if (by)
		return link_select(q, by, "selected by", ", as ");
	if (is_woken(q, s))
		return link_woken(q, s);
	l = link_choice_taken(q, s);
	if (l.text)
		return l;
	if (q->other->given && !is_given_alike(q, s) && is_given(q->other, s) &&
	    kconfigreason_is_settable(s, other))
		return (struct link){ LINK_OTHER, xstrdup("the files of the two set it differently"),
				      NULL };
	by = find_select(q, s->implied_by, base, other, level);
	if (by)
		return link_select(q, by, "implied by", ", as ");
	l = link_default(q, s);
	return l.text ? l : link_visible(q, s, "depends on ", "");
}

static struct link link_down(const struct question *q, const struct kconfig_symbol *s,
			     const struct kconfig_symbol *s_base)
{
	const struct kconfig *base = q->base->config, *other = q->other->config;
	enum ktri level = ktri_parse(kconfig_value(base, s->full_name));
	const struct kconfig_select *by = find_select(q, s_base->selected_by, other, base, level);
	struct link l;

	if (by)
		return link_select(q, by, "no longer selected by", ": needs ");
	l = link_choice_lost(q, s);
	if (!l.text)
		l = link_visible(q, s, "depends on ", "");
	if (l.text)
		return l;
	by = find_select(q, s_base->implied_by, other, base, level);
	if (by)
		return link_select(q, by, "no longer implied by", ": needs ");
	l = link_default(q, s);
	if (!l.text && q->base->given && !is_given_alike(q, s) && is_given(q->base, s))
		l = (struct link){ LINK_OTHER, xstrdup("the files of the two set it differently"),
				   NULL };
	return l;
}

static struct link link_value(const struct question *q, const struct kconfig_symbol *s)
{
	if (q->other->given && !is_given_alike(q, s) &&
	    (is_given(q->other, s) || is_given(q->base, s)) &&
	    kconfigreason_is_settable(s, q->other->config))
		return (struct link){ LINK_OTHER, xstrdup("the files of the two set it differently"),
				      NULL };
	return link_default(q, s);
}

static struct link link_of(const struct question *q, const struct kconfig_symbol *named)
{
	const struct kconfig_symbol *s = kconfigtree_find(q->other->tree, named->name);
	const struct kconfig_symbol *s_base = kconfigtree_find(q->base->tree, named->name);
	enum ktri base, other;
	struct link l;

	if (!s || !s_base)
		return (struct link){ s != s_base ? LINK_OTHER : LINK_NONE,
				      s		? xstrdup("new in this version") :
				      s_base	? xstrdup("no such option in this version") :
						  NULL,
				      NULL };
	base = ktri_parse(value_in(q->base, s));
	other = ktri_parse(value_in(q->other, s));
	if (!is_logic(s))
		l = link_value(q, s);
	else if (base == KTRI_M && other == KTRI_Y && is_without_modules(q))
		l = (struct link){ LINK_OTHER, xstrdup("m needs MODULES"),
				   kconfigtree_find(q->other->tree, "MODULES") };
	else if (other > base)
		l = link_up(q, s);
	else
		l = link_down(q, s, s_base);
	if (!l.text && hangs_on_tools(s))
		l = (struct link){ LINK_OTHER, xstrdup(TOOLS), NULL };
	return l;
}

/* ---- back to what was asked ---- */

/* Where it began: the last of the causes; NULL if it goes in a circle or nobody asked for it. */
static const struct kconfig_symbol *root_of(const struct question *q,
					    const struct kconfig_symbol *s)
{
	for (size_t i = 0; s && i < MAX_LINKS; i++) {
		struct link l;

		if (is_asked(q, s))
			return s;
		l = link_of(q, s);
		free(l.text);
		s = l.cause;
	}
	return NULL;
}

static void add_root(const struct question *q, const struct kconfig_symbol *cause, struct str *text)
{
	const struct kconfig_symbol *root = root_of(q, cause);
	enum ktri base = ktri_parse(value_in(q->base, cause)), other = ktri_parse(value_in(q->other, cause));

	if (root)
		str_addf(text, ", which %s with %s (asked)",
			 !is_logic(cause) ? "changed" : other > base ? "came" : "went", root->name);
}

static void add_waker(const struct question *q, const struct kconfig_symbol *cause,
		      struct str *text)
{
	const struct kconfig_symbol *root = root_of(q, cause);

	str_addf(text, "; %s woke it", root ? root->name : cause->name);
}

char *kconfigreason_change(const struct kconfigreason_side *base,
			   const struct kconfigreason_side *other, const char *option)
{
	const struct question q = { base, other };
	const struct kconfig_symbol *s = kconfigtree_find(other->tree, option);
	struct str text = STR_INIT;
	size_t n = 0;

	if (!s)
		s = kconfigtree_find(base->tree, option);
	if (!s)
		return NULL;
	if (is_asked(&q, s))
		return xstrdup("asked");
	for (;;) {
		struct link l = link_of(&q, s);

		if (!l.text)
			break;
		str_addf(&text, "%s%s", n++ ? ", " : "", l.text);
		free(l.text);
		s = l.cause;
		if (!s)
			break;
		if (l.kind == LINK_WOKEN) {
			add_waker(&q, s, &text);
			break;
		}
		if (is_asked(&q, s)) {
			str_add(&text, " (asked)");
			break;
		}
		/* Selects read on from one to the next; of anything else only the beginning is said. */
		struct link next = link_of(&q, s);
		bool goes_on = l.kind == LINK_SELECT && next.kind == LINK_SELECT && n < MAX_LINKS / 2;

		free(next.text);
		if (!goes_on) {
			add_root(&q, s, &text);
			break;
		}
	}
	return text.len ? str_take(&text) : NULL;
}

bool kconfigreason_is_woken(const struct kconfigreason_side *base,
			    const struct kconfigreason_side *other, const char *option)
{
	const struct question q = { base, other };
	const struct kconfig_symbol *s = kconfigtree_find(other->tree, option);

	return s && is_woken(&q, s);
}
