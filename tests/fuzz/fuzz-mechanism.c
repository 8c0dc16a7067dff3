/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>

#include "fyaml.h"

#include "explain/mechanism.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mechanisms m = { 0 };

	if (mechanisms_parse(&m, "fuzz.yaml", (const char *)data, size, "x86_64", NULL) == 0)
		mechanisms_of_inlined(&m, "__rcu_read_lock");
	mechanisms_finish(&m);
	return 0;
}
