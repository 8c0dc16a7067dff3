/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/wire.h"

/*
 * void arch_reads(void (*op)(void), uint64_t n, struct coarse_reads *ret)
 *
 * K = 84: every reading is 84 instructions behind the one before. The loop
 * around an operation executes 5 instructions per operation.
 */
	.text
	.globl	arch_reads
	.type	arch_reads, @function
arch_reads:
	mflr	0
	std	0, 16(1)
	std	28, -32(1)
	std	29, -24(1)
	std	30, -16(1)
	std	31, -8(1)
	stdu	1, -96(1)
	mr	28, 3
	mr	29, 4
	mr	30, 5
1:	mftb	6
	.rept	4
	nop
	.endr
2:	.rept	84 - 5
	nop
	.endr
	mftb	31
	subf	7, 6, 31
	mr	6, 31
	cmpldi	7, 43
	beq	2b
	cmpldi	7, 44
	bne	1b
	.long	WIRE_MARK_PPC64 + WIRE_MARK_BEGIN
3:	mr	12, 28
	mtctr	12
	bctrl
	addic.	29, 29, -1
	bne	3b
	.long	WIRE_MARK_PPC64 + WIRE_MARK_END
	mftb	6
	li	8, 0
	.rept	4
	nop
	.endr
4:	.rept	84 - 6
	nop
	.endr
	mftb	9
	addi	8, 8, 1
	subf	7, 6, 9
	mr	6, 9
	cmpldi	7, 43
	beq	4b
	std	31, 0(30)
	std	9, 8(30)
	std	8, 16(30)
	std	7, 24(30)
	addi	1, 1, 96
	ld	0, 16(1)
	mtlr	0
	ld	28, -32(1)
	ld	29, -24(1)
	ld	30, -16(1)
	ld	31, -8(1)
	blr
	.size	arch_reads, . - arch_reads

/* Exactly 1,000 instructions: li, mtctr, 997 times bdnz, blr. */
	.globl	arch_spin_1000
	.type	arch_spin_1000, @function
arch_spin_1000:
	li	3, 997
	mtctr	3
1:	bdnz	1b
	blr
	.size	arch_spin_1000, . - arch_spin_1000
	.section .note.GNU-stack, "", @progbits
