/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of data in this program, and a table of them: model/embedded. @TABLE@ and @FILES@ come from meson. */
	.macro	embedded name, file
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
	.global	@TABLE@, @TABLE@_end
@TABLE@:
@FILES@
	.section .data.rel.ro, "aw", @progbits
@TABLE@_end:
	.section .note.GNU-stack, "", @progbits
