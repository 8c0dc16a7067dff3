/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/selfcheck.h"

#include <errno.h>
#include <inttypes.h>

int selfcheck_cell(uint64_t total, uint64_t clock, uint64_t fault_entries, bool halted,
		   struct error *err)
{
	if (total < clock && !halted)
		return error_set(err, EBADMSG,
				 "the plugin counted %" PRIu64 " instructions, %" PRIu64
				 " fewer than the %" PRIu64
				 " of the guest's clock: some were not counted",
				 total, clock - total, clock);
	if (total > clock && total - clock > fault_entries)
		return error_set(err, EBADMSG,
				 "the plugin counted %" PRIu64 " instructions, %" PRIu64
				 " more than the %" PRIu64
				 " of the guest's clock, and only %" PRIu64
				 " faults can have restarted one: some were counted twice",
				 total, total - clock, clock, fault_entries);
	return 0;
}
