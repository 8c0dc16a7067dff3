/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers as LEB128 (DWARF 5, 7.6): seven bits a byte, the lowest first. What
 * is stored for each of many addresses is small this way.
 */
#ifndef KTOLL_VARINT_H
#define KTOLL_VARINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

void varint_put(struct str *out, uint64_t v);
/* Moves `*b` behind the number; false if it does not end before `end` or within 64 bits. */
bool varint_get(const uint8_t **b, const uint8_t *end, uint64_t *ret);

#endif
