/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The schema ktoll/compare/1: keys are only ever added. */
#include "sys/jsonvalue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/render.h"

#define SCHEMA "ktoll/compare/1"

static const char *head(const struct result *r, const char *key)
{
	return facts_get(&r->run->head, key);
}

static const char *variant_id(const struct result *r, size_t i)
{
	return r->run->variants[i].name;
}

static const char *interval_name(bool is_exact)
{
	return is_exact ? "exact" : "range over tick phases";
}

static struct json *new_range(const struct range *v)
{
	struct json *o = json_new_object();

	json_set_double(o, "mean", v->mean);
	json_set_double(o, "lo", v->lo);
	json_set_double(o, "hi", v->hi);
	return o;
}

static struct json *new_strings(const struct strv *l)
{
	struct json *a = json_new_array();

	for (size_t i = 0; i < l->n; i++)
		json_add_string(a, l->v[i]);
	return a;
}

static int by_key(const void *a, const void *b, void *keys)
{
	char *const *v = keys;

	return strcmp(v[*(const size_t *)a], v[*(const size_t *)b]);
}

/* The facts whose key starts with `prefix`, by what follows it, sorted. */
static struct json *new_facts(const struct facts *f, const char *prefix)
{
	_cleanup_free_ size_t *order = xcalloc(f->keys.n, sizeof(*order));
	struct json *o = json_new_object();

	for (size_t i = 0; i < f->keys.n; i++)
		order[i] = i;
	if (f->keys.n)
		qsort_r(order, f->keys.n, sizeof(*order), by_key, f->keys.v);
	for (size_t i = 0; i < f->keys.n; i++) {
		const char *key = f->keys.v[order[i]];

		if (str_has_prefix(key, prefix))
			json_set_string(o, key + strlen(prefix), f->values.v[order[i]]);
	}
	return o;
}

static struct json *new_tool(const struct result *r)
{
	struct json *o = json_new_object();

	json_set_string(o, "version", head(r, "tool_version"));
	return o;
}

static struct json *new_qemu(const struct result *r)
{
	struct json *o = json_new_object();

	json_set_string(o, "version", head(r, "qemu_version"));
	json_set_string(o, "machine", head(r, "machine"));
	json_set_string(o, "cpu_model", head(r, "cpu_model"));
	return o;
}

static struct json *new_variant(const struct result *r, size_t i)
{
	const struct variant *v = &r->run->variants[i];
	const struct outcome *outcome = &r->run->outcomes[i];
	const char *release = facts_get(&outcome->guest, "release");
	struct json *o = json_new_object();

	json_set_string(o, "id", v->name);
	json_set_string(o, "spec", v->spec);
	json_set_string(o, "arch", v->kernel.arch);
	json_set_string(o, "cpu_model", run_cpu_model(r->run, i));
	json_set_string(o, "release", release ? release : v->kernel.release);
	json_set_string(o, "build_id", facts_get(&outcome->guest, "build_id"));
	json_set_string(o, "config_sha256", v->kernel.config_sha256);
	json_set_string(o, "cmdline", v->cmdline);
	json_set_string(o, "preempt_model", run_preempt_model(outcome, &v->kernel));
	json_set(o, "mitigations", new_facts(&outcome->guest, "vulnerability."));
	if (v->kernel.sizes.code)
		json_set_u64(o, "code_bytes", v->kernel.sizes.code);
	if (v->kernel.sizes.text)
		json_set_u64(o, "text_bytes", v->kernel.sizes.text);
	else
		json_set(o, "text_bytes", NULL);
	if (v->kernel.sizes.loaded) {
		json_set_u64(o, "data_bytes", v->kernel.sizes.data);
		json_set_u64(o, "vmlinux_bytes", v->kernel.sizes.loaded);
	}
	if (v->kernel.compiler)
		json_set_string(o, "compiler", v->kernel.compiler);
	if (v->kernel.tree) {
		json_set_string(o, "tree", v->kernel.tree);
		json_set_string(o, "tree_diff", v->kernel.tree_diff);
	}
	return o;
}

static struct json *new_config(const struct result *r, const struct result_config *c)
{
	struct json *o = json_new_object();

	json_set_string(o, "base", variant_id(r, c->base));
	json_set_string(o, "other", variant_id(r, c->other));
	json_set_bool(o, "same_preempt_model", c->same_preempt_model);
	json_set(o, "options", c->known ? new_strings(&c->lines) : NULL);
	return o;
}

static struct json *new_metric(const struct result_metric *m)
{
	struct json *o = new_range(&m->value);

	json_set_string(o, "name", m->name);
	json_set_string(o, "unit", m->unit);
	json_set_string(o, "better", m->is_higher_better ? "higher" : "lower");
	return o;
}

static struct json *new_result(const struct result *r, const struct result_cell *c)
{
	struct json *o = json_new_object(), *insns = new_range(&c->insns);

	json_set_double(insns, "kernel", c->kernel);
	json_set_double(insns, "user", c->user);
	json_set_string(o, "workload", c->workload);
	json_set_string(o, "variant", variant_id(r, c->variant));
	json_set_string(o, "engine", head(r, "engine"));
	json_set_u64(o, "n", c->n);
	if (c->n)
		json_set_u64(o, "ops", c->ops);
	else
		json_set(o, "ops", NULL);
	json_set_double(o, "looked_for_ops", c->looked_for ? c->looked_for : NAN);
	json_set_u64(o, "interrupted_by_tick", c->interrupted);
	json_set(o, "insns_per_op", insns);
	json_set_string(o, "interval", c->n ? interval_name(c->is_exact) : NULL);
	json_set_double(o, "string_iters_per_op", c->string_iters);
	json_set_double(o, "restarts_per_op", c->restarts);
	json_set_double(o, "locked_per_op", c->locked);
	json_set_bool(o, "start_and_end_included", c->is_program && !c->is_difference);
	json_set(o, "metric", c->metric.name ? new_metric(&c->metric) : NULL);
	return o;
}

static struct json *new_warning(const char *warning)
{
	_cleanup_free_ char *code = xstrndup(warning, strcspn(warning, ":"));
	const char *text = warning + strlen(code);
	struct json *o = json_new_object();

	json_set_string(o, "code", code);
	json_set_string(o, "text", text + strspn(text, ": "));
	return o;
}

static struct json *new_functions(const struct result_comparison *c)
{
	struct json *a = json_new_array();

	for (size_t i = 0; i < c->n_functions; i++) {
		const struct result_function *f = &c->functions[i];
		struct json *o = json_new_object();

		json_set_string(o, "name", f->name);
		json_set_double(o, "base_per_op", f->base);
		json_set_double(o, "other_per_op", f->other);
		json_set_double(o, "delta_per_op", f->other - f->base);
		if (f->base < 0 || f->other < 0)
			json_set_string(o, "note", EXPLANATION_STARTUP);
		json_add(a, o);
	}
	return a;
}

static struct json *new_null(const struct result_null *n)
{
	struct json *o = json_new_object();

	json_set_double(o, "level", RESULT_NULL_LEVEL);
	json_set_u64(o, "boots", n->n);
	json_set_double(o, "sd", n->sd);
	json_set_u64(o, "df", n->df);
	json_set_double(o, "least_called", n->least);
	return o;
}

static struct json *new_comparison(const struct result *r, const struct result_comparison *c)
{
	struct json *o = json_new_object(), *warnings = json_new_array();
	const struct result_cell *base = c->base_cell, *other = c->other_cell;

	for (size_t i = 0; i < c->warnings.n; i++)
		json_add(warnings, new_warning(c->warnings.v[i]));
	json_set_string(o, "workload", c->workload);
	json_set_string(o, "base", variant_id(r, c->base));
	json_set_string(o, "other", variant_id(r, c->other));
	json_set_string(o, "quantity", "insns_per_op");
	json_set_string(o, "unit", "instructions");
	json_set_u64(o, "n_base", base ? base->n : 0);
	json_set_u64(o, "n_other", other ? other->n : 0);
	json_set(o, "delta", new_range(&c->delta));
	json_set(o, "ratio", new_range(&c->ratio));
	json_set_string(o, "interval",
			!base || !other ? NULL : !isnan(c->null.least) && c->null.n ? "99 % over null boots" :
							interval_name(base->is_exact && other->is_exact));
	json_set_double(o, "string_iters_per_op_delta", c->string_iters_delta);
	json_set(o, "p", NULL);
	json_set(o, "p_holm", NULL);
	json_set(o, "null", c->null.n ? new_null(&c->null) : NULL);
	json_set_string(o, "verdict", verdict_name(c->verdict));
	json_set_string(o, "reason", c->reason);
	json_set(o, "warnings", warnings);
	json_set(o, "functions", new_functions(c));
	return o;
}

static void add_failures(const struct result *r, size_t variant, struct json *a)
{
	const struct outcome *outcome = &r->run->outcomes[variant];

	for (size_t i = 0; i < outcome->n_failures; i++) {
		const struct failure *f = &outcome->failures[i];
		struct json *o = json_new_object();

		json_set_string(o, "variant", variant_id(r, variant));
		json_set_string(o, "workload", f->workload);
		json_set_string(o, "stage", f->stage);
		json_set_string(o, "message", f->message);
		json_set_string(o, "log_tail", f->log_tail);
		json_add(a, o);
	}
}

/* ---- engines with a clock ---- */

static struct json *new_timed_result(const struct result *r, const struct clocked_cell *c)
{
	struct json *o = json_new_object(), *counters = json_new_object(), *metric = json_new_object();

	for (size_t i = 0; i < c->n_counters; i++)
		json_set_double(counters, c->counters[i].name, c->counters[i].per_op);
	json_set_string(o, "workload", c->workload);
	json_set_string(o, "variant", variant_id(r, c->variant));
	json_set_string(o, "engine", head(r, "engine"));
	json_set_u64(o, "n", c->n_blocks);
	json_set_u64(o, "boots", c->n_boots);
	json_set_double(o, "ns_per_op", c->ns_per_op);
	json_set_double(o, "spread", c->spread);
	json_set(o, "per_op", counters);
	json_set_string(metric, "name", c->metric);
	json_set_string(metric, "unit", c->unit);
	json_set_string(metric, "better", better_name(c->better));
	json_set_double(metric, "mean", c->metric_mean);
	if (!c->metric)
		json_free(metric);
	json_set(o, "metric", c->metric ? metric : NULL);
	return o;
}

static struct json *new_timed_comparison(const struct result *r, const struct clocked_comparison *c)
{
	struct json *o = json_new_object(), *warnings = json_new_array(), *ratio = json_new_object();

	for (size_t i = 0; i < c->warnings.n; i++)
		json_add(warnings, new_warning(c->warnings.v[i]));
	json_set_double(ratio, "mean", c->p.ratio.estimate);
	json_set_double(ratio, "lo", c->p.ratio.lo);
	json_set_double(ratio, "hi", c->p.ratio.hi);
	json_set_string(o, "workload", c->workload);
	json_set_string(o, "base", variant_id(r, c->base));
	json_set_string(o, "other", variant_id(r, c->other));
	json_set_string(o, "quantity", c->quantity);
	json_set_string(o, "unit", c->unit);
	json_set_u64(o, "n_base", c->p.n);
	json_set_u64(o, "n_other", c->p.n);
	json_set_string(o, "units", c->level);
	json_set(o, "ratio", ratio);
	json_set_double(o, "level", c->p.level);
	json_set_double(o, "noise_floor", c->floor);
	json_set_double(o, "p", c->p.p);
	json_set_double(o, "p_holm", c->p_holm);
	json_set_string(o, "verdict", c->verdict_name);
	json_set_string(o, "reason", c->reason);
	json_set(o, "warnings", warnings);
	return o;
}

static void add_timed(const struct result *r, struct json *results, struct json *comparisons)
{
	for (size_t i = 0; r->clocked && i < r->clocked->n_cells; i++)
		if (r->clocked->cells[i].n_blocks)
			json_add(results, new_timed_result(r, &r->clocked->cells[i]));
	for (size_t i = 0; r->clocked && i < r->clocked->n; i++)
		json_add(comparisons, new_timed_comparison(r, &r->clocked->comparisons[i]));
}

static struct json *new_sittings(const struct run *run)
{
	struct json *a = json_new_array();

	for (size_t i = 0; i < run->n_sittings; i++) {
		struct json *o = json_new_object();

		json_set_string(o, "boot", run->sittings[i].boot);
		json_set_u64(o, "started", run->sittings[i].started);
		json_set_u64(o, "blocks", run->sittings[i].n_blocks);
		json_set(o, "machine", new_facts(&run->sittings[i].facts, ""));
		json_add(a, o);
	}
	return a;
}

static struct json *new_report(const struct result *r)
{
	struct json *o = json_new_object();
	struct json *variants = json_new_array(), *configs = json_new_array();
	struct json *results = json_new_array(), *comparisons = json_new_array();
	struct json *failures = json_new_array();

	for (size_t i = 0; i < r->run->n_variants; i++) {
		json_add(variants, new_variant(r, i));
		add_failures(r, i, failures);
	}
	for (size_t i = 0; i < r->n_configs; i++)
		json_add(configs, new_config(r, &r->configs[i]));
	for (size_t i = 0; i < r->n_cells; i++)
		json_add(results, new_result(r, &r->cells[i]));
	for (size_t i = 0; i < r->n_comparisons; i++)
		json_add(comparisons, new_comparison(r, &r->comparisons[i]));
	add_timed(r, results, comparisons);
	json_set_string(o, "schema", SCHEMA);
	json_set(o, "tool", new_tool(r));
	json_set(o, "host", new_facts(&r->run->head, "host_"));
	json_set_string(o, "engine", head(r, "engine"));
	json_set(o, "qemu", new_qemu(r));
	json_set_string(o, "record", r->run->path);
	json_set_double(o, "threshold", r->threshold);
	json_set(o, "variants", variants);
	json_set(o, "config_differences", configs);
	json_set(o, "results", results);
	json_set(o, "comparisons", comparisons);
	if (r->clocked)
		json_set(o, "sittings", new_sittings(r->run));
	json_set(o, "failures", failures);
	return o;
}

static int render(const struct result *r, struct str *out, const struct report_options *options,
		  struct error *err)
{
	_cleanup_json_ struct json *o = new_report(r);

	(void)options;
	(void)err;
	json_dump(o, out);
	return 0;
}

static int render_many(const struct result *results, size_t n, struct str *out, const struct report_options *options,
		       struct error *err)
{
	_cleanup_json_ struct json *o = json_new_object();
	struct json *reports = json_new_array();

	(void)options;
	(void)err;
	for (size_t i = 0; i < n; i++)
		json_add(reports, new_report(&results[i]));
	json_set_string(o, "schema", "ktoll/reports/1");
	json_set(o, "reports", reports);
	json_dump(o, out);
	return 0;
}

const struct report_ops report_json = { .name = "json", .render = render, .render_many = render_many };
