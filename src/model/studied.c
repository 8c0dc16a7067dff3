/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/studied.h"

#include <math.h>
#include <stdlib.h>

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

char *studied_unmeasured(const struct studied *s)
{
	_cleanup_strv_ struct strv names = { 0 };

	for (size_t i = 0; i < s->n_results; i++)
		if (!studied_is_measured(&s->results[i]) && !strv_has(&names, s->results[i].published->workload))
			strv_add(&names, s->results[i].published->workload);
	return strv_join(&names, ", ");
}
