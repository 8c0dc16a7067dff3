/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libfyaml 0.7 does not free all that it had made of a text that it gives up on. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libfyaml\n";
}
