/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fyaml.h"

#include "base/alloc.h"
#include "model/workloaddef.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	struct workload_def d;

	if (workload_def_parse("f", (const char *)data, size, &d, &err) == 0)
		workload_def_finish(&d);
	return 0;
}
