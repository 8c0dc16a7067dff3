/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/kconfig.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

#define PREFIX "CONFIG_"
#define NOT_SET " is not set"

/* An option while the order of lines still matters. */
struct line {
	struct kconfig_option option;
	size_t place;
};

static int by_name_then_place(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int r = strcmp(x->option.name, y->option.name);

	return r ? r : (x->place > y->place) - (x->place < y->place);
}

/* Bytes of the option's name at `s`, "CONFIG_" included; 0 if there is none. */
static size_t name_length(const char *s, size_t n)
{
	size_t i = strlen(PREFIX);

	if (n <= i || memcmp(s, PREFIX, i) != 0)
		return 0;
	/* Kconfig symbols are words of letters, digits and '_' (scripts/kconfig/lexer.l). */
	while (i < n && ((s[i] >= 'A' && s[i] <= 'Z') || (s[i] >= 'a' && s[i] <= 'z') ||
			 (s[i] >= '0' && s[i] <= '9') || s[i] == '_'))
		i++;
	return i > strlen(PREFIX) ? i : 0;
}

static bool line_parse(const char *s, size_t n, struct kconfig_option *ret)
{
	size_t name;

	if (n && s[n - 1] == '\r')
		n--;
	if (memchr(s, 0, n))
		return false;
	if (n > 2 && memcmp(s, "# ", 2) == 0) {
		s += 2;
		n -= 2;
		name = name_length(s, n);
		if (!name || n - name != strlen(NOT_SET) ||
		    memcmp(s + name, NOT_SET, n - name) != 0)
			return false;
		ret->value = xstrdup("n");
	} else {
		name = name_length(s, n);
		if (!name || name == n || s[name] != '=')
			return false;
		ret->value = xstrndup(s + name + 1, n - name - 1);
		str_make_printable(ret->value);
	}
	ret->name = xstrndup(s, name);
	return true;
}

void kconfig_parse(const char *text, size_t n_bytes, struct kconfig *ret)
{
	const char *end = text + n_bytes;
	struct line *lines = NULL;
	size_t n = 0, cap = 0;

	*ret = (struct kconfig){ 0 };
	for (const char *s = text; s < end;) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));
		struct kconfig_option option;

		if (!stop)
			stop = end;
		if (line_parse(s, (size_t)(stop - s), &option)) {
			struct line *l = ARRAY_ADD(lines, n, cap);

			l->option = option;
			l->place = n;
		}
		s = stop + 1;
	}
	if (n)
		qsort(lines, n, sizeof(*lines), by_name_then_place);
	for (size_t i = 0; i < n; i++) {
		if (i + 1 < n && strcmp(lines[i].option.name, lines[i + 1].option.name) == 0) {
			free(lines[i].option.name);
			free(lines[i].option.value);
			continue;
		}
		*ARRAY_ADD(ret->options, ret->n, ret->cap) = lines[i].option;
	}
	free(lines);
}

void kconfig_finish(struct kconfig *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->options[i].name);
		free(c->options[i].value);
	}
	free(c->options);
	*c = (struct kconfig){ 0 };
}

static int by_key(const void *key, const void *option)
{
	return strcmp(key, ((const struct kconfig_option *)option)->name);
}

const char *kconfig_value(const struct kconfig *c, const char *option)
{
	_cleanup_free_ char *with_prefix = NULL;
	const struct kconfig_option *o;

	if (!str_has_prefix(option, PREFIX))
		option = with_prefix = xasprintf(PREFIX "%s", option);
	o = c->n ? bsearch(option, c->options, c->n, sizeof(*c->options), by_key) : NULL;
	return o ? o->value : "n";
}

static void compare(struct kconfig_diff *d, const char *option, const char *base,
		    const char *other)
{
	struct kconfig_change *c;

	if (strcmp(base, other) == 0)
		return;
	c = ARRAY_ADD(d->changes, d->n, d->cap);
	c->option = xstrdup(option);
	c->base = xstrdup(base);
	c->other = xstrdup(other);
}

void kconfig_diff(const struct kconfig *base, const struct kconfig *other,
		  struct kconfig_diff *ret)
{
	size_t i = 0, j = 0;

	*ret = (struct kconfig_diff){ 0 };
	while (i < base->n || j < other->n) {
		const struct kconfig_option *b = i < base->n ? &base->options[i] : NULL;
		const struct kconfig_option *o = j < other->n ? &other->options[j] : NULL;
		int order = !b ? 1 : !o ? -1 : strcmp(b->name, o->name);

		compare(ret, order <= 0 ? b->name : o->name, order <= 0 ? b->value : "n",
			order >= 0 ? o->value : "n");
		i += order <= 0;
		j += order >= 0;
	}
}

void kconfig_diff_finish(struct kconfig_diff *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->changes[i].option);
		free(d->changes[i].base);
		free(d->changes[i].other);
	}
	free(d->changes);
	*d = (struct kconfig_diff){ 0 };
}
