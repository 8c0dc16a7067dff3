/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain/explanation.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/names.h"
#include "explain/fold.h"
#include "explain/replicates.h"
#include "explain/side.h"

#define MAX_PLACES 5

/* A share of a row, of calls, of a class: added up by key. */
struct piece {
	int group;         /* mechanism, -1 other code; or a class */
	const char *label; /* of the row; or a class's kind */
	const char *place; /* of a class: the function; else "" */
	int rule;          /* -1: none */
	bool is_lifted;
	struct two_sides v;
};

struct pieces {
	struct piece *v;
	size_t n, cap;
};

/* One comparison. */
struct work {
	const struct mechanisms *mechanisms;
	struct pieces rows, calls, classes, callers;
	struct two_sides ops, total;
	struct names patched;            /* functions that a patch is in */
	struct two_sides kernel, alone; /* kernel instructions; those of functions that ran on one side only */
};

static int64_t *side_of(struct two_sides *v, bool other)
{
	return other ? &v->other : &v->base;
}

static void add_piece(struct pieces *to, int group, const char *label, const char *place, int rule,
		      bool is_lifted, bool other, int64_t n)
{
	struct piece *p = ARRAY_ADD(to->v, to->n, to->cap);

	*p = (struct piece){ group, label, place, rule, is_lifted, { 0 } };
	*side_of(&p->v, other) = n;
}

static int by_key(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;
	int r = (x->group > y->group) - (x->group < y->group);

	if (!r)
		r = (x->rule > y->rule) - (x->rule < y->rule);
	if (!r)
		r = strcmp(x->label, y->label);
	return r ? r : strcmp(x->place, y->place);
}

static void merge_pieces(struct pieces *p)
{
	size_t m = 0;

	if (p->n)
		qsort(p->v, p->n, sizeof(*p->v), by_key);
	for (size_t i = 0; i < p->n; i++) {
		if (m && by_key(&p->v[m - 1], &p->v[i]) == 0) {
			p->v[m - 1].v.base += p->v[i].v.base;
			p->v[m - 1].v.other += p->v[i].v.other;
			p->v[m - 1].is_lifted |= p->v[i].is_lifted;
		} else {
			p->v[m++] = p->v[i];
		}
	}
	p->n = m;
}

/* ---- what is known of a variant ---- */

/* Functions that one kernel runs out of line, and the other only inlined. */
static void find_lifted(const struct names *out_there, const struct names *out_here,
			const struct names *inlined_here, struct names *ret)
{
	for (size_t i = 0; i < inlined_here->size; i++) {
		const char *name = inlined_here->v[i];

		if (name && names_find(out_there, name) && !names_find(out_here, name))
			names_add(ret, name);
	}
}

static void attribute(struct side *base, struct side *other, const struct mechanisms *m)
{
	struct names out[2] = { 0 }, inlined[2] = { 0 }, lifted[2] = { 0 };
	struct side *sides[2] = { base, other };

	for (size_t i = 0; i < 2; i++)
		attribution_names(&sides[i]->facts, &out[i], &inlined[i]);
	for (size_t i = 0; i < 2; i++) {
		find_lifted(&out[!i], &out[i], &inlined[i], &lifted[i]);
		attribution_make(&sides[i]->facts, m, &lifted[i], &sides[i]->attribution);
	}
	for (size_t i = 0; i < 2; i++) {
		names_finish(&out[i]);
		names_finish(&inlined[i]);
		names_finish(&lifted[i]);
	}
}

/* ---- the instructions of a side ---- */

static void add_address(struct work *w, struct side *s, const struct sum *sum, bool other)
{
	struct place room;
	const struct place *p = attribution_find(&s->attribution, sum->addr, &room);

	add_piece(&w->rows, p->mechanism, p->label, "", p->mechanism < 0 ? -1 : (int)p->rule,
		  p->is_lifted, other, sum->n);
	*side_of(&w->kernel, other) += sum->n;
	if (p->mechanism >= 0 && p->rule == RULE_CALL)
		add_piece(&w->callers, p->mechanism, p->label, p->function, -1, false, other, sum->n);
	if (p->is_entered)
		add_piece(&w->calls, 0, p->function, "", -1, false, other, sum->n);
	for (int i = 0; i < INSN_N_CLASSES; i++)
		if (p->insn.classes & 1u << i) {
			bool has_kind = 1u << i & (INSN_BARRIER | INSN_ATOMIC | INSN_ORDERED);

			add_piece(&w->classes, i, has_kind ? p->insn.kind : "",
				  has_kind ? p->function : "", -1, false, other, sum->n);
		}
}

static uint64_t restarts_of(const struct sample *s)
{
	return s->is_tick ? 0 : s->started - s->string_iters - sample_insns(s);
}

static int add_side(const struct explain_request *q, struct work *w, struct side *s,
		    const char *workload, bool other, struct error *err)
{
	struct replicates reps = { 0 };
	struct sums sums = { 0 };
	int64_t user = 0, restarts = 0;
	bool is_tick = false;
	int r;

	replicates_collect(&q->result->run->outcomes[s->variant], workload, &reps);
	r = side_sum_up(q, &reps, &sums, err);
	for (size_t i = 0; r == 0 && i < reps.n; i++) {
		*side_of(&w->ops, other) += (int64_t)replicate_ops(&reps.v[i]);
		*side_of(&w->total, other) += (int64_t)replicate_get(&reps.v[i], sample_insns);
		restarts += (int64_t)restarts_of(reps.v[i].at);
		restarts -= reps.v[i].minus ? (int64_t)restarts_of(reps.v[i].minus) : 0;
		is_tick |= reps.v[i].at->is_tick;
	}
	for (size_t i = 0; r == 0 && i < sums.n; i++) {
		if (profile_is_kernel(sums.v[i].addr))
			add_address(w, s, &sums.v[i], other);
		else
			user += sums.v[i].n;
	}
	if (!is_tick)
		add_piece(&w->rows, -1, FOLD_USER, "", -1, false, other, user);
	if (restarts)
		add_piece(&w->rows, -1, EXPLANATION_RESTARTED, "", -1, false, other, -restarts);
	free(sums.v);
	replicates_finish(&reps);
	return r;
}

/* ---- the explanation ---- */

static double size_of(const struct two_sides *v, const struct two_sides *ops)
{
	return fabs(two_sides_delta(v, ops));
}

static int by_row_size(const void *a, const void *b, void *ops)
{
	const struct explanation_row *x = a, *y = b;
	double dx = size_of(&x->insns, ops), dy = size_of(&y->insns, ops);

	if (dx != dy)
		return dx > dy ? -1 : 1;
	return strcmp(x->label, y->label);
}

static int by_group_size(const void *a, const void *b, void *ops)
{
	const struct explanation_group *x = a, *y = b;
	double dx = size_of(&x->insns, ops), dy = size_of(&y->insns, ops);

	if (!x->name != !y->name)
		return x->name ? -1 : 1;
	if (dx != dy)
		return dx > dy ? -1 : 1;
	return x->name ? strcmp(x->name, y->name) : 0;
}

static void add_two(struct two_sides *to, const struct two_sides *v)
{
	to->base += v->base;
	to->other += v->other;
}

static const struct piece *find_calls(const struct work *w, const char *function)
{
	const struct piece key = { .label = function, .place = "", .rule = -1 };

	return w->calls.n ? bsearch(&key, w->calls.v, w->calls.n, sizeof(key), by_key) : NULL;
}

/* What a result's config says that differs: is it one of these? */
static bool is_touched(const struct result_config *c, const struct strv *options)
{
	for (size_t i = 0; c && i < c->lines.n; i++) {
		size_t n = strcspn(c->lines.v[i], " ");

		for (size_t j = 0; j < options->n; j++)
			if (strlen(options->v[j]) == n &&
			    strncmp(c->lines.v[i], options->v[j], n) == 0)
				return true;
	}
	return false;
}

/* Is the row of a function that a patch of either side is in? */
static bool is_patched(const struct work *w, const char *label)
{
	return names_find(&w->patched, label);
}

static void list_patched(const struct run *run, const size_t sides[2], struct names *ret)
{
	for (size_t i = 0; i < 2; i++) {
		const char *list = run->variants[sides[i]].kernel.patch_functions;
		_cleanup_free_ char *copy = xstrdup(list ? list : "");
		char *next = copy, *name;

		while ((name = strsep(&next, " ")))
			if (*name)
				names_add(ret, name);
	}
}

static const struct result_config *config_of(const struct result *r, size_t other)
{
	for (size_t i = 0; i < r->n_configs; i++)
		if (r->configs[i].other == other && r->configs[i].known)
			return &r->configs[i];
	return NULL;
}

struct place_count {
	const char *name;
	struct two_sides v;
};

/* Most of them first. */
static int by_place_size(const void *a, const void *b)
{
	const struct place_count *x = a, *y = b;
	int64_t mx = x->v.base > x->v.other ? x->v.base : x->v.other;
	int64_t my = y->v.base > y->v.other ? y->v.base : y->v.other;

	if (mx != my)
		return mx > my ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* The largest difference first; both sides have as many operations for this purpose. */
static int by_place_change(const void *a, const void *b)
{
	const struct place_count *x = a, *y = b;
	int64_t dx = llabs(x->v.other - x->v.base), dy = llabs(y->v.other - y->v.base);

	return dx != dy ? (dx > dy ? -1 : 1) : by_place_size(a, b);
}

/* The first few of the places of n pieces, by an order. */
static void list_places(const struct piece *p, size_t n, int (*order)(const void *, const void *),
			  struct strv *ret, struct two_sides **ret_counts)
{
	_cleanup_free_ struct place_count *places = xcalloc(n + 1, sizeof(*places));

	for (size_t i = 0; i < n; i++)
		places[i] = (struct place_count){ p[i].place, p[i].v };
	qsort(places, n, sizeof(*places), order);
	if (n > MAX_PLACES)
		n = MAX_PLACES;
	*ret_counts = xcalloc(n + 1, sizeof(**ret_counts));
	for (size_t i = 0; i < n; i++) {
		strv_add(ret, places[i].name);
		(*ret_counts)[i] = places[i].v;
	}
}

/* Who calls: pieces of one mechanism and label follow each other. */
static void add_callers(struct explanation_row *row, const struct work *w, const struct piece *p)
{
	size_t first = 0, n = 0;

	for (size_t i = 0; i < w->callers.n; i++) {
		const struct piece *c = &w->callers.v[i];

		if (c->group != p->group || strcmp(c->label, p->label) != 0)
			continue;
		first = n ? first : i;
		n++;
	}
	if (n)
		list_places(&w->callers.v[first], n, by_place_change, &row->callers, &row->caller_counts);
}

static void add_row(struct explanation_group *g, const struct work *w, const struct piece *p,
		    const struct side *base, const struct side *other)
{
	struct explanation_row *row = ARRAY_ADD(g->rows, g->n, g->cap);
	bool is_function = p->rule < 0 || p->rule == RULE_FUNCTION;
	const struct piece *calls = is_function ? find_calls(w, p->label) : NULL;

	*row = (struct explanation_row){
		.label = xstrdup(p->label),
		.rule = p->rule < 0 ? NULL : mechanism_rule_name((enum mechanism_rule)p->rule),
		.insns = p->v,
		.calls = calls ? calls->v : (struct two_sides){ -1, -1 },
		.is_lifted = p->is_lifted,
	};
	if (is_function && *p->label != '[' && strcmp(p->label, FOLD_UNKNOWN) != 0) {
		row->is_base_only = !names_find(&other->known, p->label);
		row->is_other_only = !names_find(&base->known, p->label);
		row->is_patched = is_patched(w, p->label);
	}
	if (p->rule == RULE_CALL)
		add_callers(row, w, p);
	add_two(&g->insns, &p->v);
	if (calls)
		add_two(&g->calls, &calls->v);
}

static void add_groups(struct explanation *e, struct work *w, const struct side *base,
		       const struct side *other, const struct result_config *config)
{
	double all = 0, touched = 0, rules[RULE_N] = { 0 }, rest = 0;
	struct explanation_group *g = NULL;
	int last = -2;

	for (size_t i = 0; i < w->rows.n; i++) {
		const struct piece *p = &w->rows.v[i];
		const struct mechanism *m = p->group < 0 ? NULL : &w->mechanisms->v[p->group];
		double size = size_of(&p->v, &e->ops);

		if (p->group != last) {
			last = p->group;
			g = ARRAY_ADD(e->groups, e->n_groups, e->cap_groups);
			if (m) {
				g->name = xstrdup(m->name);
				g->about = m->about ? xstrdup(m->about) : NULL;
				g->is_touched = is_touched(config, &m->options);
			}
		}
		add_row(g, w, p, base, other);
		all += size;
		if (p->rule >= 0)
			rules[p->rule] += size;
		else
			rest += size;
		touched += g->is_touched || is_patched(w, p->label) ? size : 0;
		if (p->rule < 0 && *p->label != '[' && !p->v.base != !p->v.other) {
			e->n_base_only += p->v.base != 0;
			e->n_other_only += p->v.other != 0;
			add_two(&w->alone, &p->v);
		}
	}
	for (size_t i = 0; i < RULE_N; i++)
		e->rule_shares[i] = all > 0 ? rules[i] / all : NAN;
	e->other_share = all > 0 ? rest / all : NAN;
	e->touched_share = all > 0 && (config || w->patched.n) ? touched / all : NAN;
	e->base_only_share = w->kernel.base ? (double)w->alone.base / (double)w->kernel.base : 0;
	e->other_only_share = w->kernel.other ? (double)w->alone.other / (double)w->kernel.other : 0;
	for (size_t i = 0; i < e->n_groups; i++)
		qsort_r(e->groups[i].rows, e->groups[i].n, sizeof(*e->groups[i].rows), by_row_size,
			&e->ops);
	if (e->n_groups)
		qsort_r(e->groups, e->n_groups, sizeof(*e->groups), by_group_size, &e->ops);
}

/* Pieces of one class and kind follow each other. */
static void add_class(struct explanation *e, const struct piece *p, size_t n)
{
	struct explanation_class *c = ARRAY_ADD(e->classes, e->n_classes, e->cap_classes);

	c->name = insn_class_name((size_t)p->group);
	c->kind = xstrdup(p->label);
	for (size_t i = 0; i < n; i++)
		add_two(&c->count, &p[i].v);
	if (*p->place)
		list_places(p, n, by_place_size, &c->places, &c->place_counts);
}

static void add_classes(struct explanation *e, const struct work *w)
{
	for (size_t i = 0, n; i < w->classes.n; i += n) {
		const struct piece *p = &w->classes.v[i];

		for (n = 1; i + n < w->classes.n && p[n].group == p->group &&
			    strcmp(p[n].label, p->label) == 0; n++)
			;
		add_class(e, p, n);
	}
}

static void warn(struct explanation *e, const struct side *base, const struct side *other,
		 const struct run *run)
{
	const struct side *sides[2] = { base, other };

	e->has_code = base->facts.code->n && other->facts.code->n;
	e->has_inlines = base->facts.inlines->n_spans && other->facts.inlines->n_spans;
	for (size_t i = 0; i < 2; i++) {
		const char *name = run->variants[sides[i]->variant].name;
		size_t n = 0;

		if (!sides[i]->facts.code->n)
			strv_addf(&e->warnings, "no-code: %s: its instructions are not in the record: whole functions only",
				  name);
		for (size_t j = 0; j < sides[i]->facts.code->n; j++)
			n += sides[i]->facts.code->v[j].is_changed;
		if (n)
			strv_addf(&e->warnings,
				  "patched: %s: %zu instructions were patched while it was measured: each is "
				  "taken for what it was last",
				  name, n);
	}
	if (!base->facts.inlines->n_spans != !other->facts.inlines->n_spans)
		strv_addf(&e->warnings, "inlines: only one kernel has debug information: what is inlined is told apart on that side alone");
	if (e->base_only_share > 0.05 && e->other_only_share > 0.05)
		strv_addf(&e->warnings,
			  "phases: %zu functions ran in the base only and %zu in the other only: the two sides did "
			  "not do the same work",
			  e->n_base_only, e->n_other_only);
}

static int explain_one(const struct explain_request *q, const struct result_comparison *c,
		       const struct mechanisms *m, struct side *base, struct side *other,
		       struct explanation *ret, struct error *err)
{
	struct explanation e = { .base = c->base, .other = c->other };
	struct work w = { .mechanisms = m };
	struct two_sides sum = { 0 };
	int r = add_side(q, &w, base, c->workload, false, err);

	list_patched(q->result->run, (size_t[]){ c->base, c->other }, &w.patched);

	if (r == 0)
		r = add_side(q, &w, other, c->workload, true, err);
	merge_pieces(&w.rows);
	merge_pieces(&w.calls);
	merge_pieces(&w.classes);
	merge_pieces(&w.callers);
	for (size_t i = 0; i < w.rows.n; i++)
		add_two(&sum, &w.rows.v[i].v);
	if (r == 0 && (w.ops.base <= 0 || w.ops.other <= 0 || sum.base != w.total.base ||
		       sum.other != w.total.other))
		r = error_set(err, EBADMSG, "%s: the profiles do not add up to the counts: the record is damaged",
			      c->workload);
	if (r == 0) {
		e.workload = xstrdup(c->workload);
		e.ops = w.ops;
		e.total = w.total;
		add_groups(&e, &w, base, other, config_of(q->result, c->other));
		add_classes(&e, &w);
		warn(&e, base, other, q->result->run);
		*ret = e;
	}
	free(w.rows.v);
	free(w.calls.v);
	free(w.classes.v);
	free(w.callers.v);
	names_finish(&w.patched);
	return r;
}

static bool is_wanted(const struct explain_request *q, const struct result_comparison *c)
{
	return c->base_cell && c->other_cell && !isnan(c->delta.mean) &&
	       (!q->workload || strcmp(q->workload, c->workload) == 0);
}

int explanation_make(const struct explain_request *q, struct explanation **ret, size_t *ret_n,
		     struct error *err)
{
	const struct result *res = q->result;
	struct explanation *list = xcalloc(res->n_comparisons + 1, sizeof(*list));
	struct mechanisms m = { 0 };
	size_t n = 0;
	int r = 0;

	if (!q->by_function)
		r = mechanisms_load(&m, res->run->variants[0].kernel.arch, err);
	for (size_t v = 1; r == 0 && v < res->run->n_variants; v++) {
		struct side base = { 0 }, other = { 0 };
		bool is_loaded = false;

		for (size_t i = 0; r == 0 && i < res->n_comparisons; i++) {
			const struct result_comparison *c = &res->comparisons[i];

			if (c->other != v || !is_wanted(q, c))
				continue;
			if (!is_loaded) {
				r = side_load(q, c->base, &base, err);
				if (r == 0)
					r = side_load(q, v, &other, err);
				if (r == 0)
					attribute(&base, &other, &m);
				is_loaded = true;
			}
			if (r == 0)
				r = explain_one(q, c, &m, &base, &other, &list[n], err);
			n += r == 0;
		}
		side_finish(&base);
		side_finish(&other);
	}
	mechanisms_finish(&m);
	if (r < 0) {
		for (size_t i = 0; i < n; i++)
			explanation_finish(&list[i]);
		free(list);
		return r;
	}
	*ret = list;
	*ret_n = n;
	return 0;
}
