/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine that guests of an architecture get from QEMU, and what in their
 * kernels depends on it. What each boot parameter is for stands in
 * docs/ARCHITECTURE.md.
 */
#ifndef KTOLL_MACHINE_H
#define KTOLL_MACHINE_H

#include <stddef.h>

struct machine {
	const char *arch;    /* "x86_64" */
	const char *qemu;    /* QEMU's name of it */
	const char *package; /* Debian's of that QEMU */
	const char *type;    /* -M, with a version where QEMU has one */
	const char *cpu;     /* -cpu */
	const char *const *params; /* boot parameters of every guest; NULL at the end */
	/*
	 * How the names of the functions begin that a kernel enters for an exception behind
	 * which an instruction is started once more; NULL at the end.
	 */
	const char *const *faults;
};

/* NULL for an architecture that cannot be measured. Static. */
const struct machine *machine_find(const char *arch);

#endif
