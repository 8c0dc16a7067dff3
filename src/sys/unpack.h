/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unpacks a whole tar archive into a folder. Nothing is written outside of the
 * folder, whatever the archive holds: names that lead out of it are refused,
 * links are made but never followed, and nothing that is there is replaced.
 */
#ifndef KTOLL_UNPACK_H
#define KTOLL_UNPACK_H

#include "base/error.h"

/*
 * A tar file, plain or packed with xz, zstd, gzip or bzip2, into `dir`, which exists.
 * Modes and times of files are the archive's. -EBADMSG for a broken or hostile archive,
 * -ENOSPC; then what was unpacked so far is left there.
 */
int unpack_tar(const char *tar_path, const char *dir, struct error *err);

#endif
