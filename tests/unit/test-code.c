/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions as they were executed, and the map of inlined functions: stored and read again. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "model/code.h"
#include "model/inlines.h"

#define K 0xffffffff81000000ull

static struct code_insn insn(uint64_t addr, uint8_t len, uint8_t first)
{
	return (struct code_insn){ .addr = addr, .len = len, .bytes = { first } };
}

static void test_merge(void **state)
{
	const struct code_insn one[] = { insn(K, 1, 0x90), insn(K + 4, 2, 0x66) };
	const struct code_insn two[] = { insn(K - 8, 1, 0xc3), insn(K + 4, 2, 0x74),
					 insn(K + 6, 1, 0x90) };
	struct code c = { 0 };

	(void)state;
	code_merge(&c, one, 2);
	code_merge(&c, one, 2);
	assert_int_equal(c.n, 2);
	assert_false(c.v[1].is_changed);
	code_merge(&c, two, 3);
	assert_int_equal(c.n, 4);
	assert_int_equal(code_find(&c, K - 8)->bytes[0], 0xc3);
	assert_int_equal(code_find(&c, K)->bytes[0], 0x90);
	/* Patched: the later one holds, and it says so. */
	assert_int_equal(code_find(&c, K + 4)->bytes[0], 0x74);
	assert_true(code_find(&c, K + 4)->is_changed);
	code_merge(&c, two, 3);
	assert_true(code_find(&c, K + 4)->is_changed);
	assert_null(code_find(&c, K + 5));
	code_finish(&c);
}

static void test_code_stored(void **state)
{
	struct code_insn longest = insn(K, 15, 0x66);
	struct code c = { 0 }, back;
	_cleanup_free_ uint8_t *bytes = NULL;
	size_t n;

	(void)state;
	memset(longest.bytes, 0x5a, sizeof(longest.bytes));
	code_merge(&c, &longest, 1);
	code_merge(&c, &(struct code_insn){ .addr = ~0ull, .len = 1, .bytes = { 0xc3 } }, 1);
	c.v[1].is_changed = true;
	bytes = code_encode(&c, &n);
	assert_int_equal(code_decode(bytes, n, &back, NULL), 0);
	assert_int_equal(back.n, 2);
	assert_memory_equal(back.v, c.v, 2 * sizeof(*c.v));
	code_finish(&back);
	for (size_t cut = 1; cut < n; cut++)
		if (code_decode(bytes, cut, &back, NULL) == 0) {
			/* Cut between the two. */
			assert_int_equal(back.n, 1);
			code_finish(&back);
		}
	bytes[n - 2] = 0; /* no length */
	assert_int_equal(code_decode(bytes, n, &back, NULL), -EBADMSG);
	code_finish(&c);
}

/* outer holds 0..100, inner 10..20 and 40..50 of it, innermost 15..20; next to it 100..110. */
static void make_inlines(struct inlines *in)
{
	uint32_t outer = inlines_enter(in, 0, "outer"), inner, innermost, beside;

	inlines_add_range(in, outer, K, K + 100);
	inner = inlines_enter(in, outer, "inner");
	inlines_add_range(in, inner, K + 10, K + 20);
	inlines_add_range(in, inner, K + 40, K + 50);
	innermost = inlines_enter(in, inner, "innermost");
	inlines_add_range(in, innermost, K + 15, K + 20);
	inlines_add_range(in, innermost, K + 60, K + 60);
	beside = inlines_enter(in, 0, "inner");
	inlines_add_range(in, beside, K + 100, K + 110);
	inlines_build(in);
}

static const char *name_at(const struct inlines *in, uint64_t addr)
{
	uint32_t site = inlines_find(in, addr);

	return site ? in->sites[site].name : "";
}

static void check_inlines(const struct inlines *in)
{
	assert_string_equal(name_at(in, K), "outer");
	assert_string_equal(name_at(in, K + 12), "inner");
	assert_string_equal(name_at(in, K + 16), "innermost");
	assert_string_equal(name_at(in, K + 20), "outer");
	assert_string_equal(name_at(in, K + 40), "inner");
	assert_string_equal(name_at(in, K + 104), "inner");
}

static void test_inlines(void **state)
{
	struct inlines in = { 0 }, back = { 0 };
	_cleanup_free_ uint8_t *bytes = NULL;
	uint32_t site;
	size_t n;

	(void)state;
	make_inlines(&in);
	check_inlines(&in);
	assert_string_equal(name_at(&in, K - 1), "");
	assert_string_equal(name_at(&in, K + 60), "outer");
	assert_string_equal(name_at(&in, K + 110), "");
	/* Outwards from the innermost. */
	site = inlines_find(&in, K + 16);
	site = in.sites[site].outer;
	assert_string_equal(in.sites[site].name, "inner");
	site = in.sites[site].outer;
	assert_string_equal(in.sites[site].name, "outer");
	assert_int_equal(in.sites[site].outer, 0);
	assert_int_equal(in.sites[inlines_find(&in, K + 104)].outer, 0);
	bytes = inlines_encode(&in, &n);
	assert_int_equal(inlines_decode(bytes, n, &back, NULL), 0);
	check_inlines(&back);
	inlines_finish(&back);
	for (size_t cut = 0; cut < n; cut++)
		if (inlines_decode(bytes, cut, &back, NULL) == 0)
			inlines_finish(&back);
	for (size_t i = 0; i < n; i++) {
		bytes[i] ^= 0xff;
		if (inlines_decode(bytes, n, &back, NULL) == 0)
			inlines_finish(&back);
		bytes[i] ^= 0xff;
	}
	inlines_finish(&in);
}

static void test_of_code(void **state)
{
	const struct code_insn executed[] = { insn(K + 8, 4, 0), insn(K + 12, 4, 0), insn(K + 16, 2, 0),
					      insn(K + 104, 2, 0), insn(K + 200, 2, 0) };
	struct inlines in = { 0 }, some = { 0 };
	struct code c = { 0 };

	(void)state;
	make_inlines(&in);
	code_merge(&c, executed, ARRAY_SIZE(executed));
	inlines_of_code(&in, &c, &some);
	assert_string_equal(name_at(&some, K + 8), "outer");
	assert_string_equal(name_at(&some, K + 12), "inner");
	assert_string_equal(name_at(&some, K + 16), "innermost");
	assert_string_equal(name_at(&some, K + 104), "inner");
	assert_string_equal(name_at(&some, K + 40), "");
	assert_string_equal(some.sites[some.sites[inlines_find(&some, K + 16)].outer].name, "inner");
	inlines_finish(&some);
	inlines_finish(&in);
	code_finish(&c);
}

/* Two boots of a kernel executed different parts of it: what is known of both. */
static void test_merge_inlines(void **state)
{
	struct inlines all = { 0 }, parts[2] = { { 0 } }, none = { 0 };

	make_inlines(&all);
	for (size_t i = 0; i < 2; i++) {
		struct code c = { 0 };

		for (size_t k = i; k < 120; k += 1 + i)
			code_merge(&c, &(struct code_insn){ K + k, 1, false, { 0x90 } }, 1);
		if (!i)
			c.n = 17; /* up to K + 16 */
		inlines_of_code(&all, &c, &parts[i]);
		code_finish(&c);
	}
	assert_string_equal(name_at(&parts[0], K + 45), "");
	inlines_merge(&parts[0], &parts[1]);
	assert_string_equal(name_at(&parts[0], K + 16), "innermost");
	assert_string_equal(name_at(&parts[0], K + 12), "inner");
	assert_string_equal(name_at(&parts[0], K + 45), "inner");
	assert_string_equal(name_at(&parts[0], K + 44), "");
	assert_string_equal(name_at(&parts[0], K + 105), "inner");
	assert_string_equal(parts[0].sites[parts[0].sites[inlines_find(&parts[0], K + 45)].outer].name, "outer");
	/* Into nothing, and nothing into it. */
	inlines_merge(&none, &all);
	check_inlines(&none);
	inlines_merge(&all, &parts[1]);
	check_inlines(&all);
	inlines_finish(&none);
	inlines_finish(&all);
	for (size_t i = 0; i < 2; i++)
		inlines_finish(&parts[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_code_stored),
		cmocka_unit_test(test_inlines),
		cmocka_unit_test(test_of_code),
		cmocka_unit_test(test_merge_inlines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
