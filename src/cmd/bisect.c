/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cmd/kernellist.h"
#include "cmd/progress.h"
#include "cmd/stepper.h"
#include "cmd/variants.h"
#include "kernel/knowncosts.h"
#include "kernel/steps.h"
#include "model/bisected.h"
#include "report/bisectedreport.h"
#include "search/halving.h"
#include "sys/terminal.h"

#define KEY_ALL	    KEY_LONG(1)
#define KEY_KERNELS KEY_LONG(2)
#define KEY_SHARE   KEY_LONG(3)
#define KEY_DRY_RUN KEY_LONG(4)
#define KEY_FORMAT  KEY_LONG(5)
#define KEY_COLOR   KEY_LONG(6)

#define DEFAULT_SHARE 0.9
/* So few kernels are all measured: a search would save one at most, and miss what cancels out. */
#define FEW_KERNELS 4
/* Below this part of the base it is looked what unrelated code movement gives. */
#define NEUTRAL_BELOW 0.01
/* Moves every function, and executes nothing for it. */
#define NEUTRAL_OPTION "DEBUG_FORCE_FUNCTION_ALIGN_64B"

static const struct option_row rows[] = {
	MEASURE_OPTION_ROWS,
	{ KEY_ALL, "all", NULL, "measure after every step: the ladder" },
	{ KEY_KERNELS, "kernels", NULL, "the operands are an ordered list of kernels: between which two does it change?" },
	{ KEY_SHARE, "share", "PERCENT", "how much of the difference is to be found (default 90)" },
	{ KEY_DRY_RUN, "dry-run", NULL, "say what the steps are and what it would take, and do nothing" },
	{ KEY_FORMAT, "format", "FORMAT", "text (default) or json" },
	{ KEY_COLOR, "color", "WHEN", "auto (default), always or never" },
	{ 0 },
};

struct request {
	struct measure q;
	bool is_all, is_kernels, is_dry, is_json;
	double share;
	enum colour_when colour;
	struct strv kernels;
	struct steps steps;
	struct stepper stepper;
	struct bisected found;
	size_t n_points; /* of steps or kernels: 0 to n_points */
	struct stepper_cost *base_costs;
	bool *skipped;   /* points that were told of */
};

static struct built_hooks hooks(void)
{
	/* A note for each of dozens of configurations would say nothing. */
	return (struct built_hooks){ NULL, NULL, NULL };
}

/* ---- points ---- */

static char *spec_of_point(const struct request *b, size_t point)
{
	_cleanup_free_ bool *set = xcalloc(b->steps.n + 1, sizeof(*set));

	if (b->is_kernels)
		return xstrdup(b->kernels.v[point]);
	for (size_t i = 0; i < point; i++)
		set[i] = true;
	return steps_spec(&b->steps, set);
}

static const char *name_of_point(const struct request *b, size_t point)
{
	return b->is_kernels ? b->kernels.v[point] : point ? b->steps.v[point - 1].name : "the base";
}

static void note_skipped(struct request *b, const char *what, const struct error *err)
{
	strv_addf(&b->found.skipped, "%s: %s", what, error_text(err));
	progress_note(NULL, b->found.skipped.v[b->found.skipped.n - 1]);
}

/* Those of all points have to be as many, to be held against each other. */
static void keep_replicates(struct bisected_workload *w, size_t point, const struct stepper_cost *c)
{
	if (!w->n_replicates)
		w->n_replicates = c->n;
	if (c->n && c->n == w->n_replicates && !w->replicates[point])
		w->replicates[point] = xmemdup(c->replicates, c->n * sizeof(*c->replicates));
}

static int measure_point(struct request *b, size_t point, struct error *err)
{
	size_t n = b->found.n_workloads;
	_cleanup_free_ struct stepper_cost *costs = xcalloc(n + 1, sizeof(*costs));
	_cleanup_free_ char *spec = spec_of_point(b, point);
	_cleanup_free_ char *note = xasprintf("%s%s", b->is_kernels ? "" : point ? "after " : "",
					      name_of_point(b, point));
	int r;

	progress_note(NULL, note);
	r = stepper_costs(&b->stepper, spec, costs, err);
	if (r == -ENODATA && !b->skipped[point]) {
		b->skipped[point] = true;
		note_skipped(b, name_of_point(b, point), err);
	}
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		b->found.workloads[i].points[point] = costs[i].mean;
		b->found.workloads[i].ranges[point] = costs[i].range;
		keep_replicates(&b->found.workloads[i], point, &costs[i]);
	}
	if (point == 0)
		memcpy(b->base_costs, costs, n * sizeof(*costs));
	return 0;
}

/* For the search: the first workload. */
static int value(void *data, size_t point, double *ret, struct error *err)
{
	struct request *b = data;
	int r = 0;

	if (isnan(b->found.workloads[0].points[point]))
		r = measure_point(b, point, err);
	*ret = b->found.workloads[0].points[point];
	if (r == 0 && isnan(*ret))
		r = error_blame(err, ERROR_KERNEL, ENODATA, "%s: %s could not be measured", name_of_point(b, point),
				b->found.workloads[0].name);
	return r;
}

/* ---- what carries it ---- */

static int costs_of_set(struct request *b, const bool *set, double *ret, struct error *err)
{
	_cleanup_free_ struct stepper_cost *costs = xcalloc(b->found.n_workloads + 1, sizeof(*costs));
	_cleanup_free_ char *spec = steps_spec(&b->steps, set);
	int r = stepper_costs(&b->stepper, spec, costs, err);

	*ret = r == 0 ? costs[0].mean : NAN;
	return r;
}

/* On the base without the others. What cannot be had is told and is no error. */
static int measure_alone(struct request *b, struct bisected_culprit *c, struct error *err)
{
	const struct bisected_workload *w = &b->found.workloads[0];
	_cleanup_free_ bool *set = xcalloc(b->steps.n + 1, sizeof(*set));
	const struct built_hooks h = hooks();
	int r;

	if (c->from == 0) {
		c->alone = c->delta;
		return 0;
	}
	for (size_t i = c->from; i < c->to; i++)
		set[i] = true;
	if (!steps_can(&b->steps, set, &h)) {
		c->not_alone = xstrdup("cannot be set without others");
		return 0;
	}
	r = costs_of_set(b, set, &c->alone, err);
	if (r == -ENODATA) {
		c->not_alone = xstrdup(error_text(err));
		error_finish(err);
		return 0;
	}
	c->alone -= w->points[0];
	return r;
}

static int measure_together(struct request *b, struct error *err)
{
	struct bisected_workload *w = &b->found.workloads[0];
	_cleanup_free_ bool *set = xcalloc(b->steps.n + 1, sizeof(*set));
	const struct built_hooks h = hooks();
	size_t prefix = 0;
	int r;

	/* One is what was measured alone. */
	if (w->n_culprits == 1) {
		w->together = w->culprits[0].alone;
		return 0;
	}
	for (size_t i = 0; i < w->n_culprits; i++)
		for (size_t k = w->culprits[i].from; k < w->culprits[i].to; k++)
			set[k] = true;
	while (prefix < b->steps.n && set[prefix])
		prefix++;
	for (size_t i = prefix; i < b->steps.n; i++)
		if (set[i])
			prefix = SIZE_MAX;
	if (prefix != SIZE_MAX) {
		w->together = w->points[prefix] - w->points[0];
		return 0;
	}
	if (!steps_can(&b->steps, set, &h))
		return 0;
	r = costs_of_set(b, set, &w->together, err);
	if (r == -ENODATA) {
		note_skipped(b, "the found ones together", err);
		error_finish(err);
		return 0;
	}
	w->together -= w->points[0];
	return r;
}

static void take_culprits(struct request *b, const struct halving_result *h)
{
	struct bisected_workload *w = &b->found.workloads[0];
	_cleanup_free_ size_t *which = xcalloc(h->n_parts + 1, sizeof(*which));
	double floor = isnan(w->floor) ? 0 : w->floor;

	w->n_culprits = halving_culprits(h, b->share, floor, which);
	w->culprits = xcalloc(w->n_culprits + 1, sizeof(*w->culprits));
	for (size_t i = 0; i < w->n_culprits; i++) {
		const struct halving_part *p = &h->parts[which[i]];

		w->culprits[i] = (struct bisected_culprit){ .from = p->from, .to = p->to, .delta = p->delta,
							    .share = p->delta / (h->other - h->base), .alone = NAN };
	}
}

/* What code that moves gives by itself, and what the tick phases do: nothing below that is a finding. */
static int measure_floor(struct request *b, struct error *err)
{
	struct bisected_workload *w = &b->found.workloads[0];
	_cleanup_free_ struct stepper_cost *costs = xcalloc(b->found.n_workloads + 1, sizeof(*costs));
	_cleanup_free_ char *base = spec_of_point(b, 0), *neutral = xasprintf("%s," NEUTRAL_OPTION "=y", base);
	int r;

	w->floor = b->base_costs[0].range;
	if (b->is_kernels || fabs(w->points[b->n_points] - w->points[0]) > NEUTRAL_BELOW * w->points[0])
		return 0;
	progress_note(NULL, "a small difference: what does code that only moves give?");
	r = stepper_costs(&b->stepper, neutral, costs, err);
	if (r == -ENODATA) {
		note_skipped(b, "the neutral change " NEUTRAL_OPTION, err);
		error_finish(err);
		return 0;
	}
	if (r == 0)
		w->floor = fmax(w->floor, fabs(costs[0].mean - w->points[0]));
	return r;
}

static int search(struct request *b, struct error *err)
{
	struct halving h = { .n = b->n_points, .value = value, .data = b, .share = b->share };
	struct halving_result result = { 0 };
	double ignored;
	int r = value(b, 0, &ignored, err);

	if (r == 0)
		r = value(b, b->n_points, &ignored, err);
	if (r == 0)
		r = measure_floor(b, err);
	if (r < 0)
		return r == -ENODATA ? error_context(err, r, "an end of the search cannot be measured") : r;
	h.floor = b->found.workloads[0].floor;
	h.first = b->is_kernels ? 0 : b->steps.n_suspects;
	r = halving_run(&h, &result, err);
	if (r == 0)
		take_culprits(b, &result);
	halving_finish(&result);
	for (size_t i = 0; r == 0 && !b->is_kernels && i < b->found.workloads[0].n_culprits; i++)
		r = measure_alone(b, &b->found.workloads[0].culprits[i], err);
	if (r == 0 && !b->is_kernels && b->found.workloads[0].n_culprits)
		r = measure_together(b, err);
	return r;
}

/* All points; what cannot be measured is left out. */
static int climb(struct request *b, struct error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i <= b->n_points; i++) {
		r = measure_point(b, i, err);
		if (r == -ENODATA && i) {
			error_finish(err);
			r = 0;
		}
	}
	return r;
}

/* ---- before and after ---- */

static void setup_found(struct request *b, const char *base, const char *other)
{
	struct bisected *f = &b->found;

	b->n_points = b->is_kernels ? b->kernels.n - 1 : b->steps.n;
	f->base = xstrdup(base);
	f->other = xstrdup(other);
	f->is_kernels = b->is_kernels;
	f->is_ladder = b->is_all;
	f->share = b->share;
	for (size_t i = 0; i < b->n_points; i++)
		if (b->is_kernels)
			strv_addf(&f->steps, "%s -> %s", b->kernels.v[i], b->kernels.v[i + 1]);
		else
			strv_add(&f->steps, b->steps.v[i].name);
	f->n_workloads = b->q.plan.n_items;
	f->workloads = xcalloc(f->n_workloads + 1, sizeof(*f->workloads));
	for (size_t i = 0; i < f->n_workloads; i++) {
		const struct plan_item *item = &b->q.plan.items[i];
		struct bisected_workload *w = &f->workloads[i];

		*w = (struct bisected_workload){ .name = xstrdup(plan_item_name(item)),
						 .unit = xstrdup(item->workload ? item->workload->unit : "operation"),
						 .points = xcalloc(b->n_points + 1, sizeof(*w->points)),
						 .ranges = xcalloc(b->n_points + 1, sizeof(*w->ranges)),
						 .replicates = xcalloc(b->n_points + 1, sizeof(*w->replicates)),
						 .together = NAN, .floor = NAN, .is_searched = i == 0 };
		for (size_t k = 0; k <= b->n_points; k++)
			w->points[k] = w->ranges[k] = NAN;
	}
	b->base_costs = xcalloc(f->n_workloads + 1, sizeof(*b->base_costs));
	b->skipped = xcalloc(b->n_points + 1, sizeof(*b->skipped));
}

/* The points; each step alone but the first, which is a point; the found ones together; code that only moves. */
static size_t most_kernels(const struct request *b)
{
	size_t n = b->n_points;

	return b->is_kernels ? n + 1 : (n + 1) + (n - 1) + (n > 2) + 1;
}

static void print_plan(const struct request *b)
{
	size_t n = b->n_points, halvings = 0;

	while ((1u << halvings) < n)
		halvings++;
	verb_print("%zu steps, in an order in which they can be taken:\n", n);
	for (size_t i = 0; i < n; i++)
		verb_print("  %2zu  %s%s\n", i + 1, b->found.steps.v[i],
		       !b->is_kernels && i < b->steps.n_suspects ? "  [known to cost]" : "");
	if (b->is_all || (b->is_kernels && n < FEW_KERNELS))
		verb_print("Kernels to measure: %zu, one after each step.\n", n + 1);
	else
		verb_print("Kernels to measure: the two ends, then %s%zu for each step that carries the difference%s.\nAt most %zu.\n",
		       !b->is_kernels && b->steps.n_suspects ? "1 if what is known to cost carries it, about " : "about ", halvings,
		       b->is_kernels ? "" : ";\neach of these alone, and all of them together; for a small difference, 1 in which code "
					    "only moves",
		       most_kernels(b));
	if (!b->is_kernels)
		verb_print("A kernel of the small configuration takes 4 to 12 minutes to build on two slow cores; what is in the "
		       "cache takes half a minute.\n");
}

static int prepare(struct request *b, char **operands, int n, struct error *err)
{
	const struct built_hooks h = hooks();
	struct known_costs costs = { 0 };
	int r;

	if (b->is_kernels) {
		r = kernellist_expand(operands, n, &b->kernels, err);
		if (r == 0 && b->kernels.n < 2)
			r = error_blame(err, ERROR_USAGE, EINVAL, "--kernels wants two kernels or more");
		if (r == 0)
			setup_found(b, b->kernels.v[0], b->kernels.v[b->kernels.n - 1]);
		return r;
	}
	progress_note(NULL, "finding an order in which the options can be set");
	r = known_costs_load(&costs, err);
	if (r == 0)
		r = steps_find(variants_operand(&b->q, operands[0]), variants_operand(&b->q, operands[1]), &costs, &h,
			       &b->steps, err);
	known_costs_finish(&costs);
	if (r == 0)
		setup_found(b, variants_operand(&b->q, operands[0]), variants_operand(&b->q, operands[1]));
	return r;
}

static int print(const struct request *b, struct error *err)
{
	struct report_options options = { .width = terminal_width(STDOUT_FILENO),
					  .colour = terminal_wants_colour(STDOUT_FILENO, b->colour) };
	_cleanup_str_ struct str out = STR_INIT;

	if (b->is_json)
		bisected_json(&b->found, &out);
	else
		bisected_text(&b->found, &options, &out);
	if (fputs(str_text(&out), stdout) < 0 || fflush(stdout) < 0)
		return error_set(err, errno, "cannot write the report: %s", strerror(errno));
	return 0;
}

/* Of a list of kernels: what changed in the step that carries most, and where it sits. */
static int show_step(struct request *b, struct error *err)
{
	const struct bisected_workload *w = &b->found.workloads[0];
	const struct bisected_culprit *c = w->n_culprits ? &w->culprits[0] : NULL;
	_cleanup_free_ char *path = NULL;
	_cleanup_record_ struct record *pair = NULL;
	char *argv[] = { (char *)"explain", (char *)"-w", w->name, NULL, NULL };
	struct show_options show = SHOW_OPTIONS_INIT;
	int r;

	if (!b->is_kernels || b->is_json || !c)
		return 0;
	path = xasprintf("%.*s-step" RECORD_SUFFIX, (int)(strlen(b->found.record) - strlen(RECORD_SUFFIX)),
			 b->found.record);
	r = stepper_pair(&b->stepper, b->kernels.v[c->from], b->kernels.v[c->to], path, &pair, err);
	if (r < 0)
		return r;
	verb_print("\nThe step that carries most, %s -> %s:\n\n", b->kernels.v[c->from], b->kernels.v[c->to]);
	show_record(pair, &show);
	record_close(TAKE_PTR(pair));
	verb_print("\n");
	fflush(stdout);
	argv[3] = path;
	verb_explain.run(&verb_explain, 4, argv);
	return 0;
}

static int bisect(struct request *b, char **operands, int n)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	_cleanup_free_ char *base = NULL;
	int r = variants_check(&b->q, operands, b->is_kernels ? 0 : n, &err);

	if (r == 0 && !b->is_dry)
		r = measure_check_output(&b->q, &err);
	if (r == 0)
		r = prepare(b, operands, n, &err);
	if (r == 0 && b->is_dry) {
		print_plan(b);
		return EXIT_DONE;
	}
	if (r == 0) {
		base = spec_of_point(b, 0);
		r = stepper_begin(&b->stepper, &b->q, base, &err);
	}
	if (r == 0) {
		b->found.record = xstrdup(b->q.run.path);
		/* A list that is short is measured whole. */
		if (b->is_all || (b->is_kernels && b->n_points < FEW_KERNELS))
			r = climb(b, &err);
		if (r == 0 && !b->is_all)
			r = search(b, &err);
	}
	b->found.n_measured = b->stepper.n_measured;
	b->found.n_built = b->stepper.n_built;
	if (r == 0)
		r = print(b, &err);
	if (r == 0)
		r = show_step(b, &err);
	if (r == 0)
		return EXIT_DONE;
	if (b->found.record)
		verb_say("what was measured is in %s; with -o the same command goes on", b->found.record);
	/* A kernel at an end that cannot be had is no fault of this machine. */
	if (r == -ENODATA)
		err.blame = ERROR_KERNEL;
	return verb_failed(r, &err);
}

static int take_option(struct request *b, int key, const char *value)
{
	char *end;
	int r = measure_option(&b->q, key, value);

	if (r != 1)
		return r;
	switch (key) {
	case KEY_ALL:
		b->is_all = true;
		return 0;
	case KEY_KERNELS:
		b->is_kernels = true;
		return 0;
	case KEY_DRY_RUN:
		b->is_dry = true;
		return 0;
	case KEY_SHARE:
		b->share = strtod(value, &end) / 100;
		if (end == value || (*end && strcmp(end, "%") != 0) || !(b->share > 0) || b->share > 1)
			return verb_usage(b->q.verb, "--share takes per cent, up to 100, not '%s'", value);
		return 0;
	case KEY_FORMAT:
		b->is_json = strcmp(value, "json") == 0;
		if (!b->is_json && strcmp(value, "text") != 0)
			return verb_usage(b->q.verb, "--format takes text or json, not '%s'", value);
		return 0;
	default:
		if (colour_when_parse(value, &b->colour) < 0)
			return verb_usage(b->q.verb, "--color takes auto, always or never, not '%s'", value);
		return 0;
	}
}

static int check(const struct request *b, int n)
{
	const struct verb *v = b->q.verb;

	if (b->q.plan.is_clocked)
		return verb_usage(v, "a search is on counts: --engine count");
	if (!b->q.asked.n && !b->q.asked.has_operations)
		return verb_usage(v, "-w WORKLOAD is wanted: the difference in it is searched");
	if (!b->is_kernels && n != 2)
		return verb_usage(v, "two kernels that differ in options are wanted, or --kernels and a list");
	if (b->is_kernels && n < 1)
		return verb_usage(v, "--kernels wants kernels");
	return 0;
}

static int run_bisect(const struct verb *v, int argc, char **argv)
{
	struct request b = { .share = DEFAULT_SHARE, .colour = COLOUR_AUTO };
	struct options o;
	const char *value;
	int r, status = 0, first;

	measure_init(&b.q, v, argc, argv);
	verb_options_init(&o, v, argc, argv);
	while (!status && (r = verb_option(&o, &value)) > 0)
		status = take_option(&b, r, value);
	first = o.first_operand;
	verb_options_finish(&o);
	if (!status && r < 0)
		status = verb_option_status(r);
	else if (!status)
		status = check(&b, argc - first);
	if (!status && !(r < 0))
		status = measure_make_plan(&b.q);
	/* Steps are told by costs; the pair that is shown at the end has no verdict of programs. */
	b.q.nulls = 0;
	if (!status && !(r < 0)) {
		status = bisect(&b, argv + first, argc - first);
	}
	stepper_finish(&b.stepper);
	steps_finish(&b.steps);
	strv_finish(&b.kernels);
	bisected_finish(&b.found);
	free(b.base_costs);
	free(b.skipped);
	measure_finish(&b.q);
	return status;
}

const struct verb verb_bisect = {
	.name = "bisect",
	.operands = "BASE OTHER | --kernels KERNEL...",
	.summary = "Finds which options, or which kernel, a difference comes from",
	.options = rows,
	.run = run_bisect,
};
