/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An exact time from a clock that is coarser than an instruction. Under icount
 * with shift 0 a guest executes an instruction per nanosecond, and its counter
 * reads floor(t * N / D) after t of them, in lowest terms. Read every K
 * instructions, with K * N = M * D + 1, it goes up by M each time, but once in
 * D times by M + 1: t * N is a multiple of D at that very instruction, and so
 * t is known. Interrupts show as larger steps.
 *
 * The assembly of an architecture reads the counter in two such loops, one
 * that ends right before the begin marker and one that begins right behind the
 * end marker, and tells what it read:
 */
#ifndef KTOLL_COARSE_H
#define KTOLL_COARSE_H

#include <stdint.h>

struct coarse_reads {
	uint64_t begin; /* the counter at the step of M + 1 before the region */
	uint64_t end;   /* the counter behind the region when it did not go up by M */
	uint64_t steps; /* how many times K instructions after the first reading that was */
	uint64_t last;  /* by how much it went up then */
};

/* In measure_*.S of the architecture. */
void arch_reads(void (*op)(void), uint64_t n, struct coarse_reads *ret);
void arch_spin_1000(void);

struct coarse_clock {
	uint64_t n, d, k, m;
	/* From the reading at the step before to the first one behind the region: instructions
	 * outside of it, one of the two readings and the markers included. */
	uint64_t around;
};

/* arch_measure() of arch.h by such a clock. */
static inline uint64_t coarse_measure(const struct coarse_clock *c, void (*op)(void), uint64_t n)
{
	struct coarse_reads r;

	arch_reads(op, n, &r);
	if (r.last != c->m + 1)
		return 0;
	/* Both readings are at a multiple of D / N: their difference divides. */
	return (r.end - r.begin) * c->d / c->n - r.steps * c->k - c->around;
}

#endif
