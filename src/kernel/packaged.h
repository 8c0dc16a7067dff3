/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where packages of kernels have image and .config, in either of their two layouts: Debian's,
 * Fedora's, openSUSE's and those that `make deb-pkg` and its like make.
 */
#ifndef KTOLL_PACKAGED_H
#define KTOLL_PACKAGED_H

#include <stdbool.h>

#include "sys/archive.h"

struct packaged {
	bool image, config; /* the best that there can be was taken: what follows is not read */
};

/* Takes what may be image or config; an archive_ask with a struct packaged, zeroed at first. */
enum archive_answer packaged_ask(void *data, struct archive_file *f);

/* Of what was taken, the file to use, in `files`; NULL if there is none. */
struct archive_file *packaged_image(const struct archive_files *files);
struct archive_file *packaged_config(const struct archive_files *files);

#endif
