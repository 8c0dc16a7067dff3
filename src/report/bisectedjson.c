/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "base/alloc.h"
#include "report/bisectedreport.h"
#include "sys/jsonvalue.h"

static struct json *new_names(const struct bisected *b, size_t from, size_t to)
{
	struct json *a = json_new_array();

	for (size_t i = from; i < to; i++)
		json_add_string(a, b->steps.v[i]);
	return a;
}

/* `r` is NULL for the base. */
static struct json *new_rung(const struct bisected *b, const struct bisected_workload *w,
			     const struct bisected_rung *r)
{
	size_t from = r ? r->from : 0, to = r ? r->to : 0;
	double delta = r ? r->delta : 0, total = w->points[b->steps.n] - w->points[0];
	struct json *o = json_new_object();

	json_set(o, "steps", new_names(b, from, to));
	json_set_double(o, "insns_per_op", w->points[to]);
	json_set_double(o, "range", w->ranges[to]);
	json_set_double(o, "delta_per_op", delta);
	json_set_double(o, "share", total != 0 ? delta / total : NAN);
	json_set_double(o, "cumulative_per_op", w->points[to] - w->points[0]);
	return o;
}

static struct json *new_rungs(const struct bisected *b, const struct bisected_workload *w)
{
	_cleanup_free_ struct bisected_rung *rungs = NULL;
	size_t n = bisected_rungs(b, w, &rungs);
	struct json *a = json_new_array();

	if (!isnan(w->points[0]))
		json_add(a, new_rung(b, w, NULL));
	for (size_t i = 0; i < n; i++)
		json_add(a, new_rung(b, w, &rungs[i]));
	return a;
}

static struct json *new_unordered(const struct bisected *b, const struct bisected_workload *w)
{
	_cleanup_free_ struct bisected_pair *pairs = NULL;
	size_t n = bisected_unordered(b, w, &pairs);
	struct json *a = json_new_array();

	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *larger = bisected_steps(b, pairs[i].larger.from, pairs[i].larger.to);
		_cleanup_free_ char *smaller = bisected_steps(b, pairs[i].smaller.from, pairs[i].smaller.to);
		struct json *pair = json_new_array();

		json_add_string(pair, larger);
		json_add_string(pair, smaller);
		json_add(a, pair);
	}
	return a;
}

static struct json *new_workload(const struct bisected *b, const struct bisected_workload *w)
{
	struct json *o = json_new_object(), *culprits = json_new_array();

	for (size_t i = 0; i < w->n_culprits; i++) {
		const struct bisected_culprit *c = &w->culprits[i];
		struct json *k = json_new_object();

		json_set(k, "options", new_names(b, c->from, c->to));
		json_set_double(k, "delta_per_op", c->delta);
		json_set_double(k, "share", c->share);
		json_set_double(k, "alone_per_op", c->alone);
		json_set_string(k, "not_alone", c->not_alone);
		json_add(culprits, k);
	}
	json_set_string(o, "workload", w->name);
	json_set_bool(o, "searched", w->is_searched && !b->is_ladder);
	json_set_double(o, "base", w->points[0]);
	json_set_double(o, "other", w->points[b->steps.n]);
	json_set_double(o, "floor", w->floor);
	json_set_double(o, "together_per_op", w->together);
	json_set(o, "culprits", culprits);
	json_set(o, "rungs", new_rungs(b, w));
	json_set(o, "unordered", new_unordered(b, w));
	return o;
}

void bisected_json(const struct bisected *b, struct str *out)
{
	_cleanup_json_ struct json *o = json_new_object();
	struct json *workloads = json_new_array(), *skipped = json_new_array();

	for (size_t i = 0; i < b->n_workloads; i++)
		json_add(workloads, new_workload(b, &b->workloads[i]));
	for (size_t i = 0; i < b->skipped.n; i++)
		json_add_string(skipped, b->skipped.v[i]);
	json_set_string(o, "schema", "ktoll/bisect/1");
	json_set_string(o, "engine", "count");
	json_set_string(o, "base", b->base);
	json_set_string(o, "other", b->other);
	json_set(o, "steps", new_names(b, 0, b->steps.n));
	json_set(o, "workloads", workloads);
	json_set_u64(o, "measured", b->n_measured);
	json_set_u64(o, "builds", b->n_built);
	json_set(o, "skipped", skipped);
	json_set_string(o, "record", b->record);
	json_dump(o, out);
}
