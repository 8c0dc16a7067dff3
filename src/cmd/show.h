/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a record to a report on standard output: what compare ends with and report does. */
#ifndef KTOLL_SHOW_H
#define KTOLL_SHOW_H

#include <stdbool.h>

#include "cmd/verb.h"
#include "model/record.h"
#include "model/result.h"

struct show_options {
	const char *format;  /* "text" or "json" */
	const char *color;   /* "auto", "always" or "never" */
	double threshold;    /* fraction: a smaller difference is called the same; below 0: the engine's own */
	bool full;           /* functions of every operation */
	bool exit_code;      /* 1 if there is a difference */
};

#define SHOW_OPTIONS_INIT ((struct show_options){ .format = "text", .color = "auto", .threshold = -1 })

/* The options that compare and report share: rows for the table, and their handling. */
#define SHOW_KEY_THRESHOLD KEY_LONG(100)
#define SHOW_KEY_FULL	   KEY_LONG(101)
#define SHOW_KEY_EXIT_CODE KEY_LONG(102)
#define SHOW_KEY_COLOR	   KEY_LONG(103)
#define SHOW_KEY_FORMAT	   KEY_LONG(104)
#define SHOW_OPTION_ROWS                                                                           \
	{ SHOW_KEY_FORMAT, "format", "FORMAT", "text (default), json or lkml (a mail)" },         \
	{ SHOW_KEY_THRESHOLD, "threshold", "PERCENT", "call smaller differences the same (counts 0, clocks 1)" }, \
	{ SHOW_KEY_FULL, "full", NULL, "show the functions of every operation" },                  \
	{ SHOW_KEY_EXIT_CODE, "exit-code", NULL, "exit with 1 if there is a difference" },         \
	{ SHOW_KEY_COLOR, "color", "WHEN", "auto (default), always or never" }

/* 0 if it was one of these options, 1 if it was not, or an exit status above 1 after a sentence. */
int show_option(struct show_options *o, const struct verb *v, int key, const char *value);

/* The same for a verb that writes no mail: its --format is text or json. */
int show_option_tables(struct show_options *o, const struct verb *v, int key, const char *value);

/*
 * The run and its result, with the configs compared. Both, which start as { 0 }, are to be
 * finished in any case, the result first.
 */
int show_load(struct record *rec, double threshold, struct run *ret_run, struct result *ret,
	      struct error *err);
/* Several records beside each other. */
int show_records(char **paths, size_t n, const struct show_options *o);
/* Prints the report of the record; the exit status of the verb. */
int show_record(struct record *rec, const struct show_options *o);

#endif
