/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "cmd/measure.h"

static const struct option_row rows[] = {
	MEASURE_OPTION_ROWS,
	MEASURE_NULL_ROWS,
	SHOW_OPTION_ROWS,
	{ 0 },
};

static int compare(struct measure *q, char **operands, int n)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	_cleanup_record_ struct record *rec = NULL;
	int r = measure_run(q, operands, n, &rec, &err);

	return r < 0 ? verb_failed(r, &err) : show_record(rec, &q->show);
}

static int run_compare(const struct verb *v, int argc, char **argv)
{
	struct measure q;
	struct options o;
	const char *value;
	int r, status = 0, first;

	measure_init(&q, v, argc, argv);
	verb_options_init(&o, v, argc, argv);
	while (!status && (r = verb_option(&o, &value)) > 0)
		status = measure_option(&q, r, value);
	first = o.first_operand;
	verb_options_finish(&o);
	if (!status && r < 0)
		status = verb_option_status(r);
	else if (!status && argc - first < 2)
		status = verb_usage(v, "a base and at least one other kernel are wanted");
	else if (!status) {
		status = measure_make_plan(&q);
		if (!status)
			status = compare(&q, argv + first, argc - first);
	}
	measure_finish(&q);
	return status;
}

const struct verb verb_compare = {
	.name = "compare",
	.operands = "BASE OTHER...",
	.summary = "Boots kernels, counts what they execute, and compares",
	.options = rows,
	.run = run_compare,
};
