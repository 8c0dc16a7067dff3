/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's machine protocol, as much of it as is needed: a command, and what
 * came of it. Events are passed over.
 */
#ifndef KTOLL_QMP_H
#define KTOLL_QMP_H

#include "sys/dialog.h"

/* The greeting and the first command. As qmp_command(). */
int qmp_begin(struct dialog *d, uint64_t deadline_ms, struct error *err);

/*
 * "stop", "cont", "quit". Three outcomes: 0, QEMU did it; -EPROTO, it refused, in its own words;
 * -EPIPE, -ETIMEDOUT, -ECANCELED or -EBADMSG, there was no answer.
 */
int qmp_command(struct dialog *d, const char *command, uint64_t deadline_ms, struct error *err);

#endif
