/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A private copy of a kernel tree with patches applied. There is one copy per
 * tree, at a place that does not change; another set of patches changes only
 * the files that they touch, so that make rebuilds only what depends on them.
 */
#ifndef KTOLL_PATCHED_H
#define KTOLL_PATCHED_H

#include <stdbool.h>

#include "base/error.h"
#include "base/str.h"

/*
 * What the patches are, for a key: their digests in order. -ENOENT … with the
 * file's name. Owned by the caller; "" for none.
 */
int patched_digest(const struct strv *patches, char **ret, struct error *err);

/*
 * Brings the copy of `tree` in the folder `dir` to the state with exactly
 * these patches (files for patch -p1). `content` names the tree's content: when
 * it has changed, the copy is made anew. `may_link`: files may be hard links,
 * as nobody edits the tree in place. The caller holds the lock of `dir`. A patch
 * that does not apply is blamed on the kernel, and leaves the copy as it was.
 * `ret_tree` is the copy, owned by the caller.
 */
int patched_make(const char *dir, const char *tree, const char *content, bool may_link,
		 const struct strv *patches, char **ret_tree, struct error *err);

/*
 * Do they apply to the tree, one after the other? Tried on the files that they name, in a folder that is gone afterwards: no
 * lock, and nothing of the tree or its copy is touched. -EINVAL, blamed on the kernel, with what patch(1) says.
 */
int patched_check(const char *tree, const struct strv *patches, struct error *err);

#endif
