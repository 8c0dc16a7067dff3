/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a kernel's ELF file says about itself, and what a program needs. The only place that
 * knows libelf.
 */
#ifndef KTOLL_ELF_H
#define KTOLL_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* In bytes; 0: not known. */
struct elf_sizes {
	/*
	 * What the functions of the symbol table take, each byte once, outside of .init and .exit
	 * sections, which are freed after boot or never loaded. 0 if the file is stripped.
	 */
	uint64_t code;
	uint64_t text;   /* .text with its padding: on x86 to 2 MiB; 0 without section headers */
	uint64_t data;   /* .data; the same */
	uint64_t loaded; /* all that takes memory: text, data and bss as size(1) adds them */
};

struct elf_facts {
	const char *arch;   /* as uname calls it, static; NULL for another than ktoll's */
	char build_id[129]; /* hex; "" without one */
	struct elf_sizes sizes;
	bool has_pvh_entry; /* can be started by a hypervisor without a boot loader */
};

/* -EBADMSG: not an ELF file. The bytes are not changed, but libelf wants them writable. */
int elf_read_facts(void *bytes, size_t n_bytes, struct elf_facts *ret);

/* The build id in notes that stand alone, as /sys/kernel/notes has them: hex, owned by the caller; NULL. */
char *elf_notes_build_id(void *bytes, size_t n_bytes);

/*
 * What a boot loader would have in memory, from the lowest physical address on, without what
 * is zero at the end; owned by the caller. -EBADMSG if that is nothing or beyond `max_bytes`.
 */
int elf_flatten(void *bytes, size_t n_bytes, size_t max_bytes, char **ret, size_t *ret_bytes);

/*
 * Takes off, in place, what is not needed to start the file: section headers and what lies
 * behind the last segment, as symbols and debug information do. Returns the new size.
 */
size_t elf_cut(void *bytes, size_t n_bytes);

/* The value of a symbol of an ELF file; -ENOENT if it has none of that name, or no symbols. */
int elf_find_symbol(const char *path, const char *name, uint64_t *ret);

struct elf_needs {
	const char *arch;   /* as in the facts */
	char *interpreter;  /* "/lib64/ld-linux-x86-64.so.2"; NULL for a library and a static program */
	struct strv needed; /* shared libraries by name: "libc.so.6" */
	char *folders;	    /* where it looks first, colons between, "$ORIGIN" its own; NULL for nowhere */
};

/* -EBADMSG: not an ELF file, or one whose tables lead out of it. */
int elf_read_needs(void *bytes, size_t n_bytes, struct elf_needs *ret);
void elf_needs_finish(struct elf_needs *n);

#endif
