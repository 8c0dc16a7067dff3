/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From two resolved configs to their difference as it is read: what was asked,
 * what else flipped and why, and what of it is known to cost something. Looks
 * at nothing but what it is given.
 */
#ifndef KTOLL_CONFIGCOMPARE_H
#define KTOLL_CONFIGCOMPARE_H

#include "kernel/kconfigtree.h"
#include "kernel/knowncosts.h"
#include "model/configdiff.h"
#include "model/spec.h"

/* Everything is borrowed, and needed only during the call. */
struct configdiff_side {
	const char *name;
	const char *config; /* resolved, whole text; NULL: not known */
	const char *given;  /* the text before the kernel's own scripts resolved it; NULL */
	const struct spec_option *asked;
	size_t n_asked;
	const struct kconfigtree *tree; /* NULL: no Kconfig at hand, and no reasons */
};

/* `costs` may be NULL. configdiff_finish() when done; the sizes are left at 0. */
void configdiff_make(const struct configdiff_side *base, const struct configdiff_side *other,
		     const struct known_costs *costs, struct configdiff *ret);

/* Does the option only say what compiler, assembler and linker are or can? */
bool configdiff_is_compiler_fact(const char *option);

#endif
