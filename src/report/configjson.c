/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/configjson.h"

#include "sys/jsonvalue.h"

#define SCHEMA "ktoll/diffconfig/1"

static struct json *new_row(const struct configdiff_row *r)
{
	struct json *o = json_new_object();

	json_set_string(o, "option", r->option);
	json_set_string(o, "base", r->base);
	json_set_string(o, "other", r->other);
	json_set_string(o, "reason", r->reason);
	json_set_string(o, "known_cost", r->known_cost);
	json_set_string(o, "cost_source", r->cost_source);
	json_set_string(o, "costs_when", !r->known_cost ? NULL : r->costs_off ? "off" : "on");
	json_set_string(o, "severity", severity_name(r->severity));
	json_set_bool(o, "dormant_woken", r->is_dormant_woken);
	json_set_bool(o, "compiler_fact", r->is_compiler_fact);
	return o;
}

static struct json *new_rows(const struct configdiff_row *rows, size_t n)
{
	struct json *a = json_new_array();

	for (size_t i = 0; i < n; i++)
		json_add(a, new_row(&rows[i]));
	return a;
}

static void set_size(struct json *o, const char *key, uint64_t n_bytes)
{
	if (n_bytes)
		json_set_u64(o, key, n_bytes);
	else
		json_set(o, key, NULL);
}

static struct json *new_side(const char *name, const char *model, bool is_dynamic, bool is_known,
			     const struct elf_sizes *sizes)
{
	struct json *o = json_new_object();

	json_set_string(o, "spec", name);
	json_set_string(o, "preempt_model", model);
	if (is_known)
		json_set_bool(o, "preempt_dynamic", is_dynamic);
	else
		json_set(o, "preempt_dynamic", NULL);
	set_size(o, "code_bytes", sizes->code);
	set_size(o, "text_bytes", sizes->text);
	set_size(o, "data_bytes", sizes->data);
	set_size(o, "vmlinux_bytes", sizes->loaded);
	return o;
}

void configjson_add(const struct configdiff *d, const char *tool_version, struct str *out)
{
	_cleanup_json_ struct json *o = json_new_object(), *tool = json_new_object();
	const bool is_model_known = d->base_model && d->other_model;

	json_set_string(o, "schema", SCHEMA);
	json_set_string(tool, "version", tool_version);
	json_set(o, "tool", TAKE_PTR(tool));
	json_set(o, "base", new_side(d->base_name, d->base_model, d->base_is_dynamic, d->is_known,
				     &d->base_sizes));
	json_set(o, "other", new_side(d->other_name, d->other_model, d->other_is_dynamic,
				      d->is_known, &d->other_sizes));
	if (is_model_known)
		json_set_bool(o, "same_preemption_model", d->is_same_model);
	else
		json_set(o, "same_preemption_model", NULL);
	json_set_bool(o, "reasons_known", d->has_reasons);
	json_set(o, "asked", d->is_known ? new_rows(d->rows, d->n_asked) : NULL);
	json_set(o, "side_effects",
		 d->is_known ? new_rows(d->rows + d->n_asked, d->n - d->n_asked) : NULL);
	json_dump(o, out);
}
