/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/printed.h"

#include <errno.h>
#include <math.h>
#include <regex.h>
#include <string.h>

#include "readers/reader.h"

/* -EBADMSG if it says that the run has failed. */
static int check_output(const struct workload *w, const char *output, struct error *err)
{
	for (size_t i = 0; i < w->failures.n; i++) {
		regmatch_t at;
		regex_t re;
		int r;

		/* It was tried out when the workload's file was read. */
		if (regcomp(&re, w->failures.v[i], REG_EXTENDED | REG_NEWLINE))
			continue;
		r = regexec(&re, output, 1, &at, 0);
		regfree(&re);
		if (r == 0)
			return error_set(err, EBADMSG, "it says: %.*s", (int)(at.rm_eo - at.rm_so),
					 output + at.rm_so);
	}
	return 0;
}

/* How many were done is what the program says. */
static int count_operations(const struct workload *w, const struct readings *found, uint64_t *ops,
			    struct error *err)
{
	for (size_t i = 0; i < found->n; i++) {
		double done = found->v[i].value * (double)*ops;

		if (strcmp(found->v[i].metric, w->ops_reading) == 0 && done >= 1 && done < 1e15) {
			*ops = (uint64_t)llround(done);
			return 0;
		}
	}
	return error_set(err, EBADMSG, "it does not say how many operations it did (%s)", w->ops_reading);
}

int printed_read(const struct workload *w, const char *output, struct readings *ret, uint64_t *ops,
		 struct error *err)
{
	const struct reader *reader = w->reader ? reader_find(w->reader) : NULL;
	int r = check_output(w, output, err);

	if (r == 0 && reader)
		r = reader->recognise(output) ?
			    reader_read(reader, output, ret, err) :
			    error_set(err, EBADMSG, "this is no output of %s", reader->name);
	return r == 0 && w->ops_reading ? count_operations(w, ret, ops, err) : r;
}
