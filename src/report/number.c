/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Beyond it doubles are integers for lack of bits, and %.0f would show digits that mean nothing. */
#define MAX_PLAIN 1e15

static struct number format(double v, bool is_signed, int decimals)
{
	struct number n;

	snprintf(n.s, sizeof(n.s), is_signed ? "%+.*f" : "%.*f", decimals, v);
	return n;
}

static struct number format_digits(double v, bool is_signed, int digits)
{
	struct number n;

	snprintf(n.s, sizeof(n.s), is_signed ? "%+.*g" : "%.*g", digits, v);
	return n;
}

/*
 * Closer to an integer than a difference of two counts per operation can come
 * without being one (10^9 operations make no region): left by subtraction.
 */
#define NEARLY 1e-9

static bool is_integer(double v)
{
	return fabs(v - rint(v)) < NEARLY && (v == 0 || fabs(v) > 0.5);
}

/* With decimals, but without zeros at the end, unless that left an integer, which it is not. */
static struct number format_trimmed(double v, bool is_signed, int decimals)
{
	struct number n = format(v, is_signed, is_integer(v) ? 0 : decimals);
	char *end = n.s + strlen(n.s);

	if (!strchr(n.s, '.'))
		return n;
	while (end[-1] == '0')
		end--;
	if (end[-1] != '.')
		*end = 0;
	return n;
}

struct number number_text(double v, bool is_signed)
{
	if (isnan(v))
		return (struct number){ "-" };
	if (v == 0)
		return (struct number){ "0" };
	if (fabs(v) >= MAX_PLAIN)
		return format_digits(v, is_signed, 15);
	if (fabs(v) < 0.1)
		return format_digits(v, is_signed, 3);
	return format_trimmed(v, is_signed, 3);
}

struct number number_range(struct range r, bool is_signed)
{
	double span = r.hi - r.lo;
	struct number lo, hi, n;

	if (isnan(r.mean) || !(span > 0))
		return number_text(r.mean, is_signed);
	if (fabs(r.lo) >= MAX_PLAIN || fabs(r.hi) >= MAX_PLAIN) {
		lo = format_digits(r.lo, is_signed, 3);
		hi = format_digits(r.hi, is_signed, 3);
	} else {
		int decimals = (int)fmin(fmax(1 - floor(log10(span)), 0), 9);

		lo = r.lo == 0 ? number_text(0, false) : format_trimmed(r.lo, is_signed, decimals);
		hi = r.hi == 0 ? number_text(0, false) : format_trimmed(r.hi, is_signed, decimals);
	}
	if (strcmp(lo.s, hi.s) == 0)
		return lo;
	snprintf(n.s, sizeof(n.s), "%.38s..%.38s", lo.s, hi.s);
	return n;
}

struct number number_percent(double fraction, bool is_signed)
{
	double v = fraction * 100;

	if (isnan(v))
		return (struct number){ "-" };
	if (v == 0)
		return (struct number){ "0" };
	if (fabs(v) >= MAX_PLAIN)
		return format_digits(v, is_signed, 3);
	if (fabs(v) < 0.1)
		return format_digits(v, is_signed, 2);
	return format(v, is_signed, fabs(v) < 10 ? 2 : 1);
}
