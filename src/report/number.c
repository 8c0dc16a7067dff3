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

/* Zeros at the end go, unless that left an integer, which this is not. */
static void trim(char *s)
{
	char *end = s + strlen(s);

	while (end[-1] == '0')
		end--;
	if (end[-1] != '.')
		*end = 0;
}

struct number number_text(double v, bool is_signed)
{
	struct number n;

	if (isnan(v))
		return (struct number){ "-" };
	if (v == 0)
		return (struct number){ "0" };
	if (fabs(v) >= MAX_PLAIN)
		return format_digits(v, is_signed, 15);
	if (v == rint(v))
		return format(v, is_signed, 0);
	if (fabs(v) < 0.1)
		return format_digits(v, is_signed, 3);
	n = format(v, is_signed, 3);
	trim(n.s);
	return n;
}

struct number number_range(struct range r, bool is_signed)
{
	double span = r.hi - r.lo;
	struct number lo, hi, n;
	int decimals;

	if (isnan(r.mean) || !(span > 0))
		return number_text(r.mean, is_signed);
	if (fabs(r.lo) >= MAX_PLAIN || fabs(r.hi) >= MAX_PLAIN || isinf(span)) {
		lo = format_digits(r.lo, is_signed, 3);
		hi = format_digits(r.hi, is_signed, 3);
	} else {
		decimals = (int)fmin(fmax(1 - floor(log10(span)), 0), 9);
		lo = format(r.lo, is_signed, r.lo == rint(r.lo) ? 0 : decimals);
		hi = format(r.hi, is_signed, r.hi == rint(r.hi) ? 0 : decimals);
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
