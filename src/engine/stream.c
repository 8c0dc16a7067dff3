/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/*
 * More addresses than a kernel and its programs have instructions, more of them than a run's regions have together, and more
 * regions than a plan can have tries.
 */
#define MAX_COUNTS  (4u << 20)
#define MAX_COUNTS_TOGETHER (64u << 20)
#define MAX_REGIONS (WIRE_MAX_WORKLOADS * 512u)

static int bad(struct error *err, const char *what)
{
	return error_set(err, EBADMSG, "the plugin's stream is damaged: %s", what);
}

static int too_much(struct error *err, unsigned limit, const char *what)
{
	return error_set(err, EBADMSG, "the plugin's stream is larger than any run's: more than %u %s", limit, what);
}

static int take_region(struct stream *s, const char *body, size_t n_bytes, struct error *err)
{
	struct stream_region out = { 0 };
	struct wire_region r;
	_cleanup_free_ struct code_insn *code = NULL;
	uint64_t last = 0, sum = 0;
	size_t n_code = 0;

	if (n_bytes < sizeof(r))
		return bad(err, "a region is too short");
	memcpy(&r, body, sizeof(r));
	if (n_bytes != sizeof(r) + (uint64_t)r.n_counts * sizeof(struct wire_count))
		return bad(err, "a region's length does not fit its counts");
	if (s->n_counts + r.n_counts > MAX_COUNTS_TOGETHER)
		return too_much(err, MAX_COUNTS_TOGETHER, "addresses in its regions together");
	if (s->n_regions >= MAX_REGIONS)
		return too_much(err, MAX_REGIONS, "regions");
	if (r.index != s->n_regions)
		return bad(err, "a region is missing");
	out.profile.counts = xcalloc(r.n_counts, sizeof(*out.profile.counts));
	code = xcalloc(r.n_counts, sizeof(*code));
	for (uint32_t i = 0; i < r.n_counts; i++) {
		struct wire_count c;

		memcpy(&c, body + sizeof(r) + i * sizeof(c), sizeof(c));
		if ((i && c.addr <= last) || c.entries > c.count || !c.len || c.len > sizeof(c.bytes)) {
			profile_finish(&out.profile);
			return bad(err, "counts are out of order");
		}
		if (profile_is_kernel(c.addr)) {
			code[n_code].addr = c.addr;
			code[n_code].len = c.len;
			memcpy(code[n_code++].bytes, c.bytes, sizeof(c.bytes));
		}
		last = c.addr;
		sum += c.count;
		out.profile.counts[out.profile.n++] =
			(struct profile_count){ c.addr, c.count, c.entries };
	}
	if (sum != r.total) {
		profile_finish(&out.profile);
		return bad(err, "counts do not add up to the region's total");
	}
	code_merge(&s->code, code, n_code);
	out.started = r.total;
	out.locked = r.locked;
	out.halts = r.halts;
	*ARRAY_ADD(s->regions, s->n_regions, s->cap_regions) = out;
	s->n_counts += r.n_counts;
	return 0;
}

static int take_header(struct stream *s, struct error *err)
{
	memcpy(&s->header, s->pending.s, sizeof(s->header));
	if (s->header.magic != WIRE_STREAM_MAGIC)
		return bad(err, "it does not begin as one");
	if (s->header.version != WIRE_VERSION)
		return error_set(err, EPROTO,
				 "the plugin speaks version %u of the stream, this ktoll version %d: "
				 "they are from different builds",
				 s->header.version, WIRE_VERSION);
	s->header.target[sizeof(s->header.target) - 1] = 0;
	s->has_header = true;
	return 0;
}

int stream_feed(struct stream *s, const void *bytes, size_t n_bytes, struct error *err)
{
	size_t at = 0;
	int r = 0;

	str_add_bytes(&s->pending, bytes, n_bytes);
	if (!s->has_header) {
		if (s->pending.len < sizeof(s->header))
			return 0;
		r = take_header(s, err);
		at = sizeof(s->header);
	}
	while (r == 0 && s->pending.len - at >= sizeof(struct wire_frame)) {
		struct wire_frame f;

		memcpy(&f, s->pending.s + at, sizeof(f));
		if (f.kind != WIRE_STREAM_REGION && f.kind != WIRE_STREAM_QUIT)
			return bad(err, "a frame of an unknown kind");
		/* Told by its head, not once it has been collected. */
		if (f.n_bytes > sizeof(struct wire_region) + MAX_COUNTS * sizeof(struct wire_count))
			return too_much(err, MAX_COUNTS, "addresses in one region");
		if (f.n_bytes > s->pending.len - at - sizeof(f))
			break;
		if (f.kind == WIRE_STREAM_REGION)
			r = take_region(s, s->pending.s + at + sizeof(f), f.n_bytes, err);
		else
			s->quit = true;
		at += sizeof(f) + f.n_bytes;
	}
	if (r < 0)
		return r;
	memmove(s->pending.s, s->pending.s + at, s->pending.len - at);
	s->pending.len -= at;
	return 0;
}

void stream_finish(struct stream *s)
{
	str_finish(&s->pending);
	for (size_t i = 0; i < s->n_regions; i++)
		profile_finish(&s->regions[i].profile);
	free(s->regions);
	code_finish(&s->code);
	*s = (struct stream){ 0 };
}
