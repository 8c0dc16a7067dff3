/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions of x86-64, one at a time. The only place that knows Zydis.
 */
#ifndef KTOLL_X86INSN_H
#define KTOLL_X86INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct x86_insn {
	char mnemonic[16];    /* "cmpxchg", "mfence" */
	bool is_locked;       /* a LOCK prefix, or xchg with memory, which needs none */
	bool is_call, is_return, is_branch; /* branch: jumps, conditional or not */
	bool is_nop;          /* of any length; endbr is none */
	bool is_privileged;
	bool is_stack; /* push, pop, or mov between a register and memory at %rsp */
	bool is_load, is_store; /* an operand in memory that is read, written; not the stack of call, push, pop and ret */
	bool has_target;      /* call or branch to a fixed address */
	uint64_t target;
	bool has_percpu;      /* an operand %gs:ADDRESS with a fixed address */
	uint64_t percpu;
};

/* False for bytes that are no instruction. */
bool x86_insn_decode(uint64_t addr, const uint8_t *bytes, size_t len, struct x86_insn *ret);
/* In AT&T syntax, as objdump writes it; owned by the caller, NULL for none. */
char *x86_insn_text(uint64_t addr, const uint8_t *bytes, size_t len);

#endif
