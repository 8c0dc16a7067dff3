/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code: the bytes of the kernel's instructions as they were executed, which is
 * not what stands in the kernel's file: it patches itself. Sorted by address,
 * one instruction for each. Stored as a compact text of bytes.
 */
#ifndef KTOLL_CODE_H
#define KTOLL_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CODE_MAX_BYTES 15 /* the longest instruction, of x86 */

struct code_insn {
	uint64_t addr;
	uint8_t len;
	bool is_changed; /* other instructions were executed there before: patched while it ran */
	uint8_t bytes[CODE_MAX_BYTES];
};

struct code {
	struct code_insn *v;
	size_t n, cap;
};

/* Adds what was executed later, sorted by address: where the bytes differ, they replace. */
void code_merge(struct code *c, const struct code_insn *later, size_t n);
/* NULL if the instruction at this address was not executed. */
const struct code_insn *code_find(const struct code *c, uint64_t addr);
void code_finish(struct code *c);

/* The bytes, owned by the caller. */
void *code_encode(const struct code *c, size_t *ret_bytes);
/* -EBADMSG for bytes that are none, or not sorted. */
int code_decode(const void *bytes, size_t n_bytes, struct code *ret, struct error *err);

#endif
