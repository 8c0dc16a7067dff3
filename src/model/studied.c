/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/studied.h"

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
