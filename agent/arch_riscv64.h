/* SPDX-License-Identifier: GPL-2.0-or-later */
/* riscv64; see arch.h. The time CSR counts at 10 MHz. */
#ifndef KTOLL_ARCH_RISCV64_H
#define KTOLL_ARCH_RISCV64_H

#include "coarse.h"
#include "wire/wire.h"

#define ARCH_PAGE_BYTES 4096

/* Of the loop around an operation in arch_measure(), for each. */
#define ARCH_LOOP_INSNS 3

static inline void arch_setup(void)
{
}

static inline void arch_mark_arm(void)
{
	__asm__ volatile("lui x0, %0" : : "i"(WIRE_MARK_RISCV64_IMM | WIRE_MARK_ARM) : "memory");
}

static inline void arch_mark_quit(void)
{
	__asm__ volatile("lui x0, %0" : : "i"(WIRE_MARK_RISCV64_IMM | WIRE_MARK_QUIT) : "memory");
}

static inline uint64_t arch_measure(void (*op)(void), uint64_t n)
{
	static const struct coarse_clock clock = { .n = 1, .d = 100, .k = 101, .m = 1, .around = 7 };

	return coarse_measure(&clock, op, n);
}

static inline void arch_spin(uint64_t n)
{
	n = n / 2 + 1;
	__asm__ volatile("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+r"(n));
}

static inline long arch_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	register long a7 __asm__("a7") = nr;
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d;
	register long a4 __asm__("a4") = e;
	register long a5 __asm__("a5") = f;

	__asm__ volatile("ecall"
			 : "+r"(a0)
			 : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5)
			 : "memory");
	return a0;
}

#endif
