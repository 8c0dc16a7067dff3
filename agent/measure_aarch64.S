/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/wire.h"

/*
 * void arch_reads(void (*op)(void), uint64_t n, struct coarse_reads *ret)
 *
 * K = 17: every reading is 17 instructions behind the one before. The loop
 * around an operation executes 3 instructions per operation.
 */
	.text
	.globl	arch_reads
	.type	arch_reads, @function
arch_reads:
	stp	x29, x30, [sp, #-48]!
	mov	x29, sp
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	mov	x19, x0
	mov	x20, x1
	mov	x21, x2
1:	mrs	x3, cntvct_el0
	.rept	4
	nop
	.endr
2:	.rept	17 - 5
	nop
	.endr
	mrs	x22, cntvct_el0
	sub	x4, x22, x3
	mov	x3, x22
	cmp	x4, #1
	b.eq	2b
	cmp	x4, #2
	b.ne	1b
	movz	xzr, #(WIRE_MARK_AARCH64_IMM + WIRE_MARK_BEGIN)
3:	blr	x19
	subs	x20, x20, #1
	b.ne	3b
	movz	xzr, #(WIRE_MARK_AARCH64_IMM + WIRE_MARK_END)
	mrs	x3, cntvct_el0
	mov	x5, #0
	.rept	4
	nop
	.endr
4:	.rept	17 - 6
	nop
	.endr
	mrs	x6, cntvct_el0
	add	x5, x5, #1
	sub	x4, x6, x3
	mov	x3, x6
	cmp	x4, #1
	b.eq	4b
	stp	x22, x6, [x21]
	stp	x5, x4, [x21, #16]
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x29, x30, [sp], #48
	ret
	.size	arch_reads, . - arch_reads

/* Exactly 1,000 instructions: mov, 499 times subs and b.ne, ret. */
	.globl	arch_spin_1000
	.type	arch_spin_1000, @function
arch_spin_1000:
	mov	x0, #499
1:	subs	x0, x0, #1
	b.ne	1b
	ret
	.size	arch_spin_1000, . - arch_spin_1000
	.section .note.GNU-stack, "", @progbits
