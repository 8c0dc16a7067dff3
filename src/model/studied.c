/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/studied.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

void studied_free(struct studied *s)
{
	if (!s)
		return;
	free(s->name);
	for (size_t i = 0; i < s->n_results; i++) {
		free(s->results[i].rows);
		strv_finish(&s->results[i].order);
	}
	free(s->results);
	for (size_t i = 0; i < s->n_ladders; i++) {
		free(s->ladders[i].workload);
		free(s->ladders[i].rungs);
	}
	free(s->ladders);
	for (size_t i = 0; i < s->n_settings; i++)
		free(s->settings[i].workload);
	free(s->settings);
	strv_finish(&s->woken);
	study_finish(&s->study);
	free(s);
}

bool studied_is_measured(const struct studied_result *r)
{
	for (size_t i = 1; i < r->n; i++)
		if (!isnan(r->rows[i].measured))
			return true;
	return false;
}

static bool is_measured_elsewhere(const struct studied *s, const char *workload)
{
	for (size_t i = 0; i < s->n_results; i++)
		if (studied_is_measured(&s->results[i]) && str_equal(s->results[i].published->workload, workload))
			return true;
	return false;
}

char *studied_unmeasured(const struct studied *s)
{
	_cleanup_strv_ struct strv names = { 0 };

	for (size_t i = 0; i < s->n_results; i++) {
		const char *name = s->results[i].published->workload;
		_cleanup_free_ char *others = xasprintf("%s of other kernels", name);

		if (studied_is_measured(&s->results[i]))
			continue;
		name = is_measured_elsewhere(s, name) ? others : name;
		if (!strv_has(&names, name))
			strv_add(&names, name);
	}
	return strv_join(&names, ", ");
}
