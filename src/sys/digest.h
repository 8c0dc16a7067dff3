/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SHA-256 of bytes in memory, as 64 lower-case hex digits. The only place
 * that knows libmd.
 */
#ifndef KTOLL_DIGEST_H
#define KTOLL_DIGEST_H

#include <stddef.h>

/* Owned by the caller; never NULL. */
char *digest_sha256(const void *p, size_t n_bytes);

#endif
