/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/cmdline.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"

char *cmdline_of_boot(const char *cmdline, unsigned null_boot)
{
	char *copy = xstrdup(cmdline), *at = strstr(copy, CMDLINE_FIRST_BOOT);

	if (at)
		at[strlen(WIRE_PARAM_NULL)] = (char)('0' + null_boot);
	return copy;
}

static int check_dropped(const struct machine *m, const struct variant *v, struct error *err)
{
	for (size_t i = 0; i < v->dropped.n; i++) {
		bool own = false;

		for (size_t k = 0; m->params[k]; k++)
			own |= strcmp(v->dropped.v[i], m->params[k]) == 0;
		if (!own)
			return error_blame(err, ERROR_USAGE, EINVAL,
					   "%s: -%s is none of the boot parameters that ktoll "
					   "sets for %s (man ktoll has them)",
					   v->spec, v->dropped.v[i], m->arch);
	}
	return 0;
}

static bool is_left_out(const struct cmdline_change *change, const char *param)
{
	for (size_t i = 0; change->left_out && change->left_out[i]; i++)
		if (strcmp(change->left_out[i], param) == 0)
			return true;
	return false;
}

/*
 * The length of a command line moves what the kernel does at boot, so all get
 * the same. Its bytes do, too: they go into the kernel's randomness, so there
 * is nothing in it but what the specs ask for.
 */
int cmdline_prepare(const struct machine *m, const struct cmdline_change *change, struct variant *variants,
		    size_t n, struct error *err)
{
	size_t longest = 0, least = change->as_long_as ? strlen(change->as_long_as) : 0;

	for (size_t i = 0; i < n; i++) {
		struct str st = STR_INIT;
		int r = check_dropped(m, &variants[i], err);

		if (r < 0)
			return r;
		for (size_t k = 0; m->params[k]; k++)
			if (!strv_has(&variants[i].dropped, m->params[k]) && !is_left_out(change, m->params[k]))
				str_addf(&st, "%s ", m->params[k]);
		if (change->added)
			str_addf(&st, "%s ", change->added);
		for (size_t k = 0; k < variants[i].params.n; k++)
			str_addf(&st, "%s ", variants[i].params.v[k]);
		free(variants[i].cmdline);
		variants[i].cmdline = str_take(&st);
		if (strlen(variants[i].cmdline) > longest)
			longest = strlen(variants[i].cmdline);
	}
	for (size_t i = 0; i < n; i++) {
		struct str st = STR_INIT;

		str_addf(&st, "%sktoll.pad=", variants[i].cmdline);
		while (st.len < longest + strlen("ktoll.pad=") || st.len < least)
			str_add(&st, "x");
		free(variants[i].cmdline);
		variants[i].cmdline = str_take(&st);
	}
	return 0;
}
