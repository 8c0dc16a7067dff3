/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is in a record, measured once more, and held against it. */
#ifndef KTOLL_RERUN_H
#define KTOLL_RERUN_H

#include <stdbool.h>

#include "cmd/verb.h"

/*
 * `output` is where the new record goes; NULL: ktoll's folder. EXIT_DONE if every count is the same, EXIT_DIFFERENT if
 * not, with what differs in the environments; or another exit status.
 */
int rerun_record(const struct verb *v, int argc, char **argv, const char *path, const char *output, bool is_dry, bool is_trusted);

#endif
