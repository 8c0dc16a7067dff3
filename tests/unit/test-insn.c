/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classes of instructions. The bytes are what binutils 2.40 makes of the text; the classes are
 * from the manuals that the classifiers name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "explain/insn.h"

struct known {
	const char *text;
	uint8_t len, bytes[CODE_MAX_BYTES];
	unsigned classes;
	const char *kind;
};

static const struct known x86_64[] = {
	{ "jmp .-8", 2, { 0xeb, 0xf6 }, INSN_BRANCH, "" },
	{ "mfence", 3, { 0x0f, 0xae, 0xf0 }, INSN_BARRIER, "mfence" },
	{ "lfence", 3, { 0x0f, 0xae, 0xe8 }, INSN_BARRIER, "lfence" },
	{ "sfence", 3, { 0x0f, 0xae, 0xf8 }, INSN_BARRIER, "sfence" },
	{ "lock addl $0,-4(%rsp)", 6, { 0xf0, 0x83, 0x44, 0x24, 0xfc, 0x00 },
	  INSN_BARRIER | INSN_LOAD | INSN_STORE, "lock add $0" },
	{ "lock cmpxchg %ecx,(%rdi)", 4, { 0xf0, 0x0f, 0xb1, 0x0f },
	  INSN_ATOMIC | INSN_LOAD | INSN_STORE, "lock cmpxchg" },
	{ "lock xadd %eax,(%rdi)", 4, { 0xf0, 0x0f, 0xc1, 0x07 },
	  INSN_ATOMIC | INSN_LOAD | INSN_STORE, "lock xadd" },
	{ "xchg %eax,(%rdi)", 2, { 0x87, 0x07 }, INSN_ATOMIC | INSN_LOAD | INSN_STORE, "xchg" },
	{ "xchg %rax,%rbx", 2, { 0x48, 0x93 }, 0, "" },
	{ "call .+0x100", 5, { 0xe8, 0xfb, 0x00, 0x00, 0x00 }, INSN_CALL, "" },
	{ "call *%rax", 2, { 0xff, 0xd0 }, INSN_CALL, "" },
	{ "ret", 1, { 0xc3 }, INSN_RETURN, "" },
	{ "jmp .+0x100", 5, { 0xe9, 0xfb, 0x00, 0x00, 0x00 }, INSN_BRANCH, "" },
	{ "jne .+4", 2, { 0x75, 0x02 }, INSN_BRANCH, "" },
	{ "mov (%rdi),%eax", 2, { 0x8b, 0x07 }, INSN_LOAD, "" },
	{ "mov %eax,(%rdi)", 2, { 0x89, 0x07 }, INSN_STORE, "" },
	{ "lea 8(%rdi),%rax", 4, { 0x48, 0x8d, 0x47, 0x08 }, 0, "" },
	{ "push %rbp", 1, { 0x55 }, INSN_STACK, "" },
	{ "nopl 0(%rax,%rax,1)", 4, { 0x0f, 0x1f, 0x04, 0x00 }, INSN_NOP, "" },
	{ "endbr64", 4, { 0xf3, 0x0f, 0x1e, 0xfa }, 0, "" },
	{ "swapgs", 3, { 0x0f, 0x01, 0xf8 }, INSN_PRIVILEGED, "" },
	{ "wrmsr", 2, { 0x0f, 0x30 }, INSN_PRIVILEGED, "" },
	{ "hlt", 1, { 0xf4 }, INSN_PRIVILEGED, "" },
	{ "add %eax,%ebx", 2, { 0x01, 0xc3 }, 0, "" },
	{ "incl %gs:0x1cfa0", 8, { 0x65, 0xff, 0x04, 0x25, 0xa0, 0xcf, 0x01, 0x00 },
	  INSN_LOAD | INSN_STORE, "" },
};

static const struct known ppc64le[] = {
	{ "b .-8", 4, { 0xf8, 0xff, 0xff, 0x4b }, INSN_BRANCH, "" },
	{ "sync", 4, { 0xac, 0x04, 0x00, 0x7c }, INSN_BARRIER, "sync" },
	{ "lwsync", 4, { 0xac, 0x04, 0x20, 0x7c }, INSN_BARRIER, "lwsync" },
	{ "ptesync", 4, { 0xac, 0x04, 0x40, 0x7c }, INSN_BARRIER, "ptesync" },
	{ "isync", 4, { 0x2c, 0x01, 0x00, 0x4c }, INSN_BARRIER, "isync" },
	{ "eieio", 4, { 0xac, 0x06, 0x00, 0x7c }, INSN_BARRIER, "eieio" },
	{ "lwarx 3,0,4", 4, { 0x28, 0x20, 0x60, 0x7c }, INSN_ATOMIC | INSN_LOAD, "lwarx" },
	{ "ldarx 3,0,4", 4, { 0xa8, 0x20, 0x60, 0x7c }, INSN_ATOMIC | INSN_LOAD, "ldarx" },
	{ "stwcx. 3,0,4", 4, { 0x2d, 0x21, 0x60, 0x7c }, INSN_ATOMIC | INSN_STORE, "stwcx." },
	{ "stdcx. 3,0,4", 4, { 0xad, 0x21, 0x60, 0x7c }, INSN_ATOMIC | INSN_STORE, "stdcx." },
	{ "bl .+0x100", 4, { 0x01, 0x01, 0x00, 0x48 }, INSN_CALL, "" },
	{ "bctrl", 4, { 0x21, 0x04, 0x80, 0x4e }, INSN_CALL, "" },
	{ "blr", 4, { 0x20, 0x00, 0x80, 0x4e }, INSN_RETURN, "" },
	{ "b .+0x100", 4, { 0x00, 0x01, 0x00, 0x48 }, INSN_BRANCH, "" },
	{ "beq .+8", 4, { 0x08, 0x00, 0x82, 0x41 }, INSN_BRANCH, "" },
	{ "bctr", 4, { 0x20, 0x04, 0x80, 0x4e }, INSN_BRANCH, "" },
	{ "bcl 20,31,.+4", 4, { 0x05, 0x00, 0x9f, 0x42 }, INSN_BRANCH, "" },
	{ "ld 3,8(4)", 4, { 0x08, 0x00, 0x64, 0xe8 }, INSN_LOAD, "" },
	{ "lwz 3,8(4)", 4, { 0x08, 0x00, 0x64, 0x80 }, INSN_LOAD, "" },
	{ "ldx 3,4,5", 4, { 0x2a, 0x28, 0x64, 0x7c }, INSN_LOAD, "" },
	{ "lhbrx 3,4,5", 4, { 0x2c, 0x2e, 0x64, 0x7c }, INSN_LOAD, "" },
	{ "std 3,8(4)", 4, { 0x08, 0x00, 0x64, 0xf8 }, INSN_STORE, "" },
	{ "stwx 3,4,5", 4, { 0x2e, 0x29, 0x64, 0x7c }, INSN_STORE, "" },
	{ "stdu 1,-32(1)", 4, { 0xe1, 0xff, 0x21, 0xf8 }, INSN_STORE | INSN_STACK, "" },
	{ "lxv 0,16(3)", 4, { 0x11, 0x00, 0x03, 0xf4 }, INSN_LOAD, "" },
	{ "stxv 0,16(3)", 4, { 0x15, 0x00, 0x03, 0xf4 }, INSN_STORE, "" },
	{ "mtmsrd 3,1", 4, { 0x64, 0x01, 0x61, 0x7c }, INSN_PRIVILEGED, "" },
	{ "mfmsr 3", 4, { 0xa6, 0x00, 0x60, 0x7c }, INSN_PRIVILEGED, "" },
	{ "rfid", 4, { 0x24, 0x00, 0x00, 0x4c }, INSN_PRIVILEGED, "" },
	{ "mfspr 3,26", 4, { 0xa6, 0x02, 0x7a, 0x7c }, INSN_PRIVILEGED, "" },
	{ "mflr 0", 4, { 0xa6, 0x02, 0x08, 0x7c }, 0, "" },
	{ "mtctr 3", 4, { 0xa6, 0x03, 0x69, 0x7c }, 0, "" },
	{ "nop", 4, { 0x00, 0x00, 0x00, 0x60 }, INSN_NOP, "" },
	{ "addi 3,4,1", 4, { 0x01, 0x00, 0x64, 0x38 }, 0, "" },
	{ "dcbt 0,3", 4, { 0x2c, 0x1a, 0x00, 0x7c }, 0, "" },
	{ "sc 1", 4, { 0x22, 0x00, 0x00, 0x44 }, INSN_PRIVILEGED, "" },
};

static const struct known aarch64[] = {
	{ "b .-8", 4, { 0xfe, 0xff, 0xff, 0x17 }, INSN_BRANCH, "" },
	{ "dmb ish", 4, { 0xbf, 0x3b, 0x03, 0xd5 }, INSN_BARRIER, "dmb ish" },
	{ "dmb ishld", 4, { 0xbf, 0x39, 0x03, 0xd5 }, INSN_BARRIER, "dmb ishld" },
	{ "dmb ishst", 4, { 0xbf, 0x3a, 0x03, 0xd5 }, INSN_BARRIER, "dmb ishst" },
	{ "dsb sy", 4, { 0x9f, 0x3f, 0x03, 0xd5 }, INSN_BARRIER, "dsb sy" },
	{ "isb", 4, { 0xdf, 0x3f, 0x03, 0xd5 }, INSN_BARRIER, "isb" },
	{ "ldxr w0,[x1]", 4, { 0x20, 0x7c, 0x5f, 0x88 }, INSN_ATOMIC | INSN_LOAD, "ldxr" },
	{ "ldaxr x0,[x1]", 4, { 0x20, 0xfc, 0x5f, 0xc8 }, INSN_ATOMIC | INSN_LOAD, "ldaxr" },
	{ "stxr w2,x0,[x1]", 4, { 0x20, 0x7c, 0x02, 0xc8 }, INSN_ATOMIC | INSN_STORE, "stxr" },
	{ "stlxr w2,w0,[x1]", 4, { 0x20, 0xfc, 0x02, 0x88 }, INSN_ATOMIC | INSN_STORE, "stlxr" },
	{ "ldxp x0,x1,[x2]", 4, { 0x40, 0x04, 0x7f, 0xc8 }, INSN_ATOMIC | INSN_LOAD, "ldxp" },
	{ "casal x0,x1,[x2]", 4, { 0x41, 0xfc, 0xe0, 0xc8 },
	  INSN_ATOMIC | INSN_LOAD | INSN_STORE, "casal" },
	{ "casp x0,x1,x2,x3,[x4]", 4, { 0x82, 0x7c, 0x20, 0x48 },
	  INSN_ATOMIC | INSN_LOAD | INSN_STORE, "casp" },
	{ "ldadd w0,w1,[x2]", 4, { 0x41, 0x00, 0x20, 0xb8 },
	  INSN_ATOMIC | INSN_LOAD | INSN_STORE, "ldadd" },
	{ "swpal x0,x1,[x2]", 4, { 0x41, 0x80, 0xe0, 0xf8 },
	  INSN_ATOMIC | INSN_LOAD | INSN_STORE, "swpal" },
	{ "ldsetb w0,w1,[x2]", 4, { 0x41, 0x30, 0x20, 0x38 },
	  INSN_ATOMIC | INSN_LOAD | INSN_STORE, "ldsetb" },
	{ "ldar w0,[x1]", 4, { 0x20, 0xfc, 0xdf, 0x88 }, INSN_ORDERED | INSN_LOAD, "ldar" },
	{ "stlr x0,[x1]", 4, { 0x20, 0xfc, 0x9f, 0xc8 }, INSN_ORDERED | INSN_STORE, "stlr" },
	{ "stlrb w0,[x1]", 4, { 0x20, 0xfc, 0x9f, 0x08 }, INSN_ORDERED | INSN_STORE, "stlrb" },
	{ "ldapr x0,[x1]", 4, { 0x20, 0xc0, 0xbf, 0xf8 }, INSN_ORDERED | INSN_LOAD, "ldapr" },
	{ "bl .+0x100", 4, { 0x40, 0x00, 0x00, 0x94 }, INSN_CALL, "" },
	{ "blr x3", 4, { 0x60, 0x00, 0x3f, 0xd6 }, INSN_CALL, "" },
	{ "ret", 4, { 0xc0, 0x03, 0x5f, 0xd6 }, INSN_RETURN, "" },
	{ "b .+0x100", 4, { 0x40, 0x00, 0x00, 0x14 }, INSN_BRANCH, "" },
	{ "b.ne .+8", 4, { 0x41, 0x00, 0x00, 0x54 }, INSN_BRANCH, "" },
	{ "cbz x0,.+8", 4, { 0x40, 0x00, 0x00, 0xb4 }, INSN_BRANCH, "" },
	{ "tbnz x0,#3,.+8", 4, { 0x40, 0x00, 0x18, 0x37 }, INSN_BRANCH, "" },
	{ "br x3", 4, { 0x60, 0x00, 0x1f, 0xd6 }, INSN_BRANCH, "" },
	{ "eret", 4, { 0xe0, 0x03, 0x9f, 0xd6 }, INSN_PRIVILEGED, "" },
	{ "ldr x0,[x1,#8]", 4, { 0x20, 0x04, 0x40, 0xf9 }, INSN_LOAD, "" },
	{ "ldp x29,x30,[sp],#16", 4, { 0xfd, 0x7b, 0xc1, 0xa8 }, INSN_LOAD | INSN_STACK, "" },
	{ "ldrsw x0,[x1]", 4, { 0x20, 0x00, 0x80, 0xb9 }, INSN_LOAD, "" },
	{ "ldr x0,.+16", 4, { 0x80, 0x00, 0x00, 0x58 }, INSN_LOAD, "" },
	{ "ldr q0,[x1]", 4, { 0x20, 0x00, 0xc0, 0x3d }, INSN_LOAD, "" },
	{ "str x0,[x1,#8]", 4, { 0x20, 0x04, 0x00, 0xf9 }, INSN_STORE, "" },
	{ "stp x29,x30,[sp,#-16]!", 4, { 0xfd, 0x7b, 0xbf, 0xa9 }, INSN_STORE | INSN_STACK, "" },
	{ "str q0,[x1]", 4, { 0x20, 0x00, 0x80, 0x3d }, INSN_STORE, "" },
	{ "prfm pldl1keep,[x0]", 4, { 0x00, 0x00, 0x80, 0xf9 }, 0, "" },
	{ "ldr x0,[x1,x2]", 4, { 0x20, 0x68, 0x62, 0xf8 }, INSN_LOAD, "" },
	{ "str w0,[x1],#4", 4, { 0x20, 0x44, 0x00, 0xb8 }, INSN_STORE, "" },
	{ "msr daifset,#2", 4, { 0xdf, 0x42, 0x03, 0xd5 }, INSN_PRIVILEGED, "" },
	{ "mrs x0,sp_el0", 4, { 0x00, 0x41, 0x38, 0xd5 }, INSN_PRIVILEGED, "" },
	{ "mrs x0,tpidr_el0", 4, { 0x40, 0xd0, 0x3b, 0xd5 }, 0, "" },
	{ "mrs x0,nzcv", 4, { 0x00, 0x42, 0x3b, 0xd5 }, 0, "" },
	{ "tlbi vmalle1is", 4, { 0x1f, 0x83, 0x08, 0xd5 }, INSN_PRIVILEGED, "" },
	{ "hvc #0", 4, { 0x02, 0x00, 0x00, 0xd4 }, INSN_PRIVILEGED, "" },
	{ "nop", 4, { 0x1f, 0x20, 0x03, 0xd5 }, INSN_NOP, "" },
	{ "add x0,x1,x2", 4, { 0x20, 0x00, 0x02, 0x8b }, 0, "" },
	{ "paciasp", 4, { 0x3f, 0x23, 0x03, 0xd5 }, 0, "" },
};

static const struct known riscv64[] = {
	{ "fence", 4, { 0x0f, 0x00, 0xf0, 0x0f }, INSN_BARRIER, "fence" },
	{ "fence rw,rw", 4, { 0x0f, 0x00, 0x30, 0x03 }, INSN_BARRIER, "fence rw,rw" },
	{ "fence r,rw", 4, { 0x0f, 0x00, 0x30, 0x02 }, INSN_BARRIER, "fence r,rw" },
	{ "fence.tso", 4, { 0x0f, 0x00, 0x30, 0x83 }, INSN_BARRIER, "fence.tso" },
	{ "fence.i", 4, { 0x0f, 0x10, 0x00, 0x00 }, INSN_BARRIER, "fence.i" },
	{ "lr.d a0,(a1)", 4, { 0x2f, 0xb5, 0x05, 0x10 }, INSN_ATOMIC | INSN_LOAD, "lr.d" },
	{ "sc.w.rl a0,a2,(a1)", 4, { 0x2f, 0xa5, 0xc5, 0x1a }, INSN_ATOMIC | INSN_STORE, "sc.w.rl" },
	{ "amoadd.w a0,a1,(a2)", 4, { 0x2f, 0x25, 0xb6, 0x00 },
	  INSN_ATOMIC | INSN_LOAD | INSN_STORE, "amoadd.w" },
	{ "amoswap.d.aqrl a0,a1,(a2)", 4, { 0x2f, 0x35, 0xb6, 0x0e },
	  INSN_ATOMIC | INSN_LOAD | INSN_STORE, "amoswap.d.aqrl" },
	{ "jal ra,.+0x100", 4, { 0xef, 0x00, 0x00, 0x10 }, INSN_CALL, "" },
	{ "jalr ra,0(a0)", 4, { 0xe7, 0x00, 0x05, 0x00 }, INSN_CALL, "" },
	{ "c.jalr a0", 2, { 0x02, 0x95 }, INSN_CALL, "" },
	{ "ret", 2, { 0x82, 0x80 }, INSN_RETURN, "" },
	{ "ret", 4, { 0x67, 0x80, 0x00, 0x00 }, INSN_RETURN, "" },
	{ "j .+0x100", 4, { 0x6f, 0x00, 0x00, 0x10 }, INSN_BRANCH, "" },
	{ "c.j .+0x100", 2, { 0x01, 0xa2 }, INSN_BRANCH, "" },
	{ "beq a0,a1,.-8", 4, { 0xe3, 0x0c, 0xb5, 0xfe }, INSN_BRANCH, "" },
	{ "c.beqz a0,.+8", 2, { 0x01, 0xc5 }, INSN_BRANCH, "" },
	{ "c.jr a0", 2, { 0x02, 0x85 }, INSN_BRANCH, "" },
	{ "ld a0,8(a1)", 4, { 0x03, 0xb5, 0x85, 0x00 }, INSN_LOAD, "" },
	{ "c.ld a0,8(a1)", 2, { 0x88, 0x65 }, INSN_LOAD, "" },
	{ "c.ldsp a0,8(sp)", 2, { 0x22, 0x65 }, INSN_LOAD | INSN_STACK, "" },
	{ "fld fa0,1(a1)", 4, { 0x07, 0xb5, 0x15, 0x00 }, INSN_LOAD, "" },
	{ "sd a0,8(a1)", 4, { 0x23, 0xb4, 0xa5, 0x00 }, INSN_STORE, "" },
	{ "c.sd a0,8(a1)", 2, { 0x88, 0xe5 }, INSN_STORE, "" },
	{ "c.swsp a0,8(sp)", 2, { 0x2a, 0xc4 }, INSN_STORE | INSN_STACK, "" },
	{ "csrr a0,sstatus", 4, { 0x73, 0x25, 0x00, 0x10 }, INSN_PRIVILEGED, "" },
	{ "csrr a0,cycle", 4, { 0x73, 0x25, 0x00, 0xc0 }, 0, "" },
	{ "sret", 4, { 0x73, 0x00, 0x20, 0x10 }, INSN_PRIVILEGED, "" },
	{ "sfence.vma", 4, { 0x73, 0x00, 0x00, 0x12 }, INSN_PRIVILEGED, "" },
	{ "ecall", 4, { 0x73, 0x00, 0x00, 0x00 }, 0, "" },
	{ "c.nop", 2, { 0x01, 0x00 }, INSN_NOP, "" },
	{ "nop", 4, { 0x13, 0x00, 0x00, 0x00 }, INSN_NOP, "" },
	{ "c.mv a0,a1", 2, { 0x2e, 0x85 }, 0, "" },
	{ "c.add a0,a1", 2, { 0x2e, 0x95 }, 0, "" },
	{ "c.addi a0,1", 2, { 0x05, 0x05 }, 0, "" },
};

#define AT 0xffffffff81000000ull

static struct insn classify(const char *arch, const struct known *k)
{
	struct code_insn c = { .addr = AT, .len = k->len };

	memcpy(c.bytes, k->bytes, k->len);
	return insn_classify(arch, &c);
}

static void check(const char *arch, const struct known *k, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct insn in = classify(arch, &k[i]);

		if (in.classes != k[i].classes || strcmp(in.kind, k[i].kind) != 0)
			fail_msg("%s: %s: classes %x and '%s' instead of %x and '%s'", arch, k[i].text,
				 in.classes, in.kind, k[i].classes, k[i].kind);
	}
}

static void test_classes(void **state)
{
	(void)state;
	check("x86_64", x86_64, ARRAY_SIZE(x86_64));
	check("ppc64le", ppc64le, ARRAY_SIZE(ppc64le));
	check("aarch64", aarch64, ARRAY_SIZE(aarch64));
	check("riscv64", riscv64, ARRAY_SIZE(riscv64));
}

/* Where calls and branches of the tables go: their texts say it, from the instruction. */
static void check_targets(const char *arch, const struct known *k, size_t n)
{
	size_t n_targets = 0;

	for (size_t i = 0; i < n; i++) {
		const char *dot = strstr(k[i].text, ".+");
		bool is_back = !dot && strstr(k[i].text, ".-8");
		struct insn in = classify(arch, &k[i]);
		unsigned offset = 0;

		if (!(k[i].classes & (INSN_CALL | INSN_BRANCH)))
			continue;
		assert_int_equal(in.has_target, dot || is_back);
		if (!in.has_target)
			continue;
		n_targets++;
		if (is_back) {
			assert_int_equal(in.target, AT - 8);
			continue;
		}
		assert_int_equal(sscanf(dot + 2, "%i", (int *)&offset), 1);
		assert_int_equal(in.target, AT + offset);
	}
	assert_true(n_targets >= 3);
}

static void test_targets(void **state)
{
	(void)state;
	check_targets("x86_64", x86_64, ARRAY_SIZE(x86_64));
	check_targets("ppc64le", ppc64le, ARRAY_SIZE(ppc64le));
	check_targets("aarch64", aarch64, ARRAY_SIZE(aarch64));
}

/* incl %gs:0x1cfa0, absolute and relative to the instruction behind it. */
static void test_percpu(void **state)
{
	static const struct known absolute = { "", 8, { 0x65, 0xff, 0x04, 0x25, 0xa0, 0xcf, 0x01, 0x00 }, 0, "" };
	static const struct known relative = { "", 7, { 0x65, 0xff, 0x05, 0x99, 0xcf, 0x01, 0x7f }, 0, "" };
	static const struct known indexed = { "", 5, { 0x65, 0xff, 0x44, 0x08, 0x10 }, 0, "" };
	struct insn in = classify("x86_64", &absolute);

	(void)state;
	assert_true(in.has_percpu);
	assert_int_equal(in.percpu, 0x1cfa0);
	in = classify("x86_64", &relative);
	assert_true(in.has_percpu);
	assert_int_equal(in.percpu, 0x1cfa0);
	assert_false(classify("x86_64", &indexed).has_percpu);
}

static void test_nothing(void **state)
{
	static const struct known bad = { "", 2, { 0x0f, 0xff }, 0, "" }, cut = { "", 1, { 0xe8 }, 0, "" };

	(void)state;
	assert_int_equal(classify("x86_64", &cut).classes, 0);
	assert_int_equal(classify("ppc64le", &bad).classes, 0);
	assert_int_equal(classify("s390x", &bad).classes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_percpu),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
