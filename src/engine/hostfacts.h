/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The running kernel and the machine that it is on, as a variant and as facts for
 * the record. Read from /proc, /sys and /boot; what is not there is left out.
 */
#ifndef KTOLL_HOSTFACTS_H
#define KTOLL_HOSTFACTS_H

#include "model/run.h"

/* The kernel, its command line and configuration; the name is the caller's. */
void hostfacts_variant(struct variant *ret);

/*
 * What can change between boots, or while one runs: boot id, preemption model, mitigations, clock
 * source, governor, SMT, processors, virtualisation, tuned's profile, security modules.
 */
void hostfacts_add(struct facts *to);

/* One that stays over boots and kernels, and tells nothing else of the machine; owned by the caller. */
char *hostfacts_machine_id(void);

#endif
