/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions as text, by binutils' disassembler of the architecture, which
 * comes with its cross compiler. The only place that knows objdump.
 */
#ifndef KTOLL_OBJDUMP_H
#define KTOLL_OBJDUMP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Calls `line` for each instruction of the bytes, which lie at `start`, in order; what is no
 * instruction comes as its bytes. -ENOENT if there is no disassembler for `arch`.
 */
int objdump_each(const char *arch, uint64_t start, const void *bytes, size_t n_bytes,
		 void (*line)(void *data, uint64_t addr, const char *text), void *data,
		 struct error *err);

#endif
