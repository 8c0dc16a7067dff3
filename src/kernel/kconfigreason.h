/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why an option has another value in one resolved config than in another: who
 * selects it, which default holds, what it depends on; followed back to what
 * was asked for. The answers are sentences of a few words. Where the Kconfig
 * files do not tell, there is none.
 */
#ifndef KTOLL_KCONFIGREASON_H
#define KTOLL_KCONFIGREASON_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/kconfigtree.h"
#include "model/spec.h"

/* One of the two; everything is borrowed. */
struct kconfigreason_side {
	const struct kconfigtree *tree;
	const struct kconfig *config; /* resolved */
	const struct kconfig *given;  /* before the kernel's own scripts resolved it; NULL: not known */
	const struct spec_option *asked;
	size_t n_asked;
};

/* The value that was asked for, NULL for none; the option with or without CONFIG_. */
const char *kconfigreason_asked(const struct kconfigreason_side *s, const char *option);
/* Was something else asked for in `other` than in `base`? */
bool kconfigreason_is_asked(const struct kconfigreason_side *base,
			    const struct kconfigreason_side *other, const char *option);

/*
 * "selected by PREEMPTION, selected by PREEMPT_DYNAMIC (asked)"; owned, NULL if
 * the trees do not tell. Both sides need a tree; it may be the same one.
 */
char *kconfigreason_change(const struct kconfigreason_side *base,
			   const struct kconfigreason_side *other, const char *option);

/*
 * Did both texts that were given set the option, `base` to no effect, as its
 * dependencies were not met there, and did it come out in `other`? Then it was
 * not asked for by anybody, and what was asked has woken it.
 */
bool kconfigreason_is_woken(const struct kconfigreason_side *base,
			    const struct kconfigreason_side *other, const char *option);

/* Can somebody set it, in this config? Unknown conditions count as met. */
bool kconfigreason_is_settable(const struct kconfig_symbol *s, const struct kconfig *c);

#endif
