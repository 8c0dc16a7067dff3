/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An ordered list of kernels from operands, of which one may be a range: "debian:6.1..7.2,arch=ppc64le". */
#ifndef KTOLL_KERNELLIST_H
#define KTOLL_KERNELLIST_H

#include "base/error.h"
#include "base/str.h"

/* A range is of Debian's kernels without a flavour, by version; its ends are fetched. Errors as kernel_find(). */
int kernellist_expand(char **operands, int n, struct strv *ret, struct error *err);

#endif
