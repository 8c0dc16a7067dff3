/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encodings as GNU as 2.40 makes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "plugin/isa.h"
#include "wire/wire.h"

enum { PLAIN, STRING, HALT, LOCKED };

static void assert_class(const char *target, const void *bytes, size_t len, int class)
{
	const struct isa *isa = isa_find(target);
	struct isa_class c = isa->classify(bytes, len);

	assert_int_equal(c.is_string, class == STRING);
	assert_int_equal(c.is_halt, class == HALT);
	assert_int_equal(c.is_locked, class == LOCKED);
	assert_int_equal(isa->marker(bytes, len), 0);
}

#define X86(class, ...)                                                                            \
	assert_class("x86_64", (const uint8_t[]){ __VA_ARGS__ },                                   \
		     sizeof((const uint8_t[]){ __VA_ARGS__ }), class)

static void test_x86_64(void **state)
{
	X86(PLAIN, 0xc3);                         /* ret */
	X86(HALT, 0xf4);                          /* hlt */
	X86(STRING, 0xf3, 0xa4);                  /* rep movsb */
	X86(STRING, 0xf3, 0x48, 0xab);            /* rep stosq */
	X86(PLAIN, 0xa4);                         /* movsb */
	X86(PLAIN, 0xf3, 0x90);                   /* pause */
	X86(LOCKED, 0xf0, 0xff, 0x00);            /* lock incl (%rax) */
	X86(LOCKED, 0x65, 0xf0, 0x48, 0x0f, 0xb1, 0x10); /* lock cmpxchg %rdx,%gs:(%rax) */
	X86(PLAIN, 0xb8, 0xf0, 0, 0, 0);          /* mov $0xf0,%eax */
	assert_int_equal(isa_find("x86_64")->marker(
				 (const uint8_t[]){ 0x66, 0x0f, 0x1f, 0x84, 0, 0x11, 0x4c, 0x4f, 0x54 }, 9),
			 WIRE_MARK_BEGIN);
	X86(PLAIN, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0); /* the NOP of compilers */
}

static void assert_word(const char *target, uint32_t w, int class)
{
	assert_class(target, &w, sizeof(w), class);
}

static int marker(const char *target, uint32_t w)
{
	return isa_find(target)->marker((const uint8_t *)&w, sizeof(w));
}

static void test_ppc64(void **state)
{
	assert_word("ppc64", 0x7c6021ad, LOCKED); /* stdcx. r3,0,r4 */
	assert_word("ppc64", 0x7c60212d, LOCKED); /* stwcx. r3,0,r4 */
	assert_word("ppc64", 0x7c6020a8, PLAIN);  /* ldarx r3,0,r4 */
	assert_word("ppc64", 0xf8640000, PLAIN);  /* std r3,0(r4) */
	assert_word("ppc64", 0x44000002, PLAIN);  /* sc */
	assert_word("ppc64", 0x44000022, HALT);   /* sc 1 */
	assert_word("ppc64", 0x0c034c11, PLAIN);  /* twi 0,r3,19473 */
	assert_int_equal(marker("ppc64", 0x0c004c11), WIRE_MARK_BEGIN);
	assert_int_equal(marker("ppc64", 0x0c004c44), WIRE_MARK_QUIT);
}

static void test_aarch64(void **state)
{
	assert_word("aarch64", 0xc8007c41, LOCKED); /* stxr w0,x1,[x2] */
	assert_word("aarch64", 0x0800fc41, LOCKED); /* stlxrb w0,w1,[x2] */
	assert_word("aarch64", 0xf8e00041, LOCKED); /* ldaddal x0,x1,[x2] */
	assert_word("aarch64", 0xb8208041, LOCKED); /* swp w0,w1,[x2] */
	assert_word("aarch64", 0xc8e0fc41, LOCKED); /* casal x0,x1,[x2] */
	assert_word("aarch64", 0xf820005f, LOCKED); /* stadd x0,[x2] */
	assert_word("aarch64", 0xc85f7c41, PLAIN);  /* ldxr x1,[x2] */
	assert_word("aarch64", 0xc89ffc41, PLAIN);  /* stlr x1,[x2] */
	assert_word("aarch64", 0xf9000040, PLAIN);  /* str x0,[x2] */
	assert_word("aarch64", 0xf8626820, PLAIN);  /* ldr x0,[x1,x2] */
	assert_word("aarch64", 0xd503207f, HALT);   /* wfi */
	assert_word("aarch64", 0xd503201f, PLAIN);  /* nop */
	assert_word("aarch64", 0xd2898220, PLAIN);  /* mov x0,#0x4c11 */
	assert_word("aarch64", 0xd2a9823f, PLAIN);  /* mov xzr,#0x4c110000 */
	assert_int_equal(marker("aarch64", 0xd289823f), WIRE_MARK_BEGIN);
}

static void test_riscv64(void **state)
{
	assert_word("riscv64", 0x18c5b52f, LOCKED); /* sc.d a0,a2,(a1) */
	assert_word("riscv64", 0x00b6252f, LOCKED); /* amoadd.w a0,a1,(a2) */
	assert_word("riscv64", 0x1005b52f, PLAIN);  /* lr.d a0,(a1) */
	assert_word("riscv64", 0x00a5b023, PLAIN);  /* sd a0,0(a1) */
	assert_word("riscv64", 0x10500073, HALT);   /* wfi */
	assert_word("riscv64", 0x4c4110b7, PLAIN);  /* lui ra,0x4c411 */
	assert_word("riscv64", 0x4c511037, PLAIN);  /* lui zero,0x4c511 */
	assert_int_equal(marker("riscv64", 0x4c411037), WIRE_MARK_BEGIN);
	/* Compressed: half a word. */
	assert_class("riscv64", "\x11\x4c", 2, PLAIN);
}

static void test_unknown(void **state)
{
	assert_null(isa_find("s390x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86_64),  cmocka_unit_test(test_ppc64),
		cmocka_unit_test(test_aarch64), cmocka_unit_test(test_riscv64),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
