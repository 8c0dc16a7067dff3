/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wrk: "Requests/sec: 748868.53", and the mean of "Latency   635.91us    0.89ms  12.92ms   93.69%".
 * "Req/Sec" in the line below it is per thread, and not what all of them did.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "readers/lines.h"
#include "readers/reader.h"

static bool is_header(const char *line)
{
	return str_has_prefix(line, "Thread Stats") ||
	       (str_has_prefix(line, "Running ") && strstr(line, " test @"));
}

static bool recognise(const char *text)
{
	return lines_any(text, is_header);
}

/* "635.91us" and so on, in microseconds. */
static bool scan_time(const char **at, double *ret_us)
{
	static const struct {
		const char *name;
		double us;
	} units[] = { { "us ", 1 }, { "ms ", 1e3 }, { "s ", 1e6 }, { "m ", 60e6 }, { "h ", 3600e6 } };
	double v;

	if (!scan_number(at, &v))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (scan_word(at, units[i].name)) {
			*ret_us = v * units[i].us;
			return true;
		}
	return false;
}

/* "Socket errors: connect 694, read 728, write 1425, timeout 4898" */
static bool has_socket_errors(const char *at)
{
	double n;

	while ((at = strpbrk(at, "0123456789")))
		if (!scan_number(&at, &n) || n > 0)
			return true;
	return false;
}

static int take_rate(const struct lines *l, const char *at, double latency_us, double requests,
		     struct readings *found, struct error *err)
{
	double rate;
	int r;

	if (!scan_number(&at, &rate) || *at)
		return lines_bad(l, err, "this is no rate");
	if (rate == 0)
		return lines_bad(l, err, "nothing was answered");
	r = readings_add(found, l, err, rate, "requests/s", true, "requests per second");
	if (r == 0 && !isnan(latency_us))
		r = readings_add(found, l, err, latency_us, "us", false, "mean latency");
	if (r == 0 && !isnan(requests))
		r = readings_add(found, l, err, requests, "requests", true, "requests");
	return r;
}

static int collect(struct lines *l, struct readings *found, struct error *err)
{
	double latency_us = NAN, requests = NAN, n;

	while (lines_next(l)) {
		const char *at = l->line;
		int r;

		if (scan_word(&at, "Socket errors:")) {
			if (has_socket_errors(at))
				return lines_bad(l, err, "connections failed");
		} else if (scan_word(&at, "Non-2xx or 3xx responses:")) {
			if (!scan_number(&at, &n) || n > 0)
				return lines_bad(l, err, "requests failed");
		} else if (scan_word(&at, "Latency ") && *at >= '0' && *at <= '9') {
			if (!scan_time(&at, &latency_us))
				return lines_bad(l, err, "this is no latency with its unit");
		} else if (scan_word(&at, "Requests/sec:")) {
			r = take_rate(l, at, latency_us, requests, found, err);
			if (r < 0)
				return r;
			latency_us = requests = NAN;
		} else if (scan_number(&at, &n) && scan_word(&at, "requests in ")) {
			requests = n;
		}
	}
	return 0;
}

const struct reader reader_wrk = { "wrk", recognise, collect, "Requests/sec: ...", NULL };
