/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mechanisms: named carriers of cost, and the rules that say which instruction
 * belongs to which. They are data: the files of data/mechanisms, which are in
 * the program.
 */
#ifndef KTOLL_MECHANISM_H
#define KTOLL_MECHANISM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

/* What makes an instruction part of a mechanism. The first that holds decides. */
enum mechanism_rule {
	RULE_PERCPU,   /* it works on a per-CPU variable: preemption count */
	RULE_CALL,     /* it calls, or jumps to, a function of the mechanism */
	RULE_INLINED,  /* it comes from a function that was inlined, by debug information */
	RULE_FUNCTION, /* it is in a function of the mechanism */
	RULE_CLASS,    /* what it is: a barrier, an atomic, a NOP where something can be patched in */
	RULE_N,
};
/* "per-CPU operand", "call", "inlined", "function", "instruction". Static. */
const char *mechanism_rule_name(enum mechanism_rule rule);

/* Instructions that a rule of RULE_CLASS can ask for. */
enum mechanism_site {
	SITE_NONE,
	SITE_BARRIER,
	SITE_ATOMIC,
	SITE_PATCHED, /* a NOP inside a function: a static key or static call that is off */
	SITE_STACK,   /* a register to or from the stack */
	SITE_ENTRY,   /* a NOP where a function begins: the function tracer's place */
};

struct mechanism_percpu {
	char *symbol;
	uint64_t offset;
};

struct mechanism {
	char *name;  /* "preempt_count" */
	char *about; /* a sentence */
	struct strv options;   /* that make it come and go, without CONFIG_ */
	struct strv functions; /* names or patterns with '*', of symbols without suffixes */
	struct strv inlined;   /* the same, of inlined functions; functions count as well */
	struct mechanism_percpu *percpu;
	size_t n_percpu, cap_percpu;
	enum mechanism_site site;
};

struct mechanisms {
	struct mechanism *v;
	size_t n, cap;
};

/*
 * Adds the mechanisms of a text that are for this architecture. What a kernel does not have
 * is of no effect, so that a rule may name functions of any release. -EINVAL with file, line
 * and column.
 */
int mechanisms_parse(struct mechanisms *m, const char *file, const char *text, size_t n_bytes,
		     const char *arch, struct error *err);
/* Those of the program. mechanisms_finish() when done. */
int mechanisms_load(struct mechanisms *ret, const char *arch, struct error *err);
void mechanisms_finish(struct mechanisms *m);

/* Their number by a function's name, or -1: of a symbol, or also of an inlined function. */
int mechanisms_of_function(const struct mechanisms *m, const char *name);
int mechanisms_of_inlined(const struct mechanisms *m, const char *name);
int mechanisms_of_site(const struct mechanisms *m, enum mechanism_site site);

#endif
