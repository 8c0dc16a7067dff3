/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What make says while it builds a kernel: objects to count, and the lines
 * that tell why it failed. Pure text work on any bytes.
 */
#ifndef KTOLL_BUILDLOG_H
#define KTOLL_BUILDLOG_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

#define BUILDLOG_MAX_ERRORS 5

/* Starts as { 0 }. */
struct buildlog {
	struct str line;     /* the one that is not complete yet */
	uint64_t objects;    /* compiled or assembled so far */
	struct strv errors;  /* the first lines that say what is wrong, printable */
	struct strv stops;   /* make's own "*** … Error 1", the same */
	int host_error;      /* ENOSPC, ENOMEM: the machine's fault; 0 */
};

void buildlog_feed(struct buildlog *l, const char *p, size_t n_bytes);
void buildlog_finish(struct buildlog *l);

/*
 * Why it failed, in its own first error lines: blamed on the kernel, unless
 * they say that the machine is out of disk or memory. A negative errno.
 */
int buildlog_failed(struct buildlog *l, struct error *err);

/* The same for output that is there as a whole. */
int buildlog_explain(const char *out, const char *errors, struct error *err);

/* The number of objects in what `make -n` prints. */
uint64_t buildlog_count_planned(const char *text);

#endif
