/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a renderer prints against a file of tests/unit/golden; KTOLL_UPDATE_GOLDEN writes it anew. */
#ifndef KTOLL_GOLDEN_H
#define KTOLL_GOLDEN_H

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

static void check_golden(const char *name, const char *text)
{
	const char *dir = getenv("KTOLL_GOLDEN");
	_cleanup_free_ char *path = path_join(dir ? dir : "tests/unit/golden", name), *want = NULL;
	size_t n;

	if (getenv("KTOLL_UPDATE_GOLDEN"))
		assert_int_equal(file_write(path, text, strlen(text), NULL), 0);
	assert_int_equal(file_read(path, &want, &n, NULL), 0);
	assert_string_equal(text, want);
}

#endif
