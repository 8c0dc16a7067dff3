/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/asked.h"

#include <string.h>

#include "base/alloc.h"
#include "model/run.h"
#include "readers/reader.h"

/* Programs take longer, and have null boots. Two are a pair whose places between ticks mirror each other. */
#define PROGRAM_REPLICATES 2

static const char *asked_name(const struct asked *a)
{
	return a->operation ? a->operation->name : a->workload.name;
}

static int add_asked(struct asked_list *l, const struct verb *v, const struct asked *a, const char *text)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(asked_name(&l->v[i]), asked_name(a)) == 0)
			return verb_usage(v, "-w %s twice", text);
	*ARRAY_ADD(l->v, l->n, l->cap) = *a;
	return 0;
}

/* One that reads what a single program printed. */
static bool is_known_reader(const char *name)
{
	const struct reader *r = reader_find(name);

	return r && r->collect;
}

static int no_reader(const struct verb *v, const char *text, const char *name)
{
	_cleanup_str_ struct str known = STR_INIT;

	for (size_t i = 0; reader_at(i); i++)
		if (reader_at(i)->collect)
			str_addf(&known, "%s%s", known.len ? ", " : "", reader_at(i)->name);
	return verb_usage(v, "-w %s: no reader '%s'; known: %s", text, name, str_text(&known));
}

/* What is not an operation: a program, or several where a parameter is a range. */
static int add_programs(struct asked_list *l, const struct verb *v, const char *text)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	struct workload *found = NULL;
	size_t n = 0;
	int status, r = workloads_find(text, &found, &n, &err);

	if (r < 0)
		return verb_failed(r, &err);
	status = 0;
	for (size_t i = 0; i < n; i++) {
		if (!status && found[i].reader && !is_known_reader(found[i].reader))
			status = no_reader(v, text, found[i].reader);
		if (!status)
			status = add_asked(l, v, &(struct asked){ .workload = found[i] }, text);
		if (status)
			workload_finish(&found[i]);
	}
	free(found);
	return status;
}

static int add_workload(struct asked_list *l, const struct verb *v, const char *name)
{
	const struct operation_info *operation = operation_find(name);

	if (strcmp(name, ASKED_ALL_OPERATIONS) == 0) {
		l->has_operations = true;
		return 0;
	}
	return operation ? add_asked(l, v, &(struct asked){ .operation = operation }, name) :
			   add_programs(l, v, name);
}

int asked_add(struct asked_list *l, const struct verb *v, const char *list)
{
	_cleanup_free_ char *copy = xstrdup(list), *rest = NULL;
	char *save = NULL, *alone = strpbrk(copy, ":/");
	int status = 0;

	if (!list[strspn(list, ", ")])
		return verb_usage(v, "-w takes a workload, not '%s'", list);
	/* What has a ':' or a '/' goes to the end, commas and all; plain names may stand before it. */
	if (alone) {
		*alone = '\0';
		while (alone > copy && alone[-1] != ',')
			alone--;
	}
	rest = xstrdup(alone ? list + (alone - copy) : "");
	if (alone)
		*alone = '\0';
	for (char *w = strtok_r(copy, ",", &save); w && !status; w = strtok_r(NULL, ",", &save))
		status = add_workload(l, v, w);
	return !status && *rest ? add_workload(l, v, rest) : status;
}

static bool has_operation(const struct asked_list *l, const struct operation_info *o)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].operation == o)
			return true;
	return false;
}

void asked_add_default(struct asked_list *l, bool is_clocked)
{
	if (l->n && !l->has_operations)
		return;
	for (size_t i = 0; i < operation_list_n; i++)
		if (!(is_clocked && operation_list[i].is_tick) && !has_operation(l, &operation_list[i]))
			*ARRAY_ADD(l->v, l->n, l->cap) = (struct asked){ .operation = &operation_list[i] };
}

int asked_check(const struct asked_list *l, const struct verb *v, bool is_clocked)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct asked *a = &l->v[i];

		if (is_clocked && a->operation && a->operation->is_tick)
			return verb_usage(v, "-w tick counts instructions of a tick; there is no time in it");
		if (!is_clocked && !a->operation && a->workload.is_clock_only)
			return verb_usage(v, "-w %s is for engines with a clock (ktoll live, --engine vm): counting it would "
					     "take days", a->workload.name);
	}
	return 0;
}

static bool has_name(const struct asked_list *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(asked_name(&l->v[i]), name) == 0)
			return true;
	return false;
}

bool asked_has_all(const struct asked_list *l, const struct asked_list *some)
{
	bool all = true;

	for (size_t i = 0; i < some->n && all; i++)
		all = has_name(l, asked_name(&some->v[i])) || (some->v[i].operation && l->has_operations);
	return all;
}

static uint32_t replicates_of(const struct asked *a, uint64_t replicates)
{
	if (!a->operation && a->workload.is_once)
		return 1;
	if (replicates)
		return (uint32_t)replicates;
	return a->operation ? ASKED_OPERATION_REPLICATES : PROGRAM_REPLICATES;
}

/* Behind all others, so that they do not depend on whether it was asked for. Nothing is known of its time. */
static void add_control(const struct asked_list *l, uint64_t replicates, struct plan *plan)
{
	const struct asked control = { .operation = operation_find(RUN_CONTROL) };
	bool any = false;

	for (size_t i = 0; i < l->n; i++)
		any |= l->v[i].operation != NULL;
	if (any && !plan->is_clocked && !has_operation(l, control.operation))
		*ARRAY_ADD(plan->items, plan->n_items, plan->cap_items) = (struct plan_item){
			.operation = control.operation,
			.replicates = replicates_of(&control, replicates),
			.is_unasked = true,
		};
}

void asked_make_plan(const struct asked_list *l, uint64_t replicates, struct plan *plan)
{
	/* What can be run once begins at a time of its own: it comes first. */
	for (size_t i = 0; i < 2 * l->n; i++) {
		const struct asked *a = &l->v[i % l->n];

		if ((i < l->n) != (!a->operation && a->workload.is_once))
			continue;
		*ARRAY_ADD(plan->items, plan->n_items, plan->cap_items) = (struct plan_item){
			.operation = a->operation,
			.workload = a->operation ? NULL : &a->workload,
			.replicates = replicates_of(a, replicates),
		};
	}
	add_control(l, replicates, plan);
}

void asked_finish(struct asked_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		workload_finish(&l->v[i].workload);
	free(l->v);
	*l = (struct asked_list){ 0 };
}
