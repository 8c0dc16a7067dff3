/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which preemption models a kernel can be booted with (`preempt=`), from its
 * configuration and version.
 */
#ifndef KTOLL_PREEMPT_H
#define KTOLL_PREEMPT_H

#include "base/error.h"
#include "base/str.h"
#include "model/kernel.h"

/*
 * Refuses a `preempt=MODEL` among the boot parameters that this kernel does not
 * have: -EINVAL, blamed on the kernel, naming those it has. A kernel whose
 * configuration is not known passes: what it uses is checked when it has booted.
 */
int preempt_check(const struct kernel *k, const struct strv *params, struct error *err);

/*
 * The models in the order of the kernel's own list, "" for a kernel that cannot
 * change its model at boot: kernel/sched/core.c, sched_dynamic_mode().
 */
const char *preempt_models(const char *config, const char *release);

#endif
