/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mailer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "wire/crc32.h"
#include "wire/wire.h"

#define CHUNK_PAGES 256 /* mapped at a time */

static uint64_t report_nonce;
static struct wire_page *page, *chunk;
static uint32_t n_pages;

static void seal(void)
{
	uint32_t crc = crc32_add(0, &page->nonce, 16);

	page->crc = crc32_add(crc, page->payload, page->n_bytes);
}

static int next_page(void)
{
	if (n_pages % CHUNK_PAGES == 0) {
		/* Shared, so that a fork does not copy them, and present before anything is measured. */
		void *p = mmap(NULL, CHUNK_PAGES * sizeof(*page), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		if (p == MAP_FAILED)
			return -errno;
		chunk = p;
	}
	page = &chunk[n_pages % CHUNK_PAGES];
	page->nonce = report_nonce;
	page->index = n_pages++;
	page->n_bytes = 0;
	seal();
	page->magic = WIRE_PAGE_MAGIC;
	return 0;
}

int report_open(uint64_t nonce)
{
	report_nonce = nonce;
	return next_page();
}

static void append(const void *p, size_t n)
{
	const uint8_t *b = p;

	while (n) {
		size_t room = WIRE_PAGE_PAYLOAD - page->n_bytes, m = n < room ? n : room;

		memcpy(page->payload + page->n_bytes, b, m);
		page->n_bytes += (uint32_t)m;
		b += m;
		n -= m;
		if (page->n_bytes == WIRE_PAGE_PAYLOAD) {
			seal();
			if (next_page() < 0)
				exit(1);
		}
	}
}

void report_frame(uint32_t kind, const void *body, size_t n_bytes)
{
	struct wire_frame f = { .kind = kind, .n_bytes = (uint32_t)n_bytes };

	append(&f, sizeof(f));
	append(body, n_bytes);
	seal();
}

void report_pair(uint32_t kind, const char *key, const char *value)
{
	size_t k = strlen(key), v = strlen(value);
	char *body = malloc(k + 1 + v);

	if (!body)
		exit(1);
	memcpy(body, key, k + 1);
	memcpy(body + k + 1, value, v);
	report_frame(kind, body, k + 1 + v);
	free(body);
}
