/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels that are built here: the sources `source:` and `tree:` as a whole.
 * What was configured or built once comes out of the cache, without make.
 */
#ifndef KTOLL_BUILT_H
#define KTOLL_BUILT_H

#include <stdint.h>

#include "base/error.h"
#include "model/kernel.h"
#include "model/spec.h"

/* Who is told what takes time. Every function may be NULL. */
struct built_hooks {
	/* In a few words without a newline: "configuring source:6.1". */
	void (*note)(void *data, const char *sentence);
	/* Objects compiled, of those that have to be (0: unknown), after so many seconds. */
	void (*objects)(void *data, uint64_t done, uint64_t total, double elapsed_s);
	void *data;
};

/* A configuration, what it was made from, and what has been made of it. */
struct built_config {
	char *tree;     /* the source that has been read: with patches, the copy */
	char *given;    /* what was fed to the kernel's configurator */
	char *resolved; /* the .config that came out */
	struct kernel kernel; /* what was built from it; its image_path is NULL if nothing was */
};

/*
 * Before anything is waited for or built: do the patches of a spec apply to its tree, which for `source:` is fetched? As
 * patched_check().
 */
int built_check_patches(const struct spec *spec, const struct built_hooks *hooks, struct error *err);

/*
 * Resolves the configuration of a spec, without compiling the kernel. Every
 * option that was asked for has come out, else -EINVAL, blamed on the kernel,
 * with the reason. Errors of the tree, the tools and the disk as in
 * treestate.h, kbuild.h and patched.h.
 */
int built_configure(const struct spec *spec, const struct built_hooks *hooks,
		    struct built_config *ret, struct error *err);
void built_config_finish(struct built_config *c);

/* The kernel, built unless it is in the cache. The caller owns what `ret` holds: kernel_finish(). */
int built_find(const struct spec *spec, const struct built_hooks *hooks, struct kernel *ret,
	       struct error *err);

#endif
