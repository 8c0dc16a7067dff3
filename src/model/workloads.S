/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of data/workloads in this program, and a table of them: model/workloaddef. */
	.macro	workload name, file
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
	.global	embed_workloads, embed_workloads_end
embed_workloads:
@WORKLOADS@
	.section .data.rel.ro, "aw", @progbits
embed_workloads_end:
	.section .note.GNU-stack, "", @progbits
