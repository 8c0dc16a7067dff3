/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expressions out of the words of a Kconfig statement, from token `at` on,
 * which then stands behind what was read. The grammar is that of
 * scripts/kconfig/parser.y; operands are interned in the tree.
 */
#ifndef KTOLL_KCONFIGPARSE_H
#define KTOLL_KCONFIGPARSE_H

#include "kernel/kconfiglex.h"
#include "kernel/kconfigtree.h"

/* NULL if there is none, or it cannot be read. */
const struct kexpr *kconfigparse_expr(struct kconfigtree *t, const struct klex *l, size_t *at);
/* A symbol, a constant or something opaque; NULL if there is none. */
const struct kexpr *kconfigparse_operand(struct kconfigtree *t, const struct klex *l, size_t *at);

#endif
