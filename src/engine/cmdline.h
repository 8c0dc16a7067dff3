/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernels' command lines of a run: ktoll's own parameters, those asked for, and padding. */
#ifndef KTOLL_CMDLINE_H
#define KTOLL_CMDLINE_H

#include "engine/machine.h"
#include "model/run.h"
#include "wire/wire.h"

/* What an engine has otherwise than machine.c says. */
struct cmdline_change {
	const char *const *left_out; /* NULL at the end */
	const char *added;
	const char *as_long_as; /* a complete command line; all are at least as long */
};

/*
 * Fills variant->cmdline of all variants, equally long. -EINVAL, blamed on usage, for a parameter
 * to be left out that is none of ktoll's.
 */
int cmdline_prepare(const struct machine *m, const struct cmdline_change *change, struct variant *variants,
		    size_t n, struct error *err);

/* The parameter that tells boots apart which are the same: cmdline_change.added where there are null boots. */
#define CMDLINE_FIRST_BOOT WIRE_PARAM_NULL "0"
/* A prepared command line for a null boot, from 0 to RUN_MAX_NULLS; as long as it was. Owned by the caller. */
char *cmdline_of_boot(const char *cmdline, unsigned null_boot);

#endif
