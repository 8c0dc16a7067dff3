/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "kernel/image.h"
#include "sys/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *bytes = xmemdup(data, size);
	struct image i;

	if (image_parse(bytes, size, &i, NULL) == 0) {
		/* Of nobody's architecture, or with nothing to start, it is no kernel. */
		if (!i.arch || !i.boot != !i.boot_bytes)
			abort();
		image_finish(&i);
	}
	if (memcmp(bytes, data, size) != 0 || elf_cut(bytes, size) > size)
		abort();
	free(bytes);
	return 0;
}
