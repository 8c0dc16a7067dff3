/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "readers/reader.h"

#include "base/alloc.h"
#include "base/str.h"

static const struct reader *const readers[] = {
	&reader_ab, &reader_columns, &reader_hyperfine, &reader_lkp, &reader_mmtests, &reader_perf_profile,
	&reader_perf_stat, &reader_rcuscale, &reader_stress_ng_yaml, &reader_time,
	&reader_cyclictest, &reader_hackbench, &reader_hey,    &reader_perf_bench,
	&reader_refscale,   &reader_stress_ng, &reader_tbench, &reader_wrk,
};

const struct reader *reader_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++)
		if (str_equal(readers[i]->name, name))
			return readers[i];
	return NULL;
}

int reader_read(const struct reader *r, const char *text, struct readings *ret, struct error *err)
{
	return readings_collect(text, r->collect, r->wanted, ret, err);
}

const struct reader *reader_at(size_t i)
{
	return i < ARRAY_SIZE(readers) ? readers[i] : NULL;
}
