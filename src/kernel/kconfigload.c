/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/kconfigload.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/file.h"
#include "model/arch.h"

static int read_below(void *data, const char *path, char **ret, size_t *ret_n_bytes)
{
	_cleanup_free_ char *whole = *path == '/' ? xstrdup(path) : path_join(data, path);

	return file_read(whole, ret, ret_n_bytes, NULL);
}

int kconfigload_tree(const char *dir, const char *arch, struct kconfigtree *ret,
		     struct error *err)
{
	const struct arch *a = arch_find(arch);
	_cleanup_free_ char *owned = xstrdup(dir);

	if (!a)
		return error_set(err, ENOTSUP, "the kernel's name of the architecture %s is not known",
				 arch);
	const struct kconfigtree_variable variables[] = { { "ARCH", a->kbuild },
							  { "SRCARCH", a->srcarch },
							  { "srctree", dir } };

	return kconfigtree_parse(read_below, owned, "Kconfig", variables, ARRAY_SIZE(variables),
				 ret, err);
}
