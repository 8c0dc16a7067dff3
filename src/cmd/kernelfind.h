/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a spec to a kernel, whatever its source; progress goes to stderr. */
#ifndef KTOLL_KERNELFIND_H
#define KTOLL_KERNELFIND_H

#include "base/error.h"
#include "model/kernel.h"
#include "model/spec.h"

/* What is wrong with a spec is told before kernels of others are built: patches that do not apply. */
int kernel_check(const struct spec *spec, struct error *err);

/* Fetched, built or unpacked, unless it is in the cache. The caller owns what `ret` holds: kernel_finish(). */
int kernel_find(const struct spec *spec, struct kernel *ret, struct error *err);

/* Kernels that this process has compiled; those that were in the cache are not among them. */
unsigned kernel_builds(void);

#endif
