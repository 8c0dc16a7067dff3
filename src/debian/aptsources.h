/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The system's apt sources: reading both of their formats, and picking the
 * entries that are the Debian archive of this release. Pure text work.
 */
#ifndef KTOLL_APTSOURCES_H
#define KTOLL_APTSOURCES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* One address with one suite. */
struct apt_source {
	char *uri;
	char *suite;
	char *components; /* separated by blanks */
	char *signed_by;  /* keyring paths, or a key's lines, a blank before each; NULL if unsaid */
	char *options;    /* other lines to keep, ready for a .sources file, "" for none */
	bool is_optional; /* ktoll's addition: an archive without it will do */
};

struct apt_sources {
	struct apt_source *v;
	size_t n, cap;
};

/*
 * Add the binary entries of a one-line-style (.list) or deb822 (.sources) text
 * to `ret`, which the caller starts with { 0 }. What cannot be understood is
 * skipped: apt itself complains about it.
 */
void apt_sources_parse_list(const char *text, struct apt_sources *ret);
void apt_sources_parse_deb822(const char *text, struct apt_sources *ret);

/*
 * Adds to `ret` the Debian archive's entries of the release: its own suite,
 * updates and security; and its backports on the same address. `codename` may
 * be NULL (then stable, testing, sid … by those names). Third-party archives
 * use the same suite names, so an entry counts as Debian's by its keyring, or
 * by an address of that name where no keyring is said. `is_debian`: the system
 * is Debian itself, so that a mirror of any name and keyring will do if no
 * entry counts otherwise.
 */
void apt_sources_select(const struct apt_sources *all, const char *codename, bool is_debian,
			struct apt_sources *ret);

/*
 * Adds an entry for another suite, or address if not NULL, that is signed by whoever signs `like`. Its other options are its own:
 * they go along only if it is the same entry.
 */
void apt_sources_add_like(struct apt_sources *ret, const struct apt_source *like, const char *uri,
			  const char *suite, bool is_optional);

/*
 * What apt-get said of optional entries that an archive does not have; false if it said the
 * like of another, or of none. The names go to `ret`, each with its address, as apt writes them.
 */
bool apt_sources_lacking(const struct apt_sources *s, const char *said, struct strv *ret);

/*
 * The entries as one .sources file, without those `lacking` names (NULL: none). Owned by the
 * caller.
 */
char *apt_sources_format(const struct apt_sources *s, const struct strv *lacking);

void apt_sources_finish(struct apt_sources *s);

/*
 * The value of NAME= in an os-release text, unquoted; NULL if it is not there. Owned by
 * the caller.
 */
char *os_release_value(const char *text, const char *name);

#endif
