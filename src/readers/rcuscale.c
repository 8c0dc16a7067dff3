/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's rcuscale on its console: a duration for each grace period of each writer,
 *   rcu-scale:    0 writer-duration:     2 109
 * and, always, the sum: "start: N end: N duration: N gps: N batches: N". All in ns.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "readers/reader.h"

static bool is_line(const char *line)
{
	return strstr(line, "-scale: ") && strstr(line, " duration: ") && strstr(line, " gps: ");
}

static bool recognise(const char *text)
{
	return lines_any(text, is_line);
}

/* The number behind a word of the line. */
static bool number_after(const char *line, const char *word, double *ret)
{
	const char *at = strstr(line, word);

	return at && scan_word(&at, word) && scan_number(&at, ret);
}

static int collect(struct lines *l, struct readings *found, struct error *err)
{
	double duration = 0, gps = 0;
	int r = 0;

	while (r == 0 && lines_next(l)) {
		const char *at = strstr(l->line, "writer-duration:");
		double index, ns;

		if (at && scan_word(&at, "writer-duration:") && scan_number(&at, &index) && scan_number(&at, &ns))
			r = readings_add(found, l, err, ns, "ns", false, "grace period");
		else if (is_line(l->line) && number_after(l->line, " duration: ", &duration) &&
			 number_after(l->line, " gps: ", &gps) && gps > 0)
			r = readings_add(found, l, err, duration / gps, "ns", false, "duration / grace periods");
	}
	/* The single ones are what runs are. */
	for (size_t i = 1; i < found->n && strcmp(found->v[0].metric, "grace period") != 0; i++)
		if (strcmp(found->v[i].metric, "grace period") == 0) {
			struct reading first = found->v[0];

			memmove(found->v, found->v + 1, (found->n - 1) * sizeof(first));
			found->v[found->n - 1] = first;
		}
	return r;
}

const struct reader reader_rcuscale = { "rcuscale", recognise, collect, "... duration: ... gps: ...", NULL };
