/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine that guests of an architecture get from QEMU, and what in their
 * kernels depends on it. What each boot parameter is for stands in
 * docs/ARCHITECTURE.md.
 */
#ifndef KTOLL_MACHINE_H
#define KTOLL_MACHINE_H

#include <stdbool.h>
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
	/*
	 * What the plugin counts as waiting is any call of the hypervisor: the guest waited only
	 * if its clock shows it.
	 */
	bool is_halt_any_call;
};

/* NULL for an architecture that cannot be measured. Static. */
const struct machine *machine_find(const char *arch);

/* A guest's memory: with a root of so many bytes three times as much more: packed, unpacked, and to work with. 0: no root. */
unsigned machine_ram_mib(size_t root_bytes);

#endif
