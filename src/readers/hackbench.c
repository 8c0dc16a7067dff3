/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hackbench of rt-tests: "Time: 0.123". */
#include "base/str.h"
#include "readers/lines.h"

static int read_hackbench(const char *text, struct readings *ret, struct error *err)
{
	struct line line;
	double v;

	while (line_next(&text, &line))
		if (str_has_prefix(line.s, "Time:") && line_number(line.s, "Time:", &v))
			reading_add(ret, "time", "s", false, v);
	return ret->n ? 0 : reading_missing(err, "line \"Time: …\"");
}

const struct reader reader_hackbench = { "hackbench", read_hackbench };
