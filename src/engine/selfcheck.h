/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The check that every counted cell has to pass: the plugin's total against
 * the guest's own clock, which under icount with shift 0 counts instructions
 * too. Two witnesses that know nothing of each other.
 */
#ifndef KTOLL_SELFCHECK_H
#define KTOLL_SELFCHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * `total`: instructions the plugin counted, iterations included. `clock`:
 * instructions by the guest's clock. `fault_entries`: how often the entries of
 * faults were executed, by the profile: an instruction that a fault interrupts
 * and the return from it restarts is counted twice, but passes once on the
 * clock. `halted`: the guest waited (hlt, wfi) inside the region, so the clock
 * went on without instructions.
 *
 * 0 if clock <= total <= clock + fault_entries (halted: total <= clock +
 * fault_entries), else -EBADMSG and a sentence with the numbers.
 */
int selfcheck_cell(uint64_t total, uint64_t clock, uint64_t fault_entries, bool halted,
		   struct error *err);

#endif
