/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of plain numbers, as people paste them: separated by tabs, commas,
 * semicolons or blanks, with or without a header. What a file has is told by
 * its first rows:
 *
 *   one number a line                    one side without a name
 *   a header, numbers below              a side for each column; a first column that counts
 *                                        the runs is none
 *   a name, then numbers                 a side for each row
 *   a header with "unit" or "better"     a metric for each row, a side for each column of numbers
 *   a header that begins with "function" shares of a profile, a side for each column
 *   a name, words, one number a row      a side for each row; the header names the metric
 *
 * A column "build" or "boot" says which of them a run is of.
 *
 * A line of comments or an empty one may come between tables, and so may another depth of a mail's quoting.
 * Sentences above and below a table, signatures and patches are passed over (readers/prose), and a note says so.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "readers/prose.h"
#include "readers/reader.h"
#include "sys/utf8.h"

struct row {
	size_t number; /* of the line */
	struct strv cells;
};

struct table {
	struct row *v;
	size_t n, cap;
};

static void table_finish(struct table *t)
{
	for (size_t i = 0; i < t->n; i++)
		strv_finish(&t->v[i].cells);
	free(t->v);
	*t = (struct table){ 0 };
}

/*
 * A number alone in its cell: a sign, an exponent, a decimal comma, separators of thousands ("1,234,567.8" and
 * "1.234.567,8"), a per cent sign. NAN for anything else. A lone comma with three digits behind
 * it could be either; it is a decimal one only if the part in front of it is 0 or no other
 * reading is possible.
 */
static double number_of(const char *cell)
{
	char plain[64], decimal = '.', *end;
	const char *s = cell + strspn(cell, "+-"), *dot = strrchr(s, '.'), *comma = strrchr(s, ',');
	size_t n = 0, n_commas = 0, n_dots = 0;
	double v;

	for (const char *c = s; *c; c++) {
		n_commas += *c == ',';
		n_dots += *c == '.';
	}
	if (!isdigit((unsigned char)*s) && *s != '.')
		return NAN;
	if (comma && ((dot && comma > dot) || (!dot && n_commas == 1 && !(strlen(comma) == 4 && *s != '0'))))
		decimal = ',';
	else if (n_dots > 1)
		decimal = 0;
	for (const char *c = cell; *c; c++) {
		if (*c == decimal)
			plain[n++] = '.';
		else if (!strchr(".,'", *c))
			plain[n++] = *c;
		if (n >= sizeof(plain) - 1)
			return NAN;
	}
	plain[n] = 0;
	v = strtod(plain, &end);
	if (*end == '%' && !end[1])
		end++;
	return end == plain || *end || !isfinite(v) || strpbrk(plain, "xXnNiI") ? NAN : v;
}

/* Digits, but none that a double can hold. */
static bool is_too_large(const char *cell)
{
	char *end;
	double v = strtod(cell, &end);

	return isdigit((unsigned char)*cell) && !*end && isinf(v);
}

static bool is_number(const char *cell)
{
	return !isnan(number_of(cell));
}

/* Cells between separators, without blanks around them; or words, for a separator of 0. */
static void split(const char *line, char separator, struct strv *ret)
{
	const char *s = line;

	while (*s) {
		size_t n = separator ? strcspn(s, (char[]){ separator, 0 }) : strcspn(s, " \t");
		_cleanup_free_ char *cell = NULL;
		const char *from = s + strspn(s, " ");
		size_t m = s + n > from ? (size_t)(s + n - from) : 0;

		while (m && from[m - 1] == ' ')
			m--;
		/* Quotes of CSV. */
		if (m >= 2 && from[0] == '"' && from[m - 1] == '"')
			from++, m -= 2;
		cell = xstrndup(from, m);
		if (separator || m)
			strv_add(ret, cell);
		s += n;
		s += *s != 0;
	}
}

/* Of the whole table: the first of these that each line has; 0, blanks, if there is none. */
static char separator_of(const char *const *lines, size_t n)
{
	static const char candidates[] = { '\t', ';', '|', ',' };

	for (size_t c = 0; c < sizeof(candidates); c++) {
		size_t with = 0;

		for (size_t i = 0; i < n; i++) {
			const char *at = strchr(lines[i], candidates[c]);

			/* "1,234" is a number: a comma that separates has no blank line of columns beside it. */
			with += at && (candidates[c] != ',' || !strpbrk(lines[i], " ") || at[1] == ' ' ||
				       strchr(lines[i], '"'));
		}
		if (with == n && n && (candidates[c] != ',' || n > 1))
			return candidates[c];
	}
	return 0;
}

static size_t count_numbers(const struct row *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->cells.n; i++)
		n += is_number(r->cells.v[i]);
	return n;
}

static int bad(const struct row *r, struct error *err, const char *what)
{
	_cleanup_free_ char *line = strv_join(&r->cells, " ");
	_cleanup_str_ struct str printable = STR_INIT;

	if (strlen(line) > 100)
		line[100] = 0;
	utf8_add_printable(&printable, line);
	return error_set(err, EBADMSG, "line %zu: %s: '%s'", r->number, what, str_text(&printable));
}

/* 0, 1, 2 … or 1, 2, 3 …: the numbers of the runs, if there is more than one. */
static bool is_counting(const struct table *t, size_t first, size_t column)
{
	double start = NAN;

	for (size_t i = first; i < t->n; i++) {
		double v = column < t->v[i].cells.n ? number_of(t->v[i].cells.v[column]) : NAN;

		if (i == first)
			start = v;
		if (v != start + (double)(i - first))
			return false;
	}
	return t->n > first + 1 && (start == 0 || start == 1);
}

static int find_column(const struct row *header, const char *name)
{
	for (size_t i = 0; i < header->cells.n; i++)
		if (strcasecmp(header->cells.v[i], name) == 0)
			return (int)i;
	return -1;
}

/* "MB/s", "higher": what rows say about themselves. */
static void set_about(struct series *s, const struct row *r, int unit, int better)
{
	if (unit >= 0 && (size_t)unit < r->cells.n) {
		free(s->unit);
		s->unit = xstrdup(r->cells.v[unit]);
	}
	if (better >= 0 && (size_t)better < r->cells.n)
		s->better = strcasecmp(r->cells.v[better], "higher") == 0 ? BETTER_HIGHER :
			    strcasecmp(r->cells.v[better], "lower") == 0  ? BETTER_LOWER : BETTER_UNKNOWN;
}

/* A metric for each row. Columns that are no figure in some row, or per cent, are no sides. */
static int take_metrics(const struct table *t, bool is_share, struct series_list *ret,
			struct error *err)
{
	const struct row *h = &t->v[0];
	int unit = find_column(h, "unit"), better = find_column(h, "better");

	for (size_t i = 1; i < t->n; i++) {
		const struct row *r = &t->v[i];

		if (r->cells.n != h->cells.n)
			return bad(r, err, "it does not have as many columns as the header");
		for (size_t c = 1; c < r->cells.n; c++) {
			struct series *s;

			if (!is_number(r->cells.v[c]) || strstr(h->cells.v[c], "percent") ||
			    strchr(h->cells.v[c], '%'))
				continue;
			s = series_of(ret, h->cells.v[c], r->cells.v[0]);
			set_about(s, r, unit, better);
			s->is_share = is_share;
			series_add(s, number_of(r->cells.v[c]));
		}
	}
	return 0;
}

/* A value of a row, in the row's build or boot if there is a column of it. */
static void add_value(struct series *s, double v, const struct table *t, int level, const struct row *r)
{
	if (level >= 0 && (size_t)level < r->cells.n)
		series_add_in(s, v, t->v[0].cells.v[level], r->cells.v[level]);
	else
		series_add(s, v);
}

/* The column of what was repeated above a run, the higher one first; -1. */
static int find_level(const struct table *t, bool has_header)
{
	int build = has_header ? find_column(&t->v[0], "build") : -1;

	return build >= 0 ? build : has_header ? find_column(&t->v[0], "boot") : -1;
}

/* A side for each row: its name in front, numbers behind. With words between, the last number only. */
static int take_rows(const struct table *t, bool has_header, struct series_list *ret, struct error *err)
{
	for (size_t i = has_header; i < t->n; i++) {
		const struct row *r = &t->v[i];
		size_t from = 1, last = r->cells.n - 1;
		int level = find_level(t, has_header);
		struct series *s;

		if (!is_number(r->cells.v[last]))
			return bad(r, err, "a number is wanted at the end");
		for (size_t c = 1; c < r->cells.n; c++)
			if (!is_number(r->cells.v[c]) || (int)c == level)
				from = last;
		if (!has_header && from == last && last > 1)
			return bad(r, err, "a name and numbers are wanted, or a header over them");
		s = series_of(ret, r->cells.v[0],
			      has_header && from == last && last < t->v[0].cells.n ?
				      t->v[0].cells.v[last] : "value");
		for (size_t c = from; c < r->cells.n; c++)
			add_value(s, number_of(r->cells.v[c]), t, level, r);
	}
	return 0;
}

/* A side for each column. */
static int take_columns(const struct table *t, bool has_header, struct series_list *ret,
			struct error *err)
{
	int level = find_level(t, has_header), run = has_header ? find_column(&t->v[0], "run") : -1;
	size_t n = t->v[0].cells.n, start = level < 0 && is_counting(t, has_header, 0) && n > 1;

	for (size_t c = start; c < n; c++) {
		_cleanup_free_ char *name = has_header ? xstrdup(t->v[0].cells.v[c]) :
					    n - start > 1 ? xasprintf("column %zu", c + 1) : NULL;
		struct series *s;

		if ((int)c == level || (int)c == run)
			continue;
		s = series_of(ret, name, "value");
		for (size_t i = has_header; i < t->n; i++) {
			const struct row *r = &t->v[i];
			/* Sides may have different numbers of runs: the shorter one ends in empty cells. */
			const char *cell = c < r->cells.n ? r->cells.v[c] : "";

			if (*cell && !is_number(cell))
				return bad(r, err, "this is no row of numbers");
			if (*cell)
				add_value(s, number_of(cell), t, level, r);
		}
	}
	return 0;
}

/* "0,502" in each line and no header: one number with a decimal comma, or two. */
static bool is_ambiguous(const struct table *t, char separator)
{
	if (separator != ',' || !t->n)
		return false;
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].cells.n != 2 || count_numbers(&t->v[i]) != 2)
			return false;
	return true;
}

static int take_table(const struct table *t, char separator, struct series_list *ret,
		      struct error *err)
{
	bool has_header = t->n && count_numbers(&t->v[0]) == 0;
	const struct row *first = &t->v[has_header && t->n > 1];

	if (!t->n)
		return 0;
	for (size_t i = 0; has_header && i < t->v[0].cells.n; i++)
		if (is_too_large(t->v[0].cells.v[i]))
			return bad(&t->v[0], err, "a number is too large");
	if (is_ambiguous(t, separator))
		return bad(first, err, "one number with a decimal comma, or two numbers? Give the columns a header, "
				       "or separate them by tabs");
	if (has_header && t->n == 1)
		return bad(first, err, "there are no numbers in it");
	/* The names of columns may be numbers, of releases for instance. */
	if (!has_header && strcasecmp(t->v[0].cells.v[0], "function") == 0)
		return take_metrics(t, true, ret, err);
	if (has_header && (find_column(&t->v[0], "unit") >= 0 || find_column(&t->v[0], "better") >= 0))
		return take_metrics(t, false, ret, err);
	if (has_header && strcasecmp(t->v[0].cells.v[0], "function") == 0)
		return take_metrics(t, true, ret, err);
	if (!is_number(first->cells.v[0]))
		return first->cells.n > 1 ? take_rows(t, has_header, ret, err) :
					    bad(first, err, "this is no row of numbers");
	/* Releases as names, then words and a number. */
	if (has_header && count_numbers(first) < first->cells.n)
		return take_rows(t, has_header, ret, err);
	return take_columns(t, has_header, ret, err);
}

/* ---- blocks: what stands between empty lines ---- */

struct block {
	struct strv lines;
	size_t *numbers; /* of the lines */
	size_t n_numbers, cap;
	bool is_signature;
};

struct reading_state {
	struct series_list *ret;
	struct str read; /* "lines 3 to 5, line 9" */
	size_t n_prose;
	struct error first; /* what the first block without a table is refused for, if there is no table at all */
	bool is_refused;
};

static void block_add(struct block *b, const char *line, size_t number)
{
	size_t n = strlen(line);
	/* A table of Markdown has a bar at both ends. */
	bool is_boxed = n > 2 && line[0] == '|' && line[n - 1] == '|';
	_cleanup_free_ char *inner = is_boxed ? xstrndup(line + 1, n - 2) : NULL;

	strv_add(&b->lines, inner ? inner : line);
	*ARRAY_ADD(b->numbers, b->n_numbers, b->cap) = number;
}

static void block_clear(struct block *b)
{
	strv_finish(&b->lines);
	b->lines = (struct strv){ 0 };
	b->n_numbers = 0;
	b->is_signature = false;
}

static struct prose_line line_of(const char *text)
{
	struct prose_line l = { .text = text };
	_cleanup_strv_ struct strv cells = { 0 };

	split(text, 0, &cells);
	l.n_cells = cells.n;
	for (size_t i = 0; i < cells.n; i++) {
		bool is_word = false;

		l.ends_in_number = is_number(cells.v[i]);
		l.n_numbers += l.ends_in_number;
		for (const char *c = cells.v[i]; *c; c++)
			is_word |= isalpha((unsigned char)*c);
		l.n_words += is_word && !l.ends_in_number;
	}
	return l;
}

/* Lines [first, end) of a block as a table. */
static int take_lines(const struct block *b, size_t first, size_t end, struct series_list *ret, struct error *err)
{
	char separator = separator_of((const char *const *)b->lines.v + first, end - first);
	struct table t = { 0 };
	int r;

	for (size_t i = first; i < end; i++) {
		struct row row = { .number = b->numbers[i] };

		split(b->lines.v[i], separator, &row.cells);
		/* "|  |" has none. */
		if (row.cells.n)
			*ARRAY_ADD(t.v, t.n, t.cap) = row;
	}
	r = take_table(&t, separator, ret, err);
	table_finish(&t);
	return r;
}

static int take_block(const struct block *b, struct reading_state *st, struct error *err)
{
	_cleanup_free_ struct prose_line *v = xcalloc(b->lines.n + 1, sizeof(*v));
	size_t n = b->lines.n, first = 0, end = n;

	if (!n)
		return 0;
	for (size_t i = 0; i < n; i++)
		v[i] = line_of(b->lines.v[i]);
	/* What all lines are separated by is no prose. */
	if (b->is_signature || !separator_of((const char *const *)b->lines.v, n))
		prose_trim(v, n, b->is_signature, &first, &end);
	st->n_prose += n - (end - first);
	if (first == end) {
		struct series_list ignored = { 0 };

		if (!st->is_refused)
			st->is_refused = take_lines(b, 0, n, &ignored, &st->first) < 0;
		series_list_finish(&ignored);
		return 0;
	}
	str_addf(&st->read, end - first > 1 ? "%slines %zu to %zu" : "%sline %zu", st->read.len ? ", " : "", b->numbers[first],
		 b->numbers[end - 1]);
	return take_lines(b, first, end, st->ret, err);
}

static size_t depth_of(const char *line)
{
	size_t n = 0;

	for (; *line == '>'; n++)
		line += 1 + strspn(line + 1, " \t");
	return n;
}

/* Of a text that had more than tables: what was read. */
static int conclude(struct reading_state *st, struct error *err)
{
	if (!st->read.len && st->is_refused)
		return error_set(err, EBADMSG, "%s", error_text(&st->first));
	if (st->read.len && st->n_prose)
		st->ret->note = xasprintf("read as tables: %s; taken for prose: %zu other %s", str_text(&st->read), st->n_prose,
					  st->n_prose == 1 ? "line" : "lines");
	return 0;
}

static int tabulate(struct lines *l, struct series_list *ret, struct error *err)
{
	struct reading_state st = { .ret = ret, .first = ERROR_INIT };
	struct block b = { 0 };
	size_t depth = 0;
	bool is_patch = false;
	int r = 0;

	while (r == 0 && lines_next(l)) {
		const char *s = lines_unquoted(l->line);
		bool is_signature = prose_is_signature(s), is_other = depth_of(l->line) != depth;

		depth = depth_of(l->line);
		is_patch = prose_is_patch(s) || (is_patch && !is_other && !str_has_prefix(s, "From "));
		if (!*s || *s == '#' || is_signature || is_other || is_patch) {
			r = take_block(&b, &st, err);
			block_clear(&b);
		}
		b.is_signature |= is_signature;
		st.n_prose += (is_patch && *s) || is_signature;
		if (*s && *s != '#' && !is_patch && !prose_is_rule(s))
			block_add(&b, s, l->number);
	}
	if (r == 0)
		r = take_block(&b, &st, err);
	if (r == 0)
		r = conclude(&st, err);
	block_clear(&b);
	free(b.numbers);
	str_finish(&st.read);
	error_finish(&st.first);
	return r;
}

const struct reader reader_columns = { "columns", NULL, NULL, NULL, tabulate };
