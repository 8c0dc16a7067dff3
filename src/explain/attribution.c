/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain/attribution.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "explain/fold.h"

/* What is known of a symbol, worked out once for all its instructions. */
struct function {
	const struct symbol *symbol;
	const char *name; /* without suffixes */
	uint64_t entry;   /* of which executions are entries; 0: not known */
	int mechanism;
};

struct percpu {
	uint64_t addr;
	int mechanism;
	const char *label;
};

struct maker {
	const struct kernel_facts *k;
	const struct mechanisms *m;
	const struct names *lifted;
	struct attribution *out;
	int *of_site;     /* mechanism by inline site; -2: not looked up yet */
	struct percpu *percpu; /* variables of the rules, where this kernel has them */
	size_t n_percpu, cap_percpu;
};

static const char *plain_name(struct attribution *a, const struct symbol *s)
{
	_cleanup_free_ char *plain = s ? fold_plain_name(s->name) : NULL;

	return names_add(&a->names, s ? plain : FOLD_UNKNOWN);
}

/*
 * ELFv2 ABI 2.3.2.1: a function that needs its TOC pointer begins with the two
 * instructions that compute it, and local calls enter behind them.
 */
static uint64_t entry_of(const struct kernel_facts *k, uint64_t addr)
{
	const struct code_insn *first = code_find(k->code, addr);
	uint32_t w = first ? insn_word(first) : 0;

	if (strcmp(k->arch, "ppc64le") != 0)
		return addr;
	/* addis r2,r12,... or lis r2,... */
	if (first && (w >> 16 == 0x3c4c || w >> 16 == 0x3c40))
		return addr + 8;
	return !first && code_find(k->code, addr + 8) ? addr + 8 : addr;
}

static struct function function_of(struct maker *m, const struct symbol *s)
{
	struct function f = { .symbol = s, .name = plain_name(m->out, s), .mechanism = -1 };

	if (!s)
		return f;
	f.mechanism = mechanisms_of_function(m->m, f.name);
	/* A part that was cut out is entered from the function, which has been counted. */
	f.entry = strcmp(f.name, s->name) == 0 || !strstr(s->name, ".cold") ? entry_of(m->k, s->addr) : 0;
	return f;
}

static void find_percpu(struct maker *m)
{
	for (size_t i = 0; i < m->m->n; i++) {
		const struct mechanism *mech = &m->m->v[i];

		for (size_t j = 0; j < mech->n_percpu; j++) {
			const struct symbol *s = symbols_named(m->k->symbols, mech->percpu[j].symbol);
			char label[128];

			if (!s)
				continue;
			snprintf(label, sizeof(label), "%%gs:%s", s->name);
			*ARRAY_ADD(m->percpu, m->n_percpu, m->cap_percpu) =
				(struct percpu){ s->addr + mech->percpu[j].offset, (int)i,
						 names_add(&m->out->names, label) };
		}
	}
}

static void set(struct place *p, int mechanism, enum mechanism_rule rule, const char *label)
{
	p->mechanism = mechanism;
	p->rule = rule;
	p->label = label;
}

static bool by_percpu(const struct maker *m, struct place *p)
{
	for (size_t i = 0; p->insn.has_percpu && i < m->n_percpu; i++)
		if (m->percpu[i].addr == p->insn.percpu) {
			set(p, m->percpu[i].mechanism, RULE_PERCPU, m->percpu[i].label);
			return true;
		}
	return false;
}

/* A call, or a jump to where another function begins. */
static bool by_call(struct maker *m, const struct function *from, struct place *p)
{
	const struct symbol *s;
	const char *name;
	char label[256];
	int mechanism;

	if (!p->insn.has_target || !(p->insn.classes & (INSN_CALL | INSN_BRANCH)))
		return false;
	s = symbols_find(m->k->symbols, p->insn.target);
	if (!s || s == from->symbol ||
	    (s->addr != p->insn.target && s->addr + 8 != p->insn.target))
		return false;
	name = plain_name(m->out, s);
	mechanism = name == from->name ? -1 : mechanisms_of_function(m->m, name);
	if (mechanism < 0)
		return false;
	snprintf(label, sizeof(label), "call %s", name);
	set(p, mechanism, RULE_CALL, names_add(&m->out->names, label));
	return true;
}

/* The innermost inlined function that a rule names. */
static bool by_inlined(struct maker *m, const struct function *f, struct place *p)
{
	const struct inlines *in = m->k->inlines;

	for (uint32_t site = inlines_find(in, p->addr); site; site = in->sites[site].outer) {
		char label[256];

		if (m->of_site[site] == -2)
			m->of_site[site] = mechanisms_of_inlined(m->m, in->sites[site].name);
		if (m->of_site[site] < 0)
			continue;
		/* Inside a function of the same mechanism it is part of that one's row. */
		if (m->of_site[site] == f->mechanism)
			return false;
		snprintf(label, sizeof(label), "%s (inlined)", in->sites[site].name);
		set(p, m->of_site[site], RULE_INLINED, names_add(&m->out->names, label));
		return true;
	}
	return false;
}

/* In which function it is tells more than that it is. */
static const char *stack_label(struct maker *m, const struct function *f)
{
	char label[256];

	snprintf(label, sizeof(label), "in %s", f->name);
	return names_add(&m->out->names, label);
}

static bool by_class(struct maker *m, const struct code_insn *c, const struct function *f,
		     struct place *p)
{
	enum mechanism_site site = SITE_NONE;
	int mechanism;

	if (p->insn.classes & INSN_BARRIER)
		site = SITE_BARRIER;
	else if (p->insn.classes & INSN_ATOMIC)
		site = SITE_ATOMIC;
	else if (p->insn.classes & INSN_NOP && (strcmp(m->k->arch, "x86_64") != 0 || c->len == 5 || c->len == 2))
		/* On x86 what can be patched in has five bytes, or two. Behind endbr64, or in the first words. */
		site = f->symbol && p->addr - f->symbol->addr <= 8 ? SITE_ENTRY : SITE_PATCHED;
	else if (p->insn.classes & INSN_STACK)
		site = SITE_STACK;
	mechanism = mechanisms_of_site(m->m, site);
	if (mechanism < 0)
		return false;
	set(p, mechanism, RULE_CLASS,
	    names_add(&m->out->names, site == SITE_ENTRY   ? "NOP where a function begins" :
				      site == SITE_PATCHED ? "NOP inside a function" :
				      site == SITE_STACK   ? stack_label(m, f) : p->insn.kind));
	return true;
}

/* Other code: its function, or the innermost inlined one that the other kernel has out of line. */
static void by_nothing(struct maker *m, const struct function *f, struct place *p)
{
	const struct inlines *in = m->k->inlines;

	p->mechanism = -1;
	p->label = f->name;
	for (uint32_t site = inlines_find(in, p->addr); site && m->lifted;
	     site = in->sites[site].outer)
		if (names_find(m->lifted, in->sites[site].name)) {
			p->label = names_add(&m->out->names, in->sites[site].name);
			p->is_lifted = true;
			p->is_entered = false;
			return;
		}
}

static void add_place(struct maker *m, const struct code_insn *c, const struct function *f)
{
	struct place *p = ARRAY_ADD(m->out->places, m->out->n, m->out->cap);

	*p = (struct place){ .addr = c->addr,
			     .function = f->name,
			     .is_entered = f->entry == c->addr,
			     .insn = insn_classify(m->k->arch, c) };
	if (by_percpu(m, p) || by_call(m, f, p) || by_inlined(m, f, p))
		return;
	if (f->mechanism >= 0)
		set(p, f->mechanism, RULE_FUNCTION, f->name);
	else if (!by_class(m, c, f, p))
		by_nothing(m, f, p);
}

void attribution_make(const struct kernel_facts *k, const struct mechanisms *mechanisms,
		      const struct names *lifted, struct attribution *ret)
{
	struct attribution a = { .symbols = k->symbols };
	struct maker m = { .k = k, .m = mechanisms, .lifted = lifted, .out = &a };
	struct function f = { 0 };

	m.of_site = xcalloc(k->inlines->n_sites + 1, sizeof(*m.of_site));
	for (size_t i = 0; i < k->inlines->n_sites; i++)
		m.of_site[i] = -2;
	find_percpu(&m);
	for (size_t i = 0; i < k->code->n; i++) {
		const struct symbol *s = symbols_find(k->symbols, k->code->v[i].addr);

		if (!i || s != f.symbol)
			f = function_of(&m, s);
		add_place(&m, &k->code->v[i], &f);
	}
	free(m.of_site);
	free(m.percpu);
	*ret = a;
}

void attribution_finish(struct attribution *a)
{
	names_finish(&a->names);
	free(a->places);
	*a = (struct attribution){ 0 };
}

const struct place *attribution_find(struct attribution *a, uint64_t addr, struct place *room)
{
	size_t lo = 0, hi = a->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (a->places[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < a->n && a->places[lo].addr == addr)
		return &a->places[lo];
	*room = (struct place){ .addr = addr, .mechanism = -1 };
	room->label = room->function = plain_name(a, symbols_find(a->symbols, addr));
	return room;
}

void attribution_names(const struct kernel_facts *k, struct names *ret_functions,
		       struct names *ret_inlined)
{
	const struct symbol *last = NULL;

	for (size_t i = 0; i < k->code->n; i++) {
		const struct symbol *s = symbols_find(k->symbols, k->code->v[i].addr);
		uint32_t site = inlines_find(k->inlines, k->code->v[i].addr);

		if (s && s != last) {
			_cleanup_free_ char *plain = fold_plain_name(s->name);

			names_add(ret_functions, plain);
			last = s;
		}
		for (; site; site = k->inlines->sites[site].outer)
			names_add(ret_inlined, k->inlines->sites[site].name);
	}
}
