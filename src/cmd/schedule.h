/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An order of boots for `live`, so that neither kernel always comes first. */
#ifndef KTOLL_SCHEDULE_H
#define KTOLL_SCHEDULE_H

#include <stdint.h>

#include "cmd/verb.h"

/*
 * Prints the order of `boots` boots of each of the kernels "A,B", and a systemd unit that runs the
 * rest of the command line after each. An exit status.
 */
int schedule_print(const struct verb *v, const char *kernels, uint64_t boots, uint64_t seed, int argc, char **argv);

#endif
