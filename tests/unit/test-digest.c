/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Known answers of SHA-256: FIPS 180-4's examples and the empty text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "sys/digest.h"

static void check(const char *text, size_t n, const char *hex)
{
	_cleanup_free_ char *got = digest_sha256(text, n);

	assert_string_equal(got, hex);
}

static void test_known_answers(void **state)
{
	(void)state;
	check("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	check("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
	      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	check(NULL, 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
