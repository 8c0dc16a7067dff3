/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random numbers that are the same everywhere for the same seed: xoshiro256**
 * (Blackman and Vigna, "Scrambled linear pseudorandom number generators",
 * 2021), seeded by SplitMix64 as its authors advise.
 */
#ifndef KTOLL_RANDOM_H
#define KTOLL_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
	uint64_t s[4];
};

void random_seed(struct random *r, uint64_t seed);
uint64_t random_next(struct random *r);
/* In [0, 1), with 53 bits. */
double random_unit(struct random *r);
/* 0 to n - 1, each equally often; n > 0. Lemire, "Fast random integer generation in an interval", 2019. */
size_t random_below(struct random *r, size_t n);

#endif
