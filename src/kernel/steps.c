/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* ---- settings of a spec ---- */

/* At commas that are not escaped; with their backslashes. */
static void split(const char *text, struct strv *ret)
{
	struct str s = STR_INIT;

	for (const char *c = text;; c++) {
		if (*c == '\\' && c[1]) {
			str_add_bytes(&s, c, 2);
			c++;
		} else if (*c == ',' || !*c) {
			strv_add(ret, str_text(&s));
			str_finish(&s);
			s = STR_INIT;
			if (!*c)
				break;
		} else {
			str_add_bytes(&s, c, 1);
		}
	}
	str_finish(&s);
}

/* "PREEMPT_COUNT" of "force:CONFIG_PREEMPT_COUNT=y"; NULL for what is no option. Owned by the caller. */
static char *option_of(const char *token)
{
	const char *eq;

	if (str_has_prefix(token, "force:"))
		token += strlen("force:");
	if (str_has_prefix(token, "CONFIG_"))
		token += strlen("CONFIG_");
	eq = strchr(token, '=');
	if (!eq || eq == token || strspn(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != (size_t)(eq - token))
		return NULL;
	return xstrndup(token, (size_t)(eq - token));
}

static const char *value_of(const char *token)
{
	return strchr(token, '=') + 1;
}

/* Two tokens for one option, or NULL: "A=y" and "CONFIG_A=y" are the same, "force:A=y" is another. */
static bool is_same_setting(const char *a, const char *b)
{
	return a && b ? str_has_prefix(a, "force:") == str_has_prefix(b, "force:") &&
				str_equal(value_of(a), value_of(b)) :
			a == b;
}

/* The last token for this option; NULL. */
static const char *token_of(const struct strv *tokens, const char *option)
{
	const char *found = NULL;

	for (size_t i = 0; i < tokens->n; i++) {
		_cleanup_free_ char *name = option_of(tokens->v[i]);

		if (str_equal(name, option))
			found = tokens->v[i];
	}
	return found;
}

/* What one spec has of the other's settings that are no options. */
static int check_rest(const char *base, const char *other, const struct strv *a, const struct strv *b,
		      struct error *err)
{
	for (size_t i = 0; i < a->n; i++) {
		_cleanup_free_ char *option = option_of(a->v[i]);

		if (!option && !strv_has(b, a->v[i]))
			return error_blame(err, ERROR_USAGE, EINVAL,
					   "%s and %s differ in more than options (%s): there are no steps between them",
					   base, other, a->v[i]);
	}
	return 0;
}

/* ---- steps ---- */

static char *step_name(const char *option, const char *base, const char *other)
{
	return xasprintf("%s %s -> %s", option, base ? value_of(base) : "(not asked)",
			 other ? value_of(other) : "(not asked)");
}

static const struct known_cost *cost_of(const struct known_costs *costs, const struct step *st)
{
	const struct known_cost *best = NULL;

	for (size_t i = 0; i < st->options.n; i++) {
		const struct known_cost *c = known_costs_find(costs, st->options.v[i]);

		if (c && (!best || c->severity > best->severity))
			best = c;
	}
	return best;
}

static void add_step(struct steps *s, const char *option)
{
	struct step *st = ARRAY_ADD(s->v, s->n, s->cap);

	*st = (struct step){ .name = step_name(option, token_of(&s->base_tokens, option),
					       token_of(&s->other_tokens, option)) };
	strv_add(&st->options, option);
}

static bool has_step(const struct steps *s, const char *option)
{
	for (size_t i = 0; i < s->n; i++)
		if (strv_has(&s->v[i].options, option))
			return true;
	return false;
}

/* What is known to cost most first, then by name. */
static int by_suspicion(const void *a, const void *b, void *costs)
{
	const struct known_cost *x = cost_of(costs, a), *y = cost_of(costs, b);
	int sx = x ? (int)x->severity : 0, sy = y ? (int)y->severity : 0;

	return sx != sy ? sy - sx : strcmp(((const struct step *)a)->name, ((const struct step *)b)->name);
}

static int find_differences(const char *base, const char *other, struct steps *s, struct error *err)
{
	_cleanup_strv_ struct strv a = { 0 }, b = { 0 };
	struct str rest = STR_INIT;
	int r;

	split(base, &a);
	split(other, &b);
	r = check_rest(base, other, &a, &b, err);
	if (r == 0)
		r = check_rest(base, other, &b, &a, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < a.n; i++) {
		_cleanup_free_ char *option = option_of(a.v[i]);
		const char *theirs = option ? token_of(&b, option) : NULL;

		if (option && !is_same_setting(token_of(&a, option), theirs))
			strv_add(&s->base_tokens, a.v[i]);
		else
			str_addf(&rest, "%s%s", rest.len ? "," : "", a.v[i]);
	}
	for (size_t i = 0; i < b.n; i++) {
		_cleanup_free_ char *option = option_of(b.v[i]);

		if (option && !is_same_setting(token_of(&a, option), token_of(&b, option)))
			strv_add(&s->other_tokens, b.v[i]);
	}
	s->rest = str_take(&rest);
	for (size_t k = 0; k < 2; k++) {
		const struct strv *tokens = k ? &s->base_tokens : &s->other_tokens;

		for (size_t i = 0; i < tokens->n; i++) {
			_cleanup_free_ char *option = option_of(tokens->v[i]);

			if (!has_step(s, option))
				add_step(s, option);
		}
	}
	if (!s->n)
		return error_blame(err, ERROR_USAGE, EINVAL, "%s and %s ask for the same options", base, other);
	return 0;
}

char *steps_spec(const struct steps *s, const bool *set)
{
	struct str text = STR_INIT;

	str_add(&text, s->rest);
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->v[i].options.n; k++) {
			const char *token = token_of(set[i] ? &s->other_tokens : &s->base_tokens,
						     s->v[i].options.v[k]);

			if (token)
				str_addf(&text, ",%s", token);
		}
	return str_take(&text);
}

bool steps_can(const struct steps *s, const bool *set, const struct built_hooks *hooks)
{
	_cleanup_free_ char *text = steps_spec(s, set);
	struct built_config config;
	struct spec spec;
	int r = spec_parse(text, &spec, NULL);

	if (r < 0)
		return false;
	r = built_configure(&spec, hooks, &config, NULL);
	if (r == 0)
		built_config_finish(&config);
	spec_finish(&spec);
	return r == 0;
}

/* Moves step `i` to place `to`, and the ones between up. */
static void move(struct steps *s, size_t i, size_t to)
{
	struct step st = s->v[i];

	memmove(&s->v[to + 1], &s->v[to], (i - to) * sizeof(st));
	s->v[to] = st;
}

/* Step `i` goes into step `to`. */
static void join(struct steps *s, size_t to, size_t i)
{
	struct step *a = &s->v[to], *b = &s->v[i];
	char *name = xasprintf("%s, %s", a->name, b->name);

	free(a->name);
	a->name = name;
	strv_add_all(&a->options, &b->options);
	free(b->name);
	strv_finish(&b->options);
	memmove(b, b + 1, (s->n - i - 1) * sizeof(*b));
	s->n--;
}

/* The first `done` steps are in order: one more that can be set after them, or two that can only together. */
static bool find_next(struct steps *s, size_t done, bool *failed, const struct built_hooks *hooks)
{
	_cleanup_free_ bool *set = xcalloc(s->n + 1, sizeof(*set));

	for (size_t i = 0; i < done; i++)
		set[i] = true;
	for (size_t i = done; i < s->n; i++) {
		if (failed[i])
			continue;
		set[i] = true;
		if (steps_can(s, set, hooks)) {
			move(s, i, done);
			memmove(&failed[done + 1], &failed[done], (i - done) * sizeof(*failed));
			failed[done] = false;
			return true;
		}
		set[i] = false;
		failed[i] = true;
	}
	return false;
}

static void forget(const struct steps *s, bool *failed, size_t done, bool suspects_only)
{
	for (size_t i = done; i < s->n; i++)
		if (!suspects_only || s->v[i].is_suspect)
			failed[i] = false;
}

static bool find_pair(struct steps *s, size_t done, const struct built_hooks *hooks)
{
	_cleanup_free_ bool *set = xcalloc(s->n + 1, sizeof(*set));

	for (size_t i = 0; i < done; i++)
		set[i] = true;
	for (size_t i = done; i < s->n; i++)
		for (size_t k = i + 1; k < s->n; k++) {
			bool can;

			set[i] = set[k] = true;
			can = steps_can(s, set, hooks);
			set[i] = set[k] = false;
			if (can) {
				join(s, i, k);
				move(s, i, done);
				return true;
			}
		}
	return false;
}

static void order(struct steps *s, const struct built_hooks *hooks)
{
	_cleanup_free_ bool *failed = xcalloc(s->n + 1, sizeof(*failed));
	size_t done = 0;

	while (done < s->n) {
		if (find_next(s, done, failed, hooks)) {
			/* What failed may do now: what is suspected is asked at once, the others at the end of a pass. */
			done++;
			forget(s, failed, done, true);
			continue;
		}
		forget(s, failed, done, false);
		if (find_next(s, done, failed, hooks) || find_pair(s, done, hooks)) {
			done++;
			forget(s, failed, done, false);
			continue;
		}
		/* The rest only as one. */
		while (s->n > done + 1)
			join(s, done, done + 1);
		done = s->n;
	}
}

int steps_find(const char *base, const char *other, const struct known_costs *costs,
	       const struct built_hooks *hooks, struct steps *ret, struct error *err)
{
	struct steps s = { .base = xstrdup(base) };
	int r = find_differences(base, other, &s, err);

	if (r < 0) {
		steps_finish(&s);
		return r;
	}
	for (size_t i = 0; i < s.n; i++)
		s.v[i].is_suspect = cost_of(costs, &s.v[i]);
	qsort_r(s.v, s.n, sizeof(*s.v), by_suspicion, (void *)costs);
	order(&s, hooks);
	while (s.n_suspects < s.n && s.v[s.n_suspects].is_suspect)
		s.n_suspects++;
	*ret = s;
	return 0;
}

void steps_finish(struct steps *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->v[i].name);
		strv_finish(&s->v[i].options);
	}
	free(s->v);
	free(s->base);
	free(s->rest);
	strv_finish(&s->base_tokens);
	strv_finish(&s->other_tokens);
	*s = (struct steps){ 0 };
}
