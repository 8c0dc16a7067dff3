/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A verb of the command line and its options: one table that feeds parsing,
 * --help, the shell completions and the check that every option stands in the
 * manual. Verbs print; nothing below them does.
 */
#ifndef KTOLL_VERB_H
#define KTOLL_VERB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Exit status, the same for every verb. */
enum {
	EXIT_DONE = 0,
	EXIT_DIFFERENT = 1,   /* with --exit-code */
	EXIT_UNMEASURED = 125, /* a kernel under test could not be measured */
	EXIT_HOST = 128,      /* this machine, or the command's inputs */
	EXIT_USAGE = 129,
	EXIT_INTERRUPTED = 130,
};

struct option_row {
	int key;          /* the short option, a letter; or KEY_LONG(n): only long */
	const char *name; /* long option */
	const char *arg;  /* what it takes, in capitals; NULL: nothing */
	const char *help;
};
/* Keys of options without a letter. */
#define KEY_LONG(n) (1000 + (n))

struct verb {
	const char *name, *operands, *summary;
	const struct option_row *options; /* ends with a row without a name */
	int (*run)(const struct verb *v, int argc, char **argv);
};

extern const struct verb verb_bisect, verb_compare, verb_diffconfig, verb_explain, verb_gate, verb_judge, verb_live, verb_report, verb_list, verb_run, verb_doctor;

struct options {
	const struct verb *verb;
	int argc;
	char **argv;
	int first_operand; /* in argv, once verb_option() has returned 0 */
	void *parser;      /* verb.c's own */
};

/* argv[0] is the verb. verb_options_finish() in the end. */
void verb_options_init(struct options *o, const struct verb *v, int argc, char **argv);
void verb_options_finish(struct options *o);

/*
 * The next option: its key, with `value` in argv or NULL; 0 at the end; or
 * -EINVAL after a sentence on stderr. --help is answered inside: -EAGAIN.
 */
int verb_option(struct options *o, const char **value);
/* The exit status for what verb_option() said. */
int verb_option_status(int r);

/* Prints `ktoll: SENTENCE` to stderr and gives the exit status that goes with it. */
int verb_failed(int rc, const struct error *err);
/* A wrong value of an option: the sentence, and EXIT_USAGE. */
/*
 * A line on standard error, "ktoll: " in front; and text on standard output. Whatever is in them, of records, of
 * arguments, of other programs, there is nothing that a terminal acts on.
 */
void verb_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void verb_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int verb_usage(const struct verb *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void verb_help(const struct verb *v);
/* The command line as it can be pasted; owned by the caller. */
char *verb_command(int argc, char **argv);

#endif
