/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "isa.h"

#include <string.h>

#include "wire/wire.h"

/* ---- x86-64 (Intel SDM, volume 2, appendix A) ---- */

/* F2/F3 in front of ins, outs, movs, cmps, stos, lods or scas. */
static bool is_rep_string(const uint8_t *b, size_t len)
{
	bool rep = false;

	for (size_t i = 0; i < len; i++) {
		switch (b[i]) {
		case 0xf2:
		case 0xf3:
			rep = true;
			continue;
		case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65:
		case 0x66: case 0x67: case 0x40 ... 0x4f:
			continue;
		case 0x6c ... 0x6f:
		case 0xa4 ... 0xa7:
		case 0xaa ... 0xaf:
			return rep && i + 1 == len;
		default:
			return false;
		}
	}
	return false;
}

/* F0 among the prefixes. A REX prefix is always the last one. */
static bool has_lock_prefix(const uint8_t *b, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		switch (b[i]) {
		case 0xf0:
			return true;
		case 0xf2: case 0xf3: case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64:
		case 0x65: case 0x66: case 0x67:
			continue;
		default:
			return false;
		}
	}
	return false;
}

static struct isa_class x86_classify(const uint8_t *b, size_t len)
{
	return (struct isa_class){
		.is_string = is_rep_string(b, len),
		.is_halt = len == 1 && b[0] == 0xf4,
		.is_locked = has_lock_prefix(b, len),
	};
}

static int x86_marker(const uint8_t *b, size_t len)
{
	static const uint8_t nop9[] = { 0x66, 0x0f, 0x1f, 0x84, 0x00 };
	uint32_t disp;

	if (len != sizeof(nop9) + 4 || memcmp(b, nop9, sizeof(nop9)) != 0)
		return 0;
	memcpy(&disp, b + sizeof(nop9), 4);
	return (disp & ~0xffu) == WIRE_MARK_X86_DISP ? (int)(disp & 0xff) : 0;
}

/* ---- the others: words of 32 bits ---- */

/* The instruction, or 0, which is none on any of them, if it is not of this length. */
static uint32_t word(const uint8_t *b, size_t len)
{
	uint32_t w = 0;

	if (len == sizeof(w))
		memcpy(&w, b, sizeof(w));
	return w;
}

/* twi 0,r0,SI: a trap on no condition. */
static int ppc64_marker(const uint8_t *b, size_t len)
{
	uint32_t w = word(b, len);

	return (w & ~0xffu) == WIRE_MARK_PPC64 ? (int)(w & 0xff) : 0;
}

/* Power ISA 3.1, book I and II: sc 1 is the call by which a guest waits; stop waits, too. */
static struct isa_class ppc64_classify(const uint8_t *b, size_t len)
{
	uint32_t w = word(b, len), extended = w >> 1 & 0x3ff;
	struct isa_class c = { 0 };

	c.is_halt = w == 0x44000022 || w == 0x4c0002e4;
	if (w >> 26 == 31)
		/* stbcx. sthcx. stwcx. stdcx. stqcx., all with Rc, and stwat, stdat */
		c.is_locked = ((extended == 694 || extended == 726 || extended == 150 ||
				extended == 214 || extended == 182) && (w & 1)) ||
			      extended == 710 || extended == 742 ||
			      extended == 582 || extended == 614; /* lwat, ldat */
	return c;
}

/* movz xzr, #IMM */
static int aarch64_marker(const uint8_t *b, size_t len)
{
	uint32_t w = word(b, len), imm = w >> 5 & 0xffff;

	if ((w & 0xffe0001f) != 0xd280001f || (imm & ~0xffu) != WIRE_MARK_AARCH64_IMM)
		return 0;
	return (int)(imm & 0xff);
}

/* Arm ARM (DDI 0487), C4.1: loads and stores exclusive, atomic memory operations; hints. */
static struct isa_class aarch64_classify(const uint8_t *b, size_t len)
{
	uint32_t w = word(b, len);
	struct isa_class c = { 0 };

	c.is_halt = w == 0xd503207f || w == 0xd503205f; /* wfi, wfe */
	c.is_locked = (w & 0x3fe00000) == 0x08000000 || /* st(l)xr */
		      (w & 0xbfe00000) == 0x88200000 || /* st(l)xp */
		      (w & 0x3fa07c00) == 0x08a07c00 || /* cas */
		      (w & 0xbfa07c00) == 0x08207c00 || /* casp */
		      ((w & 0x3f200c00) == 0x38200000 && (w >> 12 & 0xf) <= 8); /* ldadd … swp */
	return c;
}

/* lui x0, IMM */
static int riscv64_marker(const uint8_t *b, size_t len)
{
	uint32_t w = word(b, len), imm = w >> 12;

	return (w & 0xfff) == 0x37 && (imm & ~0xffu) == WIRE_MARK_RISCV64_IMM ? (int)(imm & 0xff) : 0;
}

/* RISC-V unprivileged ISA, chapter A: all of AMO but lr. Privileged: wfi. */
static struct isa_class riscv64_classify(const uint8_t *b, size_t len)
{
	uint32_t w = word(b, len);

	return (struct isa_class){
		.is_halt = w == 0x10500073,
		.is_locked = (w & 0x7f) == 0x2f && w >> 27 != 2,
	};
}

const struct isa *isa_find(const char *target)
{
	static const struct isa isas[] = {
		{ "x86_64", x86_marker, x86_classify },
		{ "ppc64", ppc64_marker, ppc64_classify },
		{ "aarch64", aarch64_marker, aarch64_classify },
		{ "riscv64", riscv64_marker, riscv64_classify },
	};

	for (size_t i = 0; i < sizeof(isas) / sizeof(isas[0]); i++)
		if (strcmp(isas[i].target, target) == 0)
			return &isas[i];
	return NULL;
}
