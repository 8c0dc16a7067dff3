/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines to and from another process over descriptors. Every wait has a
 * deadline and ends at SIGINT, SIGTERM or SIGHUP, which dialog_watch_signals() has
 * blocked before; such a signal stays pending, so that all later waits end as well.
 */
#ifndef KTOLL_DIALOG_H
#define KTOLL_DIALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

struct dialog;

/* For the rest of the process, once. */
int dialog_watch_signals(struct error *err);
/* Has one of them arrived? */
bool dialog_is_interrupted(void);

/* What has arrived is dealt with: cleaning up is not to be interrupted by it. */
void dialog_forget_signals(void);

/* Both descriptors (they may be the same one) are the dialog's from here on, also on failure. */
int dialog_new(int in_fd, int out_fd, struct dialog **ret, struct error *err);
void dialog_free(struct dialog *d);
DEFINE_CLEANUP(struct dialog *, dialog_free)
#define _cleanup_dialog_ _cleanup_(dialog_freep)

/* All of the text. -EPIPE: nobody reads it any more; -ETIMEDOUT, -ECANCELED. */
int dialog_send(struct dialog *d, const char *text, uint64_t deadline_ms);
/*
 * The next line, without its newline and carriage return; valid until the next call. -EPIPE at the
 * end, -ETIMEDOUT, -ECANCELED, -EMSGSIZE for a line without an end.
 */
int dialog_line(struct dialog *d, uint64_t deadline_ms, const char **ret);
/* The next n bytes, added to `ret`. Errors as above. */
int dialog_bytes(struct dialog *d, size_t n, uint64_t deadline_ms, struct str *ret);

#endif
