/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/objdump.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "sys/child.h"

#define DEADLINE_MS 60000

static const struct {
	const char *arch, *program, *machine;
} programs[] = {
	{ "x86_64", "objdump", "i386:x86-64" },
	{ "ppc64le", "powerpc64le-linux-gnu-objdump", "powerpc:common64" },
	{ "aarch64", "aarch64-linux-gnu-objdump", "aarch64" },
	{ "riscv64", "riscv64-linux-gnu-objdump", "riscv:rv64" },
};

/* "ffffffff81000000:\t90                   \tnop" */
static void read_lines(char *text, void (*line)(void *data, uint64_t addr, const char *text),
		       void *data)
{
	char *next = text, *l;

	while ((l = strsep(&next, "\n"))) {
		char *end, *insn;
		uint64_t addr = strtoull(l, &end, 16);

		if (end == l || strncmp(end, ":\t", 2) != 0)
			continue;
		insn = strchr(end + 2, '\t');
		if (!insn)
			continue;
		insn++;
		insn[strcspn(insn, "#")] = 0;
		while (*insn && insn[strlen(insn) - 1] == ' ')
			insn[strlen(insn) - 1] = 0;
		str_make_printable(insn);
		line(data, addr, insn);
	}
}

int objdump_each(const char *arch, uint64_t start, const void *bytes, size_t n_bytes,
		 void (*line)(void *data, uint64_t addr, const char *text), void *data,
		 struct error *err)
{
	_cleanup_strv_ struct strv argv = { 0 };
	_cleanup_free_ char *program = NULL;
	_cleanup_close_ int fd = -1;
	struct child_result c = { 0 };
	size_t i = 0;
	int r;

	while (i < ARRAY_SIZE(programs) && strcmp(programs[i].arch, arch) != 0)
		i++;
	if (i < ARRAY_SIZE(programs))
		program = file_in_path(programs[i].program);
	if (!program)
		return error_set(err, ENOENT, "there is no %s to disassemble with",
				 i < ARRAY_SIZE(programs) ? programs[i].program : "program");
	fd = file_memory("code", bytes, n_bytes, err);
	if (fd < 0)
		return fd;
	strv_add(&argv, program);
	strv_add(&argv, "-D");
	strv_add(&argv, "-z");
	strv_add(&argv, "-EL");
	strv_add(&argv, "-b");
	strv_add(&argv, "binary");
	strv_add(&argv, "-m");
	strv_add(&argv, programs[i].machine);
	strv_addf(&argv, "--adjust-vma=0x%llx", (unsigned long long)start);
	strv_addf(&argv, "/proc/%d/fd/%d", (int)getpid(), fd);
	r = child_run(argv.v, DEADLINE_MS, &c, err);
	if (r == 0 && !child_is_success(c.status))
		r = error_set(err, EIO, "%s failed: %s", program, str_text(&c.err));
	if (r == 0)
		read_lines(c.out.s, line, data);
	child_result_finish(&c);
	return r;
}
