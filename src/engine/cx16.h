/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest that tells whether a QEMU has the cmpxchg16b fault: a flat
 * multiboot image inside this program, for -kernel. It ends QEMU through
 * isa-debug-exit at BARE_EXIT_PORT (engine/bare.h).
 */
#ifndef KTOLL_CX16_H
#define KTOLL_CX16_H

/* What it writes to the port; QEMU's exit status is 2 * value + 1. */
#define CX16_ABSENT  0x10
#define CX16_PRESENT 0x11

#ifndef __ASSEMBLER__
extern const char cx16_image[], cx16_image_end[];
#endif

#endif
