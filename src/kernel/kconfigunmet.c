/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/kconfigunmet.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "kernel/kconfigreason.h"

static const char *const models[] = { "PREEMPT_NONE", "PREEMPT_VOLUNTARY", "PREEMPT",
				      "PREEMPT_LAZY", "PREEMPT_RT" };

static bool is_model(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		if (strcmp(models[i], name) == 0)
			return true;
	return false;
}

char *kconfigunmet_preempt_models(const struct kconfigtree *t, const struct kconfig *resolved)
{
	_cleanup_strv_ struct strv offered = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		const struct kconfig_symbol *s = kconfigtree_find(t, models[i]);

		if (s && kconfigreason_is_settable(s, resolved))
			strv_add(&offered, s->name);
	}
	return strv_join(&offered, ", ");
}

/* "depends on FOO && !BAR: FOO is n, BAR is y"; NULL if nothing of it is unmet. */
static char *unmet(const struct kexpr *e, const struct kconfig *c, const char *what)
{
	_cleanup_strv_ struct strv terms = { 0 }, facts = { 0 };
	_cleanup_free_ char *all = NULL, *said = NULL;

	if (!e)
		return NULL;
	kexpr_unmet(e, c, &terms, &facts);
	if (!terms.n)
		return NULL;
	all = strv_join(&terms, " && ");
	said = strv_join(&facts, ", ");
	return *said ? xasprintf("%s %s: %s", what, all, said) : xasprintf("%s %s", what, all);
}

/* Of several definitions the one that asks for least. */
static char *unmet_of(const struct kconfig_symbol *s, const struct kconfig *c)
{
	char *best = NULL;

	for (const struct kconfig_definition *d = s->definitions; d; d = d->next) {
		char *text = unmet(d->depends, c, "depends on");

		if (!text && d->has_prompt)
			text = unmet(d->prompt_if, c, "its prompt needs");
		if (text && (!best || strlen(text) < strlen(best))) {
			free(best);
			best = TAKE_PTR(text);
		}
		free(text);
	}
	return best;
}

static const struct kconfig_symbol *taken_instead(const struct kconfig_symbol *s,
						  const struct kconfig *c)
{
	for (const struct kconfig_definition *d = s->definitions; d; d = d->next)
		for (const struct kconfig_definition *m = d->choice ? d->choice->members : NULL; m;
		     m = m->next_member)
			if (m->symbol != s &&
			    strcmp(kconfig_value(c, m->symbol->full_name), "y") == 0)
				return m->symbol;
	return NULL;
}

/* Those that hold it up: "selected by X, Y". */
static char *selectors(const struct kconfig_symbol *s, const struct kconfig *c, enum ktri level)
{
	_cleanup_strv_ struct strv by = { 0 };
	_cleanup_free_ char *all = NULL;

	for (const struct kconfig_select *l = s->selected_by; l && by.n < 4; l = l->next_by) {
		enum ktri t = ktri_and(ktri_parse(kconfig_value(c, l->by->full_name)),
				       kexpr_eval(l->cond, c));

		if (t != KTRI_UNKNOWN && t >= level)
			strv_add(&by, l->by->name);
	}
	if (!by.n)
		return NULL;
	all = strv_join(&by, ", ");
	return xstrdup(all);
}

static const char *no_prompt = "it has no prompt: only other options set it (force:%s=%s does)";

/* y or m was asked and less came out. */
static char *too_low(const struct kconfig_symbol *s, const struct kconfig *c, const char *asked)
{
	const struct kconfig_symbol *instead = taken_instead(s, c);
	char *text;

	if (str_equal(asked, "m") && s->type == KCONFIG_BOOL)
		return xstrdup("it is y or n, never m");
	if (!kconfigreason_is_settable(s, c) || !instead) {
		if (!kconfigsymbol_has_prompt(s))
			return xasprintf(no_prompt, s->name, asked);
		text = unmet_of(s, c);
		if (text)
			return text;
	}
	return instead ? xasprintf("choice: %s was taken", instead->name) : NULL;
}

/* n or m was asked and more came out. */
static char *too_high(const struct kconfig_symbol *s, const struct kconfig *c, const char *asked,
		      const char *value)
{
	_cleanup_free_ char *by = selectors(s, c, ktri_parse(value));
	char *text;

	if (by)
		return xasprintf("selected by %s, cannot be %s", by, asked);
	for (const struct kconfig_definition *d = s->definitions; d; d = d->next)
		if (d->choice && str_equal(value, "y"))
			return xstrdup("choice: one has to be taken, and no other was");
	if (!kconfigreason_is_settable(s, c)) {
		text = unmet_of(s, c);
		return text ? text : xasprintf(no_prompt, s->name, asked);
	}
	return NULL;
}

static char *bad_number(const struct kconfig_symbol *s, const struct kconfig *c, const char *asked)
{
	int base = s->type == KCONFIG_HEX ? 16 : 10;
	char *end;
	long long v = strtoll(asked, &end, base);

	if (!*asked || *end)
		return xasprintf("%s is wanted", s->type == KCONFIG_HEX ? "a hexadecimal number" :
									 "a number");
	for (const struct kconfig_definition *d = s->definitions; d; d = d->next)
		for (const struct kconfig_range *r = d->ranges; r; r = r->next) {
			_cleanup_free_ char *lo = kexpr_value(r->lo, c), *hi = kexpr_value(r->hi, c);

			if (kexpr_eval(r->cond, c) != KTRI_Y || !lo || !hi)
				continue;
			/* Only the first range whose condition holds is looked at. */
			if (v < strtoll(lo, NULL, base) || v > strtoll(hi, NULL, base))
				return xasprintf("out of range [%s %s]", lo, hi);
			return NULL;
		}
	return NULL;
}

/* `default 1000 if HZ_1000`: the option that brings this value. */
static const struct kconfig_symbol *brought_by(const struct kconfig_symbol *s, const struct kconfig *c, const char *asked)
{
	for (const struct kconfig_definition *d = s->definitions; d; d = d->next)
		for (const struct kconfig_default *f = d->defaults; f; f = f->next) {
			_cleanup_free_ char *value = kexpr_value(f->value, c);

			if (str_equal(value, asked) && f->cond && f->cond->op == KEXPR_SYMBOL && kconfigsymbol_has_prompt(f->cond->symbol))
				return f->cond->symbol;
		}
	return NULL;
}

static char *other_value(const struct kconfig_symbol *s, const struct kconfig *c, const char *asked)
{
	char *text = NULL;

	if (s->type == KCONFIG_INT || s->type == KCONFIG_HEX)
		text = bad_number(s, c, asked);
	if (!text && !kconfigsymbol_has_prompt(s)) {
		const struct kconfig_symbol *by = brought_by(s, c, asked);

		return by ? xasprintf("it has no prompt: %s=y brings this value", by->name) : xasprintf(no_prompt, s->name, asked);
	}
	return text ? text : unmet_of(s, c);
}

char *kconfigunmet_reason(const struct kconfigtree *t, const struct kconfig *resolved,
			  const char *option, const char *asked)
{
	const struct kconfig_symbol *s = kconfigtree_find(t, option);
	const char *value = kconfig_value(resolved, option);
	char *text;

	if (strcmp(value, asked) == 0)
		return NULL;
	if (!s)
		return xstrdup("no such option in this version");
	if (s->type == KCONFIG_BOOL || s->type == KCONFIG_TRISTATE)
		text = ktri_parse(asked) > ktri_parse(value) ? too_low(s, resolved, asked) :
							       too_high(s, resolved, asked, value);
	else
		text = other_value(s, resolved, asked);
	if (is_model(s->name) && ktri_parse(asked) == KTRI_Y) {
		_cleanup_free_ char *why = text, *offered = kconfigunmet_preempt_models(t, resolved);

		text = xasprintf("%s; this kernel offers %s", why ? why : "not taken",
				 *offered ? offered : "no model");
	}
	return text ? text : xstrdup("not known why");
}
