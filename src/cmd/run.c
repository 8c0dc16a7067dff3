/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "cmd/measure.h"
#include "cmd/rerun.h"
#include "cmd/studylive.h"
#include "cmd/studyrun.h"

#define KEY_KERNEL  KEY_LONG(1)
#define KEY_ONLY    KEY_LONG(2)
#define KEY_FULL    KEY_LONG(3)
#define KEY_DRY_RUN KEY_LONG(4)
#define KEY_TRUST   KEY_LONG(5)

static const struct option_row rows[] = {
	{ KEY_KERNEL, "kernel", "SPEC", "a study: this kernel in place of the one that it is about" },
	{ KEY_ONLY, "only", "NAME", "a study: only this part, kernel or workload; several times" },
	{ KEY_FULL, "full", NULL, "a study: the whole set of workloads, where it has a short one" },
	{ KEY_TRUST, "trust", NULL, "a record: build and run what it names on this machine without asking" },
	{ KEY_DRY_RUN, "dry-run", NULL, "say what would be measured, and do nothing" },
	{ 'o', "output", "FOLDER", "where the records go; those that are there are resumed (of a RECORD: the new one)" },
	{ MEASURE_KEY_ENGINE, "engine", "ENGINE", "count (default): instructions; vm: wall clock; live: the running kernel" },
	{ MEASURE_KEY_BOOTS, "boots", "N", "engine vm: boots of all kernels, the replicates (default 3)" },
	{ MEASURE_KEY_ROUNDS, "rounds", "N", "engines vm and live: each has every kernel twice, there and back (10, 20)" },
	{ MEASURE_KEY_BLOCK, "block", "MS", "engines vm and live: how long operations run at a time (100)" },
	{ 'r', "replicates", "N", "regions per operation, each at another tick phase" },
	MEASURE_NULL_ROWS,
	{ 'j', "jobs", "N", "boots at a time (default: one per core)" },
	{ MEASURE_KEY_SEED, "seed", "N", "tick phases and guest entropy are drawn from it (default 1)" },
	{ MEASURE_KEY_TIMEOUT, "timeout", "SECONDS", "of QEMU's processor time that a guest may take without a report (180)" },
	{ MEASURE_KEY_RETRY, "retry", NULL, "measure boots once more that failed" },
	{ SHOW_KEY_FORMAT, "format", "FORMAT", "text (default), json or lkml" },
	{ SHOW_KEY_COLOR, "color", "WHEN", "auto (default), always or never" },
	{ 0 },
};

struct request {
	struct study_run study;
	struct show_options show;
	bool is_dry, is_live, is_trusted;
};

static int take_option(struct request *q, int key, const char *value)
{
	struct study_run *s = &q->study;
	struct measure probe;
	int status;

	switch (key) {
	case KEY_KERNEL:
		s->kernel = value;
		return 0;
	case KEY_ONLY:
		strv_add(&s->only, value);
		return 0;
	case KEY_FULL:
		s->is_full = true;
		return 0;
	case KEY_TRUST:
		q->is_trusted = true;
		return 0;
	case KEY_DRY_RUN:
		q->is_dry = true;
		return 0;
	case 'o':
		s->folder = value;
		return 0;
	case SHOW_KEY_FORMAT:
	case SHOW_KEY_COLOR:
		return show_option(&q->show, s->verb, key, value);
	}
	if (key == MEASURE_KEY_ENGINE && strcmp(value, "live") == 0) {
		q->is_live = true;
		return 0;
	}
	/* Said again for each record: is it right? */
	measure_init(&probe, s->verb, s->argc, s->argv);
	status = measure_option(&probe, key, value);
	measure_finish(&probe);
	*ARRAY_ADD(s->keys, s->n_keys, s->cap_keys) = key;
	strv_add(&s->values, value);
	return status;
}

static bool is_record(const char *operand)
{
	return str_has_suffix(operand, RECORD_SUFFIX);
}

/* Each part as it is by itself, or one mail for all. */
static int show(const struct request *q, const struct strv *paths)
{
	int status = 0;

	if (!paths->n)
		return 0;
	if (strcmp(q->show.format, "text") != 0)
		return show_records(paths->v, paths->n, &q->show);
	for (size_t i = 0; i < paths->n; i++) {
		_cleanup_error_ struct error err = ERROR_INIT;
		_cleanup_record_ struct record *rec = NULL;
		int r = record_open(paths->v[i], false, &rec, &err), one;

		one = r < 0 ? verb_failed(r, &err) : show_record(rec, &q->show);
		if (one > status)
			status = one;
	}
	return status;
}

static int run_study(struct request *q, const char *operand)
{
	_cleanup_strv_ struct strv paths = { 0 };
	int status = study_run_begin(&q->study, operand), shown;

	if (status)
		return status;
	if (q->is_dry)
		return study_run_plan(&q->study);
	if (q->is_live)
		return study_live(&q->study, &q->show);
	status = study_run_measure(&q->study, &paths);
	if (status == EXIT_INTERRUPTED)
		return status;
	shown = show(q, &paths);
	return shown > status ? shown : status;
}

static int run_record(struct request *q, const char *operand)
{
	const struct study_run *s = &q->study;

	if (s->kernel || s->only.n || s->is_full)
		return verb_usage(s->verb, "--kernel, --only and --full are for studies: a record is run as it was");
	if (s->n_keys || q->is_live)
		return verb_usage(s->verb, "options of measuring are for studies: a record is run as it was");
	return rerun_record(s->verb, s->argc, s->argv, operand, s->folder, q->is_dry, q->is_trusted);
}

static int run(const struct verb *v, int argc, char **argv)
{
	struct request q = { .study = { .verb = v, .argc = argc, .argv = argv }, .show = SHOW_OPTIONS_INIT };
	struct options o;
	const char *value;
	int r, status = 0, first;

	verb_options_init(&o, v, argc, argv);
	while (!status && (r = verb_option(&o, &value)) > 0)
		status = take_option(&q, r, value);
	first = o.first_operand;
	verb_options_finish(&o);
	if (!status && r < 0)
		status = verb_option_status(r);
	else if (!status && argc - first != 1)
		status = verb_usage(v, "a study or a record is wanted; ktoll list studies names those that there are");
	else if (!status)
		status = is_record(argv[first]) ? run_record(&q, argv[first]) : run_study(&q, argv[first]);
	study_run_finish(&q.study);
	return status;
}

const struct verb verb_run = {
	.name = "run",
	.operands = "STUDY|RECORD",
	.summary = "Runs a study, or once more what is in a record",
	.options = rows,
	.run = run,
};
