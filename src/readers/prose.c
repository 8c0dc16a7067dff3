/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "readers/prose.h"

#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

bool prose_is_rule(const char *text)
{
	/* "|   |" is an empty row of Markdown. */
	bool is_empty_row = *text == '|' && !text[strspn(text, "| \t")];

	return is_empty_row || ((strstr(text, "--") || strstr(text, "==")) && !text[strspn(text, "-=+|: \t")]);
}

bool prose_is_signature(const char *text)
{
	return strcmp(text, "--") == 0;
}

bool prose_is_patch(const char *text)
{
	return str_has_prefix(text, "diff --git ") || str_has_prefix(text, "--- a/");
}

/* "Subject: …", "Signed-off-by: …" */
static bool is_mail_header(const char *text)
{
	static const char *const names[] = { "From", "To", "Cc", "Date", "Subject", "Message-ID", "Message-Id", "In-Reply-To",
					     "References", "Reply-To", "Sender", "Fixes", "Link", "Closes" };
	size_t n = strcspn(text, ": \t");

	if (text[n] != ':' || !n)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i]) == n && strncmp(text, names[i], n) == 0)
			return true;
	return (n > 3 && strncmp(text + n - 3, "-by", 3) == 0) || str_has_prefix(text, "X-") ||
	       str_has_prefix(text, "Content-") || str_has_prefix(text, "List-");
}

/* " kernel/fork.c | 5 ++---" */
static bool is_diffstat(const char *text)
{
	const char *bar = strstr(text, " | ");
	size_t n = strlen(text);

	return bar && n && strchr("+-", text[n - 1]) && isdigit((unsigned char)bar[3 + strspn(bar + 3, " ")]);
}

static bool is_prose(const struct prose_line *l)
{
	size_t n = strlen(l->text);
	char last = n ? l->text[n - 1] : 0;

	if (is_mail_header(l->text) || is_diffstat(l->text))
		return true;
	if (strpbrk(l->text, "\t|"))
		return false;
	if (last && strchr(".:,!?", last) && l->n_words && (l->n_words > l->n_numbers || last == ':') &&
	    (!l->ends_in_number || l->n_words >= 3))
		return true;
	if (!l->n_numbers && l->n_words && l->text[0] == '[')
		return true;
	return (l->n_words >= 4 && l->n_words > l->n_numbers) || (l->n_words >= 3 && !l->n_numbers);
}

/* As many cells in each line, and a number in each below the first. */
static bool is_regular(const struct prose_line *v, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (v[i].n_cells != v[0].n_cells || !v[i].n_numbers)
			return false;
	return n > 1;
}

/* Words over the columns: as many of them, and no sentence. */
static bool is_header(const struct prose_line *above, const struct prose_line *row)
{
	size_t n = strlen(above->text);

	return above->n_cells == row->n_cells && row->n_numbers && !above->n_numbers && !is_mail_header(above->text) &&
	       !strchr(".:,!?", above->text[n - 1]);
}

void prose_trim(const struct prose_line *v, size_t n, bool is_signature, size_t *ret_first, size_t *ret_end)
{
	size_t first = 0, end = n, n_numbers = 0;
	bool regular = is_regular(v, n);

	*ret_first = 0;
	*ret_end = is_signature && !regular ? 0 : n;
	if (regular || is_signature)
		return;
	while (first < end && is_prose(&v[first]))
		first++;
	while (end > first && is_prose(&v[end - 1]))
		end--;
	if (first && first < end && is_header(&v[first - 1], &v[first]))
		first--;
	for (size_t i = first; i < end; i++)
		n_numbers += v[i].n_numbers;
	/* Words without a number, and the short end of a paragraph. */
	if (!n_numbers || (end - first == 1 && n > 1 && (v[first].n_numbers < 2 || v[first].n_words > 1)))
		end = first;
	*ret_first = first;
	*ret_end = end;
}
