/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/paired.h"

#define MATHLIB_STANDALONE
#include <Rmath.h>
#include <math.h>

#define UNITS_MAX 1000000

void paired_judge(const double *logs, size_t n, double level, double threshold, struct paired *ret)
{
	struct description d = describe(logs, n);
	double limit = log1p(threshold), effect = fabs(d.mean), half, error, to_go;
	struct paired p = { .n = n, .level = level, .p = NAN, .ratio = { exp(d.mean), NAN, NAN },
			    .verdict = JUDGED_NONE };

	if (n >= 2) {
		error = d.sd / sqrt((double)n);
		half = qt(0.5 + level / 2, (double)n - 1, 1, 0) * error;
		p.ratio.lo = exp(d.mean - half);
		p.ratio.hi = exp(d.mean + half);
		p.p = error > 0 ? 2 * pt(-effect / error, (double)n - 1, 1, 0) : effect > 0 ? 0 : 1;
		p.verdict = judge_interval(&p.ratio, threshold);
	}
	to_go = fmax(effect >= limit ? effect : 0, limit - effect);
	if (p.verdict == JUDGED_UNDECIDED && to_go > 0) {
		double z = qnorm(0.5 + level / 2, 0, 1, 1, 0) + qnorm(0.8, 0, 1, 1, 0);
		double needed = ceil(z * z * d.sd * d.sd / (to_go * to_go));

		p.needed = needed < UNITS_MAX ? (uint64_t)needed : UNITS_MAX;
	}
	*ret = p;
}

size_t paired_looks(size_t limit)
{
	size_t looks = 1;

	for (size_t n = PAIRED_FIRST_LOOK; n < limit; n *= 2)
		looks++;
	return looks;
}

double paired_look_level(size_t limit)
{
	return 1 - (1 - INTERVAL_LEVEL) / (double)paired_looks(limit);
}

bool paired_is_look(size_t n, size_t limit)
{
	if (n >= limit)
		return true;
	for (size_t look = PAIRED_FIRST_LOOK; look <= n; look *= 2)
		if (look == n)
			return true;
	return false;
}
