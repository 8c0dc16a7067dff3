/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hey: "Requests/sec: 701.4217" and the mean latency of its summary. What was answered, and how,
 * comes after them. The distribution of latencies is not read: with few requests it has rows that
 * are no values.
 */
#include <math.h>

#include "base/str.h"
#include "readers/lines.h"
#include "readers/reader.h"

static bool is_summary(const char *line)
{
	return str_equal(line, "Summary:");
}

static bool is_rate(const char *line)
{
	return str_has_prefix(line, "Requests/sec:");
}

static bool recognise(const char *text)
{
	return lines_any(text, is_summary) && lines_any(text, is_rate);
}

enum section { SECTION_OTHER, SECTION_STATUS, SECTION_ERRORS };

struct state {
	enum section section;
	double latency_s;     /* NAN: not said, or not a number because nothing was answered */
	bool is_answered;     /* a good status for the last rate */
	bool has_rate;
};

static int take_rate(struct state *s, const struct lines *l, struct readings *found,
		     struct error *err)
{
	const char *at = l->line;
	double rate;
	int r;

	if (!scan_word(&at, "Requests/sec:") || !scan_number(&at, &rate) || *at)
		return lines_bad(l, err, "this is no rate");
	if (rate == 0)
		return lines_bad(l, err, "nothing was answered");
	if (s->has_rate && !s->is_answered)
		return lines_bad(l, err, "the run before it has no status codes");
	r = readings_add(found, l, err, rate, "requests/s", true, "requests per second");
	if (r == 0 && !isnan(s->latency_s))
		r = readings_add(found, l, err, s->latency_s, "s", false, "mean latency");
	*s = (struct state){ .latency_s = NAN, .has_rate = true };
	return r;
}

/* "[200]	400 responses" */
static int take_status(struct state *s, const struct lines *l, struct error *err)
{
	const char *at = l->line;
	double code, n;

	if (!*at)
		return 0;
	if (!scan_word(&at, "[")) {
		s->section = SECTION_OTHER;
		return 0;
	}
	if (!scan_number(&at, &code) || !scan_word(&at, "]") || !scan_number(&at, &n) ||
	    !scan_word(&at, "responses"))
		return lines_bad(l, err, "this is no status code with its responses");
	if (n > 0 && (code < 200 || code > 299))
		return lines_bad(l, err, "requests failed");
	s->is_answered |= n > 0;
	return 0;
}

static int take_line(struct state *s, const struct lines *l, struct readings *found,
		     struct error *err)
{
	const char *at = l->line;

	if (is_rate(at))
		return take_rate(s, l, found, err);
	if (scan_word(&at, "Average:")) {
		if (!scan_number(&at, &s->latency_s) || !scan_word(&at, "secs"))
			s->latency_s = NAN;
		return 0;
	}
	if (str_equal(at, "Status code distribution:"))
		s->section = SECTION_STATUS;
	else if (str_equal(at, "Error distribution:"))
		s->section = SECTION_ERRORS;
	else if (s->section == SECTION_STATUS)
		return take_status(s, l, err);
	else if (s->section == SECTION_ERRORS && *at)
		return lines_bad(l, err, "requests failed");
	return 0;
}

static int collect(struct lines *l, struct readings *found, struct error *err)
{
	struct state s = { .latency_s = NAN };

	while (lines_next(l)) {
		int r = take_line(&s, l, found, err);

		if (r < 0)
			return r;
	}
	if (s.section == SECTION_ERRORS || (s.has_rate && !s.is_answered))
		return lines_bad(l, err, "it ends, and no request was answered well");
	return 0;
}

const struct reader reader_hey = { "hey", recognise, collect, "Requests/sec: ...", NULL };
