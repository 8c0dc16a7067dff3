/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instructions of a function, each with how often it was executed, as
 * perf annotate shows samples.
 */
#ifndef KTOLL_LISTING_H
#define KTOLL_LISTING_H

#include "explain/side.h"

struct listing_insn {
	struct code_insn code;
	int64_t count;     /* over all replicates; string iterations apart */
	char *text;        /* as a disassembler writes it; NULL without one */
	char *target;      /* "function+0x10" that a call or branch goes to; NULL */
	char *mechanism;   /* NULL */
	char *inlined;     /* the innermost function that it comes from; NULL: the symbol's own */
};

struct listing {
	char *name;        /* the symbol's: a function may have several parts */
	uint64_t start;    /* its address */
	struct listing_insn *v; /* that were executed, by address */
	size_t n, cap;
};

struct listings {
	struct listing *v;
	size_t n, cap;
	uint64_t ops;      /* over all replicates */
};

/*
 * What a workload executed of a function, of its parts and clones, in one variant. None if
 * nothing was. -ENODATA without the bytes of instructions.
 */
int listings_make(const struct explain_request *q, size_t variant, const char *workload,
		  const char *function, struct listings *ret, struct error *err);
void listings_finish(struct listings *l);

#endif
