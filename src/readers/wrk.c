/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wrk: "Requests/sec:  12345.67", "  4831 requests in 1.00s, 3.95MB read", and lines about what
 * went wrong.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "readers/lines.h"

static int read_wrk(const char *text, struct readings *ret, struct error *err)
{
	double rate = -1, requests = -1, v;
	struct line line;
	char word[16];

	while (line_next(&text, &line)) {
		if (line_number(line.s, "Non-2xx or 3xx responses:", &v) && v > 0)
			return error_set(err, EBADMSG, "answers that are no success: %.0f", v);
		/* It is printed only if one of its four numbers is not 0. */
		if (strstr(line.s, "Socket errors:"))
			return error_set(err, EBADMSG, "it says: %s", line.s + strspn(line.s, " "));
		if (line_number(line.s, "Requests/sec:", &v))
			rate = v;
		else if (sscanf(line.s, " %lf %15s in", &v, word) == 2 && strcmp(word, "requests") == 0)
			requests = v;
	}
	if (rate <= 0)
		return reading_missing(err, "line \"Requests/sec: …\"");
	reading_add(ret, "request rate", "1/s", true, rate);
	if (requests > 0)
		reading_add(ret, "requests", "1", true, requests);
	return 0;
}

const struct reader reader_wrk = { "wrk", read_wrk };
