/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ppc64le; see arch.h. The time base counts at 512 MHz. */
#ifndef KTOLL_ARCH_PPC64LE_H
#define KTOLL_ARCH_PPC64LE_H

#include <sys/auxv.h>

#include "coarse.h"
#include "wire/wire.h"

static inline void arch_mark_arm(void)
{
	__asm__ volatile(".long %0" : : "i"(WIRE_MARK_PPC64 | WIRE_MARK_ARM) : "memory");
}

static inline void arch_mark_quit(void)
{
	__asm__ volatile(".long %0" : : "i"(WIRE_MARK_PPC64 | WIRE_MARK_QUIT) : "memory");
}

static inline uint64_t arch_measure(void (*op)(void), uint64_t n)
{
	static const struct coarse_clock clock = { .n = 64, .d = 125, .k = 84, .m = 43, .around = 9 };

	return coarse_measure(&clock, op, n);
}

static inline void arch_spin(uint64_t n)
{
	__asm__ volatile("mtctr %0\n\t1: bdnz 1b" : : "r"(n + 1) : "ctr");
}

/* Set by arch_setup(); a program without it goes the older way. */
__attribute__((weak)) unsigned arch_has_scv;

#ifndef PPC_FEATURE2_SCV
#define PPC_FEATURE2_SCV 0x00100000
#endif

/* Of the loop around an operation in arch_measure(), for each. */
#define ARCH_LOOP_INSNS 5

static inline void arch_setup(void)
{
	arch_has_scv = getauxval(AT_HWCAP2) & PPC_FEATURE2_SCV ? 1 : 0;
}

/* As the C library makes it: by scv where processor (POWER9) and kernel (5.9) have it, else by sc. */
static inline long arch_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r0 __asm__("r0") = nr;
	register long r3 __asm__("r3") = a;
	register long r4 __asm__("r4") = b;
	register long r5 __asm__("r5") = c;
	register long r6 __asm__("r6") = d;
	register long r7 __asm__("r7") = e;
	register long r8 __asm__("r8") = f;

	if (__builtin_expect(arch_has_scv, 1))
		__asm__ volatile(".machine push\n\t"
				 ".machine power9\n\t"
				 "scv 0\n\t"
				 ".machine pop"
				 : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6), "+r"(r7), "+r"(r8)
				 :
				 : "r9", "r10", "r11", "r12", "cr0", "cr1", "cr5", "cr6", "cr7",
				   "ctr", "lr", "xer", "memory");
	else
		/* An error is positive, with SO set in cr0. */
		__asm__ volatile("sc\n\t"
				 "bns+ 1f\n\t"
				 "neg %1, %1\n\t"
				 "1:"
				 : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6), "+r"(r7), "+r"(r8)
				 :
				 : "r9", "r10", "r11", "r12", "cr0", "ctr", "xer", "memory");
	return r3;
}

#endif
