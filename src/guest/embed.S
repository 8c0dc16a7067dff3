/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's programs as bytes in the binary. AGENT_FILE and EXIT_FILE come from meson. */
	.section .rodata
	.balign	16
	.global	embed_agent, embed_agent_end, embed_exit, embed_exit_end
embed_agent:
	.incbin	AGENT_FILE
embed_agent_end:
	.balign	16
embed_exit:
	.incbin	EXIT_FILE
embed_exit_end:
	.section .note.GNU-stack, "", @progbits
