/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debian/debindex.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

#define INDEX_FIELDS 5

/* Cuts a line, in place, into its fields; false unless there are exactly so many. */
static bool index_split(char *line, char *fields[INDEX_FIELDS])
{
	for (size_t i = 0; i < INDEX_FIELDS; i++) {
		fields[i] = line;
		line = line ? strchr(line, '\t') : NULL;
		if (line)
			*line++ = 0;
		else if (i < INDEX_FIELDS - 1)
			return false;
	}
	return !line;
}

int debindex_find(const char *text, const char *arch, const char *name,
		  struct debindex_entry *ret)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		_cleanup_free_ char *line = xstrndup(text, n);
		char *f[INDEX_FIELDS];
		uint64_t time_s;

		text += n + (text[n] == '\n');
		if (!index_split(line, f) || strcmp(f[0], arch) != 0 || strcmp(f[1], name) != 0 ||
		    str_to_u64(f[4], 0, UINT64_MAX, &time_s) < 0)
			continue;
		*ret = (struct debindex_entry){ .arch = xstrdup(f[0]),
						.name = xstrdup(f[1]),
						.package = xstrdup(f[2]),
						.version = xstrdup(f[3]),
						.time_s = time_s };
		return 0;
	}
	return -ENOENT;
}

char *debindex_replace(const char *text, const struct debindex_entry *e)
{
	struct str st = STR_INIT;

	while (*text) {
		size_t n = strcspn(text, "\n");
		_cleanup_free_ char *line = xstrndup(text, n), *copy = xstrdup(line);
		char *f[INDEX_FIELDS];

		text += n + (text[n] == '\n');
		if (index_split(copy, f) &&
		    (strcmp(f[0], e->arch) != 0 || strcmp(f[1], e->name) != 0))
			str_addf(&st, "%s\n", line);
	}
	str_addf(&st, "%s\t%s\t%s\t%s\t%llu\n", e->arch, e->name, e->package, e->version,
		 (unsigned long long)e->time_s);
	return str_take(&st);
}

void debindex_entry_finish(struct debindex_entry *e)
{
	free(e->arch);
	free(e->name);
	free(e->package);
	free(e->version);
	*e = (struct debindex_entry){ 0 };
}

int debindex_resolved(const char *dir, const char *arch, const char *name,
		      struct debindex_entry *ret)
{
	_cleanup_free_ char *path = path_join(dir, "index"), *text = NULL;

	if (file_read(path, &text, NULL, NULL) < 0)
		return -ENOENT;
	return debindex_find(text, arch, name, ret);
}

int debindex_remember(const char *dir, const struct debindex_entry *e, struct error *err)
{
	_cleanup_free_ char *path = path_join(dir, "index"), *text = NULL, *new = NULL;

	/* Without the file, or with one that cannot be read, the index starts anew. */
	if (file_read(path, &text, NULL, NULL) < 0)
		text = xstrdup("");
	new = debindex_replace(text, e);
	return file_write(path, new, strlen(new), err);
}
