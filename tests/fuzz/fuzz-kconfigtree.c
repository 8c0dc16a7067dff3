/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "kernel/kconfigreason.h"
#include "kernel/kconfigunmet.h"

/* The parts between NUL bytes are the files 0, 1, 2 …; the last one is a .config, too. */
struct files {
	const char *text;
	size_t n_bytes;
	unsigned n_reads;
};

/* Files in files are a tree of any size, of which no more is learned. */
#define MAX_READS 64

static int read_part(void *data, const char *path, char **ret, size_t *ret_n_bytes)
{
	struct files *f = data;
	const char *s = f->text, *end = f->text + f->n_bytes;

	if (f->n_reads++ >= MAX_READS)
		return -ENOENT;
	for (long i = strtol(path, NULL, 10); i > 0; i--) {
		s = memchr(s, 0, (size_t)(end - s));
		if (!s)
			return -ENOENT;
		s++;
	}
	*ret_n_bytes = strnlen(s, (size_t)(end - s));
	*ret = xstrndup(s, *ret_n_bytes);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct kconfigtree_variable variables[] = { { "A", "1" } };
	struct files f = { (const char *)data, size, 0 };
	struct kconfig base, other;
	struct kconfigtree t;

	if (kconfigtree_parse(read_part, &f, "0", variables, 1, &t, NULL) < 0)
		return 0;
	kconfig_parse((const char *)data, size / 2, &base);
	kconfig_parse((const char *)data + size / 2, size - size / 2, &other);
	const struct kconfigreason_side a = { .tree = &t, .config = &base, .given = &other };
	const struct kconfigreason_side b = { .tree = &t, .config = &other, .given = &other };

	for (size_t i = 0; i < t.n_slots; i++) {
		const struct kconfig_symbol *s = t.slots[i];

		if (!s || !s->definitions)
			continue;
		if (kconfigtree_find(&t, s->full_name) != s)
			abort();
		free(kconfigreason_change(&a, &b, s->full_name));
		free(kconfigunmet_reason(&t, &base, s->full_name, "y"));
		free(kconfigunmet_reason(&t, &base, s->full_name, "n"));
	}
	kconfig_finish(&base);
	kconfig_finish(&other);
	kconfigtree_finish(&t);
	return 0;
}
