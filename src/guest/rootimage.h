/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cpio image with a userland out of Debian packages, which are not installed:
 * their files are copied, and what their installation would have made is
 * made here as far as programs need it. /bin, /sbin, /lib and /lib64 are
 * links into /usr; documentation, translations, kernel modules and what else no program
 * in the guest reads is left out. The same packages and files give the same bytes.
 *
 * Where two have a file of the same name, a file of this machine that was asked for wins over a
 * package's, and that over a library that comes with such a file.
 */
#ifndef KTOLL_ROOTIMAGE_H
#define KTOLL_ROOTIMAGE_H

#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "guest/hostfiles.h"

/* Part of a cached image's key: goes up when the same input gives another image. */
#define ROOTIMAGE_FORMAT 2

/*
 * Into the descriptor, which is not closed; `path` is for sentences. `debs` are the packages'
 * paths, in the order in which they count. The image ends with a trailer and is padded to 512
 * bytes. `ret_sha256` is owned by the caller. -EBADMSG for a broken package, -ENOSPC.
 */
int rootimage_write(int fd, const char *path, const struct strv *debs,
		    const struct host_files *host, char **ret_sha256, uint64_t *ret_n_bytes,
		    struct error *err);

#endif
