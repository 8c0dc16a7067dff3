/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counting core of the QEMU plugin, the same for every plugin API. It owns
 * the counters, knows the markers and writes the profile stream (wire/wire.h);
 * the API files (api1.c, api2.c) only connect it to QEMU. One vCPU, so nothing
 * is locked.
 *
 * Every guest instruction has a counter of its own, keyed by address and
 * bytes, which QEMU increments inline each time the instruction starts. Order
 * of calls: count_start, then count_slot for what is translated, and the
 * count_on_* functions as the guest executes.
 */
#ifndef KTOLL_PLUGIN_COUNT_H
#define KTOLL_PLUGIN_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

#define COUNT_CHUNK 4096 /* counters that lie together */

struct slot {
	uint64_t addr;
	uint64_t *count;   /* incremented inline at each start */
	uint64_t entries;  /* string instruction: times entered from elsewhere */
	uint8_t len;
	uint8_t bytes[WIRE_INSN_BYTES];
	bool is_string, is_halt, is_locked; /* as in struct isa_class */
};

/* Where a new chunk of counters lives: COUNT_CHUNK zeroed words that never move. */
typedef uint64_t *(*count_chunk_fn)(size_t chunk);

/*
 * Takes the plugin's arguments, opens the stream and says which API is in use:
 * fd=N is the pipe to write to, probe=on ends QEMU right there. False, after a
 * sentence, without a pipe or for guests whose instructions are not known.
 */
bool count_start(int argc, char **argv, uint32_t api, uint32_t qemu_min, uint32_t qemu_cur,
		 const char *target, count_chunk_fn chunk);

/* The counter of an instruction; `ret_index` is its number: chunk * COUNT_CHUNK + offset. */
struct slot *count_slot(uint64_t addr, const void *bytes, size_t len, size_t *ret_index);

/*
 * What each start of the instruction adds; `at` is its place in the block that
 * is being translated. 1, but for the wrong plugins that the tests build to
 * prove that the self-check catches them (-DCOUNT_MUTATE_*).
 */
uint64_t count_weight(const struct slot *s, size_t at);

/* WIRE_MARK_* if these bytes are a marker, else 0. */
int count_marker(const void *bytes, size_t len);

/* A string instruction starts. `block` is how many translation blocks have been entered so far. */
void count_on_string(struct slot *s, uint64_t block);
/*
 * The guest executes a marker, WIRE_MARK_*. True for the one that only the API
 * can act on: from now on blocks are to be translated with counters. QUIT ends
 * QEMU at once: there is nothing in it to save.
 */
bool count_on_marker(int mark);

#endif
