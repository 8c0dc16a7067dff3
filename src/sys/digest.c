/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/digest.h"

#include <stdint.h>
#include <sha2.h>

#include "base/alloc.h"

char *digest_sha256(const void *p, size_t n_bytes)
{
	static const uint8_t nothing[1];
	char *hex = xmalloc(SHA256_DIGEST_STRING_LENGTH);

	return SHA256Data(n_bytes ? p : nothing, n_bytes, hex);
}
