/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "base/alloc.h"
#include "report/explained.h"
#include "sys/jsonvalue.h"

#define SCHEMA "ktoll/explain/1"

/* Sums are integers; per operation they are divided by each side's operations. */
static void set_sides(struct json *o, const struct two_sides *v, const struct two_sides *ops)
{
	json_set_i64(o, "base", v->base);
	json_set_i64(o, "other", v->other);
	json_set_double(o, "base_per_op", two_sides_base(v, ops));
	json_set_double(o, "other_per_op", two_sides_other(v, ops));
	json_set_double(o, "delta_per_op", two_sides_delta(v, ops));
}

static void set_calls(struct json *o, const struct two_sides *calls, const struct two_sides *ops)
{
	json_set_double(o, "calls_base", calls->base < 0 ? NAN : two_sides_base(calls, ops));
	json_set_double(o, "calls_other", calls->base < 0 ? NAN : two_sides_other(calls, ops));
}

static double share_of(const struct two_sides *v, const struct explanation *e)
{
	double total = two_sides_delta(&e->total, &e->ops);

	return total == 0 ? NAN : two_sides_delta(v, &e->ops) / total;
}

/* A note where a figure is negative. */
static void set_startup(struct json *o, const struct two_sides *v)
{
	if (two_sides_is_startup(v))
		json_set_string(o, "note", EXPLANATION_STARTUP);
}

static struct json *new_places(const struct strv *places, const struct two_sides *counts,
			       const struct explanation *e)
{
	struct json *a = json_new_array();

	for (size_t i = 0; i < places->n; i++) {
		struct json *p = json_new_object();

		json_set_string(p, "function", places->v[i]);
		set_sides(p, &counts[i], &e->ops);
		set_startup(p, &counts[i]);
		json_add(a, p);
	}
	return a;
}

/* What is taken off by its nature is no start-up: restarts. */
static bool is_startup(const struct explanation_row *row)
{
	return !str_has_prefix(row->label, EXPLANATION_RESTARTED) && two_sides_is_startup(&row->insns);
}

static struct json *new_row(const struct explanation_row *row, const struct explanation_group *g,
			    const struct explanation *e)
{
	struct json *o = json_new_object();

	json_set_string(o, "name", row->label);
	json_set_string(o, "kind", g->name ? "site" : "function");
	json_set_string(o, "mechanism", g->name);
	json_set_string(o, "rule", row->rule);
	set_sides(o, &row->insns, &e->ops);
	json_set_double(o, "share", share_of(&row->insns, e));
	set_calls(o, &row->calls, &e->ops);
	if (row->callers.n)
		json_set(o, "callers", new_places(&row->callers, row->caller_counts, e));
	json_set_bool(o, "patched", row->is_patched);
	json_set_string(o, "note", is_startup(row)    ? EXPLANATION_STARTUP :
				   row->is_lifted     ? "inlined on one side" :
				   row->is_base_only  ? "base only" :
				   row->is_other_only ? "other only" : NULL);
	return o;
}

static struct json *new_group(const struct explanation_group *g, const struct explanation *e)
{
	struct json *o = json_new_object(), *rows = json_new_array();

	json_set_string(o, "name", g->name ? g->name : "other code");
	json_set_string(o, "kind", g->name ? "mechanism" : "other");
	json_set_string(o, "about", g->about);
	json_set_bool(o, "touched", g->is_touched);
	set_sides(o, &g->insns, &e->ops);
	set_startup(o, &g->insns);
	json_set_double(o, "share", share_of(&g->insns, e));
	set_calls(o, &g->calls, &e->ops);
	for (size_t i = 0; i < g->n; i++)
		json_add(rows, new_row(&g->rows[i], g, e));
	json_set(o, "rows", rows);
	return o;
}

static struct json *new_class(const struct explanation_class *c, const struct explanation *e)
{
	struct json *o = json_new_object();

	json_set_string(o, "class", c->name);
	json_set_string(o, "kind", *c->kind ? c->kind : NULL);
	set_sides(o, &c->count, &e->ops);
	set_startup(o, &c->count);
	json_set(o, "places", new_places(&c->places, c->place_counts, e));
	return o;
}

static struct json *new_explanation(const struct result *r, const struct explanation *e)
{
	static const char *const rules[] = { "percpu", "call", "inlined", "function", "instruction" };
	struct json *o = json_new_object(), *total = json_new_object(), *groups = json_new_array();
	struct json *classes = json_new_array(), *shares = json_new_object(), *warnings = json_new_array();

	json_set_string(o, "workload", e->workload);
	json_set_string(o, "base", r->run->variants[e->base].name);
	json_set_string(o, "other", r->run->variants[e->other].name);
	json_set_string(o, "engine", facts_get(&r->run->head, "engine"));
	json_set_i64(o, "base_ops", e->ops.base);
	json_set_i64(o, "other_ops", e->ops.other);
	set_sides(total, &e->total, &e->ops);
	json_set(o, "total", total);
	json_set_double(o, "total_delta", two_sides_delta(&e->total, &e->ops));
	for (size_t i = 0; i < e->n_groups; i++)
		json_add(groups, new_group(&e->groups[i], e));
	json_set(o, "rows", groups);
	for (size_t i = 0; i < e->n_classes; i++)
		json_add(classes, new_class(&e->classes[i], e));
	json_set(o, "classes", classes);
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		json_set_double(shares, rules[i], e->rule_shares[i]);
	json_set_double(shares, "other", e->other_share);
	json_set(o, "rule_shares", shares);
	json_set_double(o, "touched_share", e->touched_share);
	json_set_bool(o, "has_inlines", e->has_inlines);
	for (size_t i = 0; i < e->warnings.n; i++)
		json_add_string(warnings, e->warnings.v[i]);
	json_set(o, "warnings", warnings);
	return o;
}

void explained_json(const struct result *r, const struct explanation *list, size_t n,
		    struct str *out)
{
	_cleanup_json_ struct json *root = json_new_object();
	struct json *comparisons = json_new_array();

	json_set_string(root, "schema", SCHEMA);
	json_set_string(root, "record", r->run->path);
	for (size_t i = 0; i < n; i++)
		json_add(comparisons, new_explanation(r, &list[i]));
	json_set(root, "comparisons", comparisons);
	json_dump(root, out);
}
