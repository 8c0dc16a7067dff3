/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel: something bootable with what is known about it before it runs.
 * Plain data, filled by kernel/, owned by whoever holds the struct.
 */
#ifndef KTOLL_KERNEL_H
#define KTOLL_KERNEL_H

#include <stddef.h>
#include <stdint.h>

struct kernel {
	char *source;        /* the spec's source that made it: "debian:6.1-rt" */
	const char *arch;    /* static: "x86_64" */
	char *package;       /* Debian package of the image; NULL if from elsewhere */
	char *version;       /* its package version */
	char *release;       /* uname -r: "6.1.0-57-amd64" */
	char *image_path;    /* what QEMU gets as -kernel, in the cache */
	char *build_id;      /* hex; NULL if it is not known before the kernel runs */
	uint64_t text_bytes; /* size of .text; 0 if unknown */
	char *config;        /* the resolved .config, whole text; NULL if unknown */
	char *config_sha256; /* hex, of that text; NULL with it */
};

void kernel_finish(struct kernel *k);

#endif
