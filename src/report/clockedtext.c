/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "report/number.h"
#include "report/textparts.h"

static enum table_colour colour_of(const struct clocked_comparison *c)
{
	if (c->verdict == JUDGED_HIGHER || c->verdict == JUDGED_LOWER)
		return (c->verdict == JUDGED_HIGHER) == (c->better == BETTER_HIGHER) ? TABLE_GREEN : TABLE_RED;
	return c->verdict == JUDGED_SAME ? TABLE_PLAIN : TABLE_YELLOW;
}

/* ---- the machine ---- */

static void add_machine_line(const struct text *t, const struct facts *f)
{
	static const char *const shown[][2] = {
		{ "cpu", "" },		      { "cpus_online", "processors " }, { "smt", "SMT " },
		{ "governor", "governor " },  { "clocksource", "clock " },	{ "virtual", "virtual " },
		{ "tuned", "tuned " },	      { "lsm", "LSM " },
	};
	_cleanup_str_ struct str s = STR_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(shown); i++) {
		const char *value = facts_get(f, shown[i][0]);

		if (value)
			str_addf(&s, "%s%s%s", s.len ? ", " : "", shown[i][1], value);
	}
	if (s.len)
		text_line(t, "machine: %s", str_text(&s));
}

static void add_knob_line(const struct text *t, const struct sitting *s, size_t number)
{
	const char *before = facts_get(&s->facts, "knob_before"), *restored = facts_get(&s->facts, "knob_restored");
	const char *command = facts_get(&s->facts, "knob_restore"), *knob = facts_text(&t->r->run->head, "knob");

	if (before)
		text_line(t, "sitting %zu: before it %s was '%s'; put back: %s", number + 1, knob, before,
			  restored ? restored : "not known");
	if (command)
		text_line(t, "sitting %zu: %s put back with the command '%s': %s", number + 1, knob, command,
			  restored ? restored : "not known");
	if (facts_get(&s->facts, "ended"))
		text_line(t, "sitting %zu: %s", number + 1, facts_get(&s->facts, "ended"));
}

void text_add_clock_header(const struct text *t)
{
	const struct run *run = t->r->run;
	const char *accel = facts_get(&run->head, "accel"), *qemu = facts_get(&run->head, "qemu_version");
	size_t n_boots = 0, n_blocks = 0;

	for (size_t i = 0; i < run->n_sittings; i++) {
		bool is_new = true;

		for (size_t k = 0; k < i; k++)
			is_new &= !str_equal(run->sittings[k].boot, run->sittings[i].boot);
		n_boots += is_new;
		n_blocks += run->sittings[i].n_blocks;
	}
	text_line(t, "engine %s: wall clock%s%s%s%s", facts_text(&run->head, "engine"), accel ? ", accelerator " : "",
		  accel ? accel : "", qemu ? ", QEMU " : "", qemu ? qemu : "");
	if (facts_get(&run->head, "no_kvm"))
		text_line(t, "no KVM: %s", facts_get(&run->head, "no_kvm"));
	text_line(t, "%zu blocks in %zu %s of %zu %s, seed %s", n_blocks, run->n_sittings,
		  run->n_sittings == 1 ? "sitting" : "sittings", n_boots, n_boots == 1 ? "boot" : "boots",
		  facts_text(&run->head, "seed"));
	if (run->n_sittings)
		add_machine_line(t, &run->sittings[0].facts);
	for (size_t i = 0; i < run->n_sittings; i++)
		add_knob_line(t, &run->sittings[i], i);
	str_add(t->out, "\n");
}

/* ---- differences ---- */

static char *interval_text(const struct interval *i)
{
	return isnan(i->lo) ? xstrdup("-") : xasprintf("%+.2f .. %+.2f", (i->lo - 1) * 100, (i->hi - 1) * 100);
}

static void add_row(const struct text *t, struct table *tb, const struct clocked_comparison *c)
{
	_cleanup_free_ char *interval = interval_text(&c->p.ratio);
	_cleanup_free_ char *what = xasprintf("%s, %s", c->quantity, c->unit);
	_cleanup_free_ char *units = c->level ? xasprintf("%zu %s", c->p.n, c->level) : xstrdup("1 boot");
	_cleanup_free_ char *p = isnan(c->p_holm) ? xstrdup("-") : xasprintf("%.3g", c->p_holm);
	_cleanup_free_ char *floor = isnan(c->floor) ? xstrdup("-") : xasprintf("%.2f", c->floor * 100);

	table_add_row(tb);
	table_set(tb, 0, c->workload);
	table_set(tb, 1, what);
	table_set(tb, 2, number_text(clocked_value(t->r->clocked, c, c->base), false).s);
	table_set(tb, 3, number_text(clocked_value(t->r->clocked, c, c->other), false).s);
	table_set(tb, 4, number_percent(c->p.ratio.estimate - 1, true).s);
	table_set(tb, 5, interval);
	table_set(tb, 6, floor);
	table_set(tb, 7, units);
	table_set(tb, 8, p);
	table_set_coloured(tb, 9, c->verdict_name, colour_of(c));
}

static double level_of(const struct clocked *c, size_t other)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->comparisons[i].other == other && c->comparisons[i].p.level > 0)
			return c->comparisons[i].p.level;
	return INTERVAL_LEVEL;
}

static void add_differences(const struct text *t, size_t other)
{
	const struct clocked *c = t->r->clocked;
	_cleanup_free_ char *interval = xasprintf("%.4g %% interval", level_of(c, other) * 100);
	const char *base = text_name(t, run_base(t->r->run, other));
	const char *const titles[] = { base, text_name(t, other), "diff %", interval, "A/A %", "units", "p (Holm)" };
	_cleanup_table_ struct table *tb = table_new();

	text_line(t, "%s against %s: wall clock, threshold %g %%", text_name(t, other), base,
		  c->threshold * 100);
	table_add_column(tb, "workload", TABLE_SHRINK);
	table_add_column(tb, "quantity", TABLE_SHRINK);
	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		table_add_column(tb, titles[i], TABLE_RIGHT);
	table_add_column(tb, "verdict", TABLE_LEFT);
	for (size_t i = 0; i < c->n; i++)
		if (c->comparisons[i].other == other)
			add_row(t, tb, &c->comparisons[i]);
	text_table(t, tb);
	for (size_t i = 0; i < c->n; i++) {
		const struct clocked_comparison *o = &c->comparisons[i];

		if (o->other != other)
			continue;
		text_line(t, "  %s, %s: %s: %s", o->workload, o->quantity, o->verdict_name, o->reason);
		for (size_t k = 0; k < o->warnings.n; k++)
			text_line(t, "    warning: %s", o->warnings.v[k]);
	}
	str_add(t->out, "\n");
}

/* ---- what else was counted ---- */

static void add_counters(const struct text *t)
{
	static const struct {
		const char *name, *title;
	} columns[] = {
		{ "voluntary-switches", "vol. switches" }, { "involuntary-switches", "invol. switches" },
		{ "migrations", "migrations" },		   { "minor-faults", "faults" },
		{ "cycles-kernel", "cycles, kernel" },	   { "cycles-user", "cycles, user" },
		{ "instructions-kernel", "insns, kernel" }, { "instructions-user", "insns, user" },
	};
	const struct clocked *c = t->r->clocked;
	_cleanup_table_ struct table *tb = table_new();
	bool has_cycles = false;

	text_line(t, "per operation; spread is the standard deviation of blocks");
	table_add_column(tb, "workload", TABLE_SHRINK);
	table_add_column(tb, "variant", TABLE_SHRINK);
	table_add_column(tb, "blocks", TABLE_RIGHT);
	table_add_column(tb, "ns", TABLE_RIGHT);
	table_add_column(tb, "spread %", TABLE_RIGHT);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		table_add_column(tb, columns[i].title, TABLE_RIGHT);
	for (size_t i = 0; i < c->n_cells; i++) {
		const struct clocked_cell *cell = &c->cells[i];
		_cleanup_free_ char *blocks = xasprintf("%zu", cell->n_blocks);

		if (!cell->n_blocks)
			continue;
		table_add_row(tb);
		table_set(tb, 0, cell->workload);
		table_set(tb, 1, text_name(t, cell->variant));
		table_set(tb, 2, blocks);
		table_set(tb, 3, number_text(cell->ns_per_op, false).s);
		table_set(tb, 4, number_percent(cell->spread, false).s);
		for (size_t k = 0; k < ARRAY_SIZE(columns); k++) {
			double v = NAN;

			for (size_t m = 0; m < cell->n_counters; m++)
				if (strcmp(cell->counters[m].name, columns[k].name) == 0)
					v = cell->counters[m].per_op;
			has_cycles |= k == 4 && !isnan(v);
			table_set(tb, 5 + k, number_text(v, false).s);
		}
	}
	text_table(t, tb);
	if (!has_cycles)
		text_line(t, "  cycles and instructions: this machine has no counters for them, or does not let them be read "
			     "(perf_event_paranoid)");
	str_add(t->out, "\n");
}

void text_add_clocked(const struct text *t)
{
	const struct clocked *c = t->r->clocked;

	for (size_t v = 1; v < c->run->n_variants; v++)
		add_differences(t, v);
	add_counters(t);
	for (size_t i = 0; i < c->notes.n; i++)
		text_line(t, "%s", c->notes.v[i]);
}
