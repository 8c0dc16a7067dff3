/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/inlinecache.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/file.h"
#include "engine/symcache.h"
#include "sys/dwarf.h"

static int file_of(const char *build_id, char **ret, struct error *err)
{
	_cleanup_free_ char *cache = NULL, *dir = NULL;
	int r;

	if (!symcache_is_build_id(build_id))
		return error_set(err, EBADMSG, "the kernel has no build id");
	r = dir_cache(&cache, err);
	if (r < 0)
		return r;
	dir = path_join(cache, "inlines");
	*ret = path_join(dir, build_id);
	return dir_make(dir, err);
}

bool inlinecache_has(const char *build_id)
{
	_cleanup_free_ char *path = NULL;

	return file_of(build_id, &path, NULL) == 0 && file_exists(path);
}

static uint32_t enter(void *data, uint32_t outer, const char *name)
{
	return inlines_enter(data, outer, name);
}

static void range(void *data, uint32_t site, uint64_t start, uint64_t end)
{
	inlines_add_range(data, site, start, end);
}

int inlinecache_make(const char *build_id, const char *vmlinux, struct error *err)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_free_ void *bytes = NULL;
	struct inlines in = { 0 };
	size_t n;
	int r = file_of(build_id, &path, err);

	if (r == 0)
		r = dwarf_visit_inlines(vmlinux, &(struct dwarf_visitor){ enter, range, &in }, err);
	if (r == 0) {
		inlines_build(&in);
		bytes = inlines_encode(&in, &n);
		r = file_write(path, bytes, n, err);
	}
	inlines_finish(&in);
	return r;
}

int inlinecache_get(const char *build_id, struct inlines *ret)
{
	_cleanup_free_ char *path = NULL, *bytes = NULL;
	size_t n;
	int r = file_of(build_id, &path, NULL);

	if (r == 0)
		r = file_read(path, &bytes, &n, NULL);
	return r < 0 ? r : inlines_decode(bytes, n, ret, NULL);
}
