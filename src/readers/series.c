/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what a reader collects to series, and which reader is for a text. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "readers/reader.h"

/* Programs that are known by a line of theirs and have no reader. */
static const struct {
	const char *name, *mark;
} unread[] = {
	{ "fio", "\"fio version\"" },
	{ "fio", "fio-3." },
	{ "sysbench", "sysbench " },
	{ "sysbench", "lat (ms,95%)" },
	{ "netperf", "MIGRATED " },
	{ "netperf", "10^6bits/sec" },
	{ "netperf", "netperf -" },
	{ "iperf3", "[ ID] Interval" },
	{ "iperf3", "\"local_host\"" },
	{ "lmbench", "L M B E N C H" },
	{ "lmbench", "lmbench" },
	{ "unixbench", "BYTE UNIX Benchmarks" },
	{ "unixbench", "Benchmarks Index" },
	{ "unixbench", "Dhrystone 2 using register" },
	{ "schbench", "Wakeup Latencies percentiles" },
	{ "schbench", "Latency percentiles (usec)" },
	{ "uperf", "Txn" },
	{ "will-it-scale", "tasks,processes" },
	{ "mpstat", "%gnice" },
	{ "mpstat", "\"iowait\"" },
	{ "sar", "%iowait" },
};

const struct reader *reader_recognise(const char *text)
{
	const struct reader *r;

	for (size_t i = 0; (r = reader_at(i)); i++)
		if (r->recognise && r->recognise(text))
			return r;
	return NULL;
}

static int collect(const struct reader *r, struct lines *l, struct series_list *ret,
		   struct error *err)
{
	_cleanup_readings_ struct readings found = { 0 };
	int rc = r->collect(l, &found, err);

	for (size_t i = 0; rc == 0 && i < found.n; i++) {
		const struct reading *f = &found.v[i];
		struct series *s = series_of(ret, NULL, f->metric);

		if (!s->n) {
			free(s->unit);
			s->unit = xstrdup(f->unit);
			s->better = f->is_higher_better ? BETTER_HIGHER : BETTER_LOWER;
		}
		series_add(s, f->value);
	}
	if (rc == 0 && !found.n)
		rc = error_set(err, EBADMSG, "it has no line '%s': the program failed, or printed "
			       "something else", r->wanted);
	return rc;
}

int reader_series(const struct reader *r, const char *text, struct series_list *ret,
		  struct error *err)
{
	_cleanup_lines_ struct lines l;
	int rc;

	lines_init(&l, text);
	if (!r)
		r = reader_recognise(text);
	for (size_t i = 0; !r && i < ARRAY_SIZE(unread); i++)
		if (strstr(text, unread[i].mark))
			return error_set(err, EBADMSG, "this looks like output of %s, for which there "
					 "is no reader: give its figures as a column of numbers, or with "
					 "--tool columns if they are in a table",
					 unread[i].name);
	if (!r)
		r = &reader_columns;
	rc = r->tabulate ? r->tabulate(&l, ret, err) : collect(r, &l, ret, err);
	if (rc == 0 && !ret->n)
		rc = error_set(err, EBADMSG, "there are no numbers in it");
	if (rc < 0)
		series_list_finish(ret);
	return rc;
}
