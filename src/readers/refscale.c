/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's refscale, from the console:
 *
 *	rcu-ref-scale: --- Start of test:  verbose=0 ... nruns=30 readdelay=0
 *	rcu-ref-scale: END OF TEST. Calculating average duration per loop (nanoseconds)...
 *	Runs	Time(ns)
 *	1	34.912
 *
 * Up to Linux 5.15 the table is one message, which may be broken anywhere; since then it comes in
 * pieces, and other messages can stand between them. So a row is found by its number.
 */
#include <string.h>

#include "base/str.h"
#include "readers/lines.h"
#include "readers/reader.h"

#define PREFIX "-ref-scale:"

/* Behind the type in "rcu-ref-scale: ..."; NULL if it does not say that. */
static const char *find_prefix(const char *line)
{
	return strstr(line, PREFIX);
}

static bool scan_table_header(const char **at)
{
	return scan_word(at, "Runs") && scan_word(at, "Time(ns)");
}

static bool is_refscale(const char *line)
{
	return find_prefix(line) || scan_table_header(&line);
}

static bool recognise(const char *text)
{
	return lines_any(text, is_refscale);
}

struct state {
	char type[32];     /* "rcu"; "" before it is known */
	double nruns;      /* 0: not known */
	double next;       /* the number of the row that comes next; 0 outside of a table */
	bool wants_table;  /* a test began and its table did not */
};

/* Is the table that was begun there as a whole? */
static int check_table(const struct state *s, const struct lines *l, struct error *err)
{
	if (s->wants_table)
		return lines_bad(l, err, "the test before it has no table of runs");
	if (s->next && (s->next == 1 || (s->nruns && s->next <= s->nruns)))
		return lines_bad(l, err, "run %.0f of the table before it is missing", s->next);
	return 0;
}

/* `*at` is a line that may have the prefix: moves behind that. */
static int take_prefix(struct state *s, const struct lines *l, const char **at, struct error *err)
{
	static const char sign[] = "nruns=";
	const char *prefix = find_prefix(*at);
	const char *type, *nruns;
	size_t n;
	int r;

	if (!prefix)
		return 0;
	for (type = prefix; type > *at && type[-1] != ' ';)
		type--;
	n = (size_t)(prefix - type);
	if (n >= sizeof(s->type) || (*s->type && (strlen(s->type) != n || memcmp(s->type, type, n))))
		return lines_bad(l, err, "a test of another type than '%s'", s->type);
	memcpy(s->type, type, n);
	*at = prefix;
	scan_word(at, PREFIX);
	if (str_has_prefix(*at, "!!!") || str_has_prefix(*at, "invalid scale type"))
		return lines_bad(l, err, "the test failed");
	if (!str_has_prefix(*at, "--- Start of test"))
		return 0;
	r = check_table(s, l, err);
	if (r < 0)
		return r;
	s->next = s->nruns = 0;
	s->wants_table = true;
	nruns = strstr(*at, sign);
	if (nruns && scan_word(&nruns, sign) && !scan_number(&nruns, &s->nruns))
		return lines_bad(l, err, "this is no number of runs");
	return 0;
}

/* The kernel prints three decimals always: with fewer the number is cut off. */
static bool is_whole(const char *time)
{
	const char *point = strchr(time, '.');

	return point && strspn(point + 1, "0123456789") == 3 && !point[4];
}

static int take_row(struct state *s, const struct lines *l, const char *at,
		    struct readings *found, struct error *err)
{
	const char *time;
	double number, ns;

	if (!scan_number(&at, &number))
		return 0;
	time = at;
	if (!scan_number(&at, &ns) || *at)
		return 0;
	if (number != s->next)
		return lines_bad(l, err, "run %.0f of the table is missing", s->next);
	if (!is_whole(time))
		return lines_bad(l, err, "the row is cut off");
	if (ns == 0)
		return lines_bad(l, err, "the run took no time");
	s->next++;
	return readings_add(found, l, err, ns, "ns", false, "time per loop");
}

static int collect(struct lines *l, struct readings *found, struct error *err)
{
	struct state s = { 0 };

	while (lines_next(l)) {
		const char *at = l->line;
		int r = take_prefix(&s, l, &at, err);

		if (r < 0)
			return r;
		if (scan_table_header(&at)) {
			if (!s.wants_table)
				r = check_table(&s, l, err);
			s.wants_table = false;
			s.next = 1;
		} else if (s.next) {
			r = take_row(&s, l, at, found, err);
		}
		if (r < 0)
			return r;
	}
	return check_table(&s, l, err);
}

const struct reader reader_refscale = { "refscale", recognise, collect, "Runs	Time(ns)", NULL };
