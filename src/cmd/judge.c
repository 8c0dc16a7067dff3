/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cmd/show.h"
#include "explain/judging.h"
#include "readers/reader.h"
#include "report/judgedreport.h"
#include "sys/terminal.h"

#define KEY_TOOL	 KEY_LONG(300)
#define KEY_BETTER	 KEY_LONG(301)
#define KEY_UNIT	 KEY_LONG(302)
#define KEY_BASE	 KEY_LONG(303)
#define KEY_OP		 KEY_LONG(304)
#define KEY_NO_BOOTSTRAP KEY_LONG(305)
#define KEY_SEED	 KEY_LONG(306)

#define DEFAULT_THRESHOLD 0.01
#define MAX_BYTES (256u << 20)

static const struct option_row rows[] = {
	{ KEY_TOOL, "tool", "TOOL", "what printed the files (default: recognised)" },
	{ KEY_BETTER, "better", "WHICH", "of bare numbers: higher or lower" },
	{ KEY_UNIT, "unit", "UNIT", "of bare numbers" },
	{ KEY_BASE, "base", "NAME", "the side to compare with (default: the first)" },
	{ KEY_OP, "op", "OPERATION", "what is measured, for what is known of it" },
	{ SHOW_KEY_THRESHOLD, "threshold", "PERCENT", "differences that do not matter (default 1)" },
	{ KEY_NO_BOOTSTRAP, "no-bootstrap", NULL, "Welch's interval decides, whatever the number of runs" },
	{ KEY_SEED, "seed", "N", "of the bootstrap (default 1)" },
	{ SHOW_KEY_FORMAT, "format", "FORMAT", "text (default) or json" },
	{ SHOW_KEY_FULL, "full", NULL, "every metric, with all there is to say" },
	{ SHOW_KEY_EXIT_CODE, "exit-code", NULL, "exit with 1 if there is a difference" },
	{ SHOW_KEY_COLOR, "color", "WHEN", "auto (default), always or never" },
	{ 0 },
};

struct request {
	struct show_options show;
	struct judging_options judging;
	const struct reader *reader;
};

static int take_tool(const struct verb *v, const char *value, struct request *q)
{
	_cleanup_str_ struct str known = STR_INIT;

	q->reader = reader_find(value);
	if (q->reader)
		return 0;
	for (size_t i = 0; reader_at(i); i++)
		str_addf(&known, "%s%s", i ? ", " : "", reader_at(i)->name);
	return verb_usage(v, "--tool %s: known are %s", value, str_text(&known));
}

static int take_option(const struct verb *v, struct request *q, int key, const char *value)
{
	switch (key) {
	case KEY_TOOL:
		return take_tool(v, value, q);
	case KEY_BETTER:
		q->judging.better = strcmp(value, "higher") == 0 ? BETTER_HIGHER :
				    strcmp(value, "lower") == 0	 ? BETTER_LOWER : BETTER_UNKNOWN;
		return q->judging.better ? 0 : verb_usage(v, "--better takes higher or lower, not '%s'", value);
	case KEY_UNIT:
		q->judging.unit = value;
		return 0;
	case KEY_BASE:
		q->judging.base = value;
		return 0;
	case KEY_OP:
		q->judging.operation = value;
		return strstr(value, "rcu_read_lock") ? 0 : verb_usage(v, "--op: nothing is known of %s; of rcu_read_lock it is", value);
	case KEY_NO_BOOTSTRAP:
		q->judging.no_bootstrap = true;
		return 0;
	case KEY_SEED:
		return str_to_u64(value, 0, UINT64_MAX, &q->judging.seed) < 0 ?
			       verb_usage(v, "--seed takes a number, not '%s'", value) : 0;
	default:
		return show_option_tables(&q->show, v, key, value);
	}
}

static int read_stdin(char **ret, struct error *err)
{
	_cleanup_str_ struct str s = STR_INIT;
	char buffer[65536];
	size_t n;

	while ((n = fread(buffer, 1, sizeof(buffer), stdin)) && s.len <= MAX_BYTES)
		str_add_bytes(&s, buffer, n);
	if (ferror(stdin))
		return error_set(err, EIO, "cannot read standard input: %s", strerror(errno));
	if (s.len > MAX_BYTES)
		return error_blame(err, ERROR_USAGE, EFBIG, "standard input is larger than %u MiB: give the part that matters",
				   MAX_BYTES >> 20);
	n = s.len;
	*ret = str_take(&s);
	return text_check(*ret ? *ret : "", n, "standard input", err);
}

/* "log/a.txt" is "a", as long as that tells files apart. */
static char *side_name(char **paths, size_t n, size_t i)
{
	const char *slash = strrchr(paths[i], '/'), *base = slash ? slash + 1 : paths[i];
	const char *dot = strrchr(base, '.');
	size_t len = dot && dot > base ? (size_t)(dot - base) : strlen(base);

	size_t n_before = 0;

	for (size_t k = 0; k < i; k++)
		n_before += strcmp(paths[k], paths[i]) == 0;
	if (n_before)
		return xasprintf("%s (%zu)", paths[i], n_before + 1);
	if (strcmp(paths[i], "-") == 0)
		return xstrdup("standard input");
	for (size_t k = 0; k < n; k++) {
		const char *other = strrchr(paths[k], '/');

		other = other ? other + 1 : paths[k];
		if (k != i && strncmp(base, other, len) == 0 && (!other[len] || other[len] == '.'))
			return xstrdup(paths[i]);
	}
	return xstrndup(base, len);
}

/* The series of a file, whose sides without a name become the file's. */
static int add_file(const struct request *q, char **paths, size_t n, size_t i, struct series_list *all,
		    struct strv *notes, struct error *err)
{
	_cleanup_free_ char *text = NULL, *name = side_name(paths, n, i);
	struct series_list list = { 0 };
	int r = strcmp(paths[i], "-") == 0 ? read_stdin(&text, err) :
					     file_read(paths[i], &text, NULL, err);

	if (r < 0)
		return r;
	r = reader_series(q->reader, text ? text : "", &list, err);
	if (r < 0)
		return error_context(err, r, "%s", paths[i]);
	for (size_t k = 0; k < list.n; k++) {
		struct series *s = ARRAY_ADD(all->v, all->n, all->cap);

		*s = list.v[k];
		/* Of several files with several sides each, all belong to the file. */
		if (!s->side)
			s->side = xstrdup(name);
	}
	if (list.note)
		strv_addf(notes, "%s: %s", strcmp(paths[i], "-") == 0 ? name : paths[i], list.note);
	free(list.note);
	free(list.v);
	return 0;
}

static int status_of(const struct judged *j, const struct show_options *o)
{
	for (size_t i = 0; o->exit_code && i < j->n; i++)
		if (j->comparisons[i].verdict == JUDGED_HIGHER || j->comparisons[i].verdict == JUDGED_LOWER)
			return EXIT_DIFFERENT;
	return EXIT_DONE;
}

static int judge_files(const struct request *q, char **paths, size_t n)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	_cleanup_str_ struct str out = STR_INIT;
	struct report_options options = { .width = terminal_width(STDOUT_FILENO), .full = q->show.full };
	enum colour_when when = COLOUR_AUTO;
	struct series_list series = { 0 };
	struct judged judged = { 0 };
	struct strv notes = { 0 };
	int r = 0, status;

	colour_when_parse(q->show.color, &when);
	options.colour = terminal_wants_colour(STDOUT_FILENO, when);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_file(q, paths, n, i, &series, &notes, &err);
	if (r == 0)
		r = judging_make(&series, &q->judging, &judged, &err);
	if (r == 0)
		judged.notes = notes, notes = (struct strv){ 0 };
	if (r == 0 && strcmp(q->show.format, "json") == 0)
		judged_json(&judged, &out);
	else if (r == 0)
		judged_text(&judged, &options, &out);
	if (r == 0 && (fputs(str_text(&out), stdout) < 0 || fflush(stdout) < 0))
		r = error_set(&err, errno, "cannot write the report: %s", strerror(errno));
	status = r < 0 ? verb_failed(r, &err) : status_of(&judged, &q->show);
	judged_finish(&judged);
	strv_finish(&notes);
	series_list_finish(&series);
	return status;
}

static int run_judge(const struct verb *v, int argc, char **argv)
{
	struct request q = { .show = SHOW_OPTIONS_INIT, .judging = { .seed = 1 } };
	struct options o;
	const char *value;
	int r, status = 0, first;

	q.show.threshold = DEFAULT_THRESHOLD;
	verb_options_init(&o, v, argc, argv);
	while (!status && (r = verb_option(&o, &value)) > 0)
		status = take_option(v, &q, r, value);
	first = o.first_operand;
	verb_options_finish(&o);
	if (status)
		return status;
	if (r < 0)
		return verb_option_status(r);
	if (first >= argc)
		return verb_usage(v, "a file with the numbers is wanted, or one for each side; - is standard input");
	q.judging.threshold = q.show.threshold;
	return judge_files(&q, argv + first, (size_t)(argc - first));
}

const struct verb verb_judge = {
	.name = "judge",
	.operands = "FILE...",
	.summary = "Says what numbers that somebody measured show",
	.options = rows,
	.run = run_judge,
};
