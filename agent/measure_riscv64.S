/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/wire.h"

/*
 * void arch_reads(void (*op)(void), uint64_t n, struct coarse_reads *ret)
 *
 * K = 101: every reading is 101 instructions behind the one before. The loop
 * around an operation executes 3 instructions per operation.
 */
	.text
	.globl	arch_reads
	.type	arch_reads, @function
arch_reads:
	addi	sp, sp, -48
	sd	ra, 0(sp)
	sd	s0, 8(sp)
	sd	s1, 16(sp)
	sd	s2, 24(sp)
	sd	s3, 32(sp)
	mv	s0, a0
	mv	s1, a1
	mv	s3, a2
	li	t2, 1
	li	t3, 2
1:	rdtime	t0
	.rept	3
	nop
	.endr
2:	.rept	101 - 4
	nop
	.endr
	rdtime	s2
	sub	t1, s2, t0
	mv	t0, s2
	beq	t1, t2, 2b
	bne	t1, t3, 1b
	lui	x0, WIRE_MARK_RISCV64_IMM + WIRE_MARK_BEGIN
3:	jalr	s0
	addi	s1, s1, -1
	bnez	s1, 3b
	lui	x0, WIRE_MARK_RISCV64_IMM + WIRE_MARK_END
	rdtime	t0
	li	t4, 0
	li	t2, 1
	nop
	nop
4:	.rept	101 - 5
	nop
	.endr
	rdtime	t5
	addi	t4, t4, 1
	sub	t1, t5, t0
	mv	t0, t5
	beq	t1, t2, 4b
	sd	s2, 0(s3)
	sd	t5, 8(s3)
	sd	t4, 16(s3)
	sd	t1, 24(s3)
	ld	ra, 0(sp)
	ld	s0, 8(sp)
	ld	s1, 16(sp)
	ld	s2, 24(sp)
	ld	s3, 32(sp)
	addi	sp, sp, 48
	ret
	.size	arch_reads, . - arch_reads

/* Exactly 1,000 instructions: li, 499 times addi and bnez, ret. */
	.globl	arch_spin_1000
	.type	arch_spin_1000, @function
arch_spin_1000:
	li	t0, 499
1:	addi	t0, t0, -1
	bnez	t0, 1b
	ret
	.size	arch_spin_1000, . - arch_spin_1000
	.section .note.GNU-stack, "", @progbits
