/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Architectures by all their names. What else an architecture needs to be
 * measured stands in agent/, plugin/ and engine/.
 */
#ifndef KTOLL_ARCH_H
#define KTOLL_ARCH_H

#include <stddef.h>

#include "base/str.h"

struct arch {
	const char *name;    /* ktoll's and uname's: "ppc64le" */
	const char *debian;  /* "ppc64el" */
	const char *also;    /* another name people use, "" for none */
	const char *kbuild;  /* ARCH= of the kernel's build: "powerpc" */
	const char *srcarch; /* folder below arch/ in the kernel's tree: "powerpc" */
	const char *triplet; /* of Debian's compilers: "powerpc64le-linux-gnu" */
	const char *defconfig; /* the target that makes its default configuration */
};

/* One after the other from 0 on; NULL behind the last. Static. */
const struct arch *arch_at(size_t i);
/* By any of its names; NULL if unknown. Static. */
const struct arch *arch_find(const char *name);
/* The kernel's static name of an architecture given by any of its names; NULL if unknown. */
const char *arch_from_name(const char *name);
/* The kernel's name of the architecture ktoll runs on, static; NULL if it is not supported. */
const char *arch_host(void);
/* Debian's name of it ("amd64"), static. */
const char *arch_to_debian(const char *arch);

#endif
