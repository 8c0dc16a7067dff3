/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/stream.h"

/* The first byte says how the rest is cut, so that every state between two reads is met. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t cut = size ? data[0] + 1u : 1;
	struct stream s = { 0 };

	for (size_t at = 1; at < size; at += cut)
		if (stream_feed(&s, data + at, cut < size - at ? cut : size - at, NULL) < 0)
			break;
	for (size_t i = 0; i < s.n_regions; i++) {
		size_t n;
		void *bytes = profile_encode(&s.regions[i].profile, &n);
		struct profile p;

		/* What the stream lets through the record takes, and gives back the same. */
		if (profile_decode(bytes, n, &p, NULL) < 0 || p.n != s.regions[i].profile.n)
			abort();
		profile_finish(&p);
		free(bytes);
	}
	stream_finish(&s);
	return 0;
}
