/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cmd/kernelfind.h"
#include "cmd/progress.h"
#include "cmd/verb.h"
#include "kernel/built.h"
#include "kernel/configcompare.h"
#include "kernel/kconfigload.h"
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

/* One of the two kernels, and what it takes to say why its config is as it is. */
struct side {
	struct spec spec;
	struct kernel kernel;	 /* the config, and the sizes where they are known */
	char *given;		 /* the config before it was resolved; NULL: not known */
	struct kconfigtree tree; /* n_files 0: not at hand */
};

static void side_finish(struct side *s)
{
	spec_finish(&s->spec);
	kernel_finish(&s->kernel);
	free(s->given);
	kconfigtree_finish(&s->tree);
}

static int side_configure(const struct spec *spec, struct side *ret, struct error *err)
{
	struct built_hooks hooks = { progress_note, NULL, NULL };
	struct built_config c;
	int r = built_configure(spec, &hooks, &c, err);

	if (r < 0)
		return r;
	ret->kernel = c.kernel;
	c.kernel = (struct kernel){ 0 };
	ret->given = TAKE_PTR(c.given);
	if (!ret->kernel.config)
		ret->kernel.config = TAKE_PTR(c.resolved);
	r = kconfigload_tree(c.tree, spec->arch, &ret->tree, err);
	built_config_finish(&c);
	return r;
}

/* Fills all but the spec: the one place that knows where a kernel's config comes from. */
static int side_resolve(const struct spec *spec, struct side *ret, struct error *err)
{
	int r;

	if (spec_is_built(spec))
		return side_configure(spec, ret, err);
	r = kernel_find(spec, &ret->kernel, err);
	if (r == 0 && !ret->kernel.config)
		r = error_set(err, ENODATA, "the configuration of %s is not known: name it with config=FILE",
			      spec->text);
	return r;
}

static int side_make(const char *text, struct side *ret, struct error *err)
{
	int r = spec_parse(text, &ret->spec, err);

	return r < 0 ? r : side_resolve(&ret->spec, ret, err);
}

static struct configdiff_side side_view(const struct side *s)
{
	return (struct configdiff_side){ .name = s->spec.text,
					 .config = s->kernel.config,
					 .given = s->given,
					 .asked = s->spec.options,
					 .n_asked = s->spec.n_options,
					 .tree = s->tree.n_files ? &s->tree : NULL };
}

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
	struct side sides[2] = { 0 };
	struct configdiff d = { 0 };
	int r = known_costs_load(&costs, &err), status = EXIT_DONE;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(sides); i++)
		r = side_make(specs[i], &sides[i], &err);
	if (r == 0) {
		const struct configdiff_side base = side_view(&sides[0]), other = side_view(&sides[1]);

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
		side_finish(&sides[i]);
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
