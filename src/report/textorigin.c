/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/alloc.h"
#include "model/spec.h"
#include "report/textparts.h"

/* What stands in for a side's source: a package, a commit, or where it was. */
static char *source_text(const struct kernel *k)
{
	if (k->package)
		return xasprintf("%s %s", k->package, k->version ? k->version : "of an unknown version");
	if (k->tree)
		return xasprintf("%s%s", k->tree, k->tree_diff ? " with changes" : "");
	return k->source ? xstrdup(k->source) : NULL;
}

static char *patches_text(const struct variant *v)
{
	struct str s = STR_INIT;
	struct spec spec;

	/* A record may say anything. */
	if (spec_parse(v->spec, &spec, NULL) < 0)
		return xstrdup("none");
	for (size_t i = 0; i < spec.patches.n; i++)
		str_addf(&s, "%s%s", i ? ", " : "", spec.patches.v[i]);
	spec_finish(&spec);
	return s.len ? str_take(&s) : xstrdup("none");
}

/* Does it say so? What is known of one side only is not a difference. */
static bool add_pair(const struct text *t, const char *what, const char *base, const char *other)
{
	if (!base || !other || strcmp(base, other) == 0)
		return false;
	text_line(t, "  %s: %s -> %s", what, base, other);
	return true;
}

static bool add_source(const struct text *t, const struct kernel *base, const struct kernel *other)
{
	_cleanup_free_ char *from = source_text(base), *to = source_text(other);

	if (add_pair(t, "source", from, to))
		return true;
	if (!base->tree_diff || !other->tree_diff || strcmp(base->tree_diff, other->tree_diff) == 0)
		return false;
	text_line(t, "  source: %s on both sides, but not the same ones", from);
	return true;
}

void text_add_origin(const struct text *t, const struct result_config *c)
{
	const struct variant *variants = t->r->run->variants;
	const struct variant *base = &variants[c->base], *other = &variants[c->other];
	const struct kernel *b = &base->kernel, *o = &other->kernel;
	_cleanup_free_ char *from = NULL, *to = NULL;
	bool is_named;

	/* Two kernels of Debian's have their releases above. */
	if (str_equal(b->content, o->content))
		return;
	from = patches_text(base);
	to = patches_text(other);
	is_named = add_source(t, b, o);
	is_named |= add_pair(t, "patches", from, to);
	is_named |= add_pair(t, "compiler", b->compiler, o->compiler);
	/* Equal options do not make equal kernels. */
	if (!is_named && c->known && !c->n_lines && b->content && o->content)
		text_line(t, "  source: not the same on both sides, but nothing known of it differs");
}
