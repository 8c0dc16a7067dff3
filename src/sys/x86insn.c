/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/x86insn.h"

#include <Zydis/Zydis.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

struct decoded {
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static bool decode(const uint8_t *bytes, size_t len, struct decoded *ret)
{
	ZydisDecoder decoder;

	return ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
					     ZYDIS_STACK_WIDTH_64)) &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, len, &ret->insn, ret->operands)) &&
	       ret->insn.length == len;
}

static void add_operand(const struct decoded *d, const ZydisDecodedOperand *o, uint64_t addr,
			struct x86_insn *in)
{
	ZyanU64 at;

	if (o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && o->imm.is_relative &&
	    ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&d->insn, o, addr, &at))) {
		in->has_target = true;
		in->target = at;
	}
	if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.type != ZYDIS_MEMOP_TYPE_MEM)
		return;
	if (o->visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT) {
		in->is_load |= (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
		in->is_store |= (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
	}
	if (o->mem.segment == ZYDIS_REGISTER_GS && o->mem.index == ZYDIS_REGISTER_NONE &&
	    (o->mem.base == ZYDIS_REGISTER_NONE || o->mem.base == ZYDIS_REGISTER_RIP) &&
	    ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&d->insn, o, addr, &at))) {
		in->has_percpu = true;
		in->percpu = at;
	}
}

bool x86_insn_decode(uint64_t addr, const uint8_t *bytes, size_t len, struct x86_insn *ret)
{
	struct x86_insn in = { 0 };
	struct decoded d;

	if (!decode(bytes, len, &d))
		return false;
	snprintf(in.mnemonic, sizeof(in.mnemonic), "%s", ZydisMnemonicGetString(d.insn.mnemonic));
	switch (d.insn.meta.category) {
	case ZYDIS_CATEGORY_CALL:
		in.is_call = true;
		break;
	case ZYDIS_CATEGORY_RET:
		in.is_return = true;
		break;
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR:
		in.is_branch = true;
		break;
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
		in.is_nop = true;
		break;
	default:
		break;
	}
	in.is_stack = d.insn.meta.category == ZYDIS_CATEGORY_PUSH || d.insn.meta.category == ZYDIS_CATEGORY_POP;
	if (d.insn.mnemonic == ZYDIS_MNEMONIC_MOV)
		for (size_t i = 0; i < d.insn.operand_count_visible; i++)
			in.is_stack |= d.operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
				       d.operands[i].mem.base == ZYDIS_REGISTER_RSP;
	in.is_privileged = d.insn.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED;
	/* A NOP with an operand reads nothing, and lea is none that does. */
	for (size_t i = 0; !in.is_nop && i < d.insn.operand_count; i++)
		add_operand(&d, &d.operands[i], addr, &in);
	in.is_locked = (d.insn.attributes & ZYDIS_ATTRIB_HAS_LOCK) ||
		       (d.insn.mnemonic == ZYDIS_MNEMONIC_XCHG && in.is_store);
	*ret = in;
	return true;
}

char *x86_insn_text(uint64_t addr, const uint8_t *bytes, size_t len)
{
	ZydisFormatter formatter;
	struct decoded d;
	char text[128];

	if (!decode(bytes, len, &d) ||
	    !ZYAN_SUCCESS(ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT)) ||
	    !ZYAN_SUCCESS(ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, 0)) ||
	    !ZYAN_SUCCESS(ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING,
						    (ZyanUPointer)ZYDIS_PADDING_DISABLED)) ||
	    !ZYAN_SUCCESS(ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING,
						    (ZyanUPointer)ZYDIS_PADDING_DISABLED)) ||
	    !ZYAN_SUCCESS(ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
						    (ZyanUPointer)ZYDIS_PADDING_DISABLED)) ||
	    !ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &d.insn, d.operands,
							  d.insn.operand_count_visible, text,
							  sizeof(text), addr, NULL)))
		return NULL;
	return xstrdup(text);
}
