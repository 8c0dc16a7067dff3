/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86-64; see arch.h. The time-stamp counter counts every instruction. */
#ifndef KTOLL_ARCH_X86_64_H
#define KTOLL_ARCH_X86_64_H

#include <stdint.h>

#include "wire/wire.h"

#define ARCH_PAGE_BYTES 4096

#define MARK_BYTES(m) ".byte 0x66,0x0f,0x1f,0x84,0x00," m ",0x4c,0x4f,0x54\n\t"

/* Of the loop around an operation in arch_measure(), for each. */
#define ARCH_LOOP_INSNS 3

static inline void arch_setup(void)
{
}

static inline void arch_mark_arm(void)
{
	__asm__ volatile(MARK_BYTES("0x33") ::: "memory");
}

static inline void arch_mark_quit(void)
{
	__asm__ volatile(MARK_BYTES("0x44") ::: "memory");
}

/*
 * Runs `op` n times between the begin and end markers and returns the guest
 * clock over them. Under icount with shift 0 the TSC counts instructions, so
 * the result is the number of instructions between the markers, exactly: from
 * the first rdtsc to the second there are also the rdtsc itself, two moves and
 * the two markers, which are taken off. Nothing else is executed between the
 * markers than the loop and what it calls; the clock stays in registers,
 * because storing it could fault. The loop around an operation executes 3
 * instructions per operation: call, sub, jnz.
 */
static inline uint64_t arch_measure(void (*op)(void), uint64_t n)
{
	uint64_t lo, hi, lo0, hi0, sp;

	__asm__ volatile("mov %%rsp, %[sp]\n\t"
			 "and $-16, %%rsp\n\t"
			 "rdtsc\n\t"
			 "mov %%rax, %[lo0]\n\t"
			 "mov %%rdx, %[hi0]\n\t"
			 MARK_BYTES("0x11")
			 "1: call *%[op]\n\t"
			 "sub $1, %[n]\n\t"
			 "jnz 1b\n\t"
			 MARK_BYTES("0x22")
			 "rdtsc\n\t"
			 "mov %[sp], %%rsp\n\t"
			 : "=&a"(lo), "=&d"(hi), [lo0] "=&r"(lo0), [hi0] "=&r"(hi0), [sp] "=&r"(sp),
			   [n] "+&r"(n)
			 : [op] "r"(op)
			 : "rcx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory", "xmm0",
			   "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
			   "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
	return (hi << 32 | lo) - (hi0 << 32 | lo0) - 5;
}

/* Exactly 1,000 instructions, the return included: 1 + 499 * 2 + 1. */
__attribute__((naked, noinline, unused)) static void arch_spin_1000(void)
{
	__asm__("mov $499, %eax\n\t"
		"1: sub $1, %eax\n\t"
		"jnz 1b\n\t"
		"ret");
}

/* About `n` instructions of user code. */
static inline void arch_spin(uint64_t n)
{
	n = n / 2 + 1;
	__asm__ volatile("1: sub $1, %0\n\tjnz 1b" : "+r"(n)::"cc");
}

static inline long arch_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long r;

	__asm__ volatile("syscall"
			 : "=a"(r)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return r;
}

#endif
