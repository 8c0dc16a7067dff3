/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "engine/stream.h"

static void header(struct str *st, uint32_t version)
{
	struct wire_stream_header h = { .magic = WIRE_STREAM_MAGIC, .version = version };

	memcpy(h.target, "x86_64", 6);
	str_add_bytes(st, &h, sizeof(h));
}

static void region(struct str *st, uint32_t index, const struct wire_count *c, uint32_t n,
		   uint64_t total)
{
	struct wire_region r = { .index = index, .n_counts = n, .total = total, .locked = 5 };
	struct wire_frame f = { WIRE_STREAM_REGION, (uint32_t)(sizeof(r) + n * sizeof(*c)) };

	str_add_bytes(st, &f, sizeof(f));
	str_add_bytes(st, &r, sizeof(r));
	str_add_bytes(st, c, n * sizeof(*c));
}

static const struct wire_count counts[] = { { 0x1000, 10, 0, 1, { 0x90 } },
					    { 0xffffffff81000004, 20, 2, 2, { 0xf3, 0xa4 } } };

/* However the bytes are cut, the regions are the same. */
static void test_any_cut(void **state)
{
	struct wire_frame quit = { WIRE_STREAM_QUIT, 0 };
	struct str st = STR_INIT;

	header(&st, WIRE_VERSION);
	region(&st, 0, counts, 2, 30);
	region(&st, 1, counts, 1, 10);
	str_add_bytes(&st, &quit, sizeof(quit));
	for (size_t cut = 1; cut < st.len; cut++) {
		struct stream s = { 0 };

		for (size_t at = 0; at < st.len; at += cut)
			assert_int_equal(stream_feed(&s, st.s + at,
						     cut < st.len - at ? cut : st.len - at, NULL),
					 0);
		assert_int_equal(s.n_regions, 2);
		assert_int_equal(s.regions[0].started, 30);
		assert_int_equal(s.regions[0].profile.counts[1].entries, 2);
		assert_int_equal(s.regions[1].profile.n, 1);
		assert_int_equal(s.regions[1].locked, 5);
		assert_true(s.quit);
		stream_finish(&s);
	}
	str_finish(&st);
}

static void refuse(struct str *st, int rc)
{
	struct error err = ERROR_INIT;
	struct stream s = { 0 };

	assert_int_equal(stream_feed(&s, st->s, st->len, &err), rc);
	assert_non_null(err.text);
	error_finish(&err);
	stream_finish(&s);
	str_finish(st);
}

static void test_refused(void **state)
{
	static const struct wire_count unsorted[] = { { 2, 1, 0, 1, { 0x90 } },
						     { 1, 1, 0, 1, { 0x90 } } },
				       more_entries[] = { { 1, 1, 2, 1, { 0x90 } } },
				       no_bytes[] = { { 1, 1, 0, 0, { 0 } } };
	struct wire_frame f = { 9, 0 };
	struct str st = STR_INIT;

	str_add(&st, "this is not a stream of the plugin, but long enough for one");
	refuse(&st, -EBADMSG);
	header(&st, WIRE_VERSION + 1);
	refuse(&st, -EPROTO);
	header(&st, WIRE_VERSION);
	region(&st, 0, counts, 2, 31); /* does not add up */
	refuse(&st, -EBADMSG);
	header(&st, WIRE_VERSION);
	region(&st, 1, counts, 2, 30); /* region 0 is missing */
	refuse(&st, -EBADMSG);
	header(&st, WIRE_VERSION);
	region(&st, 0, unsorted, 2, 2);
	refuse(&st, -EBADMSG);
	header(&st, WIRE_VERSION);
	region(&st, 0, no_bytes, 1, 1);
	refuse(&st, -EBADMSG);
	header(&st, WIRE_VERSION);
	region(&st, 0, more_entries, 1, 1);
	refuse(&st, -EBADMSG);
	header(&st, WIRE_VERSION);
	str_add_bytes(&st, &f, sizeof(f));
	refuse(&st, -EBADMSG);
	/* By its head alone, before 4 GiB of it have come. */
	f = (struct wire_frame){ WIRE_STREAM_REGION, UINT32_MAX };
	header(&st, WIRE_VERSION);
	str_add_bytes(&st, &f, sizeof(f));
	refuse(&st, -EBADMSG);
}

static void assert_too_much(struct stream *s, const struct str *st, const char *told)
{
	struct error err = ERROR_INIT;

	assert_int_equal(stream_feed(s, st->s, st->len, &err), -EBADMSG);
	assert_string_equal(error_text(&err), told);
	error_finish(&err);
}

/* Streams that would take the memory: the sentence says which limit, and how large it is. */
static void test_limits(void **state)
{
	struct wire_frame f = { WIRE_STREAM_REGION, sizeof(struct wire_region) + (4194304 + 1) * sizeof(struct wire_count) };
	struct stream large = { 0 }, many = { .n_regions = 262144 }, together = { .n_counts = 67108864 - 1 };
	struct str head = STR_INIT, next = STR_INIT;

	(void)state;
	header(&head, WIRE_VERSION);
	str_add_bytes(&head, &f, sizeof(f));
	assert_too_much(&large, &head, "the plugin's stream is larger than any run's: more than 4194304 addresses in one region");
	header(&next, WIRE_VERSION);
	region(&next, 262144, counts, 2, 30);
	assert_too_much(&many, &next, "the plugin's stream is larger than any run's: more than 262144 regions");
	many.n_regions = 0;
	assert_too_much(&together, &next, "the plugin's stream is larger than any run's: more than 67108864 addresses in its "
			"regions together");
	stream_finish(&large);
	stream_finish(&many);
	stream_finish(&together);
	str_finish(&head);
	str_finish(&next);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_cut),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
