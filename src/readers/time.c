/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the `time` of shells and of GNU say, also with a decimal comma:
 *   real	0m1.234s       bash
 *   real 1.23              POSIX, time -p
 *   1.10user 0.12system 0:01.23elapsed 99%CPU ...   GNU
 *   Elapsed (wall clock) time (h:mm:ss or m:ss): 0:01.23   GNU, -v
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "readers/reader.h"

/* "1m2,5s", "1:02:03.4", "62.5": seconds; moves behind it, NAN for anything else. */
static double scan_seconds(const char **at)
{
	double total = 0;
	bool any = false;

	for (;;) {
		char number[32];
		size_t n = strspn(*at, "0123456789.,");
		char *end;

		if (!n || n >= sizeof(number))
			return NAN;
		memcpy(number, *at, n);
		number[n] = 0;
		for (char *c = number; *c; c++)
			*c = *c == ',' ? '.' : *c;
		total += strtod(number, &end);
		if (*end)
			return NAN;
		any = true;
		*at += n;
		if ((**at != 'm' && **at != ':') || (*at)[1] < '0' || (*at)[1] > '9')
			break;
		total *= 60;
		++*at;
	}
	if (**at == 's' && !((*at)[1] >= 'a' && (*at)[1] <= 'z')) /* not of "system" */
		++*at;
	*at += strspn(*at, " \t");
	return any ? total : NAN;
}

static bool scan_line(const char *line, double ret[3])
{
	static const char *const names[] = { "real", "user", "sys" };

	for (size_t i = 0; i < 3; i++) {
		const char *at = line;
		double s;

		if (!scan_word(&at, names[i]) || at == line + strlen(names[i]))
			continue;
		s = scan_seconds(&at);
		if (!isnan(s) && !*at) {
			ret[i] = s;
			return true;
		}
	}
	return false;
}

/* GNU, in one line. */
static bool scan_gnu(const char *line, double ret[3])
{
	const char *at = line;

	ret[1] = scan_seconds(&at);
	if (isnan(ret[1]) || !scan_word(&at, "user"))
		return false;
	ret[2] = scan_seconds(&at);
	if (isnan(ret[2]) || !scan_word(&at, "system"))
		return false;
	ret[0] = scan_seconds(&at);
	return !isnan(ret[0]) && str_has_prefix(at, "elapsed");
}

static bool scan_verbose(const char *line, double ret[3])
{
	static const char *const names[] = { "Elapsed (wall clock) time (h:mm:ss or m:ss):",
					     "User time (seconds):", "System time (seconds):" };

	for (size_t i = 0; i < 3; i++) {
		const char *at = line;

		if (!scan_word(&at, names[i]))
			continue;
		ret[i] = scan_seconds(&at);
		return !isnan(ret[i]);
	}
	return false;
}

static bool scan(const char *line, double ret[3])
{
	return scan_line(line, ret) || scan_gnu(line, ret) || scan_verbose(line, ret);
}

static bool is_time(const char *line)
{
	double t[3] = { NAN, NAN, NAN };

	return scan(line, t) && !isnan(t[0]);
}

static bool recognise(const char *text)
{
	return lines_any(text, is_time) && (strstr(text, "user") || strstr(text, "User time"));
}

static int collect(struct lines *l, struct readings *found, struct error *err)
{
	static const char *const metrics[] = { "elapsed time", "user time", "system time" };
	int r = 0;

	while (r == 0 && lines_next(l)) {
		double t[3] = { NAN, NAN, NAN };

		if (!scan(l->line, t))
			continue;
		for (size_t i = 0; r == 0 && i < 3; i++)
			if (!isnan(t[i]))
				r = readings_add(found, l, err, t[i], "s", false, "%s", metrics[i]);
	}
	return r;
}

const struct reader reader_time = { "time", recognise, collect, "real ...", NULL };
