/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an instruction is, from the bytes that were executed: barriers and
 * atomic operations by their kind, calls, branches, memory. To add an
 * instruction set: a file with its classifier, and its row in insn.c.
 */
#ifndef KTOLL_INSN_H
#define KTOLL_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/code.h"

enum insn_class {
	INSN_BARRIER = 1,      /* orders memory or execution, and does nothing else */
	INSN_ATOMIC = 2,       /* reads and writes as one, or half of a pair that does */
	INSN_ORDERED = 4,      /* a load or store with acquire or release */
	INSN_CALL = 8,
	INSN_RETURN = 16,
	INSN_BRANCH = 32,      /* conditional or not */
	INSN_LOAD = 64,
	INSN_STORE = 128,
	INSN_PRIVILEGED = 256, /* not allowed in user space */
	INSN_NOP = 512,        /* also where something was patched out */
	INSN_STACK = 1024,     /* moves a register to or from the stack: saved around calls, or spilled */
};
#define INSN_N_CLASSES 11

/* "barriers", "calls": for 1 << i. Static. */
const char *insn_class_name(size_t i);

struct insn {
	unsigned classes;
	char kind[16];   /* of a barrier, atomic or ordered one: "lwsync", "lock cmpxchg", "ldaxr"; else "" */
	bool has_target; /* call or branch to a fixed address */
	uint64_t target;
	bool has_percpu; /* x86: an operand at a fixed address in the per-CPU area */
	uint64_t percpu;
};

/* Bytes that are no instruction, and an architecture that is not known, give one without classes. */
struct insn insn_classify(const char *arch, const struct code_insn *c);

/* The classifiers: fill what is zero. */
void insn_classify_x86_64(const struct code_insn *c, struct insn *ret);
void insn_classify_ppc64le(const struct code_insn *c, struct insn *ret);
void insn_classify_aarch64(const struct code_insn *c, struct insn *ret);
void insn_classify_riscv64(const struct code_insn *c, struct insn *ret);

/* The word of an instruction of four bytes, 0 for another length. */
uint32_t insn_word(const struct code_insn *c);
void insn_set_kind(struct insn *in, unsigned classes, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
