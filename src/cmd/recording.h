/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The record of a run: its head, where it is, and how an unfinished one goes on. */
#ifndef KTOLL_RECORDING_H
#define KTOLL_RECORDING_H

#include "cmd/measure.h"

/* The head of q->run, with what the engine says of itself. */
void recording_fill_head(struct measure *q, const struct facts *engine);
/* A new record, or the one that this very plan has begun: then q->run has its outcomes. */
int recording_get(struct measure *q, struct record **ret, struct error *err);
/* A run that could not go on: its record stays if there is a finished boot in it. */
void recording_leave(const char *path, struct record **rec);

#endif
