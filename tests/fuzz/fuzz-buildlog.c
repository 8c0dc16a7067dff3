/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What make says, in pieces. */
#include <stddef.h>
#include <stdint.h>

#include "kernel/buildlog.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buildlog l = { 0 };
	struct error err = ERROR_INIT;
	size_t half = size ? data[0] % size : 0;

	buildlog_feed(&l, (const char *)data, half);
	buildlog_feed(&l, (const char *)data + half, size - half);
	buildlog_failed(&l, &err);
	error_finish(&err);
	buildlog_finish(&l);
	return 0;
}
