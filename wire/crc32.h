/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CRC-32 (IEEE 802.3, reflected, as in zlib), shared by the agent, which has no library, and the host. */
#ifndef KTOLL_CRC32_H
#define KTOLL_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Continues `crc` (0 to begin with) over `n` bytes. */
static inline uint32_t crc32_add(uint32_t crc, const void *p, size_t n)
{
	/* The table for four bits at a time: entry i is i shifted through the polynomial 0xedb88320. */
	static const uint32_t nibble[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
		0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	const uint8_t *b = p;

	crc = ~crc;
	while (n--) {
		crc ^= *b++;
		crc = crc >> 4 ^ nibble[crc & 15];
		crc = crc >> 4 ^ nibble[crc & 15];
	}
	return ~crc;
}

#endif
