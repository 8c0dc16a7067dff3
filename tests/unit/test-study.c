/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "model/study.h"

/* ---- what is taken ---- */

static void parse_bytes(const char *text, size_t n, const char *kernel, struct study *ret)
{
	_cleanup_error_ struct error err = ERROR_INIT;

	if (study_parse("f", text, n, kernel, ret, &err) < 0)
		fail_msg("%s", error_text(&err));
}

static void parse(const char *text, const char *kernel, struct study *ret)
{
	parse_bytes(text, strlen(text), kernel, ret);
}

#define HEAD "about: a\nquestion: b\n"

static void assert_variant(const struct study_part *p, size_t i, const char *name, const char *spec, const char *base)
{
	assert_true(i < p->n_variants);
	assert_string_equal(p->variants[i].name, name);
	assert_string_equal(p->variants[i].spec, spec);
	assert_string_equal(p->variants[p->variants[i].base].name, base);
	/* What it is compared with stands before it. */
	assert_true(p->variants[i].base < i || i == 0);
}

/* Every kernel with every setting: against its base with the same one; the first kernel against itself. */
static void test_settings(void **state)
{
	static const char text[] = HEAD "kernel: source:6.1\n"
				   "parts:\n"
				   "- name: p\n"
				   "  kernels: {n: '{kernel}', y: '{kernel},PSI=y', z: {spec: '{kernel},HZ=100', base: y}}\n"
				   "  settings: {enforcing: selinux=enforcing, permissive: selinux=permissive, plain: ''}\n"
				   "  exclude: [z/plain]\n"
				   "  workloads: [kill]\n  full: [unix, 'hackbench:groups=4']\n  replicates: 7\n"
				   "  split-woken: true\n  ladder: [n/enforcing, z/permissive]\n";
	struct study s;
	const struct study_part *p;

	parse(text, NULL, &s);
	assert_int_equal(s.n_parts, 1);
	p = study_part(&s, "p");
	assert_ptr_equal(p, &s.parts[0]);
	assert_null(study_part(&s, "q"));
	assert_int_equal(p->n_variants, 8);
	assert_variant(p, 0, "n/enforcing", "source:6.1,selinux=enforcing", "n/enforcing");
	assert_variant(p, 1, "n/permissive", "source:6.1,selinux=permissive", "n/enforcing");
	assert_variant(p, 2, "n/plain", "source:6.1", "n/enforcing");
	assert_variant(p, 3, "y/enforcing", "source:6.1,PSI=y,selinux=enforcing", "n/enforcing");
	assert_variant(p, 4, "y/permissive", "source:6.1,PSI=y,selinux=permissive", "n/permissive");
	assert_variant(p, 5, "y/plain", "source:6.1,PSI=y", "n/plain");
	assert_variant(p, 6, "z/enforcing", "source:6.1,HZ=100,selinux=enforcing", "y/enforcing");
	assert_variant(p, 7, "z/permissive", "source:6.1,HZ=100,selinux=permissive", "y/permissive");
	assert_int_equal(p->workloads.n, 1);
	assert_int_equal(p->full.n, 2);
	assert_string_equal(p->full.v[1], "hackbench:groups=4");
	assert_int_equal(p->replicates, 7);
	assert_true(p->splits_woken);
	assert_int_equal(p->ladder.n, 2);
	study_finish(&s);
	assert_null(s.parts);
}

static const char plain[] = HEAD "hypothesis: c\nrefuted-by: d\nsource: e\n"
				 "parts:\n"
				 "- name: one\n"
				 "  kernels:\n    a: '{kernel},+x={kernel}'\n    b: debian:6.1\n    c: {spec: 'debian:6.12', base: b}\n"
				 "  workloads: [operations]\n"
				 "- name: two\n"
				 "  kernels: {a: debian:6.1, b: debian:6.12}\n"
				 "  workloads: [kill]\n"
				 "kernel: source:6.1\n";

/* The mark, wherever in the file it says what for; all of them; and what is put in its place. */
static void test_kernel(void **state)
{
	static const char without[] = HEAD "parts: [{name: p, kernels: {a: 'debian:6.1{kernel}', b: debian:6.1}, workloads: [kill]}]\n";
	struct study s;

	parse(plain, NULL, &s);
	assert_variant(&s.parts[0], 0, "a", "source:6.1,+x=source:6.1", "a");
	assert_variant(&s.parts[0], 1, "b", "debian:6.1", "a");
	assert_variant(&s.parts[0], 2, "c", "debian:6.12", "b");
	assert_string_equal(s.parts[1].name, "two");
	assert_variant(&s.parts[1], 1, "b", "debian:6.12", "a");
	assert_int_equal(s.parts[0].replicates, 0);
	assert_false(s.parts[0].splits_woken);
	assert_string_equal(s.hypothesis, "c");
	assert_string_equal(s.refuted_by, "d");
	assert_string_equal(s.source, "e");
	study_finish(&s);
	parse(plain, "tree:/x", &s);
	assert_string_equal(s.kernel, "tree:/x");
	assert_variant(&s.parts[0], 0, "a", "tree:/x,+x=tree:/x", "a");
	assert_variant(&s.parts[0], 1, "b", "debian:6.1", "a");
	study_finish(&s);
	/* What is put in is not looked through again. */
	parse(plain, "tree:{kernel}", &s);
	assert_string_equal(s.parts[0].variants[0].spec, "tree:{kernel},+x=tree:{kernel}");
	study_finish(&s);
	parse(without, NULL, &s);
	assert_null(s.kernel);
	assert_string_equal(s.parts[0].variants[0].spec, "debian:6.1");
	study_finish(&s);
}

#define PARTS                                                                                          \
	"parts:\n- name: p\n  kernels: {a: debian:6.1, b: debian:6.12}\n  workloads: [kill]\n" \
	"- name: q\n  kernels: {a: debian:6.1, c: debian:6.12}\n  workloads: [kill]\n"

static void test_published(void **state)
{
	static const char text[] = HEAD PARTS "published:\n"
					      "- part: q\n  workload: kill\n  unit: ops/s\n  better: higher\n  about: x\n  source: y\n"
					      "  figures: {a: [3685.08, 3679.93, 3704.98], c: 1e3}\n"
					      "- workload: unix\n  unit: s\n  better: lower\n  figures: {b: 0.5, a: [2]}\n";
	const struct study_published *p;
	struct study s;

	parse(text, NULL, &s);
	assert_int_equal(s.n_published, 2);
	p = &s.published[0];
	assert_string_equal(p->part, "q");
	assert_string_equal(p->workload, "kill");
	assert_string_equal(p->unit, "ops/s");
	assert_string_equal(p->about, "x");
	assert_string_equal(p->source, "y");
	assert_true(p->is_higher_better);
	assert_int_equal(p->n_figures, 2);
	assert_int_equal(p->figures[0].n, 3);
	assert_true(p->figures[0].v[1] == 3679.93);
	assert_int_equal(p->figures[1].n, 1);
	assert_true(p->figures[1].v[0] == 1000);
	p = &s.published[1];
	assert_null(p->part);
	assert_null(p->source);
	assert_false(p->is_higher_better);
	assert_string_equal(p->figures[0].variant, "b");
	assert_true(p->figures[0].v[0] == 0.5);
	assert_true(p->figures[1].v[0] == 2);
	study_finish(&s);
}

static void test_builtin(void **state)
{
	const char *name, *text;
	size_t n, i = 0, ladders = 0, published = 0;

	for (; (name = study_builtin(i, &text, &n)); i++) {
		struct study s;

		parse_bytes(text, n, NULL, &s);
		assert_null(strchr(s.about, '\n'));
		assert_true(s.n_parts > 0);
		for (size_t k = 0; k < s.n_parts; k++)
			ladders += s.parts[k].ladder.n;
		published += s.n_published;
		study_finish(&s);
		/* As in --kernel. */
		parse_bytes(text, n, "tree:/x", &s);
		study_finish(&s);
	}
	assert_true(i >= 5);
	assert_true(ladders >= 3);
	assert_true(published >= 16);
	/* Who looked through all of them has none of their texts in hand. */
	assert_null(text);
	assert_int_equal(n, 0);
}

/* ---- what is not ---- */

#define K "  kernels: {a: debian:6.1, b: debian:6.12}\n"
#define W "  workloads: [kill]\n"
#define PART HEAD "parts:\n- name: p\n"
#define PUBLISHED HEAD PARTS "published:\n"
#define FIGURES "- workload: w\n  unit: s\n  better: lower\n  figures: "

/* Of a list or a mapping that is not empty the place is behind its bracket: libfyaml's. */
static void test_mistakes(void **state)
{
	static const char *const cases[][2] = {
		{ "", "this is no YAML" },
		{ "[a]\n", "f:1:2: a study: keys with values are wanted" },
		{ "about: a\nquestion: b\n", "f:1:1: about, question and parts are wanted" },
		{ "question: b\n" PARTS, "f:1:1: about, question and parts are wanted" },
		{ "about: a\n" PARTS, "f:1:1: about, question and parts are wanted" },
		{ HEAD "abut: c\n" PARTS, "f:3:1: a study: unknown key abut; known: about, question, hypothesis, refuted-by, "
					  "source, kernel, parts, published" },
		{ HEAD "parts: []\n", ": a list is wanted" },
		{ HEAD "parts: p\n", "f:3:8: a list is wanted" },
		{ HEAD PARTS "published: {}\n", "a list is wanted" },
		{ HEAD "about: c\n" PARTS, "f:3:1" },
		{ "about: [a]\n", "f:1:9: a text is wanted" },
		{ HEAD "parts: [x]\n", "f:3:9: a part: keys with values are wanted" },
		{ PART K W "  kernel: x\n", "f:7:3: a part: unknown key kernel; known: name, kernels" },
		/* Names. */
		{ HEAD "parts:\n- replicates: 3\n" K W, "f:4:3: a part wants a name of letters, digits and -_.+" },
		{ HEAD "parts:\n- name: a/b\n" K W, "f:4:3: a part wants a name of letters" },
		{ HEAD PARTS "- name: p\n" K W, "f:10:3: a second part with the name p" },
		{ PART "  kernels: {a/b: debian:6.1, c: debian:6.1}\n" W, "f:5:13: a name of letters, digits and -_.+ is wanted" },
		{ PART "  kernels: {'': debian:6.1, c: debian:6.1}\n" W, "f:5:14: a name of letters" },
		{ PART K "  settings: {a b: +quiet}\n" W, "f:6:14: a name of letters" },
		{ PART "  kernels: {a: debian:6.1, a: debian:6.1}\n" W, "f:5:2" },
		/* Kernels and workloads. */
		{ PART K, "f:4:3: p: two kernels and a workload are wanted" },
		{ PART K "  workloads: []\n", "f:4:3: p: two kernels and a workload are wanted" },
		{ PART K "  workloads: kill\n", "f:6:14: a list is wanted" },
		{ PART W, "f:4:3: p: two kernels and a workload are wanted" },
		{ PART "  kernels: {a: debian:6.1}\n" W, "f:4:3: p: two kernels and a workload are wanted" },
		{ PART K "  exclude: [b]\n" W, "f:4:3: p: two kernels and a workload are wanted" },
		{ PART "  kernels: {}\n" W, ": names with what they stand for are wanted" },
		{ PART "  kernels: [debian:]\n" W, "f:5:13: names with what they stand for are wanted" },
		{ PART "  kernels: {a: [], b: debian:6.1}\n" W, ": a text is wanted" },
		{ PART "  kernels: {a: {base: b}, b: debian:6.1}\n" W, "f:5:17: a: a spec is wanted" },
		{ PART "  kernels: {a: debian:6.1, b: {spec: 'debian:', colour: red}}\n" W, "f:5:49: b: unknown key colour; known: spec, base" },
		/* Specs. */
		{ PART "  kernels:\n    a: debian:6.1\n    b: debian:6.1,wat=1\n" W, "f:7:8: b: " },
		{ PART "  kernels:\n    a: debian:6.1\n    b: debian:6.1,wat=1\n" W, "unknown setting" },
		{ PART "  kernels: {a: '{kernel},PSI=y', b: debian:6.1}\n" W, "f:5:17: a: " },
		{ PART K "  settings: {s: wat=1}\n" W, "f:5:16: a/s: " },
		/* Bases. */
		{ PART "  kernels: {a: debian:6.1, b: {spec: 'debian:', base: c}}\n" W, "f:4:3: b: its base c is no kernel of this part" },
		{ PART "  kernels: {a: {spec: 'debian:', base: c}, b: debian:6.1}\n" W, "f:4:3: a: its base c is no kernel of this part" },
		{ PART "  kernels: {a: {spec: 'debian:', base: b}, b: debian:6.1}\n" W, "f:4:3: a: its base b is excluded, or stands behind it" },
		{ PART "  kernels: {a: debian:6.1, b: {spec: 'debian:', base: c}, c: debian:6.1}\n" W, "f:4:3: b: its base c is excluded, or stands behind" },
		{ PART "  kernels: {a: debian:6.1, b: {spec: 'debian:', base: b}}\n" W, "f:4:3: b: its base b is excluded, or stands behind" },
		{ PART K "  settings: {s: +quiet, t: ''}\n  exclude: [a/t]\n" W, "f:4:3: b: its base a/t is excluded" },
		{ PART K "  settings: {s: +quiet, t: {spec: '+debug', base: s}}\n" W, "f:4:3: p: t: a kernel has a base, a setting has none" },
		/* What names a variant. */
		{ PART K "  exclude: [c]\n" W, "f:4:3: p: exclude: there is no c" },
		{ PART K "  settings: {s: +quiet}\n  exclude: [a]\n" W, "f:4:3: p: exclude: there is no a" },
		{ PART K W "  ladder: [a, c]\n", "f:4:3: p: ladder: there is no c" },
		{ PART K "  settings: {s: +quiet, t: ''}\n  exclude: [b/t]\n" W "  ladder: [a/s, b/t]\n", "f:4:3: p: ladder: there is no b/t" },
		{ PART K W "  replicates: many\n", "f:7:15: a number" },
		{ PART K W "  split-woken: yes\n", "f:7:16: true or false is wanted" },
		/* Published figures. */
		{ PUBLISHED FIGURES "\n", ": two variants or more" },
		{ PUBLISHED "- workload: w\n  unit: s\n  better: lower\n", "f:11:3: workload, unit, better and figures are wanted" },
		{ PUBLISHED "- workload: w\n  better: lower\n  figures: {a: 1, b: 2}\n", "f:11:3: workload, unit, better and figures" },
		{ PUBLISHED "- unit: s\n  better: lower\n  figures: {a: 1, b: 2}\n", "f:11:3: workload, unit, better and figures" },
		{ PUBLISHED "- workload: w\n  unit: s\n  figures: {a: 1, b: 2}\n", "f:11:3: workload, unit, better and figures" },
		{ PUBLISHED "- better: more\n", "f:11:11: higher or lower is wanted" },
		{ PUBLISHED "- machine: x\n", "f:11:3: a published result: unknown key machine; known: part, workload" },
		{ PUBLISHED FIGURES "{a: 1}\n", "f:14:13: two variants or more with their figures are wanted" },
		{ PUBLISHED FIGURES "[1, 2]\n", "f:14:13: two variants or more with their figures are wanted" },
		{ PUBLISHED FIGURES "{a: 1, b: 0}\n", "f:14:22: a number above 0 is wanted" },
		{ PUBLISHED FIGURES "{a: 1, b: -3}\n", "f:14:22: a number above 0 is wanted" },
		{ PUBLISHED FIGURES "{a: 1, b: fast}\n", "f:14:22: a number above 0 is wanted" },
		{ PUBLISHED FIGURES "{a: 1, b: 3s}\n", "f:14:22: a number above 0 is wanted" },
		{ PUBLISHED FIGURES "{a: 1, b: inf}\n", "f:14:22: a number above 0 is wanted" },
		{ PUBLISHED FIGURES "{a: 1, b: nan}\n", "f:14:22: a number above 0 is wanted" },
		{ PUBLISHED FIGURES "{a: 1, b: ''}\n", "f:14:23: a number above 0 is wanted" },
		{ PUBLISHED FIGURES "{a: 1, b: [2, 0]}\n", "f:14:26: a number above 0 is wanted" },
		{ PUBLISHED FIGURES "{a: 1, b: []}\n", ": a number is wanted" },
		{ PUBLISHED FIGURES "{a: 1, b: {}}\n", ": a number above 0 is wanted" },
		{ PUBLISHED FIGURES "{a: 1, d: 2}\n", "f:11:3: w: no part has all of these variants" },
		/* Each of them is in a part, but not in one. */
		{ PUBLISHED FIGURES "{b: 1, c: 2}\n", "f:11:3: w: no part has all of these variants" },
		{ PUBLISHED FIGURES "{a: 1, b: 2}\n  part: q\n", "f:11:3: w: no part has all of these variants" },
		{ PUBLISHED FIGURES "{a: 1, b: 2}\n  part: r\n", "f:11:3: w: no part has all of these variants" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_error_ struct error err = ERROR_INIT;
		struct study s;
		int r = study_parse("f", cases[i][0], strlen(cases[i][0]), NULL, &s, &err);

		if (r != -EINVAL || !strstr(error_text(&err), cases[i][1]))
			fail_msg("%zu: %d: %s, and not %s", i, r, error_text(&err), cases[i][1]);
		/* The file is at fault, not the command line. */
		assert_int_equal(err.blame, ERROR_HOST);
		assert_int_equal(study_parse("f", cases[i][0], strlen(cases[i][0]), NULL, &s, NULL), -EINVAL);
	}
}

/* 64 variants and not one more: nobody boots for years by mistake. */
static void test_limit(void **state)
{
	for (size_t n = 64; n <= 65; n++) {
		_cleanup_error_ struct error err = ERROR_INIT;
		_cleanup_str_ struct str text = STR_INIT;
		struct study s;
		int r;

		str_add(&text, PART "  kernels:\n");
		for (size_t i = 0; i < n; i++)
			str_addf(&text, "    k%zu: debian:6.1\n", i);
		str_add(&text, W);
		r = study_parse("f", text.s, text.len, NULL, &s, &err);
		assert_int_equal(r, n == 64 ? 0 : -EINVAL);
		if (r == 0) {
			assert_int_equal(s.parts[0].n_variants, 64);
			study_finish(&s);
		} else {
			assert_string_equal(error_text(&err), "f:4:3: more than 64 variants");
		}
	}
	for (size_t n = 32; n <= 33; n++) {
		_cleanup_str_ struct str text = STR_INIT;
		struct study s;

		str_add(&text, PART K W "  settings:\n");
		for (size_t i = 0; i < n; i++)
			str_addf(&text, "    s%zu: +x=%zu\n", i, i);
		assert_int_equal(study_parse("f", text.s, text.len, NULL, &s, NULL), n == 32 ? 0 : -EINVAL);
		if (n == 32)
			study_finish(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_settings), cmocka_unit_test(test_kernel),	  cmocka_unit_test(test_published),
		cmocka_unit_test(test_builtin),	 cmocka_unit_test(test_mistakes), cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
