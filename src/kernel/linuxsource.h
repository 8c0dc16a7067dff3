/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debian's kernel source packages, for the `source:` source of a spec: the tree
 * of linux-source-6.1, unpacked in ktoll's cache, and Debian's configuration of
 * linux-config-6.1. Found, fetched and kept as Debian's kernels are.
 *
 * A tree appears complete, by a rename, and is never written to again: builds
 * have their output elsewhere. It takes about 1.7 GB.
 */
#ifndef KTOLL_LINUXSOURCE_H
#define KTOLL_LINUXSOURCE_H

#include "base/error.h"
#include "kernel/debsearch.h"
#include "model/spec.h"

struct linuxsource {
	char *dir;     /* the tree: has Makefile, Kconfig … */
	char *package; /* "linux-source-6.1" */
	char *version; /* "6.1.192-3" */
};

/*
 * The tree of a `source:` spec. `progress` may be NULL. Errors as debian_find(). The caller
 * owns what `ret` holds: linuxsource_finish().
 */
int linuxsource_find(const struct spec *spec, debian_progress progress, void *data,
		     struct linuxsource *ret, struct error *err);
void linuxsource_finish(struct linuxsource *s);

/*
 * Debian's .config of that version for spec->arch, in the plain flavour; the newest of its
 * series if there is none of the very version. Owned by the caller.
 */
int linuxsource_debian_config(const struct spec *spec, debian_progress progress, void *data,
			      char **ret_text, struct error *err);

#endif
