/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which functions the compiler put into others: spans of addresses, each with
 * the innermost function that its instructions come from, and from there
 * outwards. The function that the symbol names is not among them.
 *
 * inlines_enter() and inlines_add_range() in the order of a walk, then
 * inlines_build(); or inlines_decode().
 */
#ifndef KTOLL_INLINES_H
#define KTOLL_INLINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/names.h"

struct code;

/* One place where a function was inlined. */
struct inline_site {
	const char *name; /* in `names` */
	uint32_t outer; /* the site around it; 0: none */
};

struct inline_span {
	uint64_t start, end; /* end is behind it */
	uint32_t site;
};

struct inlines {
	struct inline_site *sites; /* [0] is no site */
	size_t n_sites, cap_sites;
	struct inline_span *spans; /* sorted, no two overlap */
	size_t n_spans, cap_spans;
	/* Private. */
	struct names names;
	struct inline_range *ranges;
	size_t n_ranges, cap_ranges;
};

/* A site inside `outer` (0: in no other); its number, for those inside it and for ranges. */
uint32_t inlines_enter(struct inlines *in, uint32_t outer, const char *name);
void inlines_add_range(struct inlines *in, uint32_t site, uint64_t start, uint64_t end);
/* Makes the spans out of the ranges, of which the inner ones hold. */
void inlines_build(struct inlines *in);

/* The innermost site of an address; 0: its instruction comes from the symbol's own function. */
uint32_t inlines_find(const struct inlines *in, uint64_t addr);

/* What of it belongs to instructions that were executed. */
void inlines_of_code(const struct inlines *all, const struct code *code, struct inlines *ret);

/* Adds what is known of another boot of the same kernel: where both know an address, the one that comes first holds. */
void inlines_merge(struct inlines *to, const struct inlines *from);

void inlines_finish(struct inlines *in);

/* The bytes, owned by the caller. */
void *inlines_encode(const struct inlines *in, size_t *ret_bytes);
/* -EBADMSG for bytes that are none. */
int inlines_decode(const void *bytes, size_t n_bytes, struct inlines *ret, struct error *err);

#endif
