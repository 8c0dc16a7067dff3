/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of this machine that go into the guest: programs with their shared
 * libraries and interpreter, found where the dynamic loader would find them.
 * Nothing is run for it.
 */
#ifndef KTOLL_HOSTFILES_H
#define KTOLL_HOSTFILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/str.h"

struct host_file {
	char *path; /* from / on, without ".." */
	mode_t mode; /* permissions */
	char *bytes;
	size_t n_bytes;
	bool is_library; /* not asked for: something else needs it */
};

struct host_files {
	struct host_file *v; /* those asked for first, in their order */
	size_t n, cap;
};

/*
 * `arch` is the guest's. -ENOENT for a file that is not there, or needs a library that is
 * not; -EINVAL for a path that is not absolute or no file's, and for a program of another
 * architecture. What is no ELF file is taken as it is.
 */
int host_files_read(const char *arch, const struct strv *paths, struct host_files *ret,
		    struct error *err);
void host_files_finish(struct host_files *f);

#endif
