/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Power ISA 3.1B, book I (branches, storage access), book II (storage control), book III (privilege). */
#include "base/alloc.h"
#include "explain/insn.h"

static bool is_among(uint32_t xo, const uint16_t *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == xo)
			return true;
	return false;
}

/* Primary opcode 31, by its extended opcode. */
static void classify_31(uint32_t w, struct insn *ret)
{
	static const uint16_t loads[] = { /* lwzx lwzux lbzx lbzux lhzx lhzux lhax lhaux lwax lwaux ldx ldux */
		23, 55, 87, 119, 279, 311, 343, 375, 341, 373, 21, 53,
		/* lwbrx lhbrx ldbrx lfdx lfdux lfsx lfsux lvx lvxl lxvx lxvd2x lxvw4x lxvh8x lxvb16x lxsdx */
		534, 790, 532, 599, 631, 535, 567, 103, 359, 268, 844, 780, 812, 876, 588 };
	static const uint16_t stores[] = { /* stwx stwux stbx stbux sthx sthux stdx stdux stwbrx sthbrx stdbrx */
		151, 183, 215, 247, 407, 439, 149, 181, 662, 918, 660,
		/* stfdx stfdux stfsx stfsux stvx stvxl stxvx stxvd2x stxvw4x stxvh8x stxvb16x stxsdx */
		727, 759, 663, 695, 231, 487, 396, 972, 908, 940, 1004, 716 };
	static const uint16_t privileged[] = { /* mfmsr mtmsr mtmsrd tlbie tlbiel slbmte slbie slbia tlbsync slbmfee */
		83, 146, 178, 306, 274, 402, 434, 498, 566, 915 };
	static const struct {
		uint16_t xo;
		const char *name;
		unsigned classes;
	} atomics[] = {
		{ 52, "lbarx", INSN_LOAD },   { 116, "lharx", INSN_LOAD },
		{ 20, "lwarx", INSN_LOAD },   { 84, "ldarx", INSN_LOAD },
		{ 276, "lqarx", INSN_LOAD },  { 694, "stbcx.", INSN_STORE },
		{ 726, "sthcx.", INSN_STORE }, { 150, "stwcx.", INSN_STORE },
		{ 214, "stdcx.", INSN_STORE }, { 182, "stqcx.", INSN_STORE },
		{ 582, "lwat", INSN_LOAD | INSN_STORE }, { 614, "ldat", INSN_LOAD | INSN_STORE },
		{ 710, "stwat", INSN_LOAD | INSN_STORE }, { 742, "stdat", INSN_LOAD | INSN_STORE },
	};
	/* The field L of sync is three bits in 3.1: two before. */
	static const char *const syncs[] = { "sync", "lwsync", "ptesync", NULL, "phwsync", "plwsync" };
	uint32_t xo = w >> 1 & 0x3ff, l = w >> 21 & 7;
	/* The two halves of the number of a special register are swapped. */
	uint32_t spr = (w >> 16 & 0x1f) | (w >> 6 & 0x3e0);

	if (xo == 598 && l < ARRAY_SIZE(syncs) && syncs[l])
		insn_set_kind(ret, INSN_BARRIER, "%s", syncs[l]);
	else if (xo == 854)
		insn_set_kind(ret, INSN_BARRIER, "eieio");
	else if (is_among(xo, loads, ARRAY_SIZE(loads)))
		ret->classes |= INSN_LOAD;
	else if (is_among(xo, stores, ARRAY_SIZE(stores)))
		ret->classes |= INSN_STORE;
	else if (is_among(xo, privileged, ARRAY_SIZE(privileged)) ||
		 ((xo == 339 || xo == 467) && (spr & 0x10))) /* mfspr, mtspr */
		ret->classes |= INSN_PRIVILEGED;
	for (size_t i = 0; i < ARRAY_SIZE(atomics); i++)
		/* A conditional store has Rc, and the number without is another instruction. */
		if (xo == atomics[i].xo &&
		    (atomics[i].classes != INSN_STORE || (w & 1)))
			insn_set_kind(ret, INSN_ATOMIC | atomics[i].classes, "%s", atomics[i].name);
}

static void classify_19(uint32_t w, struct insn *ret)
{
	switch (w >> 1 & 0x3ff) {
	case 16: /* bclr */
		ret->classes |= w & 1 ? INSN_CALL : INSN_RETURN;
		break;
	case 528: /* bcctr */
	case 560: /* bctar */
		ret->classes |= w & 1 ? INSN_CALL : INSN_BRANCH;
		break;
	case 150:
		insn_set_kind(ret, INSN_BARRIER, "isync");
		break;
	case 18: case 82: case 274: case 306: case 370: /* rfid rfscv hrfid urfid stop */
		ret->classes |= INSN_PRIVILEGED;
	}
}

static void set_branch(uint32_t w, int64_t offset, const struct code_insn *c, struct insn *ret)
{
	/* bcl 20,31,$+4 only asks where it is. */
	ret->classes |= (w & 1) && w != 0x429f0005 ? INSN_CALL : INSN_BRANCH;
	ret->has_target = true;
	ret->target = (w & 2 ? 0 : c->addr) + (uint64_t)offset;
}

/* A prefix word in front: pld, plwz, pstd and so on. */
static void classify_prefixed(uint32_t suffix, struct insn *ret)
{
	uint32_t op = suffix >> 26;

	if ((op >= 32 && op <= 34) || op == 40 || op == 42 || op == 41 || op == 48 || op == 50 ||
	    op == 56 || op == 57)
		ret->classes |= INSN_LOAD;
	else if (op == 36 || op == 38 || op == 44 || op == 52 || op == 54 || op == 60 || op == 61)
		ret->classes |= INSN_STORE;
}

/* ld, lwz, std, stw and stdu at r1, the stack pointer. */
static bool is_stack(uint32_t w)
{
	uint32_t op = w >> 26;

	return (w >> 16 & 0x1f) == 1 && (op == 32 || op == 36 || op == 58 || op == 62);
}

void insn_classify_ppc64le(const struct code_insn *c, struct insn *ret)
{
	uint32_t w = insn_word(c);

	if (c->len == 8) {
		classify_prefixed((uint32_t)c->bytes[7] << 24 | (uint32_t)c->bytes[6] << 16 |
					  (uint32_t)c->bytes[5] << 8 | c->bytes[4], ret);
		return;
	}
	ret->classes |= is_stack(w) ? INSN_STACK : 0;
	switch (w >> 26) {
	case 16:
		set_branch(w, (int16_t)(w & 0xfffc), c, ret);
		break;
	case 17: /* sc, scv: from the kernel, they call the hypervisor */
		ret->classes |= w & 0x20 ? INSN_PRIVILEGED : 0;
		break;
	case 18:
		set_branch(w, (int32_t)((w & 0x3fffffc) << 6) >> 6, c, ret);
		break;
	case 19:
		classify_19(w, ret);
		break;
	case 24:
		ret->classes |= w == 0x60000000 ? INSN_NOP : 0; /* ori 0,0,0 */
		break;
	case 31:
		classify_31(w, ret);
		break;
	case 32 ... 35: case 40 ... 43: case 46: case 48 ... 51: case 56: case 57: case 58:
		ret->classes |= INSN_LOAD;
		break;
	case 36 ... 39: case 44: case 45: case 47: case 52 ... 55: case 62:
		ret->classes |= INSN_STORE;
		break;
	case 61: /* lxv is 1, stxv 5, stxsd and stxssp 2 and 3 of the low bits */
		ret->classes |= (w & 7) == 1 ? INSN_LOAD : INSN_STORE;
	}
}
