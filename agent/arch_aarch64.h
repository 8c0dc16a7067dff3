/* SPDX-License-Identifier: GPL-2.0-or-later */
/* aarch64; see arch.h. The generic timer counts at 62.5 MHz. */
#ifndef KTOLL_ARCH_AARCH64_H
#define KTOLL_ARCH_AARCH64_H

#include "coarse.h"
#include "wire/wire.h"

/* Of the loop around an operation in arch_measure(), for each. */
#define ARCH_LOOP_INSNS 3

static inline void arch_setup(void)
{
}

static inline void arch_mark_arm(void)
{
	__asm__ volatile("movz xzr, #%0" : : "i"(WIRE_MARK_AARCH64_IMM | WIRE_MARK_ARM) : "memory");
}

static inline void arch_mark_quit(void)
{
	__asm__ volatile("movz xzr, #%0" : : "i"(WIRE_MARK_AARCH64_IMM | WIRE_MARK_QUIT) : "memory");
}

static inline uint64_t arch_measure(void (*op)(void), uint64_t n)
{
	static const struct coarse_clock clock = { .n = 1, .d = 16, .k = 17, .m = 1, .around = 9 };

	return coarse_measure(&clock, op, n);
}

static inline void arch_spin(uint64_t n)
{
	n = n / 2 + 1;
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n)::"cc");
}

static inline long arch_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

#endif
