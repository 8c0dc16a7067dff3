/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/symcache.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "sys/digest.h"

/* A build id comes from a guest and becomes a file name. */
static bool is_build_id(const char *s)
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
	*ret = path_join(cache, "symbols");
	return dir_make(*ret, err);
}

static int by_image(const char *image_path, char **ret_path, struct error *err)
{
	_cleanup_free_ char *bytes = NULL, *dir = NULL, *sum = NULL;
	size_t n;
	int r = folder(&dir, err);

	if (r == 0)
		r = file_read(image_path, &bytes, &n, err);
	if (r < 0)
		return r;
	sum = digest_sha256(bytes, n);
	*ret_path = xasprintf("%s/image-%s", dir, sum);
	return 0;
}

int symcache_get(const char *build_id, struct str *ret)
{
	_cleanup_free_ char *dir = NULL, *path = NULL, *text = NULL;
	size_t n;
	int r;

	if (!is_build_id(build_id))
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

char *symcache_build_id(const char *image_path)
{
	_cleanup_free_ char *path = NULL, *id = NULL, *dir = NULL, *symbols = NULL;

	if (by_image(image_path, &path, NULL) < 0 || file_read(path, &id, NULL, NULL) < 0 ||
	    !is_build_id(id) || folder(&dir, NULL) < 0)
		return NULL;
	symbols = path_join(dir, id);
	return file_exists(symbols) ? TAKE_PTR(id) : NULL;
}

int symcache_put(const char *image_path, const char *build_id, const char *text, size_t n_bytes,
		 struct error *err)
{
	_cleanup_free_ char *dir = NULL, *path = NULL, *image = NULL;
	int r;

	if (!is_build_id(build_id))
		return error_set(err, EBADMSG, "the guest told no build id of its kernel");
	r = folder(&dir, err);
	if (r < 0)
		return r;
	path = path_join(dir, build_id);
	r = file_write(path, text, n_bytes, err);
	if (r == 0)
		r = by_image(image_path, &image, err);
	return r < 0 ? r : file_write(image, build_id, strlen(build_id), err);
}
