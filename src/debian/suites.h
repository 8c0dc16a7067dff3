/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The suites in which Debian's kernels are looked for, in two groups: those of
 * the machine's own release with its backports, and further ones, on the same
 * mirror, that are only read for what the first group does not have. People
 * name others in $XDG_CONFIG_HOME/ktoll/suites.
 */
#ifndef KTOLL_SUITES_H
#define KTOLL_SUITES_H

#include "base/error.h"
#include "debian/aptsources.h"

enum suite_group {
	SUITES_RELEASE,
	SUITES_FURTHER,
	SUITES_GROUPS,
};

/*
 * The entries of a group, none for further ones if people want none; `ret` starts
 * with { 0 }. -ENOENT if no source of this machine is the Debian archive of its
 * release, -EINVAL for a mistake in people's file.
 */
int suites_read(enum suite_group group, struct apt_sources *ret, struct error *err);

/*
 * A file of people's: `SUITE` or `ADDRESS SUITE` a line, '#' comments; `path` is for the
 * sentence. All are trusted as `like` is, which is also where a plain SUITE is. Pure.
 */
int suites_parse(const char *text, const char *path, const struct apt_source *like,
		 struct apt_sources *ret, struct error *err);

/* The path of that file, whether it exists or not. Owned by the caller. */
int suites_path(char **ret, struct error *err);

#endif
