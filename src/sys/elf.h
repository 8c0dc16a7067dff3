/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a kernel's ELF file says about itself. The only place that knows libelf. */
#ifndef KTOLL_ELF_H
#define KTOLL_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_facts {
	char build_id[129];  /* hex; "" without one */
	uint64_t text_bytes; /* size of .text; 0 without section headers */
	uint64_t data_bytes; /* of .data, the same */
	uint64_t loaded_bytes; /* all sections that take memory: what size(1) adds up */
	bool has_pvh_entry;  /* can be started by a hypervisor without a boot loader */
};

/* -EBADMSG: not an ELF file. The bytes are not changed, but libelf wants them writable. */
int elf_read_facts(void *bytes, size_t n_bytes, struct elf_facts *ret);

#endif
