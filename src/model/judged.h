/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a report shows of measured numbers that were judged: a comparison per
 * metric and side against the base. Made by explain/judging.c; everything is
 * owned.
 */
#ifndef KTOLL_JUDGED_H
#define KTOLL_JUDGED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "model/series.h"
#include "stat/judgement.h"

struct judged_comparison {
	char *metric, *unit;
	enum better better;
	char *base, *other;       /* names of the sides */
	bool is_main;             /* of the first metric */
	struct judgement j;       /* if has_judgement; with no_ratio its descriptions, shift and ranks */
	bool has_judgement;       /* false: means without runs, or values without a ratio */
	char *no_ratio;           /* the value that has none: "patched has -2 (run 3)"; NULL */
	bool is_mean;
	double ratio;             /* other / base: of means; NAN with no_ratio */
	char *level;              /* whose means were judged: "boot", "build"; NULL: runs */
	double p_holm;            /* corrected for all comparisons of the report; NAN */
	enum judgement_verdict verdict; /* after the correction */
	char *verdict_name;       /* "slower", "more", "same", "undecided", "no-verdict" … */
	char *reason;             /* one sentence */
	struct strv warnings;     /* "code: text" */
};

/* A function's part of the time of an operation, from its share of samples and the throughput. */
struct judged_share {
	char *function;
	double base, other;       /* per cent of samples */
	double added;             /* of the time that an operation takes more: this function's part; NAN */
};

struct judged {
	struct judged_comparison *comparisons;
	size_t n, cap;
	struct judged_share *shares; /* most of the added time first */
	size_t n_shares, cap_shares;
	char *share_base, *share_other; /* their sides; NULL without shares */
	double time_ratio;        /* time per operation, other / base, that shares were turned into time with; NAN */
	size_t n_printed, n_printed_wrong; /* changes that the files print, and those that their values do not give */
	struct strv notes;        /* what readers have to say of the files: sentences */
	double threshold;
	unsigned long long seed;
};

void judged_finish(struct judged *j);

#endif
