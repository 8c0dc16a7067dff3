/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain/comparison.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "explain/clocking.h"
#include "explain/fold.h"
#include "explain/nullspread.h"
#include "explain/replicates.h"
#include "stat/coverage.h"
#include "stat/pairs.h"

#define MAX_FUNCTIONS 5

/* What stands behind a result_cell. */
struct work {
	struct replicates r;
	struct fold fold;
	bool is_folded, has_fold;
	char *trouble; /* why there is no fold */
};

struct builder {
	struct record *rec;
	const struct run *run;
	struct result *result;
	struct strv workloads;
	struct work *work;       /* as result->cells: all workloads of variant 0, then … */
	struct spread *spreads;  /* of each workload, over its variants */
	struct symbols *symbols; /* per variant */
	bool *is_loaded;         /* symbols were looked for */
	uint64_t replicates;     /* asked for; 0 unknown */
};

/* ---- cells ---- */

static void add_workload(struct strv *l, const char *name)
{
	if (!strv_has(l, name))
		strv_add(l, name);
}

/* In the order asked for, then whatever else the run has. */
static void list_workloads(struct builder *b)
{
	const char *asked = facts_get(&b->run->head, "workloads");
	_cleanup_free_ char *copy = asked ? xstrdup(asked) : NULL;
	char *next = copy, *name;

	while ((name = strsep(&next, "\n")))
		if (*name)
			add_workload(&b->workloads, name);
	for (size_t v = 0; v < b->run->n_variants; v++) {
		const struct outcome *o = &b->run->outcomes[v];

		/* The control is there unasked. */
		for (size_t i = 0; i < o->n_samples; i++)
			if (!asked || strcmp(o->samples[i].workload, RUN_CONTROL) != 0)
				add_workload(&b->workloads, o->samples[i].workload);
		for (size_t i = 0; i < o->n_failures; i++)
			if (o->failures[i].workload)
				add_workload(&b->workloads, o->failures[i].workload);
	}
}

static struct pairs_value value_of(const struct replicate *e)
{
	return (struct pairs_value){ .insns = replicate_get(e, sample_insns),
				     .string_iters = replicate_get(e, sample_string_iters),
				     .ops = replicate_ops(e) };
}

static struct range range_of(struct pairs_range r)
{
	return (struct range){ r.mean, r.lo, r.hi };
}

/* Quantities of a cell that are means only. */
static uint64_t kernel_of(const struct sample *s)
{
	return s->kernel_insns;
}

/* User space waits for the tick: that is not part of it. */
static uint64_t user_of(const struct sample *s)
{
	return s->is_tick ? 0 : s->user_insns;
}

/* Instructions started again: what sample_insns() left out besides string iterations. */
static uint64_t locked_of(const struct sample *s)
{
	return s->locked;
}

static uint64_t restarts_of(const struct sample *s)
{
	return s->is_tick ? 0 : s->started - s->string_iters - sample_insns(s);
}

static double mean_of(const struct work *w, uint64_t (*get)(const struct sample *))
{
	_cleanup_free_ struct pairs_value *values = xcalloc(w->r.n, sizeof(*values));

	for (size_t i = 0; i < w->r.n; i++)
		values[i] = (struct pairs_value){ .insns = replicate_get(&w->r.v[i], get),
						  .ops = replicate_ops(&w->r.v[i]) };
	return pairs_insns_range(values, w->r.n).mean;
}

/* The main metric, if all replicates have it. */
static void fill_metric(struct result_metric *m, const struct work *w)
{
	double sum = 0, lo = INFINITY, hi = -INFINITY;
	const struct metric *first = NULL;

	for (size_t i = 0; i < w->r.n; i++) {
		const struct metric *v = w->r.v[i].at->n_metrics ? w->r.v[i].at->metrics : NULL;

		first = first ? first : v;
		if (!v || strcmp(v->name, first->name) != 0 || !isfinite(v->value))
			return;
		sum += v->value;
		lo = fmin(lo, v->value);
		hi = fmax(hi, v->value);
	}
	if (first)
		*m = (struct result_metric){ xstrdup(first->name), xstrdup(first->unit),
					     first->is_higher_better, { sum / (double)w->r.n, lo, hi } };
}

/* The period up to which a cost would have come in a region at least once. */
static double looked_for(const struct work *w)
{
	_cleanup_free_ struct coverage_window *windows = xcalloc(w->r.n, sizeof(*windows));
	uint64_t at = 0;

	for (size_t i = 0; i < w->r.n; i++) {
		const struct sample *s = w->r.v[i].at;

		if (s->lead_ops == SAMPLE_LEAD_UNKNOWN)
			return 0;
		/* What was tried before ran as well. */
		at += s->lead_ops + (s->tries ? s->tries - 1 : 0) * (s->lead_ops + s->ops);
		windows[i] = (struct coverage_window){ at, s->ops };
		at += s->ops;
	}
	return coverage_period(windows, w->r.n);
}

static void fill_cell(struct result_cell *c, const struct work *w)
{
	_cleanup_free_ struct pairs_value *values = xcalloc(w->r.n, sizeof(*values));

	c->replicates = xcalloc(w->r.n + 1, sizeof(*c->replicates));
	for (size_t i = 0; i < w->r.n; i++) {
		values[i] = value_of(&w->r.v[i]);
		c->replicates[i] = (double)values[i].insns / (double)values[i].ops;
		c->interrupted += !w->r.v[i].at->is_tick && w->r.v[i].at->ticks;
		c->is_program = w->r.v[i].at->is_program;
	}
	c->n = w->r.n;
	c->ops = w->r.n ? values[0].ops : 0;
	c->is_tick = w->r.n && w->r.v[0].at->is_tick;
	c->is_difference = w->r.n && w->r.v[0].minus;
	c->insns = range_of(pairs_insns_range(values, w->r.n));
	c->kernel = mean_of(w, kernel_of);
	c->user = mean_of(w, user_of);
	c->string_iters = mean_of(w, sample_string_iters);
	c->restarts = mean_of(w, restarts_of);
	c->locked = mean_of(w, locked_of);
	c->is_exact = pairs_is_exact(values, w->r.n);
	if (!c->is_program && !c->is_tick)
		c->looked_for = looked_for(w);
	fill_metric(&c->metric, w);
}

static void build_cells(struct builder *b)
{
	struct result *r = b->result;
	size_t n_workloads = b->workloads.n;

	r->n_cells = b->run->n_variants * n_workloads;
	r->cells = xcalloc(r->n_cells, sizeof(*r->cells));
	b->work = xcalloc(r->n_cells, sizeof(*b->work));
	b->spreads = xcalloc(n_workloads, sizeof(*b->spreads));
	for (size_t i = 0; i < r->n_cells; i++) {
		struct result_cell *c = &r->cells[i];

		c->variant = i / n_workloads;
		c->workload = xstrdup(b->workloads.v[i % n_workloads]);
		replicates_collect(&b->run->outcomes[c->variant], c->workload, &b->work[i].r);
		fill_cell(c, &b->work[i]);
		nullspread_add(&b->spreads[i % n_workloads], &b->work[i].r);
	}
}

/* ---- functions ---- */

static const struct symbols *symbols_of(struct builder *b, size_t variant)
{
	const struct outcome *o = &b->run->outcomes[variant];
	const char *build_id = facts_get(&o->guest, "build_id");
	struct symbols *s;

	/* Variants of one kernel share a table. */
	for (size_t v = 0; build_id && v < variant; v++)
		if (b->is_loaded[v] &&
		    str_equal(build_id, facts_get(&b->run->outcomes[v].guest, "build_id")))
			variant = v;
	s = &b->symbols[variant];
	if (!b->is_loaded[variant]) {
		b->is_loaded[variant] = true;
		if (!b->rec && o->symbols)
			symbols_parse(o->symbols, o->symbols_bytes, s);
		else if (b->rec && build_id && record_load_symbols(b->rec, build_id, s, NULL) < 0)
			*s = (struct symbols){ 0 };
	}
	return s->n ? s : NULL;
}

typedef void (*fold_fn)(struct fold *f, const struct profile *p, uint64_t ops,
			const struct symbols *symbols, bool kernel_only);

static int fold_sample(struct builder *b, struct work *w, const struct sample *s, fold_fn fold,
		       const struct symbols *symbols, struct error *err)
{
	struct profile loaded = { 0 };
	int rc;

	if (!b->rec || s->profile.n) {
		fold(&w->fold, &s->profile, s->ops, symbols, s->is_tick);
		return 0;
	}
	if (!s->profile_id)
		return error_set(err, ENODATA, "a sample has no profile");
	rc = record_load_profile(b->rec, s->profile_id, &loaded, err);
	if (rc < 0)
		return rc;
	fold(&w->fold, &loaded, s->ops, symbols, s->is_tick);
	profile_finish(&loaded);
	return 0;
}

/* The cell's profiles over all replicates; NULL where they cannot be had. */
static const struct fold *fold_of(struct builder *b, size_t cell)
{
	const struct symbols *symbols = symbols_of(b, b->result->cells[cell].variant);
	_cleanup_error_ struct error err = ERROR_INIT;
	struct work *w = &b->work[cell];

	if (w->is_folded)
		return w->has_fold ? &w->fold : NULL;
	w->is_folded = w->has_fold = true;
	for (size_t i = 0; i < w->r.n && w->has_fold; i++)
		if (fold_sample(b, w, w->r.v[i].at, fold_add, symbols, &err) < 0 ||
		    (w->r.v[i].minus &&
		     fold_sample(b, w, w->r.v[i].minus, fold_take, symbols, &err) < 0))
			w->has_fold = false;
	if (!w->has_fold)
		w->trouble = xstrdup(error_text(&err));
	return w->has_fold ? &w->fold : NULL;
}

static void add_functions(struct builder *b, struct result_comparison *c)
{
	size_t cells[2] = { (size_t)(c->base_cell - b->result->cells),
			    (size_t)(c->other_cell - b->result->cells) };
	const struct fold *folds[2];
	struct fold_diff d;

	for (size_t i = 0; i < 2; i++) {
		const char *name = b->run->variants[b->result->cells[cells[i]].variant].name;

		folds[i] = fold_of(b, cells[i]);
		if (!folds[i])
			strv_addf(&c->warnings, "no-profile: %s: %s", name,
				  b->work[cells[i]].trouble);
		else if (!symbols_of(b, b->result->cells[cells[i]].variant))
			strv_addf(&c->warnings,
				  "no-symbols: %s: no symbols of this kernel, its functions are "
				  "\"?\"",
				  name);
	}
	if (!folds[0] || !folds[1])
		return;
	fold_compare(folds[0], folds[1], &d);
	c->n_functions = d.n < MAX_FUNCTIONS ? d.n : MAX_FUNCTIONS;
	c->functions = xcalloc(c->n_functions, sizeof(*c->functions));
	for (size_t i = 0; i < c->n_functions; i++)
		c->functions[i] = (struct result_function){
			.name = xstrdup(d.changes[i].name),
			.base = d.changes[i].base_per_op,
			.other = d.changes[i].other_per_op,
		};
	fold_diff_finish(&d);
}

/* ---- warnings ---- */

static void warn_cell(struct builder *b, struct result_comparison *c,
		      const struct result_cell *cell)
{
	const struct work *w = &b->work[cell - b->result->cells];
	const char *name = b->run->variants[cell->variant].name;
	size_t n_idle = 0;

	for (size_t i = 0; i < w->r.n; i++)
		n_idle += w->r.v[i].at->halts != 0;
	/* Programs run through ticks and sleep: that is no news. */
	if (cell->interrupted && !cell->is_program)
		strv_addf(&c->warnings,
			  "interrupt-in-region: %s: an interrupt, of a timer mostly, fell into or right before %llu of %llu replicates",
			  name, (unsigned long long)cell->interrupted, (unsigned long long)cell->n);
	if (n_idle && !cell->is_tick && !cell->is_program)
		strv_addf(&c->warnings,
			  "idle-in-region: %s: the CPU went idle in %zu of %zu replicates, so "
			  "instructions restarted after a fault are not told apart",
			  name, n_idle, w->r.n);
	if (str_equal(facts_get(&b->run->outcomes[cell->variant].guest, "settled"), "0"))
		strv_addf(&c->warnings,
			  "unsettled: %s: kernel threads were still at work when measuring began",
			  name);
}

#define VULNERABILITY "vulnerability."

/* Names of the CPU vulnerabilities on which `a` says something else than `b`. */
static void add_unequal(struct strv *l, const struct facts *a, const struct facts *b)
{
	for (size_t i = 0; i < a->keys.n; i++) {
		const char *key = a->keys.v[i];

		if (str_has_prefix(key, VULNERABILITY) &&
		    !str_equal(a->values.v[i], facts_get(b, key)))
			add_workload(l, key + strlen(VULNERABILITY));
	}
}

static void warn_pair(struct builder *b, struct result_comparison *c)
{
	const struct run *run = b->run;
	const struct facts *base = &run->outcomes[c->base].guest;
	const struct facts *other = &run->outcomes[c->other].guest;
	const char *cpus[2] = { run_cpu_model(run, c->base), run_cpu_model(run, c->other) };
	_cleanup_strv_ struct strv unequal = { 0 };

	if (!str_equal(cpus[0], cpus[1]))
		strv_addf(&c->warnings, "cpu-model: different CPU models: %s and %s",
			  cpus[0], cpus[1]);
	add_unequal(&unequal, base, other);
	add_unequal(&unequal, other, base);
	if (unequal.n) {
		_cleanup_free_ char *names = strv_join(&unequal, ", ");

		strv_addf(&c->warnings, "mitigations: the kernels differ in what they say about %s",
			  names);
	}
}

/* ---- verdicts ---- */

/* Why a variant has nothing to compare. */
static char *missing_text(const struct run *run, size_t variant, const char *workload)
{
	const struct outcome *o = &run->outcomes[variant];
	const char *name = run->variants[variant].name;

	for (size_t i = 0; i < o->n_failures; i++) {
		const struct failure *f = &o->failures[i];

		if (!f->workload || strcmp(f->workload, workload) == 0)
			return xasprintf("%s: %s: %s", name, f->stage, f->message);
	}
	return xasprintf("%s: %s", name, o->done ? "no sample of it" : "not measured yet");
}

static void set_missing(struct builder *b, struct result_comparison *c)
{
	_cleanup_strv_ struct strv texts = { 0 };
	const struct result_cell *cells[2] = { c->base_cell, c->other_cell };
	const size_t variants[2] = { c->base, c->other };

	for (size_t i = 0; i < 2; i++) {
		if (!cells[i]) {
			_cleanup_free_ char *text = missing_text(b->run, variants[i], c->workload);

			strv_add(&texts, text);
		}
	}
	c->reason = strv_join(&texts, "; ");
}

/* What the numbers rest on. */
static char *basis_text(const struct pairs *p, size_t n)
{
	if (n == 1)
		return xstrdup("one replicate, whose range is not known");
	if (p->base_is_exact && p->other_is_exact)
		return xasprintf("the same integer in all %zu replicates", n);
	return xasprintf("range over %zu tick phases, never a confidence interval", n);
}

static char *reason_text(const struct pairs *p, size_t n, double threshold)
{
	_cleanup_free_ char *basis = basis_text(p, n);

	switch (p->verdict) {
	case PAIRS_IDENTICAL:
		return xasprintf("instructions and string iterations are equal in every pair; %s",
				 basis);
	case PAIRS_SAME:
		if (p->delta.lo == 0 && p->delta.hi == 0)
			return xasprintf("equal instructions, only string iterations differ; %s",
					 basis);
		return xasprintf("every pair differs by less than the threshold of %g %%; %s",
				 threshold * 100, basis);
	case PAIRS_UNDECIDED:
		return xasprintf("%s; %s",
				 p->has_both_signs ? "some pairs have more and some have less"
						   : "the pairs do not agree",
				 basis);
	default:
		return TAKE_PTR(basis);
	}
}

/* Values of the replicates that both sides have, in order: how many. */
static size_t pair_up(const struct work *base, const struct work *other, struct pairs_value *vb,
		      struct pairs_value *vo)
{
	size_t n = 0;

	for (size_t b = 0, o = 0; b < base->r.n && o < other->r.n;) {
		int order = replicate_compare(&base->r.v[b], &other->r.v[o]);

		if (order == 0) {
			vb[n] = value_of(&base->r.v[b]);
			vo[n++] = value_of(&other->r.v[o]);
		}
		b += order <= 0;
		o += order >= 0;
	}
	return n;
}

/* Replicates asked for; 0 if that is not known. */
static uint64_t wanted_of(const struct builder *b, const char *workload)
{
	_cleanup_free_ char *key = xasprintf("replicates.%s", workload);
	const char *own = facts_get(&b->run->head, key);
	uint64_t n;

	/* Programs have their own number, in each boot. */
	return own && str_to_u64(own, 0, UINT32_MAX, &n) == 0 ? n * (1 + run_nulls(b->run)) : b->replicates;
}

static void compare_cells(struct builder *b, struct result_comparison *c)
{
	static const enum verdict verdicts[] = {
		[PAIRS_IDENTICAL] = VERDICT_IDENTICAL, [PAIRS_SAME] = VERDICT_SAME,
		[PAIRS_MORE] = VERDICT_MORE,           [PAIRS_LESS] = VERDICT_LESS,
		[PAIRS_UNDECIDED] = VERDICT_UNDECIDED,
	};
	const struct work *base = &b->work[c->base_cell - b->result->cells];
	const struct work *other = &b->work[c->other_cell - b->result->cells];
	_cleanup_free_ struct pairs_value *vb = xcalloc(base->r.n, sizeof(*vb));
	_cleanup_free_ struct pairs_value *vo = xcalloc(base->r.n, sizeof(*vo));
	size_t n = pair_up(base, other, vb, vo);
	uint64_t wanted = wanted_of(b, c->workload);
	struct pairs p;

	if (pairs_compare(vb, vo, n, b->result->threshold, &p) < 0) {
		c->reason = xstrdup("no replicate was measured on both sides");
		return;
	}
	c->delta = range_of(p.delta);
	c->ratio = range_of(p.ratio);
	c->string_iters_delta = p.string_iters_delta;
	c->verdict = verdicts[p.verdict];
	c->reason = reason_text(&p, n, b->result->threshold);
	if (c->base_cell->is_program)
		nullspread_judge(&b->spreads[(size_t)(c->base_cell - b->result->cells) % b->workloads.n], &base->r, &other->r, &p,
				 b->result->threshold, c);
	if (!wanted)
		wanted = base->r.n > other->r.n ? base->r.n : other->r.n;
	if (n < wanted)
		strv_addf(&c->warnings,
			  "replicates-missing: %zu of %llu replicates were measured on both sides",
			  n, (unsigned long long)wanted);
	warn_cell(b, c, c->base_cell);
	warn_cell(b, c, c->other_cell);
	warn_pair(b, c);
	add_functions(b, c);
}

static void build_comparison(struct builder *b, struct result_comparison *c, size_t other,
			     size_t workload)
{
	const struct result_cell *cells = b->result->cells;
	const struct result_cell *base_cell = &cells[run_base(b->run, other) * b->workloads.n + workload];
	const struct result_cell *other_cell = &cells[other * b->workloads.n + workload];

	c->workload = xstrdup(b->workloads.v[workload]);
	c->base = run_base(b->run, other);
	c->other = other;
	c->base_cell = base_cell->n ? base_cell : NULL;
	c->other_cell = other_cell->n ? other_cell : NULL;
	c->delta = c->ratio = (struct range){ NAN, NAN, NAN };
	c->string_iters_delta = NAN;
	c->verdict = VERDICT_NONE;
	if (c->base_cell && c->other_cell)
		compare_cells(b, c);
	else
		set_missing(b, c);
}

static void build_comparisons(struct builder *b)
{
	struct result *r = b->result;
	size_t n_variants = b->run->n_variants, n_workloads = b->workloads.n;

	r->n_comparisons = n_variants > 1 ? (n_variants - 1) * n_workloads : 0;
	r->comparisons = xcalloc(r->n_comparisons, sizeof(*r->comparisons));
	for (size_t i = 0; i < r->n_comparisons; i++)
		build_comparison(b, &r->comparisons[i], 1 + i / n_workloads, i % n_workloads);
}

static void builder_finish(struct builder *b)
{
	for (size_t i = 0; i < b->result->n_cells; i++) {
		replicates_finish(&b->work[i].r);
		free(b->work[i].trouble);
		fold_finish(&b->work[i].fold);
	}
	free(b->work);
	free(b->spreads);
	for (size_t v = 0; v < b->run->n_variants; v++)
		symbols_finish(&b->symbols[v]);
	free(b->symbols);
	free(b->is_loaded);
	strv_finish(&b->workloads);
}

int result_build(struct record *rec, const struct run *run, double threshold, struct result *ret,
		 struct error *err)
{
	struct result r = { .run = run, .threshold = threshold };
	struct builder b = { .rec = rec, .run = run, .result = &r };
	const char *replicates = facts_get(&run->head, "replicates");

	if (!(threshold >= 0) || isinf(threshold))
		return error_blame(err, ERROR_USAGE, EINVAL,
				   "the threshold is a fraction of the base from 0 up");
	if (!replicates || str_to_u64(replicates, 0, UINT32_MAX, &b.replicates) < 0)
		b.replicates = 0;
	b.symbols = xcalloc(run->n_variants, sizeof(*b.symbols));
	b.is_loaded = xcalloc(run->n_variants, sizeof(*b.is_loaded));
	for (size_t v = 0; v < run->n_variants; v++)
		r.n_failures += run->outcomes[v].n_failures;
	if (run->n_sittings || facts_get(&run->head, "clocked")) {
		r.clocked = xcalloc(1, sizeof(*r.clocked));
		clocking_make(run, threshold, r.clocked);
	} else {
		list_workloads(&b);
		build_cells(&b);
		build_comparisons(&b);
	}
	builder_finish(&b);
	*ret = r;
	return 0;
}

/* ---- configs ---- */

void result_add_config(struct result *r, size_t other, struct configdiff *diff,
		       const struct strv *lines)
{
	const struct run *run = r->run;
	size_t base = run_base(run, other);
	struct result_config *c;

	r->configs = xrealloc(r->configs, (r->n_configs + 1) * sizeof(*r->configs));
	c = &r->configs[r->n_configs++];
	*c = (struct result_config){ .base = base, .other = other, .known = diff->is_known, .n_lines = lines->n,
				     .diff = *diff };
	*diff = (struct configdiff){ 0 };
	c->diff.base_sizes = run->variants[base].kernel.sizes;
	c->diff.other_sizes = run->variants[other].kernel.sizes;
	c->base_model = run_preempt_model(&run->outcomes[base], &run->variants[base].kernel);
	c->other_model = run_preempt_model(&run->outcomes[other], &run->variants[other].kernel);
	c->same_preempt_model = c->base_model && str_equal(c->base_model, c->other_model);
	strv_add_all(&c->lines, lines);
}
