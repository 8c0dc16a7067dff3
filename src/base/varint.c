/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/varint.h"

void varint_put(struct str *out, uint64_t v)
{
	do {
		uint8_t b = (uint8_t)(v & 0x7f) | (v > 0x7f ? 0x80 : 0);

		str_add_bytes(out, &b, 1);
		v >>= 7;
	} while (v);
}

bool varint_get(const uint8_t **b, const uint8_t *end, uint64_t *ret)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64 && *b < end; shift += 7) {
		uint8_t byte = *(*b)++;

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret = v;
			return true;
		}
	}
	return false;
}
