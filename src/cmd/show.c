/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/show.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "explain/comparison.h"
#include "explain/explanation.h"
#include "explain/studied.h"
#include "kernel/configcompare.h"
#include "kernel/knowncosts.h"
#include "model/spec.h"
#include "report/render.h"
#include "sys/terminal.h"

/* What a user of a clock would care about, if nothing is said. */
#define CLOCK_THRESHOLD 0.01

int show_option(struct show_options *o, const struct verb *v, int key, const char *value)
{
	enum colour_when when;
	char *end;

	switch (key) {
	case SHOW_KEY_FORMAT:
		if (!report_find(value))
			return verb_usage(v, "--format takes text, json or lkml, not '%s'", value);
		o->format = value;
		return 0;
	case SHOW_KEY_THRESHOLD:
		o->threshold = strtod(value, &end) / 100;
		if (end == value || (*end && strcmp(end, "%") != 0) || !(o->threshold >= 0) ||
		    o->threshold > 1)
			return verb_usage(v, "--threshold takes per cent, 0 to 100, not '%s'",
					  value);
		return 0;
	case SHOW_KEY_FULL:
		o->full = true;
		return 0;
	case SHOW_KEY_EXIT_CODE:
		o->exit_code = true;
		return 0;
	case SHOW_KEY_COLOR:
		if (colour_when_parse(value, &when) < 0)
			return verb_usage(v, "--color takes auto, always or never, not '%s'", value);
		o->color = value;
		return 0;
	default:
		return 1;
	}
}

int show_option_tables(struct show_options *o, const struct verb *v, int key, const char *value)
{
	if (key == SHOW_KEY_FORMAT && strcmp(value, "text") != 0 && strcmp(value, "json") != 0)
		return verb_usage(v, "--format takes text or json, not '%s'", value);
	return show_option(o, v, key, value);
}

/* The difference as people read it. Without the Kconfig files, which no record has, reasons are not known. */
static void make_diff(const struct run *run, size_t other, const struct known_costs *costs,
		      struct configdiff *ret)
{
	const struct variant *sides[] = { &run->variants[run_base(run, other)], &run->variants[other] };
	struct configdiff_side view[2];
	struct spec specs[2] = { 0 };

	for (size_t i = 0; i < 2; i++) {
		/* A record's spec may be of another version of ktoll. */
		if (spec_parse(sides[i]->spec, &specs[i], NULL) < 0)
			specs[i] = (struct spec){ 0 };
		view[i] = (struct configdiff_side){ .name = sides[i]->spec,
						    .config = sides[i]->kernel.config,
						    .asked = specs[i].options,
						    .n_asked = specs[i].n_options };
	}
	configdiff_make(&view[0], &view[1], costs, ret);
	for (size_t i = 0; i < 2; i++)
		spec_finish(&specs[i]);
}

/* Preemption is what is mostly looked for: those options first, then by name. */
static int by_preempt_and_name(const void *a, const void *b)
{
	const struct configdiff_row *x = *(const struct configdiff_row *const *)a;
	const struct configdiff_row *y = *(const struct configdiff_row *const *)b;
	bool px = strstr(x->option, "PREEMPT"), py = strstr(y->option, "PREEMPT");

	return px != py ? py - px : strcmp(x->option, y->option);
}

/* Why, as it was found when it was measured: lines of option, 1 if it was woken, and the reason. */
static void add_reasons(const struct run *run, size_t variant, struct configdiff *d)
{
	_cleanup_free_ char *key = xasprintf("reasons.%zu", variant);
	const char *text = facts_get(&run->head, key);
	_cleanup_free_ char *copy = xstrdup(text ? text : "");
	char *save = NULL;

	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *woken = strchr(line, '\t'), *reason = woken ? strchr(woken + 1, '\t') : NULL;

		if (!reason)
			continue;
		*woken = *reason = 0;
		for (size_t i = 0; i < d->n; i++) {
			struct configdiff_row *r = &d->rows[i];

			if (strcmp(r->option, line) != 0 || r->reason)
				continue;
			r->is_dormant_woken = woken[1] == '1';
			r->reason = xstrdup(reason + 1);
		}
	}
}

/* What else differs between the kernels: stands before any number. */
static void add_config(struct result *result, size_t other, const struct known_costs *costs)
{
	_cleanup_free_ const struct configdiff_row **rows = NULL;
	_cleanup_strv_ struct strv lines = { 0 };
	struct configdiff d;
	size_t n = 0;

	make_diff(result->run, other, costs, &d);
	add_reasons(result->run, other, &d);
	rows = xcalloc(d.n + 1, sizeof(*rows));
	for (size_t i = 0; i < d.n; i++)
		if (strcmp(d.rows[i].base, d.rows[i].other) != 0)
			rows[n++] = &d.rows[i];
	qsort(rows, n, sizeof(*rows), by_preempt_and_name);
	for (size_t i = 0; i < n; i++)
		strv_addf(&lines, "%s %s -> %s", rows[i]->option, rows[i]->base, rows[i]->other);
	result_add_config(result, other, &d, &lines);
}

static int status_of(const struct result *r, const struct show_options *o)
{
	if (run_has_lost(r->run))
		return EXIT_HOST;
	if (r->n_failures)
		return EXIT_UNMEASURED;
	for (size_t i = 0; o->exit_code && i < r->n_comparisons; i++)
		if (r->comparisons[i].verdict == VERDICT_MORE ||
		    r->comparisons[i].verdict == VERDICT_LESS)
			return EXIT_DIFFERENT;
	for (size_t i = 0; o->exit_code && r->clocked && i < r->clocked->n; i++)
		if (r->clocked->comparisons[i].verdict == JUDGED_HIGHER ||
		    r->clocked->comparisons[i].verdict == JUDGED_LOWER)
			return EXIT_DIFFERENT;
	return EXIT_DONE;
}

int show_load(struct record *rec, double threshold, struct run *ret_run, struct result *ret,
	      struct error *err)
{
	_cleanup_error_ struct error hint = ERROR_INIT;
	struct known_costs costs = { 0 };
	int r = record_load(rec, ret_run, err);

	if (threshold < 0)
		threshold = facts_get(&ret_run->head, "clocked") ? CLOCK_THRESHOLD : 0;
	if (r == 0)
		r = result_build(rec, ret_run, threshold, ret, err);
	/* What was measured is not lost for a mistake in a list of hints. */
	if (known_costs_load(&costs, &hint) < 0)
		verb_say("%s; no costs are shown", error_text(&hint));
	for (size_t i = 1; r == 0 && i < ret_run->n_variants; i++)
		add_config(ret, i, &costs);
	known_costs_finish(&costs);
	if (r == 0 && studied_make(ret, &ret->studied, &hint) < 0)
		verb_say("%s; the study is not shown", error_text(&hint));
	return r;
}

static struct report_options options_of(const struct show_options *o)
{
	enum colour_when when = COLOUR_AUTO;

	colour_when_parse(o->color, &when);
	return (struct report_options){ .full = o->full,
					.colour = terminal_wants_colour(STDOUT_FILENO, when),
					.width = terminal_width(STDOUT_FILENO) };
}

/* The exit status: the given one, unless the report cannot be written. */
static int print(const struct str *out, int status)
{
	_cleanup_error_ struct error err = ERROR_INIT;

	if (fputs(str_text(out), stdout) >= 0 && fflush(stdout) >= 0)
		return status;
	error_set(&err, errno, "cannot write the report: %s", strerror(errno));
	return verb_failed(-EIO, &err);
}

static int load_for(const struct show_options *o, struct record *rec, struct run *run, struct result *result,
		    struct error *err)
{
	int r = show_load(rec, o->threshold, run, result, err);
	const struct explain_request e = { rec, result, NULL, false };

	if (r == 0 && report_find(o->format)->wants_explanations && !result->clocked)
		r = explanation_make(&e, &result->explanations, &result->n_explanations, err);
	return r;
}

int show_record(struct record *rec, const struct show_options *o)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	_cleanup_str_ struct str out = STR_INIT;
	struct report_options options = options_of(o);
	struct result result = { 0 };
	struct run run = { 0 };
	int r, status;

	r = load_for(o, rec, &run, &result, &err);
	if (r == 0)
		r = report_find(o->format)->render(&result, &out, &options, &err);
	status = r < 0 ? verb_failed(r, &err) : print(&out, status_of(&result, o));
	result_finish(&result);
	run_finish(&run);
	return status;
}

int show_records(char **paths, size_t n, const struct show_options *o)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	_cleanup_str_ struct str out = STR_INIT;
	struct report_options options = options_of(o);
	struct result *results = xcalloc(n, sizeof(*results));
	struct run *runs = xcalloc(n, sizeof(*runs));
	int r = 0, status = EXIT_DONE;

	for (size_t i = 0; r == 0 && i < n; i++) {
		_cleanup_record_ struct record *rec = NULL;

		r = record_open(paths[i], false, &rec, &err);
		if (r == 0)
			r = load_for(o, rec, &runs[i], &results[i], &err);
		if (r == 0 && status_of(&results[i], o) > status)
			status = status_of(&results[i], o);
	}
	if (r == 0)
		r = report_find(o->format)->render_many(results, n, &out, &options, &err);
	status = r < 0 ? verb_failed(r, &err) : print(&out, status);
	for (size_t i = 0; i < n; i++) {
		result_finish(&results[i]);
		run_finish(&runs[i]);
	}
	free(results);
	free(runs);
	return status;
}
