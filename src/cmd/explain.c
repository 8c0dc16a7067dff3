/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cmd/show.h"
#include "explain/explanation.h"
#include "explain/listing.h"
#include "report/explained.h"
#include "report/listed.h"
#include "report/number.h"
#include "sys/terminal.h"

#define KEY_BY KEY_LONG(200)

static const struct option_row rows[] = {
	{ 'w', "workload", "WORKLOAD", "only this one, as the record names it" },
	{ KEY_BY, "by", "WHAT", "mechanism (default), function, or instruction: of one FUNCTION" },
	{ SHOW_KEY_FORMAT, "format", "FORMAT", "text (default) or json" },
	{ SHOW_KEY_FULL, "full", NULL, "every row, also those without a difference" },
	{ SHOW_KEY_COLOR, "color", "WHEN", "auto (default), always or never" },
	{ 0 },
};

enum by {
	BY_MECHANISM,
	BY_FUNCTION,
	BY_INSTRUCTION,
};

struct request {
	struct show_options show;
	const char *workload, *path, *function;
	enum by by;
	struct report_options report;
};

static int take_by(const struct verb *v, const char *value, enum by *ret)
{
	static const char *const names[] = { "mechanism", "function", "instruction" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(value, names[i]) == 0) {
			*ret = (enum by)i;
			return 0;
		}
	return verb_usage(v, "--by takes mechanism, function or instruction, not '%s'", value);
}

/* Is there such a workload? */
static int check_workload(const struct result *r, const char *workload, struct error *err)
{
	_cleanup_strv_ struct strv names = { 0 };
	_cleanup_free_ char *list = NULL;

	for (size_t i = 0; i < r->n_cells; i++) {
		if (!workload || strcmp(r->cells[i].workload, workload) == 0)
			return 0;
		if (!strv_has(&names, r->cells[i].workload))
			strv_add(&names, r->cells[i].workload);
	}
	list = strv_join(&names, ", ");
	return error_blame(err, ERROR_USAGE, EINVAL, "-w %s: the record has %s", workload, list);
}

static int explain_differences(const struct request *q, const struct explain_request *e,
			       struct str *out, struct error *err)
{
	struct explanation *list;
	size_t n;
	int r = explanation_make(e, &list, &n, err);

	if (r < 0)
		return r;
	if (strcmp(q->show.format, "json") == 0)
		explained_json(e->result, list, n, out);
	else
		explained_text(e->result, list, n, &q->report, out);
	for (size_t i = 0; i < n; i++)
		explanation_finish(&list[i]);
	free(list);
	return 0;
}

/* As bytes, where there is no disassembler. */
static char *bytes_text(const struct code_insn *c)
{
	struct str s = STR_INIT;

	for (size_t i = 0; i < c->len; i++)
		str_addf(&s, "%s%02x", i ? " " : "", c->bytes[i]);
	return str_take(&s);
}

static void show_listing(const struct request *q, const struct result *res,
			 const struct result_cell *c, const struct listings *all, size_t which,
			 struct str *out)
{
	const struct listing *l = &all->v[which];
	_cleanup_free_ struct listed_insn *v = xcalloc(l->n, sizeof(*v));
	_cleanup_free_ char *title = NULL;
	int64_t sum = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct listing_insn *in = &l->v[i];

		sum += in->count;
		v[i] = (struct listed_insn){ .offset = in->code.addr - l->start,
					     .per_op = (double)in->count / (double)all->ops,
					     .text = in->text ? in->text : bytes_text(&in->code),
					     .target = in->target,
					     .mechanism = in->mechanism,
					     .inlined = in->inlined };
	}
	title = xasprintf("%s, %s: %s, %s instructions per operation", c->workload,
			  res->run->variants[c->variant].name, l->name,
			  number_text((double)sum / (double)all->ops, false).s);
	listed_text(title, v, l->n, &q->report, out);
	for (size_t i = 0; i < l->n; i++)
		if (!l->v[i].text)
			free((char *)v[i].text);
}

/* The function on every variant, for every workload that is wanted and ran it. */
static int list_instructions(const struct request *q, const struct explain_request *e,
			     struct str *out, struct error *err)
{
	const struct result *res = e->result;
	bool any = false;
	int r = 0;

	for (size_t i = 0; r == 0 && i < res->n_cells; i++) {
		const struct result_cell *c = &res->cells[i];
		struct listings l = { 0 };

		if (!c->n || (q->workload && strcmp(q->workload, c->workload) != 0))
			continue;
		r = listings_make(e, c->variant, c->workload, q->function, &l, err);
		for (size_t j = 0; r == 0 && j < l.n; j++)
			show_listing(q, res, c, &l, j, out);
		any |= l.n > 0;
		listings_finish(&l);
	}
	if (r == 0 && !any)
		r = error_blame(err, ERROR_USAGE, ENOENT, "%s: nothing of it was executed", q->function);
	return r;
}

static int explain(const struct request *q)
{
	_cleanup_record_ struct record *rec = NULL;
	_cleanup_error_ struct error err = ERROR_INIT;
	_cleanup_str_ struct str out = STR_INIT;
	struct result result = { 0 };
	struct run run = { 0 };
	int r = record_open(q->path, false, &rec, &err);

	if (r == 0)
		r = show_load(rec, 0, &run, &result, &err);
	if (r == 0)
		r = result.clocked ? error_set(&err, EINVAL, "%s: of engine %s; an explanation needs the counts of engine count",
					      q->path, facts_text(&run.head, "engine")) :
				     check_workload(&result, q->workload, &err);
	if (r == 0) {
		const struct explain_request e = { rec, &result, q->workload, q->by == BY_FUNCTION };

		r = q->by == BY_INSTRUCTION ? list_instructions(q, &e, &out, &err) :
					      explain_differences(q, &e, &out, &err);
	}
	if (r == 0 && (fputs(str_text(&out), stdout) < 0 || fflush(stdout) < 0))
		r = error_set(&err, errno, "cannot write the explanation: %s", strerror(errno));
	result_finish(&result);
	run_finish(&run);
	return r < 0 ? verb_failed(r, &err) : EXIT_DONE;
}

static int check(const struct verb *v, struct request *q, int n_operands)
{
	enum colour_when when = COLOUR_AUTO;

	if (n_operands < 1 || n_operands > 2)
		return verb_usage(v, "a record is wanted, and with --by instruction a function");
	if ((q->by == BY_INSTRUCTION) != (n_operands == 2))
		return verb_usage(v, q->by == BY_INSTRUCTION ?
					     "--by instruction wants the name of a function" :
					     "a function is listed with --by instruction");
	if (q->by == BY_INSTRUCTION && strcmp(q->show.format, "text") != 0)
		return verb_usage(v, "--by instruction is shown as text only");
	colour_when_parse(q->show.color, &when);
	q->report = (struct report_options){ .width = terminal_width(STDOUT_FILENO),
					     .colour = terminal_wants_colour(STDOUT_FILENO, when),
					     .full = q->show.full };
	return 0;
}

static int run_explain(const struct verb *v, int argc, char **argv)
{
	struct request q = { .show = SHOW_OPTIONS_INIT };
	struct options o;
	const char *value;
	int r, status = 0, n;

	verb_options_init(&o, v, argc, argv);
	while (!status && (r = verb_option(&o, &value)) > 0) {
		if (r == 'w')
			q.workload = value;
		else if (r == KEY_BY)
			status = take_by(v, value, &q.by);
		else
			status = show_option_tables(&q.show, v, r, value);
	}
	n = argc - o.first_operand;
	q.path = n > 0 ? argv[o.first_operand] : NULL;
	q.function = n > 1 ? argv[o.first_operand + 1] : NULL;
	verb_options_finish(&o);
	if (status)
		return status;
	if (r < 0)
		return verb_option_status(r);
	status = check(v, &q, n);
	return status ? status : explain(&q);
}

const struct verb verb_explain = {
	.name = "explain",
	.operands = "RECORD [FUNCTION]",
	.summary = "Says which mechanisms and functions a difference is made of",
	.options = rows,
	.run = run_explain,
};
