/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent's side of the report (wire/wire.h): frames into pages of RAM that
 * the host finds by their magic. No device and no driver is involved, it is as
 * fast as memory, and no kernel message can get in between. What was reported
 * is readable from outside as soon as the function returns.
 */
#ifndef KTOLL_AGENT_REPORT_H
#define KTOLL_AGENT_REPORT_H

#include <stddef.h>
#include <stdint.h>

/* Takes the first pages. 0 or -errno. */
int report_open(uint64_t nonce);
/* Appends one frame; running out of memory ends the guest with a panic, as init's exit does. */
void report_frame(uint32_t kind, const void *body, size_t n_bytes);
/* A frame whose body is two strings, a NUL between them. */
void report_pair(uint32_t kind, const char *key, const char *value);

#endif
