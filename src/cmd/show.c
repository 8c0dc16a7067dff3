/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/show.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "explain/comparison.h"
#include "kernel/configcompare.h"
#include "kernel/kconfig.h"
#include "kernel/knowncosts.h"
#include "model/spec.h"
#include "report/render.h"
#include "sys/terminal.h"

int show_option(struct show_options *o, const struct verb *v, int key, const char *value)
{
	enum colour_when when;
	char *end;

	switch (key) {
	case SHOW_KEY_FORMAT:
		if (!report_find(value))
			return verb_usage(v, "--format takes text or json, not '%s'", value);
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

/* What else differs between the kernels: stands before any number. */
/* The difference as people read it. Without the Kconfig files, which no record has, reasons are not known. */
static void add_diff(struct result *result, size_t other, const struct known_costs *costs)
{
	const struct variant *sides[] = { &result->run->variants[0], &result->run->variants[other] };
	struct configdiff *diff = &result->configs[result->n_configs - 1].diff;
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
	configdiff_make(&view[0], &view[1], costs, diff);
	for (size_t i = 0; i < 2; i++)
		spec_finish(&specs[i]);
}

static void add_config(struct result *result, size_t other, const struct known_costs *costs)
{
	const struct kernel *a = &result->run->variants[0].kernel,
			    *b = &result->run->variants[other].kernel;
	bool known = a->config && b->config;
	struct strv lines = { 0 };
	struct kconfig_diff d = { 0 };
	struct kconfig ca, cb;

	if (known) {
		kconfig_parse(a->config, strlen(a->config), &ca);
		kconfig_parse(b->config, strlen(b->config), &cb);
		kconfig_diff(&ca, &cb, &d);
		/* Preemption is what is mostly looked for: those options first. */
		for (int preempt = 1; preempt >= 0; preempt--)
			for (size_t i = 0; i < d.n; i++)
				if ((strstr(d.changes[i].option, "PREEMPT") != NULL) == preempt)
					strv_addf(&lines, "%s %s -> %s",
						  d.changes[i].option + strlen("CONFIG_"),
						  d.changes[i].base, d.changes[i].other);
		kconfig_finish(&ca);
		kconfig_finish(&cb);
	}
	result_add_config(result, other, known, d.n, &lines);
	add_diff(result, other, costs);
	kconfig_diff_finish(&d);
	strv_finish(&lines);
}

static int status_of(const struct result *r, const struct show_options *o)
{
	if (r->n_failures)
		return EXIT_UNMEASURED;
	for (size_t i = 0; o->exit_code && i < r->n_comparisons; i++)
		if (r->comparisons[i].verdict == VERDICT_MORE ||
		    r->comparisons[i].verdict == VERDICT_LESS)
			return EXIT_DIFFERENT;
	return EXIT_DONE;
}

int show_record(struct record *rec, const struct show_options *o)
{
	_cleanup_error_ struct error err = ERROR_INIT, hint = ERROR_INIT;
	_cleanup_str_ struct str out = STR_INIT;
	struct report_options options = { .full = o->full };
	struct known_costs costs = { 0 };
	struct result result = { 0 };
	struct run run = { 0 };
	enum colour_when when = COLOUR_AUTO;
	int r, status;

	colour_when_parse(o->color, &when);
	options.colour = terminal_wants_colour(STDOUT_FILENO, when);
	options.width = terminal_width(STDOUT_FILENO);
	r = record_load(rec, &run, &err);
	if (r == 0)
		r = result_build(rec, &run, o->threshold, &result, &err);
	/* What was measured is not lost for a mistake in a list of hints. */
	if (known_costs_load(&costs, &hint) < 0)
		fprintf(stderr, "ktoll: %s; no costs are shown\n", error_text(&hint));
	for (size_t i = 1; r == 0 && i < run.n_variants; i++)
		add_config(&result, i, &costs);
	if (r == 0)
		r = report_find(o->format)->render(&result, &out, &options, &err);
	status = r < 0 ? verb_failed(r, &err) : status_of(&result, o);
	if (r == 0 && (fputs(str_text(&out), stdout) < 0 || fflush(stdout) < 0)) {
		error_set(&err, errno, "cannot write the report: %s", strerror(errno));
		status = verb_failed(-EIO, &err);
	}
	result_finish(&result);
	known_costs_finish(&costs);
	run_finish(&run);
	return status;
}
