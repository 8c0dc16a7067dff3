/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of Debian's package versions, Debian policy 5.6.12; the algorithm is
 * that of dpkg's lib/dpkg/version.c. Any text may be given.
 */
#ifndef KTOLL_DEBVERSION_H
#define KTOLL_DEBVERSION_H

/* <0, 0, >0 as a is older, the same, newer. */
int deb_version_compare(const char *a, const char *b);

#endif
