/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debian's prebuilt kernels, the `debian:` source of a spec. Image and .config
 * are fetched with a private apt into ktoll's cache, from the machine's own
 * release or, what that does not have, from further suites; root is not needed
 * and nothing is installed. What was fetched once is used without a network: a
 * named package for good, "newest" for a day, and longer while there is no
 * network.
 */
#ifndef KTOLL_DEBIAN_H
#define KTOLL_DEBIAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "kernel/debsearch.h"
#include "model/kernel.h"
#include "model/spec.h"

/*
 * Makes the kernel of a `debian:` spec bootable. `progress` may be NULL. The
 * caller owns what `ret` holds: kernel_finish(). -ENOENT for a kernel that
 * does not exist (the sentence names those which do), -ENETUNREACH, -ENOSPC,
 * -ECANCELED, -EINVAL for a name that is none (blamed on usage).
 */
int debian_find(const struct spec *spec, debian_progress progress, void *data, struct kernel *ret,
		struct error *err);

struct debian_kernel {
	char *spec;    /* what to ask for: "debian:6.1-rt" */
	char *package; /* "linux-image-6.1.0-57-rt-amd64" */
	char *version; /* "6.1.192-3" */
	char *suite;   /* "bookworm-security"; NULL if the lists no longer offer it */
	uint64_t size_bytes; /* of the download; 0 if the lists no longer offer it */
	bool is_cached;
};

/*
 * What the package lists that were read last offer for an architecture (newest
 * first: series by flavour) and then what else is in the cache. Asks no
 * network: the first part is missing before the first debian_find(). Owned by
 * the caller: debian_kernels_free().
 */
int debian_list(const char *arch, struct debian_kernel **ret, size_t *ret_n, struct error *err);
void debian_kernels_free(struct debian_kernel *kernels, size_t n);

#endif
