/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86-64: Zydis decodes; what orders memory is from the Intel SDM, volume 3, 8.2 and 8.3. */
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "explain/insn.h"
#include "sys/x86insn.h"

static bool is_barrier(const char *mnemonic)
{
	static const char *const all[] = { "mfence", "lfence", "sfence", "serialize", "cpuid" };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (strcmp(mnemonic, all[i]) == 0)
			return true;
	return false;
}

/* lock addl $0, -4(%rsp): Linux' smp_mb(), which changes nothing. A LOCK prefix comes first. */
static bool is_locked_nothing(const struct code_insn *c)
{
	static const uint8_t add[] = { 0xf0, 0x83, 0x44, 0x24 };

	return c->len == 6 && memcmp(c->bytes, add, sizeof(add)) == 0 && c->bytes[5] == 0;
}

void insn_classify_x86_64(const struct code_insn *c, struct insn *ret)
{
	struct x86_insn in;

	if (!x86_insn_decode(c->addr, c->bytes, c->len, &in))
		return;
	if (is_barrier(in.mnemonic))
		insn_set_kind(ret, INSN_BARRIER, "%s", in.mnemonic);
	else if (is_locked_nothing(c))
		insn_set_kind(ret, INSN_BARRIER, "lock add $0");
	else if (in.is_locked)
		insn_set_kind(ret, INSN_ATOMIC, "%s%s", strcmp(in.mnemonic, "xchg") ? "lock " : "",
			      in.mnemonic);
	ret->classes |= (in.is_call ? INSN_CALL : 0u) | (in.is_return ? INSN_RETURN : 0u) |
			(in.is_branch ? INSN_BRANCH : 0u) | (in.is_load ? INSN_LOAD : 0u) |
			(in.is_store ? INSN_STORE : 0u) |
			(in.is_privileged ? INSN_PRIVILEGED : 0u) | (in.is_nop ? INSN_NOP : 0u) |
			(in.is_stack ? INSN_STACK : 0u);
	ret->has_target = in.has_target;
	ret->target = in.target;
	ret->has_percpu = in.has_percpu;
	ret->percpu = in.percpu;
}
