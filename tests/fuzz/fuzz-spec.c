/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/alloc.h"
#include "model/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = xstrndup((const char *)data, size);
	_cleanup_error_ struct error err = ERROR_INIT;
	struct spec s;

	if (spec_parse(text, &s, &err) == 0)
		spec_finish(&s);
	return 0;
}
