/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/arch.h"

#include <string.h>
#include <sys/utsname.h>

#include "base/alloc.h"

static const struct arch arches[] = {
	{ "x86_64", "amd64", "x86-64", "x86_64", "x86", "x86_64-linux-gnu", "defconfig" },
	{ "ppc64le", "ppc64el", "powerpc64le", "powerpc", "powerpc", "powerpc64le-linux-gnu",
	  "ppc64le_defconfig" },
	{ "aarch64", "arm64", "", "arm64", "arm64", "aarch64-linux-gnu", "defconfig" },
	{ "riscv64", "riscv64", "", "riscv", "riscv", "riscv64-linux-gnu", "defconfig" },
};

const struct arch *arch_at(size_t i)
{
	return i < ARRAY_SIZE(arches) ? &arches[i] : NULL;
}

const struct arch *arch_find(const char *name)
{
	for (size_t i = 0; *name && i < ARRAY_SIZE(arches); i++)
		if (strcmp(name, arches[i].name) == 0 || strcmp(name, arches[i].debian) == 0 ||
		    strcmp(name, arches[i].also) == 0)
			return &arches[i];
	return NULL;
}

const char *arch_from_name(const char *name)
{
	const struct arch *a = arch_find(name);

	return a ? a->name : NULL;
}

const char *arch_to_debian(const char *arch)
{
	const struct arch *a = arch_find(arch);

	return a ? a->debian : NULL;
}

const char *arch_host(void)
{
	struct utsname u;

	return uname(&u) < 0 ? NULL : arch_from_name(u.machine);
}
