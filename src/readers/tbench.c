/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tbench and dbench 4: "Throughput 3831.82 MB/sec  16 clients  16 procs  max_latency=1.234 ms". */
#include <errno.h>

#include "base/str.h"
#include "readers/lines.h"

static int read_tbench(const char *text, struct readings *ret, struct error *err)
{
	struct line line;
	double v;

	while (line_next(&text, &line)) {
		if (!str_has_prefix(line.s, "Throughput") || !line_number(line.s, "Throughput", &v))
			continue;
		if (v <= 0)
			return error_set(err, EBADMSG, "a throughput of 0: the run was too short");
		reading_add(ret, "throughput", "MB/s", true, v);
		if (line_number(line.s, "max_latency=", &v))
			reading_add(ret, "latency, max", "ms", false, v);
	}
	return ret->n ? 0 : reading_missing(err, "line \"Throughput …\"");
}

const struct reader reader_tbench = { "tbench", read_tbench };
