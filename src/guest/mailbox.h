/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host's side of the agent's report: pages in guest RAM, found by their
 * magic and the boot's nonce, each with a checksum (wire/wire.h). The guest is
 * not trusted: any bytes may be there.
 */
#ifndef KTOLL_MAILBOX_H
#define KTOLL_MAILBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/run.h"
#include "wire/wire.h"

struct mailbox_failure {
	uint32_t workload;
	char *message;
	char *output; /* the end of what was printed, fit to print; NULL for nothing */
};

struct mailbox_cell {
	struct wire_cell cell;
	char *output; /* what the program printed, fit to print; NULL for an operation */
};

struct mailbox {
	struct facts info;
	struct mailbox_cell *cells;
	size_t n_cells, cap_cells;
	struct mailbox_failure *failures;
	size_t n_failures, cap_failures;
	struct str symbols;
	char *output; /* until its cell comes */
	bool ended;   /* the agent said that this is all */
	bool damaged; /* a page or a frame was missing or broken: what came before it is here */
	/* Which limit of a report it goes beyond, in a sentence; NULL: none. What is here is no agent's then. */
	char *beyond;
};

/* Reads the guest's RAM, a file with holes. Fails only if the file cannot be read. */
int mailbox_read(int ram_fd, uint64_t nonce, struct mailbox *ret, struct error *err);
/* The same for the report as one stream of bytes. */
void mailbox_parse(const uint8_t *bytes, size_t n_bytes, struct mailbox *ret);
void mailbox_finish(struct mailbox *m);

#endif
