/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debian/lists.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/file.h"
#include "model/arch.h"
#include "sys/filelock.h"
#include "sys/folder.h"

/* Lists of a group, 70 MB, beside what they are made of. On a full disk apt-get waits for ever. */
#define LISTS_BYTES (120ull << 20)

int lists_home(char **ret, struct error *err)
{
	_cleanup_free_ char *cache = NULL, *home = NULL;
	int r = dir_cache(&cache, err);

	if (r < 0)
		return r;
	home = path_join(cache, "debian");
	r = dir_make(home, err);
	if (r == 0)
		*ret = TAKE_PTR(home);
	return r;
}

struct waiting {
	debian_progress progress;
	void *data;
};

static void tell_waiting(void *data)
{
	struct waiting *w = data;

	if (w->progress)
		w->progress(w->data, "waiting for another ktoll that is fetching from Debian");
}

int lists_lock(const char *home, debian_progress progress, void *data, struct error *err)
{
	_cleanup_free_ char *path = path_join(home, "lock");
	struct waiting w = { progress, data };

	return file_lock(path, tell_waiting, &w, err);
}

static char *group_dir(const char *home, enum suite_group group, const char *arch)
{
	return xasprintf("%s/lists-%s%s", home, arch_to_debian(arch),
			 group == SUITES_FURTHER ? "-further" : "");
}

bool lists_exist(const char *home, enum suite_group group, const char *arch)
{
	_cleanup_free_ char *dir = group_dir(home, group, arch);

	return file_exists(dir);
}

int lists_open(const char *home, enum suite_group group, const char *arch, struct apt **ret,
	       struct error *err)
{
	_cleanup_free_ char *dir = group_dir(home, group, arch);
	struct apt_sources sources = { 0 };
	int r = suites_read(group, &sources, err);

	*ret = NULL;
	if (r < 0 || !sources.n)
		return r;
	return apt_open(dir, arch_to_debian(arch), &sources, ret, err);
}

int lists_update(const char *home, enum suite_group group, struct apt *apt,
		 debian_progress progress, void *data, struct error *err)
{
	int r = folder_check_room(home, LISTS_BYTES, "reading the package lists", err);

	if (r < 0)
		return r;
	if (progress)
		progress(data, group == SUITES_RELEASE ?
				       "reading Debian's package lists" :
				       "reading the package lists of further suites (once a day, 30 MB)");
	return apt_update(apt, err);
}

bool lists_is_about_archive(int r)
{
	return r == -ENETUNREACH || r == -EIO || r == -ETIMEDOUT || r == -ENOKEY;
}
