/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where each instruction of one kernel belongs: to a function, and by the rules
 * to a mechanism. Made once per variant, then asked by address.
 */
#ifndef KTOLL_ATTRIBUTION_H
#define KTOLL_ATTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/names.h"
#include "explain/insn.h"
#include "explain/mechanism.h"
#include "model/code.h"
#include "model/inlines.h"
#include "model/symbols.h"

/* What a kernel is known by; borrowed. Any of code, inlines and symbols may be empty. */
struct kernel_facts {
	const char *arch;
	const struct symbols *symbols;
	const struct code *code;
	const struct inlines *inlines;
};

struct place {
	uint64_t addr;
	int mechanism;             /* number, or -1: other code */
	enum mechanism_rule rule;  /* if there is one */
	const char *label;         /* of the row; interned: equal labels are one pointer */
	const char *function;      /* that the symbol names, without suffixes; the same */
	bool is_entered;           /* executions of this instruction are entries of the function */
	bool is_lifted;
	struct insn insn;
};

struct attribution {
	struct place *places; /* of the code, by address */
	size_t n, cap;
	struct names names;
	const struct symbols *symbols;
};

/*
 * `lifted` are names of functions that the other kernel has out of line, and this one inlined:
 * their instructions stand under their own names. NULL for none.
 */
void attribution_make(const struct kernel_facts *k, const struct mechanisms *m,
		      const struct names *lifted, struct attribution *ret);
void attribution_finish(struct attribution *a);

/* The place of an address; one whose bytes are not known has its function only, in `*room`. */
const struct place *attribution_find(struct attribution *a, uint64_t addr, struct place *room);

/* Adds the names of executed functions: of symbols without suffixes, and of those inlined. */
void attribution_names(const struct kernel_facts *k, struct names *ret_functions,
		       struct names *ret_inlined);

#endif
