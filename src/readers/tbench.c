/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tbench and dbench: "Throughput 20853 MB/sec  128 clients  128 procs  max_latency=8.158 ms". */
#include <string.h>

#include "base/str.h"
#include "readers/lines.h"
#include "readers/reader.h"

static bool scan_throughput(const char **at, double *ret)
{
	return scan_word(at, "Throughput ") && scan_number(at, ret) && scan_word(at, "MB/sec");
}

static bool is_throughput(const char *line)
{
	double mb_s;

	return scan_throughput(&line, &mb_s) && strstr(line, " procs");
}

/* Its first line, which a failed run has too. */
static bool is_banner(const char *line)
{
	return str_has_prefix(line, "dbench version ");
}

static bool recognise(const char *text)
{
	return lines_any(text, is_banner) || lines_any(text, is_throughput);
}

static int collect(struct lines *l, struct readings *found, struct error *err)
{
	static const char sign[] = "max_latency=";

	while (lines_next(l)) {
		const char *at = l->line;
		double mb_s, ms;
		int r;

		if (str_has_prefix(at, "Child failed with status"))
			return lines_bad(l, err, "a client failed");
		if (!str_has_prefix(at, "Throughput "))
			continue;
		if (!scan_throughput(&at, &mb_s))
			return lines_bad(l, err, "this is no throughput in MB/sec");
		if (mb_s == 0)
			return lines_bad(l, err, "nothing was transferred");
		r = readings_add(found, l, err, mb_s, "MB/s", true, "throughput");
		if (r < 0)
			return r;
		/* Versions before 4 do not have it. */
		at = strstr(at, sign);
		if (!at)
			continue;
		if (!scan_word(&at, sign) || !scan_number(&at, &ms) || !scan_word(&at, "ms"))
			return lines_bad(l, err, "this is no latency in ms");
		r = readings_add(found, l, err, ms, "ms", false, "max latency");
		if (r < 0)
			return r;
	}
	return 0;
}

const struct reader reader_tbench = { "tbench", recognise, collect, "Throughput ... MB/sec", NULL };
