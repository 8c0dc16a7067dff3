/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bare-metal x86-64 guests for QEMU's -kernel, for files in GNU as: a flat
 * multiboot image that comes up in long mode with the first GiB mapped one to
 * one in pages of 2 MiB and interrupts off. No linking: the image is a piece
 * of the program's read-only data, and addresses in the guest are differences
 * of labels that the assembler knows, GUEST(label). Code must reach its data
 * relative to %rip.
 *
 * BARE_BEGIN name, stack_top ... BARE_END name: the symbols `name` and
 * `name_end` bound the image; the code behind BARE_BEGIN runs in long mode.
 *
 * Only for hosts whose assembler is x86's.
 */
#ifndef KTOLL_BARE_H
#define KTOLL_BARE_H

/* QEMU loads the image here; the 3 pages of page tables and the stack are above it. */
#define BARE_BASE  0x100000
#define BARE_PML4  0x140000
#define BARE_PDPT  0x141000
#define BARE_PD    0x142000
#define BARE_STACK 0x150000
#define BARE_END_OF_RAM_USED 0x160000

/* Multiboot specification 0.6.96, 3.1: magic, flags (bit 16: addresses follow), checksum. */
#define BARE_MB_MAGIC 0x1badb002
#define BARE_MB_FLAGS 0x00010000

/* Ports of QEMU's isa-debug-exit (the exit status is 2 * value + 1) and isa-debugcon. */
#define BARE_EXIT_PORT 0xf4
#define BARE_CONSOLE_PORT 0xe9

#ifdef __ASSEMBLER__
/* The address in the guest of a label of the image. */
#define GUEST(label) ((label) - bare_image + BARE_BASE)

/* clang-format off */

.macro BARE_BEGIN name
	.section .rodata
	.balign 16
	.global \name, \name\()_end
\name:
	.set bare_image, \name
	.long BARE_MB_MAGIC, BARE_MB_FLAGS, -(BARE_MB_MAGIC + BARE_MB_FLAGS)
	.long BARE_BASE			/* where this header is */
	.long BARE_BASE			/* load from the file's start, */
	.long 0				/* all of it, */
	.long BARE_END_OF_RAM_USED	/* zero up to here, */
	.long GUEST(bare_start)		/* start here */

	.balign 8
bare_gdt:
	.quad 0
	.quad 0x00af9a000000ffff	/* 8: 64-bit code */
	.quad 0x00cf92000000ffff	/* 16: data */
bare_gdt_end:
bare_gdt_pointer:
	.word bare_gdt_end - bare_gdt - 1
	.quad GUEST(bare_gdt)

	.code32
bare_start:
	movl $(BARE_PDPT + 3), BARE_PML4	/* present, writable */
	movl $(BARE_PD + 3), BARE_PDPT
	movl $BARE_PD, %edi
	movl $0x83, %eax			/* and 2 MiB large */
	movl $512, %ecx
1:	movl %eax, (%edi)
	addl $0x200000, %eax
	addl $8, %edi
	subl $1, %ecx
	jnz 1b
	movl $BARE_PML4, %eax
	movl %eax, %cr3
	movl %cr4, %eax
	orl $0x220, %eax			/* PAE, OSFXSR */
	movl %eax, %cr4
	movl $0xc0000080, %ecx			/* EFER.LME */
	rdmsr
	orl $0x100, %eax
	wrmsr
	movl %cr0, %eax
	orl $0x80000000, %eax			/* paging */
	movl %eax, %cr0
	lgdt GUEST(bare_gdt_pointer)
	ljmp $8, $GUEST(bare_long)
	.code64
bare_long:
	movl $16, %eax
	movl %eax, %ds
	movl %eax, %es
	movl %eax, %ss
	movl $BARE_STACK, %esp
.endm

.macro BARE_END name
\name\()_end:
	.section .note.GNU-stack, "", @progbits
.endm

/* Ends QEMU with the exit status 2 * value + 1. */
.macro BARE_EXIT value
	movl \value, %eax
	outl %eax, $BARE_EXIT_PORT
	cli
1:	hlt
	jmp 1b
.endm

/* clang-format on */
#else
#include <stdint.h>

/* The address in the guest of a symbol inside the image `image`. */
#define BARE_ADDRESS(symbol, image) ((uint64_t)((symbol) - (image)) + BARE_BASE)
#endif

#endif
