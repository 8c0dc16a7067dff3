/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel: something bootable with what is known about it before it runs.
 * Plain data, filled by kernel/, owned by whoever holds the struct.
 */
#ifndef KTOLL_KERNEL_H
#define KTOLL_KERNEL_H

#include "sys/elf.h"

struct kernel {
	char *source;        /* the spec's source that made it: "debian:6.1-rt" */
	const char *arch;    /* static: "x86_64" */
	char *package;       /* Debian package of the image or source; NULL if from elsewhere */
	char *version;       /* its package version */
	char *release;       /* uname -r: "6.1.0-57-amd64"; NULL if it is not known before it runs */
	char *image_path;    /* what QEMU gets as -kernel */
	char *vmlinux_path;  /* its ELF file with symbols, if it is at hand; NULL */
	char *content;       /* hex SHA-256 that stands for the kernel's content; NULL: package and version do */
	char *build_id;      /* hex; NULL if it is not known before the kernel runs */
	struct elf_sizes sizes; /* of its vmlinux */
	char *config;        /* the resolved .config, whole text; NULL if unknown */
	char *config_sha256; /* hex, of that text; NULL with it */
	char *compiler;      /* first line of its --version; NULL if not built here */
	char *tree;          /* git description of the tree it was built from; NULL if none */
	char *patch_functions; /* that its patches are in, by their names, blanks between; NULL */
	char *tree_diff;     /* what a dirty git tree had beyond its commit; NULL if clean or no git */
};

void kernel_finish(struct kernel *k);

/* The preemption model that a .config says: none, voluntary, full, lazy or rt; NULL if it says none. Static. */
const char *config_preempt_model(const char *config);

#endif
