/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a user's kernel tree is at this moment: a name for its content, and how
 * git describes it. The tree, git's index included, is only read.
 */
#ifndef KTOLL_TREESTATE_H
#define KTOLL_TREESTATE_H

#include "base/error.h"

struct treestate {
	char *path;     /* absolute, without symbolic links */
	char *content;  /* the same for the same content: a commit and a digest of what differs from
			   it; without git a digest of all names, sizes and times */
	char *describe; /* "v6.1-12-gabcdef" or the commit; NULL without git */
	char *diff;     /* what a dirty tree has beyond its commit; NULL if clean or no git */
};

/* Would it do, as far as a look can tell? Errors as of treestate_read(). */
int treestate_check(const char *path, struct error *err);

/*
 * -ENOENT, -ENOTDIR or -EINVAL for what is no kernel tree, -EBUSY for one that
 * was built in place, which kbuild cannot build elsewhere.
 */
int treestate_read(const char *path, struct treestate *ret, struct error *err);
void treestate_finish(struct treestate *t);

#endif
