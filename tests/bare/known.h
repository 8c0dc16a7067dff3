/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the guest known.S does in each region: for it and for the test that checks it. */
#ifndef KTOLL_TESTS_KNOWN_H
#define KTOLL_TESTS_KNOWN_H

#define KNOWN_LOOPS 1000
#define KNOWN_REP_BYTES 1000
#define KNOWN_REP_LOOPS 10
#define KNOWN_FAULT_TIMES 50
#define KNOWN_REP_FAULT_BYTES 32
#define KNOWN_UD_TIMES 20
#define KNOWN_PATCH_TIMES 10
#define KNOWN_HALT_TIMES 3

#ifndef __ASSEMBLER__
enum known_region {
	KNOWN_EMPTY,
	KNOWN_LOOP,
	KNOWN_REP,
	KNOWN_REP_LOOP,
	KNOWN_REP_BARE,
	KNOWN_FAULTS,
	KNOWN_REP_FAULT,
	KNOWN_UD,
	KNOWN_PATCHED,
	KNOWN_PATCHED_SELF,
	KNOWN_HALT,
	KNOWN_REGIONS,
};

extern const char known_image[], known_image_end[];
/* Addresses: BARE_ADDRESS(label, known_image). */
extern const char known_loop[], known_rep[], known_rep_zero[], known_rep_loop[], known_rep_bare[],
	known_fault[], known_rep_fault[], known_ud[], known_patching[], known_patched[],
	known_patched_self[], known_halt[], known_pf_entry[], known_ud_entry[], known_timer_entry[];
#endif

#endif
