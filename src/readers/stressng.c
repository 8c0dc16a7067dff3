/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stress-ng with --metrics or --metrics-brief: the rows "kill  BOGO-OPS REAL USR SYS OPS/S OPS/S"
 * of its table, of a stressor each. Of one that ran in several instances the row is their sum.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "readers/lines.h"
#include "readers/reader.h"

#define NAME "abcdefghijklmnopqrstuvwxyz0123456789-_"

static bool is_stress_ng(const char *line)
{
	return str_has_prefix(line, "stress-ng: ");
}

static bool recognise(const char *text)
{
	return lines_any(text, is_stress_ng);
}

/* "stress-ng: metrc: [5813] ", before version 0.15 "info: ". */
static bool scan_head(const char **at)
{
	double pid;

	return scan_word(at, "stress-ng:") && (scan_word(at, "metrc:") || scan_word(at, "info:")) &&
	       scan_word(at, "[") && scan_number(at, &pid) && scan_word(at, "]");
}

/* "failed: 2: vm (2)": more than none. */
static bool is_some(const char *at, const char *word)
{
	double n;

	return scan_word(&at, word) && scan_number(&at, &n) && n > 0;
}

enum { COLUMN_OPS, COLUMN_REAL, COLUMN_USR, COLUMN_SYS, COLUMN_RATE, COLUMN_CPU_RATE, N_COLUMNS };

static int take_row(const struct lines *l, const char *at, struct readings *found,
		    struct error *err)
{
	const char *name = at;
	int n_name = (int)strspn(at, NAME), r;
	double v[N_COLUMNS];
	size_t n = 0;

	at += n_name;
	if (!n_name || n_name > 64 || !scan_word(&at, " "))
		return 0;
	while (n < N_COLUMNS && scan_number(&at, &v[n]))
		n++;
	/* "pipe  73.64 MB per sec pipe write rate": not of this table. */
	if (n < 2 || (n < N_COLUMNS && *at))
		return 0;
	if (n < N_COLUMNS)
		return lines_bad(l, err, "the row is cut off");
	if (v[COLUMN_OPS] == 0)
		return lines_bad(l, err, "%.*s did nothing", n_name, name);
	if (v[COLUMN_RATE] == 0)
		return lines_bad(l, err, "%.*s has no rate", n_name, name);
	r = readings_add(found, l, err, v[COLUMN_RATE], "ops/s", true,
			 "%.*s: bogo-ops/s, real time", n_name, name);
	if (r == 0)
		r = readings_add(found, l, err, v[COLUMN_OPS], "ops", true, "%.*s: bogo-ops",
				 n_name, name);
	/* 0 where it took too little time to be counted in ticks. */
	if (r == 0 && v[COLUMN_CPU_RATE] > 0)
		r = readings_add(found, l, err, v[COLUMN_CPU_RATE], "ops/s", true,
				 "%.*s: bogo-ops/s, usr+sys time", n_name, name);
	return r;
}

static int collect(struct lines *l, struct readings *found, struct error *err)
{
	while (lines_next(l)) {
		const char *at = l->line;
		int r;

		if (str_has_prefix(at, "stress-ng: fail:"))
			return lines_bad(l, err, "the run failed");
		if (!scan_head(&at))
			continue;
		if (is_some(at, "failed:") || str_has_prefix(at, "unsuccessful run completed"))
			return lines_bad(l, err, "the run failed");
		if (is_some(at, "metrics untrustworthy:"))
			return lines_bad(l, err, "stress-ng does not trust its figures");
		r = take_row(l, at, found, err);
		if (r < 0)
			return r;
	}
	return 0;
}

const struct reader reader_stress_ng = { "stress-ng", recognise, collect, "stress-ng: metrc: ...", NULL };
