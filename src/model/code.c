/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/varint.h"

#define CHANGED 0x10 /* beside the length */

static bool is_same(const struct code_insn *a, const struct code_insn *b)
{
	return a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0;
}

void code_merge(struct code *c, const struct code_insn *later, size_t n)
{
	struct code_insn *v = xcalloc(c->n + n, sizeof(*v));
	size_t m = 0;

	for (size_t i = 0, j = 0; i < c->n || j < n;) {
		const struct code_insn *a = i < c->n ? &c->v[i] : NULL, *b = j < n ? &later[j] : NULL;

		if (!b || (a && a->addr < b->addr)) {
			v[m++] = c->v[i++];
			continue;
		}
		v[m] = later[j++];
		if (a && a->addr == b->addr) {
			v[m].is_changed |= a->is_changed || !is_same(a, b);
			i++;
		}
		m++;
	}
	free(c->v);
	c->v = v;
	c->cap = c->n + n;
	c->n = m;
}

const struct code_insn *code_find(const struct code *c, uint64_t addr)
{
	size_t lo = 0, hi = c->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->v[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->n && c->v[lo].addr == addr ? &c->v[lo] : NULL;
}

void code_finish(struct code *c)
{
	free(c->v);
	*c = (struct code){ 0 };
}

void *code_encode(const struct code *c, size_t *ret_bytes)
{
	struct str out = STR_INIT;
	uint64_t last = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct code_insn *in = &c->v[i];
		uint8_t len = in->len | (in->is_changed ? CHANGED : 0);

		varint_put(&out, in->addr - last);
		str_add_bytes(&out, &len, 1);
		str_add_bytes(&out, in->bytes, in->len);
		last = in->addr;
	}
	*ret_bytes = out.len;
	return str_take(&out);
}

int code_decode(const void *bytes, size_t n_bytes, struct code *ret, struct error *err)
{
	const uint8_t *b = bytes, *end = b + n_bytes;
	struct code c = { 0 };
	uint64_t addr = 0, step;

	while (b < end) {
		struct code_insn in = { 0 };
		const uint8_t *at = b;

		if (!varint_get(&b, end, &step) || addr + step < addr || (c.n && !step) || b == end ||
		    (*b & ~(CHANGED | 0xf)) || (*b & 0xf) == 0 || (*b & 0xf) > end - b - 1) {
			code_finish(&c);
			return error_set(err, EBADMSG, "stored instructions are damaged at byte %zu",
					 (size_t)(at - (const uint8_t *)bytes));
		}
		in.addr = addr += step;
		in.is_changed = *b & CHANGED;
		in.len = *b++ & 0xf;
		memcpy(in.bytes, b, in.len);
		b += in.len;
		*ARRAY_ADD(c.v, c.n, c.cap) = in;
	}
	*ret = c;
	return 0;
}
