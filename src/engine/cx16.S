/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest that tells whether this QEMU computes the flags of cmpxchg16b wrongly.
 *
 * cmpxchg16b changes ZF and leaves the other flags alone. QEMU 7.2 computes
 * them from what the last instruction that stored its kind of result to memory
 * left there: with flags still in the translator's hands it takes the operand
 * of a subtraction, for example, for the flags themselves. Linux then returns
 * from an interrupt with NT or a reserved bit set and dies (in
 * kmem_cache_alloc). `-cpu ...,cx16=off` avoids it.
 *
 * Exit status by isa-debug-exit: 2 * CX16_ABSENT + 1 or 2 * CX16_PRESENT + 1.
 */
#include "engine/bare.h"
#include "engine/cx16.h"

/* clang-format off */
	BARE_BEGIN cx16_image

	/* A block that ends with its kind of flags in memory: those of a cmpxchg16b. */
	.macro KNOWN_FLAGS
	leaq target(%rip), %rdi
	xorl %eax, %eax
	xorl %edx, %edx
	xorl %ebx, %ebx
	xorl %ecx, %ecx
	cmpxchg16b (%rdi)
	movl $0x3f630000, %r8d
	movl $0x1134, %r9d		/* as flags: IOPL, TF, AF and PF */
	jmp 1f
1:
	.endm

	/* Both tries compare equal (target is 0), so only ZF may differ, and be set. */
	KNOWN_FLAGS
	subq %r9, %r8
	pushfq
	popq %rsi
	KNOWN_FLAGS
	subq %r9, %r8
	cmpxchg16b (%rdi)
	pushfq
	popq %rbp
	orl $0x40, %esi
	cmpq %rsi, %rbp
	jne present

	/* The same with a logical instruction behind flags that popfq set. */
	.macro ALL_FLAGS
	movl $0x3f630000, %r8d
	pushq $0x8d7
	popfq
	jmp 1f
1:
	.endm

	ALL_FLAGS
	xorq %r9, %r8
	pushfq
	popq %rsi
	ALL_FLAGS
	xorq %r9, %r8
	cmpxchg16b (%rdi)
	pushfq
	popq %rbp
	orl $0x40, %esi
	cmpq %rsi, %rbp
	jne present

	BARE_EXIT $CX16_ABSENT
present:
	pushq $2
	popfq
	BARE_EXIT $CX16_PRESENT

	.balign 16
target:	.quad 0, 0

	BARE_END cx16_image
