/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/configcompare.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "kernel/kconfigreason.h"
#include "kernel/kconfigunmet.h"
#include "model/kernel.h"

#define PREFIX "CONFIG_"

struct maker {
	const struct configdiff_side *given[2]; /* base, other */
	struct kconfig configs[2], files[2];
	struct kconfigreason_side sides[2];
	const struct known_costs *costs;
	struct configdiff *diff;
};

/* ---- about one option ---- */

bool configdiff_is_compiler_fact(const char *option)
{
	static const char *const names[] = { "CC_VERSION_TEXT", "RUSTC_VERSION_TEXT",
					     "BINDGEN_VERSION_TEXT", "GCC_VERSION", "CLANG_VERSION",
					     "AS_VERSION", "LD_VERSION", "LLD_VERSION",
					     "PAHOLE_VERSION", "RUSTC_VERSION", "RUSTC_LLVM_VERSION",
					     "RUST_IS_AVAILABLE" };
	static const char *const prefixes[] = { "CC_IS_", "CC_HAS_", "CC_CAN_", "CC_NO_", "CC_HAVE_",
						"AS_IS_", "AS_HAS_", "LD_IS_", "LD_CAN_", "LD_HAS_",
						"RUSTC_HAS_", "TOOLS_SUPPORT_", "GCC_PLUGINS_" };

	if (str_has_prefix(option, PREFIX))
		option += strlen(PREFIX);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(option, names[i]) == 0)
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (str_has_prefix(option, prefixes[i]))
			return true;
	return false;
}

/* ---- reasons ---- */

/* What became of what a side asked for: NULL if it came out. */
static char *unmet_text(const struct maker *m, size_t side, const char *option, const char *asked)
{
	const struct kconfig *c = &m->configs[side];
	char *why;

	if (!asked || strcmp(kconfig_value(c, option), asked) == 0)
		return NULL;
	if (!m->given[side]->tree)
		return xstrdup("it did not come out");
	why = kconfigunmet_reason(m->given[side]->tree, c, option, asked);
	return why ? why : xstrdup("it did not come out");
}

static char *asked_text(const struct maker *m, const char *option)
{
	struct str s = STR_INIT;
	bool is_met[2] = { false, false };

	for (size_t side = 2; side-- > 0;) {
		const char *asked = kconfigreason_asked(&m->sides[side], option);
		_cleanup_free_ char *why = unmet_text(m, side, option, asked);

		is_met[side] = asked && !why;
		if (why)
			str_addf(&s, "%s%s asks for %s: %s", s.len ? "; " : "", m->given[side]->name,
				 asked, why);
	}
	if (!s.len && is_met[1])
		str_add(&s, "asked");
	else if (!s.len)
		str_addf(&s, "asked of %s only", m->given[0]->name);
	return str_take(&s);
}

static void set_reason(const struct maker *m, struct configdiff_row *r)
{
	_cleanup_free_ char *option = xasprintf(PREFIX "%s", r->option);

	if (r->is_asked) {
		r->reason = asked_text(m, option);
		return;
	}
	if (m->diff->has_reasons) {
		r->is_dormant_woken =
			kconfigreason_is_woken(&m->sides[0], &m->sides[1], option);
		r->reason = kconfigreason_change(&m->sides[0], &m->sides[1], option);
	}
	if (!r->reason && r->is_compiler_fact)
		r->reason = xstrdup("the compiler or tools differ");
}

static void set_cost(const struct maker *m, struct configdiff_row *r)
{
	const struct known_cost *c = m->costs ? known_costs_find(m->costs, r->option) : NULL;

	if (!c)
		return;
	r->known_cost = xstrdup(c->cost);
	r->cost_source = xstrdup(c->source);
	r->costs_off = c->costs_off;
	r->severity = c->severity;
}

static void add_row(const struct maker *m, const char *full_name, const char *base,
		    const char *other)
{
	struct configdiff *d = m->diff;
	struct configdiff_row *r = ARRAY_ADD(d->rows, d->n, d->cap);

	r->option = xstrdup(full_name + strlen(PREFIX));
	r->base = xstrdup(base);
	r->other = xstrdup(other);
	r->is_asked = kconfigreason_is_asked(&m->sides[0], &m->sides[1], full_name);
	r->is_compiler_fact = configdiff_is_compiler_fact(full_name);
	set_reason(m, r);
	set_cost(m, r);
	d->n_asked += r->is_asked;
}

/* ---- rows ---- */

/* What was asked and came out the same on both sides is no difference, but has to be said. */
static void add_unmet(const struct maker *m)
{
	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < m->given[side]->n_asked; i++) {
			const char *name = m->given[side]->asked[i].name;
			const char *asked = m->given[side]->asked[i].value;
			const char *value = kconfig_value(&m->configs[side], name);
			bool is_there = false;

			if (!kconfigreason_is_asked(&m->sides[0], &m->sides[1], name) ||
			    strcmp(asked, value) == 0)
				continue;
			for (size_t r = 0; r < m->diff->n; r++)
				is_there |= strcmp(m->diff->rows[r].option, name + strlen(PREFIX)) == 0;
			if (!is_there)
				add_row(m, name, kconfig_value(&m->configs[0], name),
					kconfig_value(&m->configs[1], name));
		}
}

static int by_weight(const void *a, const void *b)
{
	const struct configdiff_row *x = a, *y = b;

	if (x->is_asked != y->is_asked)
		return y->is_asked - x->is_asked;
	if (x->is_dormant_woken != y->is_dormant_woken)
		return y->is_dormant_woken - x->is_dormant_woken;
	if (x->is_compiler_fact != y->is_compiler_fact)
		return x->is_compiler_fact - y->is_compiler_fact;
	if (x->severity != y->severity)
		return x->severity < y->severity ? 1 : -1;
	return strcmp(x->option, y->option);
}

static void add_rows(const struct maker *m)
{
	struct configdiff *d = m->diff;
	struct kconfig_diff changes;

	kconfig_diff(&m->configs[0], &m->configs[1], &changes);
	for (size_t i = 0; i < changes.n; i++)
		add_row(m, changes.changes[i].option, changes.changes[i].base,
			changes.changes[i].other);
	kconfig_diff_finish(&changes);
	add_unmet(m);
	if (d->n)
		qsort(d->rows, d->n, sizeof(*d->rows), by_weight);
}

static void parse_side(struct maker *m, size_t i)
{
	const struct configdiff_side *g = m->given[i];

	kconfig_parse(g->config, strlen(g->config), &m->configs[i]);
	if (g->given)
		kconfig_parse(g->given, strlen(g->given), &m->files[i]);
	m->sides[i] = (struct kconfigreason_side){ .tree = g->tree,
						   .config = &m->configs[i],
						   .given = g->given ? &m->files[i] : NULL,
						   .asked = g->asked,
						   .n_asked = g->n_asked };
}

void configdiff_make(const struct configdiff_side *base, const struct configdiff_side *other,
		     const struct known_costs *costs, struct configdiff *ret)
{
	struct configdiff d = { .base_name = xstrdup(base->name),
				.other_name = xstrdup(other->name),
				.is_known = base->config && other->config,
				.has_reasons = base->tree && other->tree };
	struct maker m = { .given = { base, other }, .costs = costs, .diff = &d };

	if (d.is_known) {
		for (size_t i = 0; i < 2; i++)
			parse_side(&m, i);
		d.base_model = config_preempt_model(base->config);
		d.other_model = config_preempt_model(other->config);
		d.is_same_model = d.base_model && str_equal(d.base_model, d.other_model);
		d.base_is_dynamic = strcmp(kconfig_value(&m.configs[0], "PREEMPT_DYNAMIC"), "y") == 0;
		d.other_is_dynamic = strcmp(kconfig_value(&m.configs[1], "PREEMPT_DYNAMIC"), "y") == 0;
		add_rows(&m);
		for (size_t i = 0; i < 2; i++) {
			kconfig_finish(&m.configs[i]);
			kconfig_finish(&m.files[i]);
		}
	}
	*ret = d;
}
