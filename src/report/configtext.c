/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/configtext.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "report/textparts.h"
#include "sys/table.h"

#define WIDTH_WITHOUT_TERMINAL 100
#define MAX_SHORT_ROWS 4
#define MAX_SHORT_NAMES 4
#define MAX_VALUE_CHARS 18 /* in a column of its own; a longer one stands with the reason */

/* ---- the model ---- */

static char *model_text(const char *model, bool is_dynamic)
{
	return xasprintf("%s%s", model ? model : "unknown", is_dynamic ? " (dynamic)" : "");
}

static void add_answer(const struct text *t, const struct configdiff *d)
{
	_cleanup_free_ char *base = model_text(d->base_model, d->base_is_dynamic);
	_cleanup_free_ char *other = model_text(d->other_model, d->other_is_dynamic);
	const char *answer = d->base_model && d->other_model ? "no" : "not known";

	/* A dynamic kernel is built as a fully preemptible one, whatever it boots as. */
	if (d->is_same_model)
		answer = d->base_is_dynamic == d->other_is_dynamic ?
				 "yes" : "by default, but not in the build";
	if (strcmp(base, other) == 0)
		text_line(t, "same preemption model on both sides? %s: %s", answer, base);
	else
		text_line(t, "same preemption model on both sides? %s: %s, %s", answer, base, other);
}

static void add_not_known(const struct text *t, unsigned indent)
{
	text_line(t, "%*sconfig: not known, so what else differs is not known either", (int)indent, "");
}

/* ---- the tables ---- */

/* What the costs rest on: each once, by its number. */
static size_t source_number(struct strv *sources, const char *source)
{
	for (size_t i = 0; i < sources->n; i++)
		if (strcmp(sources->v[i], source) == 0)
			return i + 1;
	strv_add(sources, source);
	return sources->n;
}

static bool is_long(const char *value)
{
	return strlen(value) > MAX_VALUE_CHARS;
}

static void set_value(struct table *tb, size_t column, const char *value)
{
	_cleanup_free_ char *cut = NULL;
	size_t n = MAX_VALUE_CHARS - strlen("...");

	if (!is_long(value)) {
		table_set(tb, column, value);
		return;
	}
	while (n && ((unsigned char)value[n] & 0xc0) == 0x80)
		n--;
	cut = xasprintf("%.*s...", (int)n, value);
	table_set(tb, column, cut);
}

static char *why_text(const struct configdiff_row *r, const struct configdiff_row *before,
		      struct strv *sources)
{
	struct str s = STR_INIT;

	if (is_long(r->base) || is_long(r->other))
		str_addf(&s, "%s -> %s\n", r->base, r->other);
	str_add(&s, r->reason ? r->reason : "-");
	if (!r->known_cost)
		return str_take(&s);
	/* Options of one kind stand in a row, and share an entry. */
	if (before && str_equal(before->known_cost, r->known_cost))
		str_add(&s, "\ncost: as above");
	else
		str_addf(&s, "\ncost%s: %s [%zu]", r->costs_off ? " when off" : "", r->known_cost,
			 source_number(sources, r->cost_source));
	return str_take(&s);
}

static enum table_colour colour_of(const struct configdiff_row *r)
{
	if (r->is_dormant_woken || r->severity == SEVERITY_HIGH)
		return TABLE_RED;
	return r->severity == SEVERITY_MEDIUM ? TABLE_YELLOW : TABLE_PLAIN;
}

static void add_table(const struct text *t, const char *title, const struct configdiff_row *rows,
		      size_t n, struct strv *sources)
{
	_cleanup_table_ struct table *tb = table_new();

	if (!n) {
		text_line(t, "%s: none", title);
		return;
	}
	text_line(t, "%s", title);
	table_add_column(tb, "option", TABLE_LEFT);
	table_add_column(tb, "base", TABLE_LEFT);
	table_add_column(tb, "other", TABLE_LEFT);
	table_add_column(tb, "why, and known cost", TABLE_WRAP);
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *why = why_text(&rows[i], i ? &rows[i - 1] : NULL, sources);

		table_add_row(tb);
		table_set_coloured(tb, 0, rows[i].option, colour_of(&rows[i]));
		set_value(tb, 1, rows[i].base);
		set_value(tb, 2, rows[i].other);
		table_set(tb, 3, why);
	}
	text_table(t, tb);
}

/* ---- sizes ---- */

static void add_size(struct str *s, const char *what, uint64_t base, uint64_t other)
{
	if (base && other)
		str_addf(s, "%s%s %" PRIu64 " -> %" PRIu64 " (%+" PRId64 ")", s->len ? ", " : "", what,
			 base, other, (int64_t)(other - base));
}

static void add_sizes(const struct text *t, const struct configdiff *d)
{
	_cleanup_str_ struct str s = STR_INIT;

	/* Not .text: its padding hides what differs. */
	add_size(&s, "code", d->base_sizes.code, d->other_sizes.code);
	add_size(&s, ".data", d->base_sizes.data, d->other_sizes.data);
	add_size(&s, "vmlinux", d->base_sizes.loaded, d->other_sizes.loaded);
	if (s.len)
		text_line(t, "bytes: %s", str_text(&s));
}

void configtext_add(const struct configdiff *d, const struct report_options *options,
		    struct str *out)
{
	struct report_options wide = *options;
	const struct text t = { .options = &wide, .out = out };
	_cleanup_strv_ struct strv sources = { 0 };

	if (!wide.width)
		wide.width = WIDTH_WITHOUT_TERMINAL;
	add_answer(&t, d);
	text_line(&t, "base %s, other %s", d->base_name, d->other_name);
	str_add(out, "\n");
	if (!d->is_known) {
		add_not_known(&t, 0);
		return;
	}
	add_table(&t, "ASKED", d->rows, d->n_asked, &sources);
	str_add(out, "\n");
	/* Where nothing was asked there is nothing that they are effects of. */
	add_table(&t, d->n_asked ? "SIDE EFFECTS" : "DIFFERENCES", d->rows + d->n_asked, d->n - d->n_asked, &sources);
	if (!d->has_reasons && d->n)
		text_line(&t, "Why is not known: the Kconfig files of these kernels are not at hand.");
	str_add(out, "\n");
	add_sizes(&t, d);
	for (size_t i = 0; i < sources.n; i++)
		text_line(&t, "[%zu] %s", i + 1, sources.v[i]);
}

/* ---- the short form ---- */

static char *asked_text(const struct configdiff *d)
{
	struct str s = STR_INIT;

	for (size_t i = 0; i < d->n_asked && i < MAX_SHORT_NAMES; i++) {
		const struct configdiff_row *r = &d->rows[i];
		bool is_met = !r->reason || str_has_prefix(r->reason, "asked");

		str_addf(&s, "%s%s %s -> %s%s%s%s", i ? ", " : "", r->option, r->base, r->other,
			 is_met ? "" : " (", is_met ? "" : r->reason, is_met ? "" : ")");
	}
	if (d->n_asked > MAX_SHORT_NAMES)
		str_addf(&s, " and %zu more", d->n_asked - MAX_SHORT_NAMES);
	return str_take(&s);
}

static void add_short_row(const struct text *t, const struct configdiff_row *r, unsigned indent)
{
	text_line(t, "%*s  %s %s -> %s%s%s%s", (int)indent, "", r->option, r->base, r->other,
		  r->reason ? ": " : "", r->reason ? r->reason : "",
		  r->severity ? " [has a known cost]" : "");
}

void configtext_add_short(const struct configdiff *d, unsigned indent,
			  const struct report_options *options, struct str *out)
{
	const struct text t = { .options = options, .out = out };
	const struct configdiff_row *rows = d->rows ? d->rows + d->n_asked : NULL;
	size_t n = d->n - d->n_asked, n_shown = n < MAX_SHORT_ROWS ? n : MAX_SHORT_ROWS, n_cost = 0;

	if (!d->is_known) {
		add_not_known(&t, indent);
		return;
	}
	if (d->n_asked) {
		_cleanup_free_ char *asked = asked_text(d);

		text_line(&t, "%*sasked: %s", (int)indent, "", asked);
	}
	for (size_t i = 0; i < n; i++)
		n_cost += rows[i].severity != SEVERITY_NONE;
	if (!n)
		text_line(&t, "%*sconfig: no %s differs", (int)indent, "",
			  d->n_asked ? "other option" : "option");
	else
		text_line(&t, "%*sconfig: %zu %s%s, %zu with a known cost", (int)indent, "", n,
			  d->n_asked ? "more " : "", n == 1 ? "option differs" : "options differ", n_cost);
	for (size_t i = 0; i < n_shown; i++)
		add_short_row(&t, &rows[i], indent);
	if (n_shown < n)
		text_line(&t, "%*s  and %zu more: ktoll diffconfig %s %s", (int)indent, "", n - n_shown,
			  d->base_name, d->other_name);
	if (d->base_sizes.code && d->other_sizes.code && d->base_sizes.code != d->other_sizes.code)
		text_line(&t, "%*scode: %" PRIu64 " -> %" PRIu64 " bytes (%+" PRId64 ")", (int)indent, "", d->base_sizes.code,
			  d->other_sizes.code, (int64_t)(d->other_sizes.code - d->base_sizes.code));
}
