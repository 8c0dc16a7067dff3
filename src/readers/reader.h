/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Readers of what benchmark programs print, a file for each program. The text
 * may be any bytes up to a NUL; lines may end in CR LF.
 */
#ifndef KTOLL_READER_H
#define KTOLL_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct reading {
	char *metric; /* "throughput" */
	char *unit;   /* "MB/s" */
	bool is_higher_better;
	double value; /* finite */
};

struct readings {
	struct reading *v; /* the main one first */
	size_t n, cap;
};

struct reader {
	const char *name;
	/* -EBADMSG with a sentence if there is no figure, or one of a failed run. */
	int (*read)(const char *text, struct readings *ret, struct error *err);
};

/* NULL if there is none of that name. Static. */
const struct reader *reader_find(const char *name);

/* What `reader` says of a text; nothing is left in `ret` on failure. The caller: readings_finish(). */
int reader_read(const struct reader *reader, const char *text, struct readings *ret, struct error *err);
void readings_finish(struct readings *r);

#endif
