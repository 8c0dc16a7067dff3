/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/symcache.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

bool symcache_is_build_id(const char *s)
{
	size_t n = strlen(s);

	for (size_t i = 0; i < n; i++)
		if (!isxdigit((unsigned char)s[i]))
			return false;
	return n >= 8 && n <= 128;
}

static int folder(char **ret, struct error *err)
{
	_cleanup_free_ char *cache = NULL;
	int r = dir_cache(&cache, err);

	if (r < 0)
		return r;
	/* Without variables they lie in "symbols", of earlier versions. */
	*ret = path_join(cache, "symbols-2");
	return dir_make(*ret, err);
}

int symcache_get(const char *build_id, struct str *ret)
{
	_cleanup_free_ char *dir = NULL, *path = NULL, *text = NULL;
	size_t n;
	int r;

	if (!symcache_is_build_id(build_id))
		return -ENOENT;
	r = folder(&dir, NULL);
	if (r < 0)
		return r;
	path = path_join(dir, build_id);
	r = file_read(path, &text, &n, NULL);
	if (r < 0)
		return r;
	str_add_bytes(ret, text, n);
	return 0;
}

bool symcache_has(const char *build_id)
{
	_cleanup_free_ char *dir = NULL, *path = NULL;

	if (!symcache_is_build_id(build_id) || folder(&dir, NULL) < 0)
		return false;
	path = path_join(dir, build_id);
	return file_exists(path);
}

int symcache_put(const char *build_id, const char *text, size_t n_bytes, struct error *err)
{
	_cleanup_free_ char *dir = NULL, *path = NULL;
	int r;

	if (!symcache_is_build_id(build_id))
		return error_set(err, EBADMSG, "the guest told no build id of its kernel");
	r = folder(&dir, err);
	if (r < 0)
		return r;
	path = path_join(dir, build_id);
	return file_write(path, text, n_bytes, err);
}
