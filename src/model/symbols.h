/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel's function symbols, and those of a few variables, from text lines "ADDRESS NAME": what the agent
 * sends from /proc/kallsyms, what the cache and the record keep. The text may
 * be hostile; lines that are none of this are left out.
 */
#ifndef KTOLL_SYMBOLS_H
#define KTOLL_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t addr;
	const char *name; /* in `text` */
};

struct symbols {
	char *text;
	struct symbol *list; /* by address, one per address: the first name given */
	size_t n;
};

void symbols_parse(const char *text, size_t n_bytes, struct symbols *ret);
void symbols_finish(struct symbols *s);

/*
 * The function that holds the address: the last symbol at or below it. NULL
 * below the first one. What lies behind the last function counts as its part.
 */
const struct symbol *symbols_find(const struct symbols *s, uint64_t addr);
/* The first of this name; NULL. */
const struct symbol *symbols_named(const struct symbols *s, const char *name);

#endif
