/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fyaml.h"

#include "base/alloc.h"
#include "kernel/knowncosts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	struct known_costs k = { 0 };

	known_costs_parse(&k, "f", (const char *)data, size, &err);
	known_costs_finish(&k);
	return 0;
}
