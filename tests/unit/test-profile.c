/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "model/profile.h"
#include "model/run.h"

#define KERNEL 0xffffffff81000000ull

static struct profile_count counts[] = {
	{ 0x401000, 10, 0 },          /* user */
	{ 0x401004, 7, 2 },           /* user, a string instruction: 2 entries, 5 more iterations */
	{ KERNEL, 100, 0 },
	{ KERNEL + 3, 4097, 1 },      /* one rep stosb of a page */
	{ UINT64_MAX, UINT32_MAX, 0 },
};

static void test_sums(void **state)
{
	struct profile p = { counts, 4 };
	struct profile_sums s;

	profile_sum(&p, &s);
	assert_int_equal(s.started, 10 + 7 + 100 + 4097);
	assert_int_equal(s.user_insns, 12);
	assert_int_equal(s.kernel_insns, 101);
	assert_int_equal(s.string_iters, 5 + 4096);
	assert_int_equal(s.kernel_string_iters, 4096);
}

static void test_round_trip(void **state)
{
	struct profile p = { counts, 5 }, q;
	size_t n;
	void *bytes = profile_encode(&p, &n);

	assert_int_equal(profile_decode(bytes, n, &q, NULL), 0);
	assert_int_equal(q.n, 5);
	assert_memory_equal(q.counts, counts, sizeof(counts));
	profile_finish(&q);
	/* Cut anywhere inside an entry it is damaged, never something else. */
	assert_int_equal(profile_decode(bytes, n - 1, &q, NULL), -EBADMSG);
	free(bytes);
}

static void test_damaged(void **state)
{
	static const uint8_t same_address[] = { 5, 1, 0, 0, 1, 0 },
			     more_entries[] = { 5, 1, 2 },
			     overlong[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					    0xff, 1 };
	struct profile q;

	assert_int_equal(profile_decode(same_address, 6, &q, NULL), -EBADMSG);
	assert_int_equal(profile_decode(more_entries, 3, &q, NULL), -EBADMSG);
	assert_int_equal(profile_decode(overlong, 12, &q, NULL), -EBADMSG);
}

/* What a cell reports: string iterations and restarted instructions taken off. */
static void test_sample(void **state)
{
	struct sample s = { .started = 5000, .clock = 4990, .string_iters = 1000,
			    .kernel_insns = 3000, .kernel_string_iters = 900 };

	assert_int_equal(sample_insns(&s), 5000 - 1000 - 10);
	assert_int_equal(sample_string_iters(&s), 1000);
	/* While the CPU waits the clock runs on: nothing is known about restarts. */
	s.halts = 1;
	s.clock = 9999;
	assert_int_equal(sample_insns(&s), 4000);
	s.is_tick = true;
	assert_int_equal(sample_insns(&s), 3000);
	assert_int_equal(sample_string_iters(&s), 900);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
