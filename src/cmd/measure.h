/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measuring kernels into a record, for the verbs that do: options, variants, plan,
 * engine, boots.
 */
#ifndef KTOLL_MEASURE_H
#define KTOLL_MEASURE_H

#include "cmd/asked.h"
#include "cmd/show.h"
#include "guest/root.h"
#include "model/record.h"

struct measure {
	const struct verb *verb;
	struct show_options show;
	struct asked_list asked;
	struct plan plan;
	struct root root;
	uint64_t replicates; /* 0: by default */
	uint64_t nulls;      /* null boots of each variant; measure_make_plan() leaves 0 where there is no program */
	struct strv names, specs; /* of -n */
	uint64_t jobs, timeout_s;
	bool retry; /* boots of the record that have failures are done once more */
	const char *output;
	char *command;
	const char *engine; /* "count" or "vm" */
	uint64_t boots, rounds, block_ms; /* of vm; 0: by default */
	struct run run;
	size_t cap_variants;
	/* Of the first variant, which is in the run already and is not booted, and how it was booted; NULL. */
	struct outcome *given;
	char *given_cmdline;
	struct facts extra; /* for the record's head */
	/* When all variants are in the run: may add more, and extra facts. NULL. */
	int (*on_variants)(struct measure *q, struct error *err);
	void *data; /* the caller's */
	/* Is it a base for this run, whose head is filled? */
	int (*check_given)(const struct measure *q, struct error *err);
};

/* The options that these verbs share: rows for the table, and their handling. */
#define MEASURE_KEY_SEED    KEY_LONG(201)
#define MEASURE_KEY_ENGINE  KEY_LONG(202)
#define MEASURE_KEY_TIMEOUT KEY_LONG(203)
#define MEASURE_KEY_BOOTS   KEY_LONG(204)
#define MEASURE_KEY_ROUNDS  KEY_LONG(205)
#define MEASURE_KEY_BLOCK   KEY_LONG(206)
#define MEASURE_KEY_RETRY   KEY_LONG(207)
#define MEASURE_KEY_NULL    KEY_LONG(208)
#define MEASURE_KEY_NO_NULL KEY_LONG(209)
/* Null boots of each kernel by default. */
#define MEASURE_NULLS 4
#define MEASURE_OPTION_ROWS                                                                        \
	{ 'w', "workload", "WORKLOAD", "an operation or a program, several with commas (default: all operations)" }, \
	{ 'n', "name", "NAME=SPEC", "a short name for a kernel spec, to be used in its place" },   \
	{ MEASURE_KEY_ENGINE, "engine", "ENGINE", "count (default): instructions; vm: wall clock" },     \
	{ MEASURE_KEY_BOOTS, "boots", "N", "engine vm: boots of all kernels, the replicates (default 3)" }, \
	{ MEASURE_KEY_ROUNDS, "rounds", "N", "engine vm: each has every kernel twice, there and back (10)" }, \
	{ MEASURE_KEY_BLOCK, "block", "MS", "engine vm: how long operations run at a time (100)" }, \
	{ 'r', "replicates", "N", "regions per operation, each at another tick phase (default 10; programs 2, in each boot)" }, \
	{ 'j', "jobs", "N", "boots at a time (default: one per core)" },                           \
	{ MEASURE_KEY_SEED, "seed", "N", "tick phases and guest entropy are drawn from it (default 1)" }, \
	{ MEASURE_KEY_TIMEOUT, "timeout", "SECONDS", "of QEMU's processor time that a guest may take without a report (180)" }, \
	{ MEASURE_KEY_RETRY, "retry", NULL, "measure boots once more that failed" }, \
	{ 'o', "output", "RECORD", "where the record goes; an unfinished one is resumed" }

/* And of those that give verdicts. */
#define MEASURE_NULL_ROWS                                                                          \
	{ MEASURE_KEY_NULL, "null", "N", "programs: boots of each kernel more, for how far what means nothing moves them (4)" }, \
	{ MEASURE_KEY_NO_NULL, "no-null", NULL, "programs: without these boots, and without verdicts" }

/* argv for the record's head. */
void measure_init(struct measure *q, const struct verb *v, int argc, char **argv);
/* 0 if it was one of these options, 1 if not, or an exit status above 1 after a sentence. */
int measure_option(struct measure *q, int key, const char *value);
/* After the options: what is run, and how often. 0, or an exit status after a sentence. */
int measure_make_plan(struct measure *q);
void measure_finish(struct measure *q);

/* Before anything is fetched or built: can the record of -o be written? */
int measure_check_output(const struct measure *q, struct error *err);
/* A guest root with all that the programs need, if there are any; the first variant says for which architecture. */
int measure_root(struct measure *q, struct error *err);
/*
 * The operands' kernels, measured: `ret` is the record with all outcomes. On failure what was measured
 * stays in it, and a sentence says where.
 */
int measure_run(struct measure *q, char **operands, int n, struct record **ret, struct error *err);

#endif
