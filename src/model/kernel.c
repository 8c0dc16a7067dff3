/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

void kernel_finish(struct kernel *k)
{
	free(k->source);
	free(k->package);
	free(k->version);
	free(k->release);
	free(k->image_path);
	free(k->vmlinux_path);
	free(k->content);
	free(k->build_id);
	free(k->config);
	free(k->config_sha256);
	free(k->compiler);
	free(k->tree);
	free(k->tree_diff);
	free(k->patch_functions);
	*k = (struct kernel){ 0 };
}

static bool is_on(const char *config, const char *option)
{
	_cleanup_free_ char *line = xasprintf("\n%s=y\n", option);

	return strstr(config, line) || str_has_prefix(config, line + 1);
}

const char *config_preempt_model(const char *config)
{
	static const char *const models[][2] = { { "CONFIG_PREEMPT_RT", "rt" },
						 { "CONFIG_PREEMPT_NONE", "none" },
						 { "CONFIG_PREEMPT_VOLUNTARY", "voluntary" },
						 { "CONFIG_PREEMPT_LAZY", "lazy" },
						 { "CONFIG_PREEMPT", "full" } };

	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		if (is_on(config, models[i][0]))
			return models[i][1];
	return NULL;
}
