/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What building has yielded, in the cache: configurations by what was asked,
 * kernels by what they were made from, and the folders in which make works.
 * A finished entry appears complete, by a rename; readers need no lock.
 *
 *   configs/KEY/   given, resolved
 *   kernels/KEY/   vmlinux, image (where QEMU starts another file), config, about
 *   work/KEY/      lock, config/ and build/ (O= folders), copy/ (with patches)
 */
#ifndef KTOLL_BUILDCACHE_H
#define KTOLL_BUILDCACHE_H

#include "base/error.h"
#include "base/str.h"
#include "model/arch.h"
#include "model/kernel.h"

/* A digest of words, for a key. Owned by the caller. */
char *buildcache_key(const struct strv *words);

/* dir_cache()/built/KIND/KEY, its parent created; owned by the caller. */
int buildcache_dir(const char *kind, const char *key, char **ret, struct error *err);

/* 0 or -ENOENT; both texts are owned by the caller. */
int buildcache_load_config(const char *key, char **ret_given, char **ret_resolved);
int buildcache_store_config(const char *key, const char *given, const char *resolved,
			    struct error *err);

/*
 * Fills image_path, content, build_id, the sizes, release, config and compiler of
 * a kernel that is there: 0 or -ENOENT.
 */
int buildcache_load_kernel(const char *key, const struct arch *arch, struct kernel *ret);

/* What make has left. */
struct built_files {
	const char *vmlinux;
	const char *image;    /* NULL: QEMU starts vmlinux itself */
	const char *release;
	const char *compiler;
	const char *resolved; /* text of the .config */
	const char *arch;     /* as uname calls it */
	const char *spec;     /* that asked for it; others may ask for the same */
};

int buildcache_store_kernel(const char *key, const struct built_files *files, struct error *err);

#endif
