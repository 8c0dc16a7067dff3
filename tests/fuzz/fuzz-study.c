/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A study's file, and that of a record from somebody else: what is taken is what its readers count on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fyaml.h"

#include "base/alloc.h"
#include "model/study.h"

static bool has_variant(const struct study_part *p, const char *name)
{
	for (size_t i = 0; i < p->n_variants; i++)
		if (strcmp(p->variants[i].name, name) == 0)
			return true;
	return false;
}

static void check_part(const struct study *s, const struct study_part *p)
{
	if (study_part(s, p->name) != p || p->n_variants < 2 || !p->workloads.n)
		abort();
	for (size_t i = 0; i < p->n_variants; i++)
		if (p->variants[i].base > i || (i && p->variants[i].base == i))
			abort();
	for (size_t i = 0; i < p->ladder.n; i++)
		if (!has_variant(p, p->ladder.v[i]))
			abort();
}

static void check_published(const struct study_published *p)
{
	if (!p->workload || !p->unit || p->n_figures < 2)
		abort();
	for (size_t i = 0; i < p->n_figures; i++)
		for (size_t k = 0; k < p->figures[i].n || !k; k++)
			if (!p->figures[i].n || !isfinite(p->figures[i].v[k]) || !(p->figures[i].v[k] > 0))
				abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (unsigned i = 0; i < 2; i++) {
		_cleanup_error_ struct error err = ERROR_INIT;
		struct study s;

		if (study_parse("f", (const char *)data, size, i ? "tree:/x" : NULL, &s, &err) < 0)
			continue;
		for (size_t k = 0; k < s.n_parts; k++)
			check_part(&s, &s.parts[k]);
		for (size_t k = 0; k < s.n_published; k++)
			check_published(&s.published[k]);
		study_finish(&s);
	}
	return 0;
}
