/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/spread.h"

#define MATHLIB_STANDALONE
#include <Rmath.h>
#include <math.h>
#include <stdbool.h>

void spread_add(struct spread *s, const double *values, size_t n)
{
	double mean = 0;
	bool differ = false;

	if (!n)
		return;
	for (size_t i = 0; i < n; i++) {
		mean += log(values[i]) / (double)n;
		differ |= values[i] != values[0];
	}
	/* Equal values have no variance, whatever rounding makes of it. */
	for (size_t i = 0; differ && i < n; i++)
		s->squares += (log(values[i]) - mean) * (log(values[i]) - mean);
	s->df += n - 1;
}

double spread_sd(const struct spread *s)
{
	return s->df ? sqrt(s->squares / (double)s->df) : NAN;
}

double spread_half(const struct spread *s, size_t n, size_t m, double level)
{
	if (!s->df || !n || !m)
		return NAN;
	return qt(0.5 + level / 2, (double)s->df, 1, 0) * spread_sd(s) * sqrt(1 / (double)n + 1 / (double)m);
}
