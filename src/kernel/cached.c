/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/cached.h"

#include <dirent.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/file.h"
#include "kernel/about.h"

struct list {
	struct cached *v;
	size_t n, cap;
};

static void add(struct list *l, const char *dir)
{
	_cleanup_free_ char *path = path_join(dir, "about"), *about = NULL, *package = NULL;
	_cleanup_free_ char *version = NULL;
	struct cached *c;

	if (file_read(path, &about, NULL, NULL) < 0)
		return;
	package = about_value(about, "package");
	version = about_value(about, "version");
	c = ARRAY_ADD(l->v, l->n, l->cap);
	c->dir = xstrdup(dir);
	c->arch = about_value(about, "arch");
	c->release = about_value(about, "release");
	c->what = package && version ? xasprintf("%s %s", package, version) : about_value(about, "spec");
}

static void add_all(struct list *l, const char *parent)
{
	struct dirent **names = NULL;
	int n = scandir(parent, &names, NULL, versionsort);

	for (int i = 0; i < n; i++) {
		_cleanup_free_ char *dir = path_join(parent, names[i]->d_name);

		if (names[i]->d_name[0] != '.')
			add(l, dir);
		free(names[i]);
	}
	free(names);
}

int cached_list(struct cached **ret, size_t *ret_n, struct error *err)
{
	static const char *const parents[] = { "debian/kernels", "source", "image", "built/kernels" };
	_cleanup_free_ char *cache = NULL;
	struct list l = { 0 };
	int r = dir_cache(&cache, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(parents); i++) {
		_cleanup_free_ char *parent = path_join(cache, parents[i]);

		add_all(&l, parent);
	}
	*ret = l.v;
	*ret_n = l.n;
	return 0;
}

void cached_free(struct cached *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(list[i].dir);
		free(list[i].arch);
		free(list[i].release);
		free(list[i].what);
	}
	free(list);
}
