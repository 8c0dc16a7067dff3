/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SHA-256 as 64 lower-case hex digits, of bytes in memory or of bytes that come
 * one after the other. The only place that knows libmd.
 */
#ifndef KTOLL_DIGEST_H
#define KTOLL_DIGEST_H

#include <stddef.h>

/* Owned by the caller; never NULL. */
char *digest_sha256(const void *p, size_t n_bytes);

struct digest;

struct digest *digest_new(void);
void digest_add(struct digest *d, const void *p, size_t n_bytes);
/* Of all that was added; owned by the caller. Frees `d`. */
char *digest_finish(struct digest *d);

#endif
