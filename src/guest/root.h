/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A userland for guests of any architecture: Debian packages with all that they depend on, of
 * the release that this machine has (of stable for an architecture that this release does not
 * have), and files of this machine. Made without root, as one
 * cpio image in ktoll's cache.
 *
 * What a request meant holds for a day, then the package lists are read anew; without a
 * network what is there is used, with a note. An image appears complete, by a rename, and
 * is never written to again, so that whoever has its path needs no lock.
 */
#ifndef KTOLL_ROOT_H
#define KTOLL_ROOT_H

#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "debian/lists.h"

struct root {
	char *path; /* an uncompressed image that another one may follow: it is padded to 512 bytes */
	char *id;   /* SHA-256 of its bytes, in hex */
	uint64_t n_bytes;
	struct strv versions; /* of all packages in it, sorted: "dash 0.5.12-2" */
};

/*
 * `packages` come beside those of every guest: a shell, coreutils, awk. `host_files`: see
 * guest/hostfiles. `progress` may be NULL. The caller owns what `ret` holds: root_finish().
 * -ENOENT for a package that Debian does not have for the architecture, and for a host file
 * that is not there; -EINVAL for one that cannot be; -ENETUNREACH, -ENOKEY, -ENOSPC, -ECANCELED
 * as debian/apt; -EBADMSG for a broken package.
 */
int root_find(const char *arch, const struct strv *packages, const struct strv *host_files,
	      debian_progress progress, void *data, struct root *ret, struct error *err);
void root_finish(struct root *r);

#endif
