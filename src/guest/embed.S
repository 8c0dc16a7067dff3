/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guests' programs as bytes in the binary, with a table of them (struct
 * programs in guest/initramfs.c), and the SELinux policy. The lines come from agent/meson.build.
 */
	.macro	programs arch, agent, exit
	.section .rodata
	.balign	16
agent_\arch:
	.incbin	"\agent"
agent_\arch\()_end:
	.balign	16
exit_\arch:
	.incbin	"\exit"
exit_\arch\()_end:
name_\arch:
	.asciz	"\arch"
	.section .data.rel.ro, "aw", @progbits
	.balign	8
	.quad	name_\arch, agent_\arch, agent_\arch\()_end, exit_\arch, exit_\arch\()_end
	.endm

	.section .data.rel.ro, "aw", @progbits
	.balign	8
	.global	embed_programs, embed_programs_end
embed_programs:
@PROGRAMS@
	.section .data.rel.ro, "aw", @progbits
embed_programs_end:
	.section .rodata
	.balign	16
	.global	embed_policy, embed_policy_end
embed_policy:
	.incbin	"@POLICY@"
embed_policy_end:
	.section .note.GNU-stack, "", @progbits
