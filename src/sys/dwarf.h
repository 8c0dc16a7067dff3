/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug information of a kernel: where functions were inlined. The only place that knows libdw.
 */
#ifndef KTOLL_DWARF_H
#define KTOLL_DWARF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct dwarf_visitor {
	/* A function was inlined into the site `outer` (0: into an outermost function); returns its number, not 0. */
	uint32_t (*enter)(void *data, uint32_t outer, const char *name);
	/* Addresses of a site; `end` is behind them. After those of the sites around it. */
	void (*range)(void *data, uint32_t site, uint64_t start, uint64_t end);
	void *data;
};

/* Does the ELF file have debug information? */
bool dwarf_is_in(const char *path);
/*
 * Goes through every inlined function of an ELF file. -ENODATA if it has no
 * debug information, -EBADMSG if that is damaged.
 */
int dwarf_visit_inlines(const char *path, const struct dwarf_visitor *v, struct error *err);

#endif
