/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain/clocking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "stat/rank.h"

/* Blocks of a workload on a variant that are told from each other by nothing but time. */
struct values {
	double *v;
	size_t n, cap;
};

static void add(struct values *l, double v)
{
	*ARRAY_ADD(l->v, l->n, l->cap) = v;
}

static bool is_of(const struct block *b, const char *workload, size_t variant)
{
	return b->variant == variant && strcmp(b->workload, workload) == 0;
}

/* The logarithm of what is compared; NAN where the block does not have it. */
static double log_of(const struct block *b, bool metric)
{
	const struct figure *f = metric ? block_metric(b) : NULL;

	if (metric)
		return f && f->value > 0 ? log(f->value) : NAN;
	return b->ns ? log((double)b->ns) - log((double)b->ops) : NAN;
}


size_t clocking_rounds(const struct sitting *s, const char *workload, size_t base, size_t other, bool metric,
		       double *ret)
{
	/* By round: the sums of both, and how many. Blocks of a round stand together, in order. */
	double sum[2] = { 0, 0 };
	size_t count[2] = { 0, 0 }, n = 0;

	for (size_t i = 0; i <= s->n_blocks; i++) {
		const struct block *b = i < s->n_blocks ? &s->blocks[i] : NULL;

		if (!b || (i && (b->round != b[-1].round || strcmp(b->workload, b[-1].workload) != 0))) {
			double log_ratio = sum[1] / (double)count[1] - sum[0] / (double)count[0];

			if (count[0] && count[1] && isfinite(log_ratio))
				ret[n++] = log_ratio;
			sum[0] = sum[1] = 0;
			count[0] = count[1] = 0;
		}
		for (size_t k = 0; b && k < 2; k++)
			if (is_of(b, workload, k ? other : base)) {
				sum[k] += log_of(b, metric);
				count[k]++;
			}
	}
	return n;
}

/* ---- the base against itself ---- */

/*
 * Of two rounds in a row the base has four blocks: the outer two against the inner two, so that
 * drift cancels out as it does between variants. What the interval reaches is noise.
 */
static double noise_floor(const struct run *run, const char *workload, size_t base, bool metric)
{
	struct values d = { 0 };
	struct paired p;
	double floor = NAN;

	for (size_t s = 0; s < run->n_sittings; s++) {
		double four[4];
		size_t n = 0;

		for (size_t i = 0; i < run->sittings[s].n_blocks; i++) {
			const struct block *b = &run->sittings[s].blocks[i];

			if (!is_of(b, workload, base))
				continue;
			four[n++] = log_of(b, metric);
			if (n == 4) {
				double x = (four[0] + four[3] - four[1] - four[2]) / 2;

				if (isfinite(x))
					add(&d, x);
				n = 0;
			}
		}
	}
	if (d.n >= 2) {
		paired_judge(d.v, d.n, INTERVAL_LEVEL, 0, &p);
		floor = fmax(fabs(log(p.ratio.lo)), fabs(log(p.ratio.hi)));
	}
	free(d.v);
	return floor;
}

/* ---- the units that an interval rests on ---- */

/* Of sittings that have both sides: the logarithms by round, or, from two boots on, the means by boot. */
static const char *interleaved(const struct run *run, const char *workload, size_t base, size_t other, bool metric,
			       struct values *ret)
{
	struct values boots = { 0 }, rounds = { 0 };
	bool *seen = xcalloc(run->n_sittings + 1, sizeof(*seen));
	const char *level;

	for (size_t s = 0; s < run->n_sittings; s++) {
		size_t before = rounds.n;
		double sum = 0;

		for (size_t k = s; k < run->n_sittings; k++) {
			const struct sitting *t = &run->sittings[k];
			_cleanup_free_ double *logs = NULL;
			size_t n;

			if (seen[k] || !str_equal(t->boot, run->sittings[s].boot))
				continue;
			seen[k] = true;
			logs = xcalloc(t->n_blocks + 1, sizeof(*logs));
			n = clocking_rounds(t, workload, base, other, metric, logs);
			for (size_t i = 0; i < n; i++)
				add(&rounds, logs[i]);
		}
		for (size_t i = before; i < rounds.n; i++)
			sum += rounds.v[i];
		if (rounds.n > before)
			add(&boots, sum / (double)(rounds.n - before));
	}
	free(seen);
	level = boots.n >= 2 ? "boots" : "rounds";
	*ret = boots.n >= 2 ? boots : rounds;
	free(boots.n >= 2 ? rounds.v : boots.v);
	return ret->n ? level : NULL;
}

/* Of sittings with one side each: its mean by boot. */
static void by_boot(const struct run *run, const char *workload, size_t variant, bool metric, struct values *ret)
{
	bool *seen = xcalloc(run->n_sittings + 1, sizeof(*seen));

	for (size_t s = 0; s < run->n_sittings; s++) {
		double sum = 0;
		size_t n = 0;

		for (size_t k = s; k < run->n_sittings; k++) {
			const struct sitting *t = &run->sittings[k];

			if (seen[k] || !str_equal(t->boot, run->sittings[s].boot))
				continue;
			seen[k] = true;
			for (size_t i = 0; i < t->n_blocks; i++) {
				double x = log_of(&t->blocks[i], metric);

				if (is_of(&t->blocks[i], workload, variant) && isfinite(x)) {
					sum += x;
					n++;
				}
			}
		}
		if (n)
			add(ret, sum / (double)n);
	}
	free(seen);
}

static void judge_boots(const struct values *a, const struct values *b, double threshold,
			struct clocked_comparison *c)
{
	const struct judgement_options options = { .threshold = threshold };
	_cleanup_free_ double *x = xcalloc(a->n + 1, sizeof(*x)), *y = xcalloc(b->n + 1, sizeof(*y));
	struct judgement j;

	for (size_t i = 0; i < a->n; i++)
		x[i] = exp(a->v[i]);
	for (size_t i = 0; i < b->n; i++)
		y[i] = exp(b->v[i]);
	c->p = (struct paired){ .n = a->n < b->n ? a->n : b->n, .level = INTERVAL_LEVEL, .p = NAN,
				.ratio = { exp(describe(b->v, b->n).mean - describe(a->v, a->n).mean), NAN, NAN },
				.verdict = JUDGED_NONE };
	if (judge(x, a->n, y, b->n, &options, &j) < 0)
		return;
	c->p.ratio.lo = j.welch.lo;
	c->p.ratio.hi = j.welch.hi;
	c->p.p = j.p;
	c->p.verdict = j.verdict;
	c->p.needed = j.runs_needed;
	c->level = c->p.n >= 2 ? "boots" : NULL;
}

/* ---- sentences ---- */

static const char *knob_of(const struct run *run)
{
	return facts_get(&run->head, CLOCKING_KNOB);
}

static char *reason_of(const struct clocked *all, const struct clocked_comparison *c)
{
	const struct paired *p = &c->p;

	if (all->is_emulated)
		return xstrdup("times of an emulator (TCG): what translating and emulating took, not what a processor "
			       "takes; KVM, or the engine live, gives verdicts");
	if (!c->level)
		return xstrdup("one boot of a side: what is the boot and what is the kernel cannot be told apart; measure "
			       "both again after a reboot (ktoll live --plan)");
	if (isnan(p->ratio.lo))
		return xasprintf("%zu of %s: too few for an interval", p->n, c->level);
	switch (c->verdict) {
	case JUDGED_UNDECIDED:
		if (p->verdict != JUDGED_UNDECIDED)
			return xstrdup("clear by itself, not among so many comparisons (Holm)");
		return p->needed ? xasprintf("the interval holds both no difference and one of %g %%; about %llu %s would decide",
					     all->threshold * 100, (unsigned long long)p->needed, c->level) :
				   xstrdup("the interval holds both no difference and one that matters");
	case JUDGED_SAME:
		return xasprintf("the whole interval is within %g %%", all->threshold * 100);
	default:
		return xasprintf("the interval of %zu %s is clear of zero", p->n, c->level);
	}
}

static const char *name_of(const struct clocked_comparison *c)
{
	bool up = c->verdict == JUDGED_HIGHER;

	switch (c->verdict) {
	case JUDGED_HIGHER:
	case JUDGED_LOWER:
		return up == (c->better == BETTER_HIGHER) ? "faster" : "slower";
	case JUDGED_SAME:
		return "same";
	case JUDGED_UNDECIDED:
		return "undecided";
	default:
		return "no-verdict";
	}
}

static double per_op(const struct clocked_cell *cell, const char *name)
{
	for (size_t i = 0; i < cell->n_counters; i++)
		if (strcmp(cell->counters[i].name, name) == 0)
			return cell->counters[i].per_op;
	return NAN;
}

/* Of the time, first against last quarter of the base's blocks. */
static void warn_drift(const struct run *run, struct clocked_comparison *c)
{
	for (size_t s = 0; s < run->n_sittings; s++) {
		const struct sitting *t = &run->sittings[s];
		struct values v = { 0 };
		double p, first = 0, last = 0;
		size_t quarter;

		for (size_t i = 0; i < t->n_blocks; i++)
			if (is_of(&t->blocks[i], c->workload, c->base))
				add(&v, log_of(&t->blocks[i], false));
		p = rank_trend(v.v, v.n);
		quarter = v.n / 4;
		for (size_t i = 0; i < quarter; i++) {
			first += v.v[i] / (double)quarter;
			last += v.v[v.n - 1 - i] / (double)quarter;
		}
		free(v.v);
		if (quarter && p < 0.01 && fabs(last - first) > 0.01) {
			strv_addf(&c->warnings, "drift: from its first to its last quarter the base went %+.1f %%%s",
				  expm1(last - first) * 100,
				  str_equal(c->level, "rounds") ? "; it cancels out between blocks that take turns" : "");
			return;
		}
	}
}

static void add_warnings(const struct clocked *all, struct clocked_comparison *c)
{
	const struct clocked_cell *a = clocked_cell(all, c->workload, c->base), *b = clocked_cell(all, c->workload, c->other);
	double x = a ? per_op(a, "involuntary-switches") : NAN, y = b ? per_op(b, "involuntary-switches") : NAN;
	double more = fmax(x, y), less = fmin(x, y);

	warn_drift(all->run, c);
	if (more > 2 * less && more > 1e-3)
		strv_addf(&c->warnings,
			  "switches: %.3g against %.3g involuntary context switches per operation: who runs when has changed",
			  y, x);
	if (!isnan(c->floor) && c->verdict != JUDGED_SAME && fabs(log(c->p.ratio.estimate)) < c->floor)
		strv_addf(&c->warnings, "floor: the base against itself reaches %.2f %%, as much as this difference",
			  c->floor * 100);
}

/* ---- cells ---- */

static void count_figures(struct clocked_cell *cell, const struct block *b)
{
	for (size_t i = 0; i < b->n_figures; i++) {
		const struct figure *f = &b->figures[i];
		struct clocked_counter *found = NULL;

		if (f->kind != FIGURE_COUNTER)
			continue;
		for (size_t k = 0; k < cell->n_counters; k++)
			if (strcmp(cell->counters[k].name, f->name) == 0)
				found = &cell->counters[k];
		if (!found) {
			found = ARRAY_ADD(cell->counters, cell->n_counters, cell->cap_counters);
			*found = (struct clocked_counter){ xstrdup(f->name), 0 };
		}
		found->per_op += f->value;
	}
}

static void add_cell(struct clocked *c, const char *workload, size_t variant)
{
	struct clocked_cell cell = { .workload = xstrdup(workload), .variant = variant, .metric_mean = NAN };
	struct values logs = { 0 }, metrics = { 0 };
	struct strv boots = { 0 };
	struct description d;
	double ops = 0;

	for (size_t s = 0; s < c->run->n_sittings; s++) {
		const struct sitting *t = &c->run->sittings[s];
		size_t before = logs.n;

		for (size_t i = 0; i < t->n_blocks; i++) {
			const struct block *b = &t->blocks[i];
			const struct figure *f = block_metric(b);

			if (!is_of(b, workload, variant))
				continue;
			if (b->ns)
				add(&logs, log_of(b, false));
			ops += (double)b->ops;
			count_figures(&cell, b);
			if (!f)
				continue;
			add(&metrics, f->value);
			if (!cell.metric) {
				cell.metric = xstrdup(f->name);
				cell.unit = xstrdup(f->unit);
				cell.better = f->is_higher_better ? BETTER_HIGHER : BETTER_LOWER;
			}
		}
		if (logs.n > before && !strv_has(&boots, t->boot))
			strv_add(&boots, t->boot);
	}
	for (size_t i = 0; i < cell.n_counters; i++)
		cell.counters[i].per_op /= ops;
	cell.n_boots = boots.n;
	strv_finish(&boots);
	d = describe(logs.v, logs.n);
	cell.n_blocks = logs.n;
	cell.ns_per_op = exp(d.mean);
	cell.spread = d.sd;
	cell.metric_mean = describe(metrics.v, metrics.n).mean;
	free(logs.v);
	free(metrics.v);
	*ARRAY_ADD(c->cells, c->n_cells, c->cap_cells) = cell;
}

/* ---- comparisons ---- */

/* The level of intervals after looks on the way: of the strictest sitting. */
static double level_of(const struct run *run)
{
	double level = INTERVAL_LEVEL;

	for (size_t s = 0; s < run->n_sittings; s++) {
		const char *limit = facts_get(&run->sittings[s].facts, CLOCKING_LIMIT);
		uint64_t n;

		if (limit && str_to_u64(limit, 1, UINT32_MAX, &n) == 0)
			level = fmax(level, paired_look_level(n));
	}
	return level;
}

static void add_comparison(struct clocked *c, const char *workload, size_t other, bool metric)
{
	const size_t base = run_base(c->run, other);
	const struct clocked_cell *a = clocked_cell(c, workload, base), *b = clocked_cell(c, workload, other);
	struct clocked_comparison *o;
	struct values units = { 0 };

	if (!a || !b || !a->n_blocks || !b->n_blocks || (metric && (!a->metric || !str_equal(a->metric, b->metric))))
		return;
	o = ARRAY_ADD(c->comparisons, c->n, c->cap);
	*o = (struct clocked_comparison){
		.workload = xstrdup(workload),
		.quantity = xstrdup(metric ? a->metric : "time per operation"),
		.unit = xstrdup(metric ? a->unit : "ns"),
		.better = metric ? a->better : BETTER_LOWER,
		.base = base,
		.other = other,
		.floor = noise_floor(c->run, workload, base, metric),
		.p_holm = NAN,
	};
	o->level = interleaved(c->run, workload, base, other, metric, &units);
	if (o->level) {
		paired_judge(units.v, units.n, strcmp(o->level, "rounds") == 0 ? level_of(c->run) : INTERVAL_LEVEL,
			     c->threshold, &o->p);
	} else {
		struct values y = { 0 };

		by_boot(c->run, workload, base, metric, &units);
		by_boot(c->run, workload, other, metric, &y);
		judge_boots(&units, &y, c->threshold, o);
		free(y.v);
	}
	free(units.v);
}

static void conclude(struct clocked *c)
{
	_cleanup_free_ double *p = xcalloc(c->n + 1, sizeof(*p)), *holm = xcalloc(c->n + 1, sizeof(*holm));
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		p[i] = c->comparisons[i].p.p;
		n += !isnan(p[i]);
	}
	rank_holm(p, c->n, holm);
	for (size_t i = 0; i < c->n; i++) {
		struct clocked_comparison *o = &c->comparisons[i];

		o->p_holm = holm[i];
		o->verdict = o->p.verdict;
		if (n > 1 && holm[i] > 0.05 && (o->verdict == JUDGED_HIGHER || o->verdict == JUDGED_LOWER))
			o->verdict = JUDGED_UNDECIDED;
		/* Blocks of one boot say how steady it was, and nothing of another boot. */
		if (!o->level)
			o->verdict = JUDGED_UNDECIDED;
		if (c->is_emulated)
			o->verdict = JUDGED_NONE;
		o->verdict_name = name_of(o);
		o->reason = reason_of(c, o);
		add_warnings(c, o);
	}
}

static void add_notes(struct clocked *c)
{
	const char *knob = knob_of(c->run);

	if (c->is_emulated)
		strv_add(&c->notes, "no verdicts: the guests were emulated (TCG), and an emulator's time is not a processor's");
	if (knob && strcmp(knob, "preempt") == 0)
		strv_add(&c->notes, "Switched live, preempt= changes where the kernel lets go of the CPU. What the "
				    "configuration built in (PREEMPT_COUNT, PREEMPT_RCU, calls that a patched-out site still "
				    "makes room for) stays in both sides and in no difference.");
}

void clocking_make(const struct run *run, double threshold, struct clocked *ret)
{
	struct clocked c = { .run = run, .threshold = threshold,
			     .is_emulated = str_equal(facts_get(&run->head, CLOCKING_ACCEL), "tcg") };
	struct strv workloads = { 0 };

	for (size_t s = 0; s < run->n_sittings; s++)
		for (size_t i = 0; i < run->sittings[s].n_blocks; i++)
			if (!strv_has(&workloads, run->sittings[s].blocks[i].workload))
				strv_add(&workloads, run->sittings[s].blocks[i].workload);
	for (size_t w = 0; w < workloads.n; w++)
		for (size_t v = 0; v < run->n_variants; v++)
			add_cell(&c, workloads.v[w], v);
	for (size_t v = 1; v < run->n_variants; v++)
		for (size_t w = 0; w < workloads.n; w++) {
			add_comparison(&c, workloads.v[w], v, false);
			add_comparison(&c, workloads.v[w], v, true);
		}
	strv_finish(&workloads);
	conclude(&c);
	add_notes(&c);
	*ret = c;
}
