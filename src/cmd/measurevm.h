/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of measure_run() that is the engine `vm`'s. */
#ifndef KTOLL_MEASUREVM_H
#define KTOLL_MEASUREVM_H

#include "cmd/measure.h"

int measure_vm(struct measure *q, struct record **rec, struct error *err);

#endif
