/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What people write around a table in a mail: sentences, headers, attributions,
 * signatures, tags, patches. Lines of one block, which has no empty line in it,
 * are looked at together: prose stands above a table and below it. What stands
 * within one is part of it, so that a damaged row is not passed over.
 */
#ifndef KTOLL_PROSE_H
#define KTOLL_PROSE_H

#include <stdbool.h>
#include <stddef.h>

/* A line, and what is in it between blanks. */
struct prose_line {
	const char *text; /* without quoting */
	size_t n_cells, n_numbers;
	size_t n_words; /* cells with a letter that are no number */
	bool ends_in_number;
};

/* Nothing but "-----", "====" and "+" or "|" between them; or bars with nothing between them. */
bool prose_is_rule(const char *text);
/* The line above a signature, "-- ", and the one that begins a patch. */
bool prose_is_signature(const char *text);
bool prose_is_patch(const char *text);

/* Lines [*ret_first, *ret_end) of a block are no prose; none if they are equal. */
void prose_trim(const struct prose_line *v, size_t n, bool is_signature, size_t *ret_first, size_t *ret_end);

#endif
