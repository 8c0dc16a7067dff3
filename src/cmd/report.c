/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/show.h"

#include <string.h>
#include <sys/stat.h>

static const struct option_row rows[] = { SHOW_OPTION_ROWS, { 0 } };

/* The first operand that is the same file as one before it; NULL. */
static const char *find_twice(char **paths, int n)
{
	struct stat a, b;

	for (int i = 1; i < n; i++)
		for (int k = 0; k < i; k++)
			if (strcmp(paths[i], paths[k]) == 0 || (stat(paths[i], &a) == 0 && stat(paths[k], &b) == 0 &&
								a.st_dev == b.st_dev && a.st_ino == b.st_ino))
				return paths[i];
	return NULL;
}

static int run_report(const struct verb *v, int argc, char **argv)
{
	struct show_options show = SHOW_OPTIONS_INIT;
	_cleanup_record_ struct record *rec = NULL;
	_cleanup_error_ struct error err = ERROR_INIT;
	struct options o;
	const char *value;
	char **paths;
	int r, status = 0, n;

	verb_options_init(&o, v, argc, argv);
	while (!status && (r = verb_option(&o, &value)) > 0)
		status = show_option(&show, v, r, value);
	n = argc - o.first_operand;
	paths = argv + o.first_operand;
	verb_options_finish(&o);
	if (status)
		return status;
	if (r < 0)
		return verb_option_status(r);
	if (n < 1)
		return verb_usage(v, "a record is wanted");
	if (find_twice(paths, n))
		return verb_usage(v, "%s is there twice: name each record once", find_twice(paths, n));
	if (n > 1)
		return show_records(paths, (size_t)n, &show);
	r = record_open(paths[0], false, &rec, &err);
	return r < 0 ? verb_failed(r, &err) : show_record(rec, &show);
}

const struct verb verb_report = {
	.name = "report",
	.operands = "RECORD...",
	.summary = "Shows what a record holds, measuring nothing",
	.options = rows,
	.run = run_report,
};
