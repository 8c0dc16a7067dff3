/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress on stderr: one line that is rewritten on a terminal, a plain line
 * every 30 seconds elsewhere.
 */
#ifndef KTOLL_PROGRESS_H
#define KTOLL_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

/* Something that takes a while begins: always a line of its own. For debian_progress. */
void progress_note(void *unused, const char *sentence);
/* For pool_hooks. */
void progress_show(double done, size_t running, size_t ended, size_t n, double left_s);
/* Blocks of an engine with a clock. */
void progress_blocks(size_t done, size_t all);
/* For built_hooks. */
void progress_objects(void *unused, uint64_t done, uint64_t total, double elapsed_s);
/* Clears the line on a terminal. */
void progress_end(void);

#endif
