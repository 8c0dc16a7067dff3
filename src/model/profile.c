/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/varint.h"

bool profile_is_kernel(uint64_t addr)
{
	return addr >> 63;
}

uint64_t profile_count_insns(const struct profile_count *c)
{
	return c->entries ? c->entries : c->count;
}

void profile_sum(const struct profile *p, struct profile_sums *ret)
{
	struct profile_sums s = { 0 };

	for (size_t i = 0; i < p->n; i++) {
		const struct profile_count *c = &p->counts[i];
		uint64_t insns = profile_count_insns(c), iters = c->count - insns;

		s.started += c->count;
		s.string_iters += iters;
		if (profile_is_kernel(c->addr)) {
			s.kernel_insns += insns;
			s.kernel_string_iters += iters;
		} else {
			s.user_insns += insns;
		}
	}
	*ret = s;
}

void profile_finish(struct profile *p)
{
	free(p->counts);
	*p = (struct profile){ 0 };
}

void *profile_encode(const struct profile *p, size_t *ret_bytes)
{
	struct str out = STR_INIT;
	uint64_t last = 0;

	for (size_t i = 0; i < p->n; i++) {
		varint_put(&out, p->counts[i].addr - last);
		varint_put(&out, p->counts[i].count);
		varint_put(&out, p->counts[i].entries);
		last = p->counts[i].addr;
	}
	*ret_bytes = out.len;
	return str_take(&out);
}

int profile_decode(const void *bytes, size_t n_bytes, struct profile *ret, struct error *err)
{
	const uint8_t *b = bytes, *end = b + n_bytes;
	struct profile p = { 0 };
	size_t cap = 0;
	uint64_t addr = 0;

	while (b < end) {
		struct profile_count c;
		uint64_t step;

		if (!varint_get(&b, end, &step) || !varint_get(&b, end, &c.count) || !varint_get(&b, end, &c.entries) ||
		    addr + step < addr || (p.n && !step) || c.entries > c.count) {
			profile_finish(&p);
			return error_set(err, EBADMSG, "a stored profile is damaged at byte %zu",
					 (size_t)(b - (const uint8_t *)bytes));
		}
		c.addr = addr += step;
		*ARRAY_ADD(p.counts, p.n, cap) = c;
	}
	*ret = p;
	return 0;
}
