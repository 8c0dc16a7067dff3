/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of data/mechanisms in this program, and a table of them: explain/mechanism. */
	.macro	mechanisms name, file
	.section .rodata
1:
	.incbin	"\file"
2:
3:
	.asciz	"\name"
	.section .data.rel.ro, "aw", @progbits
	.quad	3b, 1b, 2b
	.endm

	.section .data.rel.ro, "aw", @progbits
	.balign	8
	.global	embed_mechanisms, embed_mechanisms_end
embed_mechanisms:
@MECHANISMS@
	.section .data.rel.ro, "aw", @progbits
embed_mechanisms_end:
	.section .note.GNU-stack, "", @progbits
