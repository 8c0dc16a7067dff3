/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "model/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symbols s;

	symbols_parse((const char *)data, size, &s);
	for (size_t i = 0; i < s.n; i++)
		if (symbols_find(&s, s.list[i].addr) != &s.list[i])
			abort();
	symbols_finish(&s);
	return 0;
}
