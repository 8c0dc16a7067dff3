/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers for people: no separators, no more digits than say something, and an
 * exact integer without decimals. A value that is not there (NAN) is "-". The
 * text lives until the end of the full expression: number_text(x).s.
 */
#ifndef KTOLL_NUMBER_H
#define KTOLL_NUMBER_H

#include <stdbool.h>

#include "model/result.h"

struct number {
	char s[80];
};

/* "325", "325.391", "0.00012"; signed: "+36", "-0.5", "0". 325.0001 is no integer: "325.000". */
struct number number_text(double v, bool is_signed);
/* The value if lo == hi, else "10424..10435", with the decimals that tell lo from hi. */
struct number number_range(struct range r, bool is_signed);
/* A fraction in per cent without the sign: 0.228 is "+22.8", NAN "-". */
struct number number_percent(double fraction, bool is_signed);

#endif
