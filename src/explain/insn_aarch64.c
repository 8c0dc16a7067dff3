/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arm ARM (DDI 0487), C4.1: branches, exceptions and system instructions; loads and stores. */
#include "base/alloc.h"
#include "explain/insn.h"

static const char *domain(uint32_t crm)
{
	static const char *const names[16] = { [1] = "oshld", [2] = "oshst", [3] = "osh",
					       [5] = "nshld", [6] = "nshst", [7] = "nsh",
					       [9] = "ishld", [10] = "ishst", [11] = "ish",
					       [13] = "ld",   [14] = "st",    [15] = "sy" };

	return names[crm] ? names[crm] : "?";
}

static bool classify_barrier(uint32_t w, struct insn *ret)
{
	uint32_t crm = w >> 8 & 0xf;

	switch (w & 0xfffff0ff) {
	case 0xd50330bf:
		insn_set_kind(ret, INSN_BARRIER, "dmb %s", domain(crm));
		return true;
	case 0xd503309f:
		insn_set_kind(ret, INSN_BARRIER, "dsb %s", domain(crm));
		return true;
	case 0xd50330df:
		insn_set_kind(ret, INSN_BARRIER, "isb");
		return true;
	case 0xd50330ff:
		insn_set_kind(ret, INSN_BARRIER, "sb");
		return true;
	}
	return false;
}

/* Bits 29 to 24 are 001000. */
static void classify_exclusive(uint32_t w, struct insn *ret)
{
	static const char *const sizes[] = { "b", "h", "", "" };
	bool o2 = w >> 23 & 1, load = w >> 22 & 1, o1 = w >> 21 & 1, ordered = w >> 15 & 1;
	uint32_t size = w >> 30;

	if (o2 && o1) {
		insn_set_kind(ret, INSN_ATOMIC | INSN_LOAD | INSN_STORE, "cas%s%s%s", load ? "a" : "",
			      ordered ? "l" : "", sizes[size]);
	} else if (o1 && !(size & 2)) {
		insn_set_kind(ret, INSN_ATOMIC | INSN_LOAD | INSN_STORE, "casp%s%s", load ? "a" : "",
			      ordered ? "l" : "");
	} else if (o2) {
		insn_set_kind(ret, INSN_ORDERED | (load ? INSN_LOAD : INSN_STORE), "%s%sr%s",
			      load ? "ld" : "st", load ? (ordered ? "a" : "la") : (ordered ? "l" : "ll"),
			      sizes[size]);
	} else {
		insn_set_kind(ret, INSN_ATOMIC | (load ? INSN_LOAD : INSN_STORE), "%s%sx%s%s",
			      load ? "ld" : "st", ordered ? (load ? "a" : "l") : "", o1 ? "p" : "r",
			      o1 ? "" : sizes[size]);
	}
}

/* A single register, V and size and so on: bits 29, 28 and 27 are 111, bit 25 is 0. */
static void classify_single(uint32_t w, struct insn *ret)
{
	static const char *const ops[] = { "ldadd", "ldclr", "ldeor", "ldset", "ldsmax",
					   "ldsmin", "ldumax", "ldumin", "swp" };
	static const char *const sizes[] = { "b", "h", "", "" };
	uint32_t op = w >> 12 & 0xf, opc = w >> 22 & 3, size = w >> 30;
	bool is_vector = w >> 26 & 1;

	if (!is_vector && (w & 0x01200c00) == 0x00200000) {
		if (op < ARRAY_SIZE(ops))
			insn_set_kind(ret, INSN_ATOMIC | INSN_LOAD | INSN_STORE, "%s%s%s%s", ops[op],
				      opc & 2 ? "a" : "", opc & 1 ? "l" : "", sizes[size]);
		else if (op == 12 && opc == 2)
			insn_set_kind(ret, INSN_ORDERED | INSN_LOAD, "ldapr%s", sizes[size]);
		return;
	}
	/* prfm is none of both. */
	if (!is_vector && size == 3 && opc == 2)
		return;
	ret->classes |= (is_vector ? opc & 1 : opc) ? INSN_LOAD : INSN_STORE;
}

static void classify_memory(uint32_t w, struct insn *ret)
{
	unsigned by_bit22 = w >> 22 & 1 ? INSN_LOAD : INSN_STORE;

	/* ldp, stp, ldr and str at sp, which is register 31 there. */
	if ((w >> 5 & 0x1f) == 31 && ((w & 0x3a000000) == 0x28000000 || (w & 0x3a000000) == 0x38000000))
		ret->classes |= INSN_STACK;
	if ((w & 0x3f000000) == 0x08000000)
		classify_exclusive(w, ret);
	else if ((w & 0x3f200c00) == 0x19000000)
		insn_set_kind(ret, INSN_ORDERED | (w & 0xc00000 ? INSN_LOAD : INSN_STORE), "%s",
			      w & 0xc00000 ? "ldapur" : "stlur");
	else if ((w & 0x3b000000) == 0x18000000) /* literal; its prfm has opc 3 */
		ret->classes |= w >> 30 == 3 && !(w >> 26 & 1) ? 0 : INSN_LOAD;
	else if ((w & 0x3a000000) == 0x28000000 || (w & 0xbe000000) == 0x0c000000) /* pairs, vectors */
		ret->classes |= by_bit22;
	else if ((w & 0x3a000000) == 0x38000000)
		classify_single(w, ret);
}

static int64_t offset_of(uint32_t w, unsigned shift, unsigned bits)
{
	return ((int64_t)((uint64_t)(w >> shift) << (64 - bits)) >> (64 - bits)) * 4;
}

static bool classify_branch(uint32_t w, uint64_t addr, struct insn *ret)
{
	int64_t offset = 0;

	if ((w & 0x7c000000) == 0x14000000) { /* b, bl */
		ret->classes |= w >> 31 ? INSN_CALL : INSN_BRANCH;
		offset = offset_of(w, 0, 26);
	} else if ((w & 0xff000000) == 0x54000000 || (w & 0x7e000000) == 0x34000000) { /* b.cond, cbz */
		ret->classes |= INSN_BRANCH;
		offset = offset_of(w, 5, 19);
	} else if ((w & 0x7e000000) == 0x36000000) { /* tbz */
		ret->classes |= INSN_BRANCH;
		offset = offset_of(w, 5, 14);
	} else if ((w & 0xfe000000) == 0xd6000000) { /* to a register; with pointer authentication, too */
		uint32_t opc = w >> 21 & 0xf;

		ret->classes |= opc == 2 ? INSN_RETURN :
				opc == 4 ? INSN_PRIVILEGED : /* eret */
				opc & 1  ? INSN_CALL : INSN_BRANCH;
		return true;
	} else {
		return false;
	}
	ret->has_target = true;
	ret->target = addr + (uint64_t)offset;
	return true;
}

/* msr, mrs, tlbi and the like: what op1 3 names is for user space, but for DAIF. hvc, smc. */
static bool is_privileged(uint32_t w)
{
	uint32_t op1 = w >> 16 & 7;

	if ((w & 0xfff8f01f) == 0xd500401f) /* msr with an immediate */
		return op1 != 3 || (w >> 5 & 7) >= 6;
	if ((w & 0xffd00000) == 0xd5100000) /* msr, mrs */
		return op1 != 3 || (w & 0xffffe0) >> 5 == 0 || (w & 0xffe0) == 0x4220;
	if ((w & 0xfff80000) == 0xd5080000) /* sys */
		return op1 != 3;
	return (w & 0xffe0001f) == 0xd4000002 || (w & 0xffe0001f) == 0xd4000003;
}

void insn_classify_aarch64(const struct code_insn *c, struct insn *ret)
{
	uint32_t w = insn_word(c);

	if (classify_barrier(w, ret) || classify_branch(w, c->addr, ret))
		return;
	if (w == 0xd503201f)
		ret->classes |= INSN_NOP;
	else if (is_privileged(w))
		ret->classes |= INSN_PRIVILEGED;
	else if ((w & 0x0a000000) == 0x08000000)
		classify_memory(w, ret);
}
