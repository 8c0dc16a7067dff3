/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cmd/configside.h"
#include "cmd/verb.h"
#include "kernel/configcompare.h"
#include "kernel/knowncosts.h"
#include "model/spec.h"
#include "report/configjson.h"
#include "report/configtext.h"
#include "sys/terminal.h"

#define KEY_FORMAT    KEY_LONG(1)
#define KEY_EXIT_CODE KEY_LONG(2)
#define KEY_COLOR     KEY_LONG(3)

static const struct option_row rows[] = {
	{ KEY_FORMAT, "format", "FORMAT", "text (default) or json" },
	{ KEY_EXIT_CODE, "exit-code", NULL, "exit with 1 if an option differs" },
	{ KEY_COLOR, "color", "WHEN", "auto (default), always or never" },
	{ 0 },
};

struct request {
	const struct verb *verb;
	bool is_json, exit_code;
	enum colour_when colour;
};

static bool is_different(const struct configdiff *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (strcmp(d->rows[i].base, d->rows[i].other) != 0)
			return true;
	return false;
}

static int show(const struct request *q, const struct configdiff *d, struct error *err)
{
	struct report_options options = { .width = terminal_width(STDOUT_FILENO),
					  .colour = terminal_wants_colour(STDOUT_FILENO, q->colour) };
	_cleanup_str_ struct str out = STR_INIT;

	if (q->is_json)
		configjson_add(d, KTOLL_VERSION, &out);
	else
		configtext_add(d, &options, &out);
	if (fputs(str_text(&out), stdout) < 0 || fflush(stdout) < 0)
		return error_set(err, errno, "cannot write the report: %s", strerror(errno));
	return 0;
}

static int diffconfig(const struct request *q, char **specs)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	struct known_costs costs = { 0 };
	struct config_side sides[2] = { 0 };
	struct configdiff d = { 0 };
	int r = known_costs_load(&costs, &err), status = EXIT_DONE;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(sides); i++)
		r = config_side_make(specs[i], &sides[i], &err);
	if (r == 0) {
		const struct configdiff_side base = config_side_view(&sides[0]), other = config_side_view(&sides[1]);

		configdiff_make(&base, &other, &costs, &d);
		d.base_sizes = sides[0].kernel.sizes;
		d.other_sizes = sides[1].kernel.sizes;
		r = show(q, &d, &err);
	}
	if (r < 0)
		status = verb_failed(r, &err);
	else if (q->exit_code && is_different(&d))
		status = EXIT_DIFFERENT;
	configdiff_finish(&d);
	for (size_t i = 0; i < ARRAY_SIZE(sides); i++)
		config_side_finish(&sides[i]);
	known_costs_finish(&costs);
	return status;
}

static int take_option(struct request *q, int key, const char *value)
{
	switch (key) {
	case KEY_FORMAT:
		q->is_json = strcmp(value, "json") == 0;
		if (!q->is_json && strcmp(value, "text") != 0)
			return verb_usage(q->verb, "--format takes text or json, not '%s'", value);
		return 0;
	case KEY_EXIT_CODE:
		q->exit_code = true;
		return 0;
	default:
		if (colour_when_parse(value, &q->colour) < 0)
			return verb_usage(q->verb, "--color takes auto, always or never, not '%s'", value);
		return 0;
	}
}

static int run_diffconfig(const struct verb *v, int argc, char **argv)
{
	struct request q = { .verb = v, .colour = COLOUR_AUTO };
	struct options o;
	const char *value;
	int r, status = 0, first;

	verb_options_init(&o, v, argc, argv);
	while (!status && (r = verb_option(&o, &value)) > 0)
		status = take_option(&q, r, value);
	first = o.first_operand;
	verb_options_finish(&o);
	if (status)
		return status;
	if (r < 0)
		return verb_option_status(r);
	if (argc - first != 2)
		return verb_usage(v, "two kernels are wanted");
	return diffconfig(&q, argv + first);
}

const struct verb verb_diffconfig = {
	.name = "diffconfig",
	.operands = "BASE OTHER",
	.summary = "Says what else an option flipped, why, and what of it costs",
	.options = rows,
	.run = run_diffconfig,
};
