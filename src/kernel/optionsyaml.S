/* SPDX-License-Identifier: GPL-2.0-or-later */
/* data/options.yaml as bytes in the binary. OPTIONS_FILE comes from meson. */
	.section .rodata
	.global	options_yaml, options_yaml_end
options_yaml:
	.incbin	OPTIONS_FILE
options_yaml_end:
	.section .note.GNU-stack, "", @progbits
