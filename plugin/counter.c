/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "counter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isa.h"
#include "wire/wire.h"

struct chunk {
	uint64_t *count;
	struct slot slot[COUNT_CHUNK];
};

static int stream = -1;
static const struct isa *isa;
static count_chunk_fn new_chunk;
static struct chunk **chunks;
static size_t n_slots;
static size_t *table; /* open addressing: slot number + 1, 0 is free */
static size_t table_size;
static uint32_t region;
static struct slot *last_string;
static uint64_t last_string_block;

static void die(const char *what)
{
	fprintf(stderr, "ktoll plugin: %s: %s\n", what, strerror(errno));
	_exit(1);
}

static void emit(const void *p, size_t n)
{
	const char *c = p;

	while (n) {
		ssize_t w = write(stream, c, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			die("cannot write the profile");
		c += w;
		n -= (size_t)w;
	}
}

bool count_start(int argc, char **argv, uint32_t api, uint32_t qemu_min, uint32_t qemu_cur,
		 const char *target, count_chunk_fn chunk)
{
	struct wire_stream_header h = {
		.magic = WIRE_STREAM_MAGIC,
		.version = WIRE_VERSION,
		.api = api,
		.qemu_api_min = qemu_min,
		.qemu_api_cur = qemu_cur,
	};
	bool probe = false;

	for (int i = 0; i < argc; i++) {
		if (strncmp(argv[i], "fd=", 3) == 0)
			stream = atoi(argv[i] + 3);
		else if (strcmp(argv[i], "probe=on") == 0)
			probe = true;
	}
	if (stream < 0) {
		fprintf(stderr, "ktoll plugin: no fd= given\n");
		return false;
	}
	isa = isa_find(target);
	if (!isa && !probe) {
		fprintf(stderr, "ktoll plugin: guests of %s are not known\n", target);
		return false;
	}
	snprintf(h.target, sizeof(h.target), "%s", target);
	new_chunk = chunk;
	emit(&h, sizeof(h));
	if (probe)
		exit(0);
	return true;
}

static struct slot *slot_at(size_t i)
{
	return &chunks[i / COUNT_CHUNK]->slot[i % COUNT_CHUNK];
}

static uint64_t hash(uint64_t addr, const uint8_t *bytes, size_t len)
{
	uint64_t h = addr * 0x9e3779b97f4a7c15ull;

	/* FNV-1a over the bytes, so that code patched in place gets a counter of its own. */
	for (size_t i = 0; i < len; i++)
		h = (h ^ bytes[i]) * 0x100000001b3ull;
	return h ^ h >> 29;
}

static void table_put(size_t i)
{
	const struct slot *s = slot_at(i);
	size_t h = hash(s->addr, s->bytes, s->len) & (table_size - 1);

	while (table[h])
		h = (h + 1) & (table_size - 1);
	table[h] = i + 1;
}

static void table_grow(void)
{
	free(table);
	table_size = table_size ? table_size * 2 : 1u << 16;
	table = calloc(table_size, sizeof(*table));
	if (!table)
		die("cannot grow the table of instructions");
	for (size_t i = 0; i < n_slots; i++)
		table_put(i);
}

struct slot *count_slot(uint64_t addr, const void *bytes, size_t len, size_t *ret_index)
{
	struct isa_class class;
	struct slot *s;
	size_t h;

	if (len > sizeof(s->bytes))
		len = sizeof(s->bytes);
	if (n_slots * 2 >= table_size)
		table_grow();
	h = hash(addr, bytes, len) & (table_size - 1);
	for (; table[h]; h = (h + 1) & (table_size - 1)) {
		s = slot_at(table[h] - 1);
		if (s->addr == addr && s->len == len && memcmp(s->bytes, bytes, len) == 0) {
			*ret_index = table[h] - 1;
			return s;
		}
	}
	if (n_slots % COUNT_CHUNK == 0) {
		size_t c = n_slots / COUNT_CHUNK;

		chunks = realloc(chunks, (c + 1) * sizeof(*chunks));
		if (!chunks || !(chunks[c] = calloc(1, sizeof(**chunks))))
			die("cannot make room for counters");
		chunks[c]->count = new_chunk(c);
	}
	*ret_index = n_slots;
	s = slot_at(n_slots);
	s->addr = addr;
	s->count = &chunks[n_slots / COUNT_CHUNK]->count[n_slots % COUNT_CHUNK];
	s->len = (uint8_t)len;
	memcpy(s->bytes, bytes, len);
	class = isa->classify(s->bytes, len);
	s->is_string = class.is_string;
	s->is_halt = class.is_halt;
	s->is_locked = class.is_locked;
	table[h] = ++n_slots;
	return s;
}

uint64_t count_weight(const struct slot *s, size_t at)
{
	(void)s;
	(void)at;
#if defined(COUNT_MUTATE_MISCOUNT) /* one address in seven counts double */
	return s->addr % 7 ? 1 : 2;
#elif defined(COUNT_MUTATE_SKIP_BLOCK) /* one block in three is not counted */
	static unsigned int block;

	block += at == 0;
	return block % 3 ? 1 : 0;
#elif defined(COUNT_MUTATE_RESTART_TWICE) /* a return from a fault counts twice, as a restart would */
	return s->len == 2 && s->bytes[0] == 0x48 && s->bytes[1] == 0xcf ? 2 : 1;
#else
	return 1;
#endif
}

int count_marker(const void *bytes, size_t len)
{
	return isa->marker(bytes, len);
}

/*
 * QEMU runs one iteration of a repeated string instruction, then jumps back to
 * the instruction: to a block that begins with it. So this start continues the
 * previous one exactly if the block entered before this one was the block of
 * that previous start.
 */
void count_on_string(struct slot *s, uint64_t block)
{
	if (s != last_string || block != last_string_block + 1)
		s->entries++;
	last_string = s;
	last_string_block = block;
}

static void begin(void)
{
	size_t n_chunks = (n_slots + COUNT_CHUNK - 1) / COUNT_CHUNK;

	for (size_t c = 0; c < n_chunks; c++) {
		memset(chunks[c]->count, 0, COUNT_CHUNK * sizeof(uint64_t));
		for (size_t i = 0; i < COUNT_CHUNK; i++)
			chunks[c]->slot[i].entries = 0;
	}
}

/* Of several at one address the order is that of the bytes: qsort() gives none. */
static int by_addr(const void *a, const void *b)
{
	const struct wire_count *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return memcmp(x->bytes, y->bytes, sizeof(x->bytes));
}

static struct wire_count count_of(const struct slot *s)
{
	struct wire_count c = { s->addr, *s->count, s->entries, s->len, { 0 } };

	memcpy(c.bytes, s->bytes, s->len);
	return c;
}

static void end(void)
{
	struct wire_region r = { .index = region++ };
	struct wire_frame f = { .kind = WIRE_STREAM_REGION };
	struct wire_count *out = malloc((n_slots + 1) * sizeof(*out));
	size_t n = 0, m = 0;

	if (!out)
		die("cannot collect a region");
	for (size_t i = 0; i < n_slots; i++) {
		const struct slot *s = slot_at(i);

		if (*s->count)
			out[n++] = count_of(s);
		if (s->is_halt)
			r.halts += *s->count;
		if (s->is_locked)
			r.locked += *s->count;
	}
	qsort(out, n, sizeof(*out), by_addr);
	/* Code that was patched inside the region has several counters at one address. */
	for (size_t i = 0; i < n; i++) {
		r.total += out[i].count;
		if (m && out[m - 1].addr == out[i].addr) {
			uint64_t count = out[m - 1].count + out[i].count;
			uint64_t entries = out[m - 1].entries + out[i].entries;

			if (out[i].count > out[m - 1].count)
				out[m - 1] = out[i];
			out[m - 1].count = count;
			out[m - 1].entries = entries;
		} else {
			out[m++] = out[i];
		}
	}
	r.n_counts = (uint32_t)m;
	f.n_bytes = (uint32_t)(sizeof(r) + m * sizeof(*out));
	emit(&f, sizeof(f));
	emit(&r, sizeof(r));
	emit(out, m * sizeof(*out));
	free(out);
}

static void quit(void)
{
	struct wire_frame f = { .kind = WIRE_STREAM_QUIT };

	emit(&f, sizeof(f));
	_exit(0);
}

bool count_on_marker(int mark)
{
	switch (mark) {
	case WIRE_MARK_BEGIN:
		begin();
		break;
	case WIRE_MARK_END:
		end();
		break;
	case WIRE_MARK_QUIT:
		quit();
	}
	return mark == WIRE_MARK_ARM;
}
