/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain/insn.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

const char *insn_class_name(size_t i)
{
	static const char *const names[INSN_N_CLASSES] = {
		"barriers", "atomics", "acquire/release", "calls", "returns",
		"branches", "loads",   "stores",          "privileged", "nops", "registers to or from the stack",
	};

	return names[i];
}

uint32_t insn_word(const struct code_insn *c)
{
	uint32_t w = 0;

	if (c->len == sizeof(w))
		memcpy(&w, c->bytes, sizeof(w));
	return w;
}

void insn_set_kind(struct insn *in, unsigned classes, const char *fmt, ...)
{
	va_list ap;

	in->classes |= classes;
	va_start(ap, fmt);
	vsnprintf(in->kind, sizeof(in->kind), fmt, ap);
	va_end(ap);
}

struct insn insn_classify(const char *arch, const struct code_insn *c)
{
	static const struct {
		const char *arch;
		void (*classify)(const struct code_insn *c, struct insn *ret);
	} all[] = {
		{ "x86_64", insn_classify_x86_64 },
		{ "ppc64le", insn_classify_ppc64le },
		{ "aarch64", insn_classify_aarch64 },
		{ "riscv64", insn_classify_riscv64 },
	};
	struct insn in = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (strcmp(all[i].arch, arch) == 0)
			all[i].classify(c, &in);
	return in;
}
