/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The compact forms that a record holds: what can be read is what would be written. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/code.h"
#include "model/inlines.h"
#include "model/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile p;
	struct inlines in;
	struct code c, again;
	size_t n;

	if (profile_decode(data, size, &p, NULL) == 0)
		profile_finish(&p);
	if (code_decode(data, size, &c, NULL) == 0) {
		_cleanup_free_ void *bytes = code_encode(&c, &n);

		if (code_decode(bytes, n, &again, NULL) < 0 || again.n != c.n)
			abort();
		if (c.n && !code_find(&c, c.v[c.n - 1].addr))
			abort();
		code_finish(&again);
		code_finish(&c);
	}
	if (inlines_decode(data, size, &in, NULL) == 0) {
		for (size_t i = 0; i < in.n_spans; i++) {
			uint32_t site = inlines_find(&in, in.spans[i].start);

			for (; site; site = in.sites[site].outer)
				if (in.sites[site].outer >= site)
					abort();
		}
		inlines_finish(&in);
	}
	return 0;
}
