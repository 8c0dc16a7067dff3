/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why an option that was asked for did not come out as asked: the kernel's own
 * scripts drop what cannot be, and say nothing.
 */
#ifndef KTOLL_KCONFIGUNMET_H
#define KTOLL_KCONFIGUNMET_H

#include "kernel/kconfigtree.h"

/* NULL if it came out; else a sentence, owned: "depends on FOO && !BAR: FOO is n, BAR is y". */
char *kconfigunmet_reason(const struct kconfigtree *t, const struct kconfig *resolved,
			  const char *option, const char *asked);

/*
 * The preemption models that this kernel offers under this config, as options:
 * "PREEMPT, PREEMPT_LAZY"; owned, "" for none.
 */
char *kconfigunmet_preempt_models(const struct kconfigtree *t, const struct kconfig *resolved);

#endif
