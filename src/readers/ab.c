/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ApacheBench: "Requests per second:    1533.46 [#/sec] (mean)" */
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "readers/reader.h"

static const struct {
	const char *line, *end, *metric, *unit;
	bool is_higher_better;
} figures[] = {
	{ "Requests per second:", "[#/sec] (mean)", "requests per second", "requests/s", true },
	{ "Time per request:", "[ms] (mean)", "time per request", "ms", false },
	{ "Time per request:", "[ms] (mean, across all concurrent requests)",
	  "time per request over all connections", "ms", false },
	{ "Transfer rate:", "[Kbytes/sec] received", "transfer rate", "KB/s", true },
	{ "Failed requests:", "", "failed requests", "requests", false },
};

static bool is_header(const char *line)
{
	return str_has_prefix(line, "This is ApacheBench") || str_has_prefix(line, "Requests per second:");
}

static bool recognise(const char *text)
{
	return lines_any(text, is_header);
}

static int collect(struct lines *l, struct readings *found, struct error *err)
{
	int r = 0;

	while (r == 0 && lines_next(l)) {
		for (size_t i = 0; r == 0 && i < ARRAY_SIZE(figures); i++) {
			const char *at = l->line;
			double v;

			if (scan_word(&at, figures[i].line) && scan_number(&at, &v) &&
			    strcmp(at, figures[i].end) == 0)
				r = readings_add(found, l, err, v, figures[i].unit,
						 figures[i].is_higher_better, "%s", figures[i].metric);
		}
	}
	/* It stands in front, and is not what the run was for. */
	if (r == 0 && found->n > 1 && strcmp(found->v[0].metric, "failed requests") == 0) {
		struct reading first = found->v[0];

		memmove(found->v, found->v + 1, (found->n - 1) * sizeof(first));
		found->v[found->n - 1] = first;
	}
	return r;
}

const struct reader reader_ab = { "ab", recognise, collect, "Requests per second: ...", NULL };
