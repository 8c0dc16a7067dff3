/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers that somebody measured: per side (a kernel, a configuration) and
 * metric the values of its runs, in their order. Made by readers, judged by
 * explain/judging.c. Everything is owned.
 */
#ifndef KTOLL_SERIES_H
#define KTOLL_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum better {
	BETTER_UNKNOWN,
	BETTER_LOWER,
	BETTER_HIGHER,
};
/* "lower", "higher"; NULL for unknown. Static. */
const char *better_name(enum better b);

struct series {
	char *side;    /* as the file names it; NULL: the file has one side */
	char *metric;  /* "time", "avc_lookup" */
	char *unit;    /* "" if it is not said */
	enum better better;
	double *values; /* finite */
	size_t n, cap;
	/* What was repeated above a run, "boot" or "build", and which one each run is of; NULL: nothing is told. */
	char *level;
	uint32_t *groups;
	size_t n_groups, cap_groups;
	bool is_mean;  /* one value, the mean of runs that are not told; `sd` may be */
	bool is_share; /* per cent of a profile's samples: a share of a whole, no measurement */
	double sd;     /* NAN: not told */
	double printed_change; /* against the base, a fraction as the file has it; NAN */
	const char *note; /* what the reader has to say of it, "code: text"; static; NULL */
	bool is_marked; /* the file calls the change significant */
};

struct series_list {
	struct series *v;
	size_t n, cap;
	char *note; /* what the reader has to say of the file: a sentence; NULL */
};

/* The one of this side (NULL is one) and metric, made if it is not there: its sd and change are NAN. */
struct series *series_of(struct series_list *l, const char *side, const char *metric);
void series_add(struct series *s, double value);
/* The same, of a boot or build with this name: all values of a series or none have one. */
void series_add_in(struct series *s, double value, const char *level, const char *group);
void series_list_finish(struct series_list *l);

#endif
