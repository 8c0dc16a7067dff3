/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "readers/reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "readers/lines.h"

static const struct reader *const readers[] = {
	&reader_cyclictest, &reader_hackbench, &reader_hey,    &reader_perf_bench,
	&reader_refscale,   &reader_stress_ng, &reader_tbench, &reader_wrk,
};

const struct reader *reader_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++)
		if (strcmp(readers[i]->name, name) == 0)
			return readers[i];
	return NULL;
}

int reader_read(const struct reader *reader, const char *text, struct readings *ret, struct error *err)
{
	struct readings r = { 0 };
	int rc = reader->read(text, &r, err);

	if (rc < 0)
		readings_finish(&r);
	*ret = r;
	return rc;
}

void readings_finish(struct readings *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->v[i].metric);
		free(r->v[i].unit);
	}
	free(r->v);
	*r = (struct readings){ 0 };
}

/* ---- lines ---- */

bool line_next(const char **at, struct line *ret)
{
	size_t len = strcspn(*at, "\n"), n = len < sizeof(ret->s) ? len : sizeof(ret->s) - 1;

	if (!**at)
		return false;
	memcpy(ret->s, *at, n);
	ret->s[n] = '\0';
	while (n && ret->s[n - 1] == '\r')
		ret->s[--n] = '\0';
	*at += len + ((*at)[len] == '\n');
	return true;
}

bool line_number(const char *line, const char *key, double *ret)
{
	const char *at = strstr(line, key);
	char *end;
	double v;

	if (!at)
		return false;
	at += strlen(key);
	at += strspn(at, " \t");
	if (!strchr("-0123456789.", *at))
		return false;
	v = strtod(at, &end);
	if (end == at || !isfinite(v))
		return false;
	*ret = v;
	return true;
}

void reading_add(struct readings *r, const char *metric, const char *unit, bool is_higher_better,
		 double value)
{
	*ARRAY_ADD(r->v, r->n, r->cap) =
		(struct reading){ xstrdup(metric), xstrdup(unit), is_higher_better, value };
}

int reading_missing(struct error *err, const char *what)
{
	return error_set(err, EBADMSG, "the output has no %s", what);
}
