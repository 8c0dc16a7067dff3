/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hackbench of rt-tests: "Time: 1.502", in seconds. */
#include <string.h>

#include "base/str.h"
#include "readers/lines.h"
#include "readers/reader.h"

/* "Running in process mode with 4 groups using 40 file descriptors each (== 160 tasks)" */
static bool is_header(const char *line)
{
	return str_has_prefix(line, "Running in ") && strstr(line, " mode with ") &&
	       strstr(line, " groups using ");
}

static bool is_time(const char *line)
{
	double s;

	return scan_word(&line, "Time:") && scan_number(&line, &s) && !*line;
}

static bool recognise(const char *text)
{
	return lines_any(text, is_header) ||
	       (strstr(text, "hackbench") && lines_any(text, is_time));
}

static int collect(struct lines *l, struct readings *found, struct error *err)
{
	while (lines_next(l)) {
		const char *at = l->line;
		double s;
		int r;

		if (strstr(at, "(error: "))
			return lines_bad(l, err, "hackbench failed");
		if (!scan_word(&at, "Time:"))
			continue;
		if (!scan_number(&at, &s) || *at)
			return lines_bad(l, err, "this is no time in seconds");
		if (s == 0)
			return lines_bad(l, err, "it took no time");
		r = readings_add(found, l, err, s, "s", false, "time");
		if (r < 0)
			return r;
	}
	return 0;
}

const struct reader reader_hackbench = { "hackbench", recognise, collect, "Time: ...", NULL };
