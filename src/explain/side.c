/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain/side.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "explain/fold.h"

void side_finish(struct side *s)
{
	attribution_finish(&s->attribution);
	symbols_finish(&s->symbols);
	code_finish(&s->code);
	inlines_finish(&s->inlines);
	names_finish(&s->known);
}

static int load_symbols(const struct explain_request *q, struct side *s, struct error *err)
{
	const struct outcome *o = &q->result->run->outcomes[s->variant];
	const char *build_id = facts_get(&o->guest, "build_id");
	int r = 0;

	if (!q->rec && o->symbols)
		symbols_parse(o->symbols, o->symbols_bytes, &s->symbols);
	else if (q->rec && build_id)
		r = record_load_symbols(q->rec, build_id, &s->symbols, err);
	if (r == 0 && !s->symbols.n)
		r = error_set(err, ENODATA, "%s: there are no symbols of its kernel, so no functions",
			      q->result->run->variants[s->variant].name);
	for (size_t i = 0; i < s->symbols.n; i++) {
		_cleanup_free_ char *plain = fold_plain_name(s->symbols.list[i].name);

		names_add(&s->known, plain);
	}
	return r;
}

int side_load(const struct explain_request *q, size_t variant, struct side *s, struct error *err)
{
	int r;

	*s = (struct side){ .variant = variant };
	r = load_symbols(q, s, err);
	if (r == 0 && q->rec)
		r = record_load_code(q->rec, variant, &s->code, err);
	if (r == 0 && q->rec)
		r = record_load_inlines(q->rec, variant, &s->inlines, err);
	s->facts = (struct kernel_facts){ q->result->run->variants[variant].kernel.arch, &s->symbols,
					  q->rec ? &s->code : &q->result->run->outcomes[variant].code,
					  q->rec ? &s->inlines : &q->result->run->outcomes[variant].inlines };
	return r;
}

static int by_addr(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static int add_sample(const struct explain_request *q, const struct sample *s, int sign,
		      struct sums *to, struct error *err)
{
	struct profile loaded = { 0 };
	const struct profile *p = &s->profile;
	int r = 0;

	if (q->rec) {
		r = s->profile_id ? record_load_profile(q->rec, s->profile_id, &loaded, err) :
				    error_set(err, ENODATA, "a sample has no profile");
		p = &loaded;
	}
	for (size_t i = 0; r == 0 && i < p->n; i++)
		*ARRAY_ADD(to->v, to->n, to->cap) = (struct sum){
			p->counts[i].addr, sign * (int64_t)profile_count_insns(&p->counts[i]) };
	profile_finish(&loaded);
	return r;
}

int side_sum_up(const struct explain_request *q, const struct replicates *r, struct sums *ret,
		struct error *err)
{
	size_t m = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->n; i++) {
		rc = add_sample(q, r->v[i].at, 1, ret, err);
		if (rc == 0 && r->v[i].minus)
			rc = add_sample(q, r->v[i].minus, -1, ret, err);
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_addr);
	for (size_t i = 0; i < ret->n; i++) {
		if (m && ret->v[m - 1].addr == ret->v[i].addr)
			ret->v[m - 1].n += ret->v[i].n;
		else
			ret->v[m++] = ret->v[i];
	}
	ret->n = m;
	return rc;
}
