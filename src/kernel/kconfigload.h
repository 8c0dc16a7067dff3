/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Kconfig files of a kernel tree on disk. */
#ifndef KTOLL_KCONFIGLOAD_H
#define KTOLL_KCONFIGLOAD_H

#include "kernel/kconfigtree.h"

/*
 * Parses from DIR/Kconfig on, for an architecture by any of its names: a tenth
 * of a second. -ENOTSUP for an architecture that is not known, -errno if the
 * folder is no kernel tree. kconfigtree_finish() when done.
 */
int kconfigload_tree(const char *dir, const char *arch, struct kconfigtree *ret,
		     struct error *err);

#endif
