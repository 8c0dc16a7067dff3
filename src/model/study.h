/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A study: a question, the kernels and workloads that answer it, and figures that were published. The
 * keys of its file are described in man/ktoll-study.5.scd.
 */
#ifndef KTOLL_STUDY_H
#define KTOLL_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct study_variant {
	char *name;   /* "y", or with settings "y/permissive" */
	char *spec;   /* {kernel} is replaced */
	size_t base;  /* what it is compared with; 0 for the first, which is the base */
};

/* What is measured together: kernels of one architecture, each on all workloads. A record. */
struct study_part {
	char *name;
	struct study_variant *variants;
	size_t n_variants, cap_variants;
	struct strv workloads;  /* as for -w */
	struct strv full;       /* in addition, if all is asked for */
	uint64_t replicates;    /* 0: as each workload has it */
	bool splits_woken;      /* an option that a change woke is also measured switched off */
	struct strv ladder;     /* names of variants, from rung to rung */
};

struct study_figure {
	char *variant;
	double *v;    /* runs, or one number */
	size_t n, cap;
};

/* Figures of one workload that somebody published. The first is the base of the others. */
struct study_published {
	char *part;   /* NULL: of any */
	char *workload, *unit;
	bool is_higher_better;
	char *about;  /* machine, kernel, runs */
	char *source; /* NULL: the study's */
	struct study_figure *figures;
	size_t n_figures, cap_figures;
};

struct study {
	char *about, *question, *hypothesis, *refuted_by, *source, *kernel;
	struct study_part *parts;
	size_t n_parts, cap_parts;
	struct study_published *published;
	size_t n_published, cap_published;
};

/*
 * Any bytes may be parsed; `file` is their name for sentences. `kernel` stands in place of the study's own; NULL. -EINVAL
 * with file, line and column. The caller owns what `ret` holds.
 */
int study_parse(const char *file, const char *text, size_t n_bytes, const char *kernel, struct study *ret,
		struct error *err);
void study_finish(struct study *s);

/* NULL if there is none of that name. */
const struct study_part *study_part(const struct study *s, const char *name);

/* The number of a variant; SIZE_MAX if there is none of that name. */
size_t study_part_variant(const struct study_part *p, const char *name);

/* The built-in ones, one after the other from 0 on; NULL behind the last. Text and name are static. */
const char *study_builtin(size_t i, const char **ret_text, size_t *ret_bytes);

#endif
