/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fragments of data/kernels, as text with a NUL, in this program. */
#define FRAGMENT(symbol, file) .globl symbol; symbol: .incbin file; .byte 0

	.section .rodata
	FRAGMENT(fragment_small, "small.config")
	FRAGMENT(fragment_small_x86_64, "small-x86_64.config")
	FRAGMENT(fragment_small_ppc64le, "small-ppc64le.config")
	FRAGMENT(fragment_small_aarch64, "small-aarch64.config")
	FRAGMENT(fragment_small_riscv64, "small-riscv64.config")

	.section .note.GNU-stack,"",%progbits
