/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a report shows of the difference of two resolved configs: what was
 * asked, and what else that flipped. Filled by kernel/configcompare.c; everything
 * is owned.
 */
#ifndef KTOLL_CONFIGDIFF_H
#define KTOLL_CONFIGDIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "sys/elf.h"

enum severity {
	SEVERITY_NONE, /* no cost is known */
	SEVERITY_LOW,
	SEVERITY_MEDIUM,
	SEVERITY_HIGH,
};
/* "low", "medium", "high"; NULL for none. Static. */
const char *severity_name(enum severity s);

struct configdiff_row {
	char *option;       /* without CONFIG_ */
	char *base, *other; /* resolved values, "n" for none; equal only where what was asked came to nothing */
	bool is_asked;      /* the two specs ask for different values */
	bool is_dormant_woken; /* set in both files, to no effect in base */
	bool is_compiler_fact; /* says what the compiler is or can: no option that anybody sets */
	char *reason;       /* NULL: not known */
	char *known_cost, *cost_source; /* NULL: none is known */
	bool costs_off;     /* it costs where it is n */
	enum severity severity;
};

struct configdiff {
	char *base_name, *other_name;
	bool is_known;          /* both configs are; else there are no rows */
	bool has_reasons;       /* the Kconfig files of both were at hand */
	const char *base_model, *other_model; /* none, voluntary, full, lazy or rt; static; NULL unknown */
	bool base_is_dynamic, other_is_dynamic; /* the model is only the default, and chosen at boot */
	bool is_same_model;     /* false also where one is not known */
	struct configdiff_row *rows; /* asked ones first, then what is to be read first */
	size_t n, n_asked, cap;
	struct elf_sizes base_sizes, other_sizes; /* for the caller to fill */
};

void configdiff_finish(struct configdiff *d);

#endif
