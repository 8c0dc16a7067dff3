/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A study, measured: each of its parts into a record of its own. */
#ifndef KTOLL_STUDYRUN_H
#define KTOLL_STUDYRUN_H

#include "base/str.h"
#include "cmd/verb.h"
#include "model/facts.h"
#include "model/study.h"

struct study_run {
	const struct verb *verb;
	int argc;
	char **argv;          /* for the head of records */
	const char *name;     /* of the study, for files */
	const char *file;     /* as it was given; NULL: a built-in one */
	const char *text;     /* of its file */
	size_t n_bytes;
	const char *kernel;   /* in place of the study's own; NULL */
	struct study study;
	const char *folder;   /* of the records; NULL: ktoll's own */
	bool is_full;
	struct strv only;     /* parts, variants, workloads; empty: all */
	int *keys;            /* options of measuring, for each part */
	struct strv values;
	size_t n_keys, cap_keys;
};

/* Reads the study: a built-in one's name, or a file. 0, or an exit status after a sentence. */
int study_run_begin(struct study_run *s, const char *operand);
void study_run_finish(struct study_run *s);

/* For engines: is all that --only names there; is a part among it; what of a part is run; facts for a record's head. */
int study_run_check(const struct study_run *s);
bool study_run_names_part(const struct study_run *s);
void study_run_workloads(const struct study_run *s, const struct study_part *p, struct strv *ret);
void study_run_head(const struct study_run *s, const struct study_part *p, struct facts *ret);
/* Of the records, made if it is not there; owned by the caller. */
int study_run_folder(const struct study_run *s, char **ret, struct error *err);

/* What would be measured, on standard output. */
int study_run_plan(const struct study_run *s);

/*
 * Measures. A part that cannot be is told, and the others go on; paths of the records that are there come in `ret`. 0, or the
 * worst exit status.
 */
int study_run_measure(const struct study_run *s, struct strv *ret);

#endif
