/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/alloc.h"
#include "readers/reader.h"

/* The first byte chooses the reader. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "cyclictest", "hackbench", "hey", "perf-bench",
					     "refscale", "stress-ng", "tbench", "wrk" };
	_cleanup_error_ struct error err = ERROR_INIT;
	_cleanup_free_ char *text = NULL;
	struct readings r;

	if (!size)
		return 0;
	text = xstrndup((const char *)data + 1, size - 1);
	reader_read(reader_find(names[data[0] % ARRAY_SIZE(names)]), text, &r, &err);
	readings_finish(&r);
	return 0;
}
