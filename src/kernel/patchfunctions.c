/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/patchfunctions.h"

#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

static void add(struct strv *l, const char *prefix, const char *name, size_t n)
{
	_cleanup_free_ char *s = xasprintf("%s%.*s", prefix, (int)n, name);

	if (n && !strv_has(l, s))
		strv_add(l, s);
}

/* SYSCALL_DEFINE2(kill, pid_t, pid, int, sig): what the architectures make of it. */
static void add_system_call(struct strv *l, const char *name)
{
	static const char *const prefixes[] = { "__x64_sys_", "__arm64_sys_", "__riscv_sys_", "sys_",
						"__do_sys_", "__se_sys_" };
	size_t n = strcspn(name, ",) \t");

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		add(l, prefixes[i], name, n);
}

/* "static int foo(struct bar *b)": the word in front of the first parenthesis of a line that begins in column 0. */
static void add_line(struct strv *l, const char *line, size_t n)
{
	const char *open = memchr(line, '(', n), *end = open, *start;

	if (!open || (!isalpha((unsigned char)*line) && *line != '_'))
		return;
	if (str_has_prefix(line, "SYSCALL_DEFINE") || str_has_prefix(line, "COMPAT_SYSCALL_DEFINE")) {
		add_system_call(l, open + 1 + strspn(open + 1, " \t"));
		return;
	}
	while (end > line && isblank((unsigned char)end[-1]))
		end--;
	for (start = end; start > line && (isalnum((unsigned char)start[-1]) || start[-1] == '_');)
		start--;
	add(l, "", start, (size_t)(end - start));
}

void patch_functions_of(const char *text, struct strv *ret)
{
	bool in_hunk = false;

	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n");
		const char *header = str_has_prefix(line, "@@ -") ? strstr(line + 4, "@@") : NULL;

		if (header && header < line + n) {
			in_hunk = true;
			header += 2 + strspn(header + 2, " ");
			add_line(ret, header, (size_t)(line + n - header));
		} else if (in_hunk && n && strchr(" +-", *line)) {
			add_line(ret, line + 1, n - 1);
		} else if (n && *line != '\\') {
			in_hunk = false;
		}
		line += n + (line[n] == '\n');
	}
}

int patch_functions(const struct strv *patches, char **ret, struct error *err)
{
	_cleanup_strv_ struct strv names = { 0 };

	*ret = NULL;
	for (size_t i = 0; i < patches->n; i++) {
		_cleanup_free_ char *text = NULL;
		int r = file_read(patches->v[i], &text, NULL, err);

		if (r < 0)
			return r;
		patch_functions_of(text, &names);
	}
	if (names.n)
		*ret = strv_join(&names, " ");
	return 0;
}
