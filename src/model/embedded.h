/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of data/ that are in the program. Each kind has a table, and behind
 * its last row a symbol with "_end".
 */
#ifndef KTOLL_EMBEDDED_H
#define KTOLL_EMBEDDED_H

struct embedded {
	const char *name, *text, *end;
};

#endif
