/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/random.h"

__extension__ typedef unsigned __int128 u128;

static uint64_t rotl(uint64_t x, int k)
{
	return x << k | x >> (64 - k);
}

void random_seed(struct random *r, uint64_t seed)
{
	for (size_t i = 0; i < 4; i++) {
		uint64_t z = seed += 0x9e3779b97f4a7c15;

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
		z = (z ^ z >> 27) * 0x94d049bb133111eb;
		r->s[i] = z ^ z >> 31;
	}
}

uint64_t random_next(struct random *r)
{
	uint64_t *s = r->s, result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

double random_unit(struct random *r)
{
	return (double)(random_next(r) >> 11) * 0x1p-53;
}

size_t random_below(struct random *r, size_t n)
{
	u128 m = (u128)random_next(r) * n;

	if ((uint64_t)m < n) {
		uint64_t floor = -n % n;

		while ((uint64_t)m < floor)
			m = (u128)random_next(r) * n;
	}
	return (size_t)(m >> 64);
}
