/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RISC-V unprivileged ISA 20240411: RV64I, A, C, Zifencei; privileged ISA 20240411: chapter 3. */
#include <string.h>

#include "explain/insn.h"

/* The fields of a fence: input, output, reads, writes. */
static const char *set_name(uint32_t bits, char *buffer)
{
	char *b = buffer;

	for (int i = 3; i >= 0; i--)
		if (bits >> i & 1)
			*b++ = "wroi"[i];
	*b = 0;
	return *buffer ? buffer : "0";
}

static void classify_fence(uint32_t w, struct insn *ret)
{
	uint32_t pred = w >> 24 & 0xf, succ = w >> 20 & 0xf;
	char a[5], b[5];

	if (w == 0x0100000f) /* pause */
		ret->classes |= INSN_NOP;
	else if ((w >> 12 & 7) == 1)
		insn_set_kind(ret, INSN_BARRIER, "fence.i");
	else if (w >> 28 == 8)
		insn_set_kind(ret, INSN_BARRIER, "fence.tso");
	else if (pred == 0xf && succ == 0xf)
		insn_set_kind(ret, INSN_BARRIER, "fence");
	else if ((w >> 12 & 7) == 0)
		insn_set_kind(ret, INSN_BARRIER, "fence %s,%s", set_name(pred, a), set_name(succ, b));
}

static void classify_atomic(uint32_t w, struct insn *ret)
{
	static const char *const names[32] = {
		[0] = "amoadd", [1] = "amoswap", [2] = "lr", [3] = "sc", [4] = "amoxor",
		[5] = "amocas", [8] = "amoor", [12] = "amoand", [16] = "amomin", [20] = "amomax",
		[24] = "amominu", [28] = "amomaxu",
	};
	const char *name = names[w >> 27];
	static const char *const order[] = { "", ".rl", ".aq", ".aqrl" };

	if (!name)
		return;
	insn_set_kind(ret,
		      INSN_ATOMIC | (w >> 27 == 2 ? INSN_LOAD : w >> 27 == 3 ? INSN_STORE :
				     INSN_LOAD | INSN_STORE),
		      "%s.%c%s", name, (w >> 12 & 7) == 2 ? 'w' : 'd', order[w >> 25 & 3]);
}

/* ra and t0 are where a call leaves its return address. */
static bool is_link(uint32_t reg)
{
	return reg == 1 || reg == 5;
}

static void set_target(struct insn *ret, uint64_t addr, int32_t offset)
{
	ret->has_target = true;
	ret->target = addr + (uint64_t)(int64_t)offset;
}

static void classify_word(uint32_t w, uint64_t addr, struct insn *ret)
{
	uint32_t rd = w >> 7 & 0x1f, rs1 = w >> 15 & 0x1f, csr = w >> 20;

	switch (w & 0x7f) {
	case 0x03: case 0x07:
		/* x2 is the stack pointer. */
		ret->classes |= INSN_LOAD | (rs1 == 2 ? INSN_STACK : 0u);
		break;
	case 0x23: case 0x27:
		ret->classes |= INSN_STORE | (rs1 == 2 ? INSN_STACK : 0u);
		break;
	case 0x63:
		ret->classes |= INSN_BRANCH;
		set_target(ret, addr, (int32_t)(w & 0x80000000) >> 19 | (int32_t)((w & 0x80) << 4 |
			   (w >> 20 & 0x7e0) | (w >> 7 & 0x1e)));
		break;
	case 0x6f:
		ret->classes |= is_link(rd) ? INSN_CALL : INSN_BRANCH;
		set_target(ret, addr, (int32_t)(w & 0x80000000) >> 11 | (int32_t)((w & 0xff000) |
			   (w >> 9 & 0x800) | (w >> 20 & 0x7fe)));
		break;
	case 0x67:
		ret->classes |= is_link(rd) ? INSN_CALL : !rd && is_link(rs1) ? INSN_RETURN : INSN_BRANCH;
		break;
	case 0x0f:
		classify_fence(w, ret);
		break;
	case 0x2f:
		classify_atomic(w, ret);
		break;
	case 0x73:
		/* A CSR says in bits 9 and 8 who may use it; else sret, mret, wfi, sfence.vma. */
		if (w >> 12 & 7 ? csr >> 8 & 3 : w >> 20 > 1)
			ret->classes |= INSN_PRIVILEGED;
		break;
	case 0x13:
		ret->classes |= w == 0x13 ? INSN_NOP : 0;
	}
}

/* c.j: imm[11|4|9:8|10|6|7|3:1|5] in bits 12 to 2. */
static int32_t jump_offset(uint32_t h)
{
	return (int32_t)(h << 19 & 0x80000000) >> 20 |
	       (int32_t)((h >> 7 & 0x10) | (h >> 1 & 0x300) | (h << 2 & 0x400) | (h >> 1 & 0x40) |
			 (h << 1 & 0x80) | (h >> 2 & 0xe) | (h << 3 & 0x20));
}

static void classify_half(uint32_t h, uint64_t addr, struct insn *ret)
{
	uint32_t funct = h >> 13, rs1 = h >> 7 & 0x1f, rs2 = h >> 2 & 0x1f;

	/* Quadrants 0 and 2 have the same places for loads and stores. */
	if ((h & 3) != 1 && funct >= 1 && funct <= 3) {
		ret->classes |= INSN_LOAD | ((h & 3) == 2 ? INSN_STACK : 0u);
	} else if ((h & 3) != 1 && funct >= 5) {
		ret->classes |= INSN_STORE | ((h & 3) == 2 ? INSN_STACK : 0u);
	} else if ((h & 3) == 1 && funct >= 5) {
		ret->classes |= INSN_BRANCH;
		if (funct == 5)
			set_target(ret, addr, jump_offset(h));
	} else if (h == 1) {
		ret->classes |= INSN_NOP;
	} else if ((h & 3) == 2 && funct == 4 && !rs2 && rs1) {
		ret->classes |= h & 0x1000 ? INSN_CALL : is_link(rs1) ? INSN_RETURN : INSN_BRANCH;
	}
}

void insn_classify_riscv64(const struct code_insn *c, struct insn *ret)
{
	if (c->len == 4)
		classify_word(insn_word(c), c->addr, ret);
	else if (c->len == 2)
		classify_half((uint32_t)(c->bytes[0] | c->bytes[1] << 8), c->addr, ret);
}
