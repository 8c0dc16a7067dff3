/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/mailbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/alloc.h"
#include "wire/crc32.h"

/* The report of a boot is a few MiB; a guest that claims more is not ours. */
#define MAX_PAGES 65536
#define MAX_CELLS (WIRE_MAX_WORKLOADS * 128)
/* The agent tells some hundred things of the guest; all of a kernel's functions are 4 MiB. */
#define MAX_INFOS 4096
#define MAX_SYMBOLS_BYTES (64u << 20)
#define READ_BYTES (1u << 20)

struct pages {
	struct wire_page **at; /* by index, NULL while missing */
	size_t n;
	bool too_many; /* one had an index beyond the limit */
};

/* The first limit that was passed is told. */
static void exceed(struct mailbox *m, size_t limit, const char *what)
{
	if (!m->beyond)
		m->beyond = xasprintf("the guest's report is larger than the agent's can be: more than %zu %s", limit, what);
}

static bool is_sound(const struct wire_page *p, uint64_t nonce)
{
	uint32_t crc;

	if (p->magic != WIRE_PAGE_MAGIC || p->nonce != nonce || p->n_bytes > WIRE_PAGE_PAYLOAD)
		return false;
	crc = crc32_add(0, &p->nonce, 16);
	return crc32_add(crc, p->payload, p->n_bytes) == p->crc;
}

/* Of two pages with one index the fuller one is the later state. */
static void keep(struct pages *pages, const struct wire_page *p)
{
	if (p->index >= MAX_PAGES) {
		pages->too_many = true;
		return;
	}
	if (p->index >= pages->n) {
		size_t n = p->index + 1u;

		pages->at = xrealloc(pages->at, n * sizeof(*pages->at));
		memset(pages->at + pages->n, 0, (n - pages->n) * sizeof(*pages->at));
		pages->n = n;
	}
	if (pages->at[p->index] && pages->at[p->index]->n_bytes >= p->n_bytes)
		return;
	free(pages->at[p->index]);
	pages->at[p->index] = xmemdup(p, sizeof(*p));
}

static int scan_extent(int fd, off_t from, off_t to, uint64_t nonce, struct pages *pages,
		       uint8_t *buf)
{
	while (from < to) {
		size_t want = (size_t)(to - from) < READ_BYTES ? (size_t)(to - from) : READ_BYTES;
		ssize_t n = pread(fd, buf, want, from);

		if (n < 0)
			return -errno;
		for (ssize_t at = 0; at + WIRE_PAGE_BYTES <= n; at += WIRE_PAGE_BYTES) {
			const struct wire_page *p = (const void *)(buf + at);

			if (is_sound(p, nonce))
				keep(pages, p);
		}
		if (n < WIRE_PAGE_BYTES)
			break;
		from += n / WIRE_PAGE_BYTES * WIRE_PAGE_BYTES;
	}
	return 0;
}

/* Holes are skipped: reading them would only give zeros. */
static int scan(int fd, uint64_t nonce, struct pages *pages)
{
	_cleanup_free_ uint8_t *buf = xmalloc(READ_BYTES);
	off_t from = 0;
	int r = 0;

	while (r == 0) {
		off_t to;

		from = lseek(fd, from, SEEK_DATA);
		if (from < 0)
			return errno == ENXIO ? 0 : -errno;
		to = lseek(fd, from, SEEK_HOLE);
		if (to < 0)
			return -errno;
		r = scan_extent(fd, from, to, nonce, pages, buf);
		from = to;
	}
	return r;
}

static void parse_info(const uint8_t *body, size_t n, struct mailbox *m)
{
	_cleanup_free_ char *text = NULL;
	size_t key;

	if (m->info.keys.n >= MAX_INFOS)
		return exceed(m, MAX_INFOS, "facts about the guest");
	if (n > WIRE_OUTPUT_BYTES)
		return exceed(m, WIRE_OUTPUT_BYTES, "bytes in one fact about the guest");
	text = xstrndup((const char *)body, n);
	key = strlen(text);

	if (key < n) {
		_cleanup_free_ char *value = xstrndup((const char *)body + key + 1, n - key - 1);

		str_make_printable(text);
		str_make_printable(value);
		facts_add(&m->info, text, value);
	}
}

/* A copy with a NUL, fit to print, lines kept. */
static char *printable(const uint8_t *bytes, size_t n)
{
	char *text = xmalloc(n + 1);

	for (size_t i = 0; i < n; i++)
		text[i] = bytes[i] ? (char)bytes[i] : '?';
	text[n] = 0;
	str_make_printable(text);
	return text;
}

static void parse_failure(const uint8_t *body, size_t n, struct mailbox *m)
{
	struct mailbox_failure *f;
	struct wire_failed head;
	size_t text;

	if (m->n_failures >= WIRE_MAX_WORKLOADS)
		return exceed(m, WIRE_MAX_WORKLOADS, "failures");
	if (n > sizeof(head) + 2 * WIRE_OUTPUT_BYTES)
		return exceed(m, 2 * WIRE_OUTPUT_BYTES, "bytes in one failure");
	if (n < sizeof(head)) {
		m->damaged = true;
		return;
	}
	memcpy(&head, body, sizeof(head));
	body += sizeof(head);
	n -= sizeof(head);
	text = strnlen((const char *)body, n);
	if (head.n_output > n - text) {
		m->damaged = true;
		return;
	}
	f = ARRAY_ADD(m->failures, m->n_failures, m->cap_failures);
	f->workload = head.workload;
	f->message = printable(body, text);
	f->output = head.n_output ? printable(body + n - head.n_output, head.n_output) : NULL;
}

static void parse_cell(const uint8_t *body, size_t n, struct mailbox *m)
{
	struct mailbox_cell *c;

	if (m->n_cells >= MAX_CELLS)
		return exceed(m, MAX_CELLS, "cells");
	if (n != sizeof(c->cell)) {
		m->damaged = true;
		return;
	}
	c = ARRAY_ADD(m->cells, m->n_cells, m->cap_cells);
	memcpy(&c->cell, body, n);
	c->output = TAKE_PTR(m->output);
}

void mailbox_parse(const uint8_t *bytes, size_t n_bytes, struct mailbox *m)
{
	struct wire_frame f;
	size_t at = 0;

	while (!m->ended && at + sizeof(f) <= n_bytes) {
		memcpy(&f, bytes + at, sizeof(f));
		at += sizeof(f);
		if (f.n_bytes > n_bytes - at) {
			m->damaged = true;
			return;
		}
		switch (f.kind) {
		case WIRE_REPORT_INFO:
			parse_info(bytes + at, f.n_bytes, m);
			break;
		case WIRE_REPORT_CELL:
			parse_cell(bytes + at, f.n_bytes, m);
			break;
		case WIRE_REPORT_OUTPUT:
			free(m->output);
			m->output = f.n_bytes > WIRE_OUTPUT_BYTES ? NULL : printable(bytes + at, f.n_bytes);
			if (!m->output)
				exceed(m, WIRE_OUTPUT_BYTES, "bytes that one run printed");
			break;
		case WIRE_REPORT_FAILED:
			parse_failure(bytes + at, f.n_bytes, m);
			break;
		case WIRE_REPORT_SYMBOLS:
			if (m->symbols.len + f.n_bytes > MAX_SYMBOLS_BYTES)
				exceed(m, MAX_SYMBOLS_BYTES, "bytes of symbols");
			else
				str_add_bytes(&m->symbols, bytes + at, f.n_bytes);
			break;
		case WIRE_REPORT_END:
			m->ended = true;
			break;
		default:
			m->damaged = true;
		}
		at += f.n_bytes;
	}
}

int mailbox_read(int ram_fd, uint64_t nonce, struct mailbox *ret, struct error *err)
{
	struct mailbox m = { 0 };
	struct pages pages = { 0 };
	struct str stream = STR_INIT;
	int r = scan(ram_fd, nonce, &pages);

	if (pages.too_many)
		exceed(&m, MAX_PAGES, "pages");
	for (size_t i = 0; i < pages.n; i++) {
		/* Behind a missing page nothing can be placed. */
		if (!pages.at[i]) {
			m.damaged = true;
			break;
		}
		str_add_bytes(&stream, pages.at[i]->payload, pages.at[i]->n_bytes);
	}
	for (size_t i = 0; i < pages.n; i++)
		free(pages.at[i]);
	free(pages.at);
	if (r < 0) {
		str_finish(&stream);
		mailbox_finish(&m);
		return error_set(err, r, "cannot read the guest's memory: %s", strerror(-r));
	}
	mailbox_parse((const uint8_t *)stream.s, stream.len, &m);
	str_finish(&stream);
	*ret = m;
	return 0;
}

void mailbox_finish(struct mailbox *m)
{
	facts_finish(&m->info);
	for (size_t i = 0; i < m->n_cells; i++)
		free(m->cells[i].output);
	free(m->cells);
	for (size_t i = 0; i < m->n_failures; i++) {
		free(m->failures[i].message);
		free(m->failures[i].output);
	}
	free(m->output);
	free(m->beyond);
	free(m->failures);
	str_finish(&m->symbols);
	*m = (struct mailbox){ 0 };
}
