/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which functions a patch is in, by its text: those that its hunks name, and
 * those that begin in them. System calls have their symbols' names.
 */
#ifndef KTOLL_PATCHFUNCTIONS_H
#define KTOLL_PATCHFUNCTIONS_H

#include "base/error.h"
#include "base/str.h"

/* Of the files; NULL, with 0, if there is none. Separated by blanks, owned by the caller. */
int patch_functions(const struct strv *patches, char **ret, struct error *err);
/* The same of one text: added to `ret`, each once. */
void patch_functions_of(const char *text, struct strv *ret);

#endif
