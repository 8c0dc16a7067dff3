/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a benchmark program prints, for each of the readers. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "fyaml.h"

#include "base/alloc.h"
#include "readers/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xstrndup((const char *)data, size);
	const struct reader *reader;

	for (size_t i = 0; (reader = reader_at(i)); i++) {
		struct readings got = { 0 };
		struct error err = ERROR_INIT;

		if (reader->recognise)
			reader->recognise(text);
		if (reader->collect && reader_read(reader, text, &got, &err) == 0 && !got.n)
			abort();
		for (size_t k = 0; k < got.n; k++)
			if (!isfinite(got.v[k].value))
				abort();
		readings_finish(&got);
		error_finish(&err);
	}
	for (size_t i = 0; (reader = reader_at(i)); i++) {
		struct series_list list = { 0 };

		if (reader_series(reader, text, &list, NULL) == 0)
			for (size_t k = 0; k < list.n; k++)
				for (size_t v = 0; v < list.v[k].n; v++)
					if (!isfinite(list.v[k].values[v]))
						abort();
		series_list_finish(&list);
	}
	free(text);
	return 0;
}
