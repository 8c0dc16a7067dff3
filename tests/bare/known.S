/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest whose counts are known: regions between markers, numbered by enum
 * known_region, each measured by the guest's clock as agent/arch_x86_64.h does
 * it. Behind each region the clock goes to isa-debugcon as 8 bytes. Ends by the
 * quit marker. tests/unit/test-plugin.c knows the answers; labels known_* are
 * the addresses it asks about.
 */
#include "engine/bare.h"
#include "tests/bare/known.h"

/* A virtual page whose entry in the page directory is taken away and given back. */
#define ENTRY(va) (BARE_PD + ((va) >> 21) * 8)
#define PAGE_VA 0x20000000
#define PAGE_MAPPED 0x200083

/* clang-format off */
	.macro MARK m		/* wire/wire.h: WIRE_MARK_X86_DISP | WIRE_MARK_* */
	.byte 0x66, 0x0f, 0x1f, 0x84, 0x00
	.long 0x544f4c00 | \m
	.endm

	.macro REGION_BEGIN
	rdtsc
	movq %rax, %r14
	movq %rdx, %r15
	MARK 0x11
	.endm

	.macro REGION_END
	MARK 0x22
	rdtsc
	call report
	.endm

	/* For the test, and .L for use in here: a reference to the former would have to be linked. */
	.macro LABEL name
	.global \name
\name:
.L\name:
	.endm

	.macro GATE handler
	.word \handler - bare_image, 8, 0x8e00, BARE_BASE >> 16, 0, 0, 0, 0
	.endm

	BARE_BEGIN known_image

	leaq idt_pointer(%rip), %rax
	lidt (%rax)
	MARK 0x33
	movl $1000, %ecx		/* the plugin arms between two blocks */
1:	subl $1, %ecx
	jnz 1b

	/* KNOWN_EMPTY */
	REGION_BEGIN
	REGION_END

	/* KNOWN_LOOP */
	REGION_BEGIN
	movl $KNOWN_LOOPS, %ecx
LABEL known_loop
	subl $1, %ecx
	jnz .Lknown_loop
	REGION_END

	/* KNOWN_REP: a long one and one of length 0, entered twice each */
	REGION_BEGIN
	movl $2, %edx
1:	movl $0x300000, %esi
	movl $0x310000, %edi
	movl $KNOWN_REP_BYTES, %ecx
LABEL known_rep
	rep movsb
LABEL known_rep_zero
	rep movsb
	subl $1, %edx
	jnz 1b
	REGION_END

	/* KNOWN_REP_LOOP: its block may follow itself without being an iteration */
	REGION_BEGIN
	movl $KNOWN_REP_LOOPS, %edx
	movl $0x310000, %edi
	jmp .Lknown_rep_loop
LABEL known_rep_loop
	rep stosb
	subl $1, %edx
	jnz .Lknown_rep_loop
	REGION_END

	/* KNOWN_REP_BARE: nothing but jumps between the entries; two iterations each */
	REGION_BEGIN
	movl $KNOWN_REP_LOOPS, %edx
	movl $0x310000, %edi
1:	movl $2, %ecx
LABEL known_rep_bare
	rep stosb
	subl $1, %edx
	jnz 1b
	REGION_END

	/* KNOWN_FAULTS: the handler mends the page, the load is restarted */
	REGION_BEGIN
	movl $KNOWN_FAULT_TIMES, %ecx
1:	movl $0, ENTRY(PAGE_VA)
	invlpg PAGE_VA
LABEL known_fault
	movl PAGE_VA, %eax
	subl $1, %ecx
	jnz 1b
	REGION_END

	/* KNOWN_REP_FAULT: a fault in the middle of a string instruction */
	movl $PAGE_MAPPED, ENTRY(PAGE_VA - 1)
	movl $0, ENTRY(PAGE_VA)
	invlpg PAGE_VA
	REGION_BEGIN
	movl $(PAGE_VA - KNOWN_REP_FAULT_BYTES / 2), %edi
	movl $KNOWN_REP_FAULT_BYTES, %ecx
LABEL known_rep_fault
	rep stosb
	REGION_END

	/* KNOWN_UD: an instruction that is never completed; the handler skips it */
	REGION_BEGIN
	movl $KNOWN_UD_TIMES, %ecx
1:
LABEL known_ud
	ud2
	subl $1, %ecx
	jnz 1b
	REGION_END

	/* KNOWN_PATCHED: code in another block is patched before each call */
	REGION_BEGIN
	movl $KNOWN_PATCH_TIMES, %ecx
1:	movl %ecx, .Lknown_patched + 1(%rip)
	call .Lknown_patched
	subl $1, %ecx
	jnz 1b
	REGION_END

	/* KNOWN_PATCHED_SELF: the same in the block that is running */
	REGION_BEGIN
	movl $KNOWN_PATCH_TIMES, %ecx
1:
LABEL known_patching
	movl %ecx, .Lknown_patched_self + 1(%rip)
LABEL known_patched_self
	movl $0, %eax
	subl $1, %ecx
	jnz 1b
	REGION_END

	/* KNOWN_HALT: the timer ends each wait; its interrupt is the only one let in */
	leaq pic_setup(%rip), %rsi
	movl $8, %ecx
1:	movzbl (%rsi), %edx
	movb 1(%rsi), %al
	outb %al, %dx
	addq $2, %rsi
	subl $1, %ecx
	jnz 1b
	REGION_BEGIN
	movl $KNOWN_HALT_TIMES, %ecx
1:	movb $0x30, %al			/* counter 0, low and high byte, mode 0: once */
	outb %al, $0x43
	movb $0xe8, %al			/* 1,000 / 1.193182 MHz = 838 us */
	outb %al, $0x40
	movb $0x03, %al
	outb %al, $0x40
	sti
LABEL known_halt
	hlt
	cli
	subl $1, %ecx
	jnz 1b
	REGION_END

	MARK 0x44
	BARE_EXIT $0			/* where no plugin listens */

	/* The clock now is in rdx:rax, that of the beginning in r15:r14; see arch_measure for the 5. */
report:
	shlq $32, %rdx
	orq %rdx, %rax
	shlq $32, %r15
	orq %r15, %r14
	subq %r14, %rax
	subq $5, %rax
	movl $8, %ecx
1:	outb %al, $BARE_CONSOLE_PORT
	shrq $8, %rax
	subl $1, %ecx
	jnz 1b
	ret

	.balign 64
LABEL known_patched
	movl $0, %eax
	ret

LABEL known_pf_entry
	movl $PAGE_MAPPED, ENTRY(PAGE_VA)
	addq $8, %rsp			/* the error code */
	iretq

LABEL known_ud_entry
	addq $2, (%rsp)
	iretq

LABEL known_timer_entry
	pushq %rax
	movb $0x20, %al			/* end of interrupt */
	outb %al, $0x20
	popq %rax
	iretq

	/* Port and value: both controllers start at vector 32 and let through IRQ 0. */
pic_setup:
	.byte 0x20, 0x11, 0x21, 0x20, 0x21, 0x04, 0x21, 0x01, 0x21, 0xfe
	.byte 0xa1, 0xff, 0xa1, 0xff, 0xa1, 0xff

	.balign 16
idt:
	.fill 6 * 16, 1, 0
	GATE .Lknown_ud_entry		/* 6 */
	.fill 7 * 16, 1, 0
	GATE .Lknown_pf_entry		/* 14 */
	.fill 17 * 16, 1, 0
	GATE .Lknown_timer_entry		/* 32 */
idt_end:
idt_pointer:
	.word idt_end - idt - 1
	.quad GUEST(idt)

	BARE_END known_image
