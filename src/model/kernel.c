/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/kernel.h"

#include <stdlib.h>

void kernel_finish(struct kernel *k)
{
	free(k->source);
	free(k->package);
	free(k->version);
	free(k->release);
	free(k->image_path);
	free(k->content);
	free(k->build_id);
	free(k->config);
	free(k->config_sha256);
	free(k->compiler);
	free(k->tree);
	free(k->tree_diff);
	*k = (struct kernel){ 0 };
}
