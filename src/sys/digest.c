/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/digest.h"

#include <stdint.h>
#include <sys/types.h>
#include <sha2.h>

#include "base/alloc.h"

struct digest {
	SHA2_CTX context;
};

struct digest *digest_new(void)
{
	struct digest *d = xcalloc(1, sizeof(*d));

	SHA256Init(&d->context);
	return d;
}

void digest_add(struct digest *d, const void *p, size_t n_bytes)
{
	/* libmd wants a pointer even to nothing. */
	if (n_bytes)
		SHA256Update(&d->context, p, n_bytes);
}

char *digest_finish(struct digest *d)
{
	char *hex = xmalloc(SHA256_DIGEST_STRING_LENGTH);

	SHA256End(&d->context, hex);
	free(d);
	return hex;
}

char *digest_sha256(const void *p, size_t n_bytes)
{
	struct digest *d = digest_new();

	digest_add(d, p, n_bytes);
	return digest_finish(d);
}
