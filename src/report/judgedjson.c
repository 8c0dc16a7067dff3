/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "report/judgedreport.h"
#include "sys/jsonvalue.h"

#define SCHEMA "ktoll/judge/1"

/* 0 is none: null. */
static void set_count(struct json *o, const char *key, uint64_t n)
{
	if (n)
		json_set_u64(o, key, n);
	else
		json_set(o, key, NULL);
}

static struct json *new_range(double mean, double lo, double hi)
{
	struct json *o = json_new_object();

	json_set_double(o, "mean", mean);
	json_set_double(o, "lo", lo);
	json_set_double(o, "hi", hi);
	return o;
}

/* "code: text" */
static struct json *new_warnings(const struct strv *l)
{
	struct json *a = json_new_array();

	for (size_t i = 0; i < l->n; i++) {
		_cleanup_free_ char *code = xstrndup(l->v[i], strcspn(l->v[i], ":"));
		struct json *o = json_new_object();

		json_set_string(o, "code", code);
		json_set_string(o, "text", l->v[i] + strlen(code) + strspn(l->v[i] + strlen(code), ": "));
		json_add(a, o);
	}
	return a;
}

static struct json *new_comparison(const struct judged_comparison *c)
{
	const struct judgement *j = &c->j;
	const struct interval *i = j->is_bca ? &j->mean_bca : &j->welch;
	struct json *o = json_new_object();
	bool has = c->has_judgement, has_runs = has || (c->no_ratio && !c->is_mean);

	json_set_string(o, "workload", c->metric);
	json_set_string(o, "base", c->base);
	json_set_string(o, "other", c->other);
	json_set_string(o, "unit", *c->unit ? c->unit : NULL);
	json_set_string(o, "better", better_name(c->better));
	set_count(o, "n_base", has_runs ? j->base.d.n : 0);
	set_count(o, "n_other", has_runs ? j->other.d.n : 0);
	json_set(o, "ratio", has ? new_range(c->ratio, i->lo, i->hi) : new_range(c->ratio, NAN, NAN));
	json_set_string(o, "interval", !has || isnan(i->lo) ? NULL : j->is_bca ? "BCa of means" : "Welch on logarithms");
	json_set(o, "welch", has ? new_range(j->welch.estimate, j->welch.lo, j->welch.hi) : NULL);
	json_set(o, "bca", has && j->is_bca ? new_range(j->mean_bca.estimate, j->mean_bca.lo, j->mean_bca.hi) : NULL);
	json_set(o, "median_ratio",
		 has ? new_range(j->median_ratio, j->median_bc.lo, j->median_bc.hi) : NULL);
	json_set_double(o, "means_difference", has || c->no_ratio ? j->other.d.mean - j->base.d.mean : NAN);
	json_set_double(o, "medians_difference", has_runs ? j->other.d.median - j->base.d.median : NAN);
	json_set_double(o, "shift", has_runs ? j->shift : NAN);
	json_set_double(o, "p", has ? j->p : NAN);
	json_set_double(o, "p_holm", c->p_holm);
	json_set_double(o, "p_ranks", has_runs ? j->rank.p : NAN);
	set_count(o, "runs_needed", has ? j->runs_needed : 0);
	json_set_string(o, "verdict", c->verdict_name);
	json_set_string(o, "reason", c->reason);
	json_set(o, "warnings", new_warnings(&c->warnings));
	return o;
}

void judged_json(const struct judged *j, struct str *out)
{
	_cleanup_json_ struct json *root = json_new_object();
	struct json *comparisons = json_new_array(), *shares = json_new_array(), *notes = json_new_array();

	json_set_string(root, "schema", SCHEMA);
	json_set_double(root, "threshold", j->threshold);
	json_set_u64(root, "seed", j->seed);
	for (size_t i = 0; i < j->n; i++)
		json_add(comparisons, new_comparison(&j->comparisons[i]));
	json_set(root, "comparisons", comparisons);
	for (size_t i = 0; i < j->n_shares; i++) {
		struct json *o = json_new_object();

		json_set_string(o, "function", j->shares[i].function);
		json_set_double(o, "base_percent", j->shares[i].base);
		json_set_double(o, "other_percent", j->shares[i].other);
		json_set_double(o, "added_time_share", j->shares[i].added);
		json_add(shares, o);
	}
	json_set(root, "shares", shares);
	for (size_t i = 0; i < j->notes.n; i++)
		json_add_string(notes, j->notes.v[i]);
	json_set(root, "notes", notes);
	json_set_double(root, "time_per_operation_ratio", j->time_ratio);
	json_dump(root, out);
}
