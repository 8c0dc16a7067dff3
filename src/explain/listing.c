/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain/listing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "explain/fold.h"
#include "sys/objdump.h"
#include "sys/x86insn.h"

#define MAX_FUNCTION_BYTES (1u << 20)

void listings_finish(struct listings *l)
{
	for (size_t i = 0; i < l->n; i++) {
		for (size_t j = 0; j < l->v[i].n; j++) {
			free(l->v[i].v[j].text);
			free(l->v[i].v[j].target);
			free(l->v[i].v[j].mechanism);
			free(l->v[i].v[j].inlined);
		}
		free(l->v[i].v);
		free(l->v[i].name);
	}
	free(l->v);
	*l = (struct listings){ 0 };
}

static char *target_text(const struct side *s, const struct insn *in)
{
	const struct symbol *to = in->has_target ? symbols_find(&s->symbols, in->target) : NULL;

	if (!to)
		return NULL;
	return in->target == to->addr ? xstrdup(to->name) :
					xasprintf("%s+0x%llx", to->name,
						  (unsigned long long)(in->target - to->addr));
}

/* ---- text ---- */

static void take_line(void *data, uint64_t addr, const char *text)
{
	struct listing *l = data;

	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].code.addr == addr && !l->v[i].text)
			l->v[i].text = xstrdup(text);
}

/* Each instruction for itself: what lies between those that were executed is not known. */
static void disassemble(const char *arch, struct listing *l)
{
	uint64_t end = l->v[l->n - 1].code.addr + l->v[l->n - 1].code.len;
	_cleanup_free_ char *bytes = NULL;

	if (strcmp(arch, "x86_64") == 0) {
		for (size_t i = 0; i < l->n; i++)
			l->v[i].text = x86_insn_text(l->v[i].code.addr, l->v[i].code.bytes,
						     l->v[i].code.len);
		return;
	}
	if (end - l->start > MAX_FUNCTION_BYTES)
		return;
	bytes = xcalloc(1, end - l->start);
	for (size_t i = 0; i < l->n; i++)
		memcpy(bytes + (l->v[i].code.addr - l->start), l->v[i].code.bytes,
		       l->v[i].code.len);
	/* Without a disassembler the bytes are shown. */
	objdump_each(arch, l->start, bytes, end - l->start, take_line, l, NULL);
}

static void add(struct listings *l, const struct side *s, const struct mechanisms *m,
		const struct symbol *symbol, const struct sum *sum)
{
	const struct code_insn *code = code_find(s->facts.code, sum->addr);
	struct listing *to = l->n ? &l->v[l->n - 1] : NULL;
	struct place room;
	const struct place *p;
	struct listing_insn *in;
	uint32_t site;

	if (!code)
		return;
	if (!to || to->start != symbol->addr) {
		to = ARRAY_ADD(l->v, l->n, l->cap);
		to->name = xstrdup(symbol->name);
		to->start = symbol->addr;
	}
	p = attribution_find((struct attribution *)&s->attribution, sum->addr, &room);
	site = inlines_find(s->facts.inlines, sum->addr);
	in = ARRAY_ADD(to->v, to->n, to->cap);
	*in = (struct listing_insn){ .code = *code, .count = sum->n };
	in->mechanism = p->mechanism >= 0 ? xstrdup(m->v[p->mechanism].name) : NULL;
	in->target = target_text(s, &p->insn);
	in->inlined = site ? xstrdup(s->facts.inlines->sites[site].name) : NULL;
}

static int fill(const struct explain_request *q, struct side *s, const char *workload,
		const char *function, struct listings *l, struct error *err)
{
	struct mechanisms m = { 0 };
	struct replicates reps = { 0 };
	struct sums sums = { 0 };
	int r = mechanisms_load(&m, s->facts.arch, err);

	if (r == 0)
		attribution_make(&s->facts, &m, NULL, &s->attribution);
	replicates_collect(&q->result->run->outcomes[s->variant], workload, &reps);
	if (r == 0)
		r = side_sum_up(q, &reps, &sums, err);
	for (size_t i = 0; r == 0 && i < reps.n; i++)
		l->ops += replicate_ops(&reps.v[i]);
	for (size_t i = 0; r == 0 && i < sums.n; i++) {
		const struct symbol *symbol = symbols_find(&s->symbols, sums.v[i].addr);
		_cleanup_free_ char *plain = NULL;

		if (!symbol || !profile_is_kernel(sums.v[i].addr) || !sums.v[i].n ||
		    strncmp(symbol->name, function, strlen(function)) != 0)
			continue;
		plain = fold_plain_name(symbol->name);
		if (strcmp(plain, function) == 0 || strcmp(symbol->name, function) == 0)
			add(l, s, &m, symbol, &sums.v[i]);
	}
	for (size_t i = 0; i < l->n; i++)
		disassemble(s->facts.arch, &l->v[i]);
	free(sums.v);
	replicates_finish(&reps);
	mechanisms_finish(&m);
	return r;
}

int listings_make(const struct explain_request *q, size_t variant, const char *workload,
		  const char *function, struct listings *ret, struct error *err)
{
	struct listings l = { 0 };
	struct side s;
	int r = side_load(q, variant, &s, err);

	if (r == 0 && !s.facts.code->n)
		r = error_set(err, ENODATA, "%s: its instructions are not in the record",
			      q->result->run->variants[variant].name);
	if (r == 0)
		r = fill(q, &s, workload, function, &l, err);
	side_finish(&s);
	if (r < 0) {
		listings_finish(&l);
		return r;
	}
	*ret = l;
	return 0;
}
