/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent's report code writes into this process's memory, the host's reader finds it there. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "guest/mailbox.h"
#include "wire/crc32.h"

#define NONCE 0x1122334455667788ull
#define RAM_BYTES (8u << 20)

struct ram {
	int fd;
	uint8_t *at;
};

static int setup(void **state)
{
	struct ram *ram = xcalloc(1, sizeof(*ram));

	ram->fd = memfd_create("ram", 0);
	if (ram->fd < 0 || ftruncate(ram->fd, RAM_BYTES) < 0)
		return -1;
	ram->at = mmap(NULL, RAM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, ram->fd, 0);
	*state = ram;
	return ram->at == MAP_FAILED ? -1 : 0;
}

static int teardown(void **state)
{
	struct ram *ram = *state;

	munmap(ram->at, RAM_BYTES);
	close(ram->fd);
	free(ram);
	return 0;
}

/* Page `index` of a stream at the how-manyth page of RAM. */
static struct wire_page *put(struct ram *ram, size_t where, uint32_t index, const void *p,
			     uint32_t n)
{
	struct wire_page *page = (void *)(ram->at + where * WIRE_PAGE_BYTES);

	page->magic = WIRE_PAGE_MAGIC;
	page->nonce = NONCE;
	page->index = index;
	page->n_bytes = n;
	memcpy(page->payload, p, n);
	page->crc = crc32_add(crc32_add(0, &page->nonce, 16), page->payload, n);
	return page;
}

static void add_frame(struct str *st, uint32_t kind, const void *p, size_t n)
{
	struct wire_frame f = { kind, (uint32_t)n };

	str_add_bytes(st, &f, sizeof(f));
	str_add_bytes(st, p, n);
}

static void test_scattered(void **state)
{
	struct ram *ram = *state;
	struct wire_cell cell = { .workload = 4, .region = 3, .ops = 1000 };
	struct str st = STR_INIT;
	struct mailbox m;
	char symbols[6000];

	memset(symbols, 'x', sizeof(symbols));
	add_frame(&st, WIRE_REPORT_INFO, "release\0006.1\033[m", 14);
	add_frame(&st, WIRE_REPORT_OUTPUT, "Time: 1\n\33", 9);
	add_frame(&st, WIRE_REPORT_CELL, &cell, sizeof(cell));
	add_frame(&st, WIRE_REPORT_SYMBOLS, symbols, sizeof(symbols));
	add_frame(&st, WIRE_REPORT_FAILED, "\7\0\0\0\2\0\0\0no memory\0ab", 20);
	add_frame(&st, WIRE_REPORT_END, NULL, 0);
	/* Out of order, with holes between, a stale copy, and another run's page. */
	put(ram, 900, 0, st.s, WIRE_PAGE_PAYLOAD);
	put(ram, 3, 1, st.s + WIRE_PAGE_PAYLOAD, (uint32_t)(st.len - WIRE_PAGE_PAYLOAD));
	put(ram, 1200, 1, st.s + WIRE_PAGE_PAYLOAD, 20);
	put(ram, 40, 2, "other", 5)->nonce++;
	put(ram, 41, 7, "torn", 4)->payload[1] ^= 1;
	assert_int_equal(mailbox_read(ram->fd, NONCE, &m, NULL), 0);
	assert_true(m.ended);
	assert_false(m.damaged);
	assert_string_equal(facts_get(&m.info, "release"), "6.1?[m");
	assert_int_equal(m.n_cells, 1);
	assert_int_equal(m.cells[0].cell.workload, 4);
	assert_int_equal(m.cells[0].cell.region, 3);
	assert_string_equal(m.cells[0].output, "Time: 1\n?");
	assert_int_equal(m.symbols.len, sizeof(symbols));
	assert_int_equal(m.n_failures, 1);
	assert_int_equal(m.failures[0].workload, 7);
	assert_string_equal(m.failures[0].message, "no memory");
	assert_string_equal(m.failures[0].output, "ab");
	mailbox_finish(&m);
	str_finish(&st);
}

static void test_missing_page(void **state)
{
	struct ram *ram = *state;
	struct str st = STR_INIT;
	struct mailbox m;

	memset(ram->at, 0, RAM_BYTES);
	add_frame(&st, WIRE_REPORT_INFO, "a\0b", 3);
	put(ram, 5, 0, st.s, (uint32_t)st.len);
	put(ram, 6, 2, "lost", 4);
	assert_int_equal(mailbox_read(ram->fd, NONCE, &m, NULL), 0);
	assert_true(m.damaged);
	assert_false(m.ended);
	assert_string_equal(facts_get(&m.info, "a"), "b");
	mailbox_finish(&m);
	str_finish(&st);
}

static void test_hostile_frames(void **state)
{
	struct wire_frame huge = { WIRE_REPORT_INFO, UINT32_MAX };
	struct wire_cell cell;
	struct str st = STR_INIT;
	struct mailbox m = { 0 };

	memset(&cell, 0xff, sizeof(cell));
	add_frame(&st, WIRE_REPORT_CELL, &cell, sizeof(cell));
	add_frame(&st, WIRE_REPORT_CELL, &cell, 3);
	add_frame(&st, WIRE_REPORT_FAILED, "\1\0\0\0\377\0\0\0more output than there is", 33);
	add_frame(&st, 77, "?", 1);
	str_add_bytes(&st, &huge, sizeof(huge));
	mailbox_parse((const uint8_t *)st.s, st.len, &m);
	assert_true(m.damaged);
	assert_int_equal(m.n_cells, 1);
	mailbox_finish(&m);
	str_finish(&st);
}

/* A frame of so many zeros, so many times. */
static void assert_beyond(uint32_t kind, size_t n_bytes, unsigned times, const char *told)
{
	_cleanup_free_ char *body = xcalloc(1, n_bytes);
	struct str st = STR_INIT;
	struct mailbox m = { 0 };

	for (unsigned i = 0; i < times; i++)
		add_frame(&st, kind, body, n_bytes);
	mailbox_parse((const uint8_t *)st.s, st.len, &m);
	if (told)
		assert_string_equal(m.beyond, told);
	else
		assert_null(m.beyond);
	assert_false(m.damaged);
	mailbox_finish(&m);
	str_finish(&st);
}

#define LARGER "the guest's report is larger than the agent's can be: more than "

/* A guest that never stops telling. What is at a limit is still fine. */
static void test_limits(void **state)
{
	static const struct {
		uint32_t kind;
		size_t n_bytes, times;
		const char *told; /* of one more, or a byte more */
	} many[] = {
		{ WIRE_REPORT_INFO, 2, 4096, LARGER "4096 facts about the guest" },
		{ WIRE_REPORT_FAILED, sizeof(struct wire_failed), 512, LARGER "512 failures" },
		{ WIRE_REPORT_CELL, sizeof(struct wire_cell), 65536, LARGER "65536 cells" },
		{ WIRE_REPORT_SYMBOLS, 1 << 20, 64, LARGER "67108864 bytes of symbols" },
	}, big[] = {
		{ WIRE_REPORT_INFO, 65536, 1, LARGER "65536 bytes in one fact about the guest" },
		{ WIRE_REPORT_FAILED, sizeof(struct wire_failed) + 131072, 1, LARGER "131072 bytes in one failure" },
		{ WIRE_REPORT_OUTPUT, 65536, 1, LARGER "65536 bytes that one run printed" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(many); i++) {
		assert_beyond(many[i].kind, many[i].n_bytes, (unsigned)many[i].times, NULL);
		assert_beyond(many[i].kind, many[i].n_bytes, (unsigned)many[i].times + 1, many[i].told);
	}
	for (size_t i = 0; i < ARRAY_SIZE(big); i++) {
		assert_beyond(big[i].kind, big[i].n_bytes, 1, NULL);
		assert_beyond(big[i].kind, big[i].n_bytes + 1, 1, big[i].told);
	}
}

static void test_too_many_pages(void **state)
{
	struct ram *ram = *state;
	struct mailbox m;

	memset(ram->at, 0, RAM_BYTES);
	put(ram, 5, 0, "", 0);
	put(ram, 6, 65536, "", 0);
	assert_int_equal(mailbox_read(ram->fd, NONCE, &m, NULL), 0);
	assert_string_equal(m.beyond, LARGER "65536 pages");
	mailbox_finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scattered),
		cmocka_unit_test(test_missing_page),
		cmocka_unit_test(test_hostile_frames),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_too_many_pages),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
