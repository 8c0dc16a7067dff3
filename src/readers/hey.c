/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hey: "  Requests/sec:\t5135.9234", and what went wrong in two lists at its end. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "readers/lines.h"

static int read_hey(const char *text, struct readings *ret, struct error *err)
{
	bool is_codes = false, is_errors = false;
	double rate = -1, average = -1, v;
	struct line line;

	while (line_next(&text, &line)) {
		unsigned code;

		if (*line.s && !strchr(" \t", *line.s)) {
			is_codes = str_has_prefix(line.s, "Status code distribution");
			is_errors = str_has_prefix(line.s, "Error distribution");
		}
		if (line_number(line.s, "Requests/sec:", &v))
			rate = v;
		else if (line_number(line.s, "Average:", &v))
			average = v;
		else if (is_codes && sscanf(line.s, " [%u]", &code) == 1 && code / 100 != 2)
			return error_set(err, EBADMSG, "answers that are no success:%s", line.s);
		else if (is_errors && strchr(line.s, '['))
			return error_set(err, EBADMSG, "requests that failed:%s", line.s);
	}
	if (rate <= 0)
		return reading_missing(err, "line \"Requests/sec: …\"");
	reading_add(ret, "request rate", "1/s", true, rate);
	if (average >= 0)
		reading_add(ret, "latency, mean", "s", false, average);
	return 0;
}

const struct reader reader_hey = { "hey", read_hey };
