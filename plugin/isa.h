/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the plugin has to know of an instruction set: the markers, and the few
 * instructions that are not counted like all others. To add one: a marker in
 * wire/wire.h and a row in the table of isa.c.
 */
#ifndef KTOLL_PLUGIN_ISA_H
#define KTOLL_PLUGIN_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct isa_class {
	bool is_string; /* QEMU runs it again for each iteration */
	bool is_halt;   /* the processor may wait, so that the clock goes on without instructions */
	bool is_locked; /* x86: a LOCK prefix; elsewhere: it writes memory, atomically */
};

struct isa {
	const char *target; /* QEMU's name of it */
	/* WIRE_MARK_* if these bytes are a marker, else 0. */
	int (*marker)(const uint8_t *bytes, size_t len);
	struct isa_class (*classify)(const uint8_t *bytes, size_t len);
};

/* NULL for an instruction set that is not known. Static. */
const struct isa *isa_find(const char *target);

#endif
