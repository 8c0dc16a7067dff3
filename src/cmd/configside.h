/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The resolved config of a spec, and what it takes to say why it is as it is. */
#ifndef KTOLL_CONFIGSIDE_H
#define KTOLL_CONFIGSIDE_H

#include "kernel/configcompare.h"
#include "model/kernel.h"

struct config_side {
	struct spec spec;
	struct kernel kernel;	 /* the config, and the sizes where they are known */
	char *given;		 /* the config before it was resolved; NULL: not known */
	struct kconfigtree tree; /* n_files 0: not at hand */
};

/* Fetches or configures, and builds nothing. `ret` starts as { 0 } and is to be finished in any case. */
int config_side_make(const char *spec, struct config_side *ret, struct error *err);
/* Borrowed from it. */
struct configdiff_side config_side_view(const struct config_side *s);
void config_side_finish(struct config_side *s);

#endif
