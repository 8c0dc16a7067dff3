/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/packaged.h"

#include <fnmatch.h>
#include <sys/stat.h>

#include "base/alloc.h"

/* In this order: a vmlinuz, the first three, is what the distribution boots. */
#define VMLINUZ_PATTERNS 3
static const char *const image_patterns[] = {
	"boot/vmlinuz-*",	   "usr/lib/modules/*/vmlinuz", "lib/modules/*/vmlinuz",
	"boot/Image-*",		   "usr/lib/modules/*/Image",	"lib/modules/*/Image",
	"boot/vmlinux-*",	   "usr/lib/modules/*/vmlinux", "lib/modules/*/vmlinux",
};
static const char *const config_patterns[] = {
	"boot/config-*",
	"usr/lib/modules/*/config",
	"lib/modules/*/config",
};

/* The place in the list, or its length. '*' stands for one part of a path. */
static size_t match(const char *name, const char *const *patterns, size_t n)
{
	size_t i = 0;

	while (i < n && fnmatch(patterns[i], name, FNM_PATHNAME) != 0)
		i++;
	return i;
}

enum archive_answer packaged_ask(void *data, struct archive_file *f)
{
	struct packaged *taken = data;
	size_t image = match(f->name, image_patterns, ARRAY_SIZE(image_patterns));
	bool is_config = match(f->name, config_patterns, ARRAY_SIZE(config_patterns)) <
			 ARRAY_SIZE(config_patterns);

	/* Hundreds of megabytes of modules follow. */
	if (taken->image && taken->config)
		return ARCHIVE_STOP;
	if (!S_ISREG(f->mode) || f->link || (image == ARRAY_SIZE(image_patterns) && !is_config))
		return ARCHIVE_SKIP;
	taken->image |= image < VMLINUZ_PATTERNS;
	taken->config |= is_config;
	return ARCHIVE_TAKE;
}

/* The file that matches best; NULL if none does. */
static struct archive_file *best(const struct archive_files *files, const char *const *patterns,
				 size_t n_patterns)
{
	struct archive_file *found = NULL;
	size_t best_at = n_patterns;

	for (size_t i = 0; i < files->n; i++) {
		size_t at = match(files->files[i].name, patterns, n_patterns);

		if (at < best_at) {
			best_at = at;
			found = &files->files[i];
		}
	}
	return found;
}

struct archive_file *packaged_image(const struct archive_files *files)
{
	return best(files, image_patterns, ARRAY_SIZE(image_patterns));
}

struct archive_file *packaged_config(const struct archive_files *files)
{
	return best(files, config_patterns, ARRAY_SIZE(config_patterns));
}
