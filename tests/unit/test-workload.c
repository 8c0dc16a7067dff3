/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "model/workload.h"
#include "model/workloaddef.h"

/* ---- words ---- */

static void assert_words(const char *run, uint64_t size, const char *joined)
{
	_cleanup_strv_ struct strv words = { 0 };
	_cleanup_free_ char *got = NULL;

	assert_int_equal(workload_words(run, size, &words, NULL), 0);
	got = strv_join(&words, "|");
	assert_string_equal(got, joined);
}

static void test_words(void **state)
{
	_cleanup_strv_ struct strv words = { 0 };
	_cleanup_error_ struct error err = ERROR_INIT;

	assert_words("  a bc\t d\n", 1, "a|bc|d");
	assert_words("sh -c 'a \"b\" {size}' \"c d\"e \\ f", 70, "sh|-c|a \"b\" 70|c de| f");
	assert_words("a '' \"\"", 1, "a||");
	assert_words("x{size}y {n}", 12, "x12y|{n}");
	assert_int_equal(workload_words("a 'b", 1, &words, &err), -EINVAL);
	assert_non_null(strstr(error_text(&err), "without an end"));
	assert_int_equal(workload_words("  ", 1, &words, NULL), -EINVAL);
}

/* ---- a file ---- */

#define MINE                                                                                       \
	"about: mine\npackages: [one, two]\nparameters:\n"                                         \
	"  groups: {default: 2, min: 1, max: 99, steps: [1, 4, 7, 50]}\n"                          \
	"  free: 3\n"                                                                              \
	"  mode: {default: a, values: {a: \"\", b: --bee}}\n"                                      \
	"  what: {default: kill, positional: true}\n"                                              \
	"size: {parameter: loops, method: two-sizes, default: [100, 300]}\n"                       \
	"files: {/etc/x: \"for {what}\"}\n"                                                        \
	"setup: prepare ${HOME} {groups}\nrun: prog {mode} -g {groups} -l {loops} --{what}\n"      \
	"ops: groups * 400 * loops\nunit: message\nreader: r\nfailures: [\"^bad [0-9]+\"]\n"

static char *mine; /* the file's path */

static int write_mine(void **state)
{
	char path[] = "/tmp/ktoll-test-workload-XXXXXX.yaml";
	int fd = mkstemps(path, 5);

	mine = xstrdup(path);
	return fd >= 0 && write(fd, MINE, strlen(MINE)) == (ssize_t)strlen(MINE) && close(fd) == 0 ? 0 :
												   -1;
}

static int remove_mine(void **state)
{
	remove(mine);
	free(mine);
	return 0;
}

static struct workload *find(const char *params, size_t wanted)
{
	_cleanup_free_ char *text = xasprintf("%s%s", mine, params);
	struct workload *w = NULL;
	size_t n = 0;

	assert_int_equal(workloads_find(text, &w, &n, NULL), 0);
	assert_int_equal(n, wanted);
	return w;
}

static void done(struct workload *w, size_t n)
{
	for (size_t i = 0; i < n; i++)
		workload_finish(&w[i]);
	free(w);
}

static void assert_name(const struct workload *w, const char *behind)
{
	_cleanup_free_ char *name = xasprintf("%s%s", mine, behind);

	assert_string_equal(w->name, name);
}

static void test_defaults(void **state)
{
	struct workload *w = find("", 1);

	assert_name(w, ":kill");
	assert_string_equal(w->run, "prog  -g 2 -l {size} --kill");
	/* What is no parameter is the shell's. */
	assert_string_equal(w->setup, "prepare ${HOME} 2");
	assert_string_equal(w->files[0].text, "for kill");
	assert_int_equal(w->n_files, 1);
	assert_int_equal(w->method, WORKLOAD_TWO_SIZES);
	assert_int_equal(w->sizes[0], 100);
	assert_int_equal(w->sizes[1], 300);
	assert_int_equal(w->ops[0], 2 * 400 * 100);
	assert_int_equal(w->ops[1], 2 * 400 * 300);
	assert_null(w->ops_reading);
	assert_string_equal(w->packages.v[1], "two");
	done(w, 1);
}

static void test_parameters(void **state)
{
	struct workload *w = find(":open,mode=b,groups=7,loops=10", 1);

	assert_name(w, ":groups=7,mode=b,open,loops=10");
	assert_string_equal(w->run, "prog --bee -g 7 -l {size} --open");
	assert_int_equal(w->sizes[0], 10);
	assert_int_equal(w->sizes[1], 20);
	assert_int_equal(w->ops[1], 7 * 400 * 20);
	done(w, 1);
	w = find(":loops=5/9", 1);
	assert_name(w, ":kill,loops=5/9");
	assert_int_equal(w->sizes[1], 9);
	done(w, 1);
}

static void test_ranges(void **state)
{
	struct workload *w = find(":groups=2..50,free=1..2", 6);

	assert_name(&w[0], ":groups=4,free=1,kill");
	assert_name(&w[1], ":groups=4,free=2,kill");
	assert_name(&w[2], ":groups=7,free=1,kill");
	assert_int_equal(w[3].ops[0], 7 * 400 * 100);
	done(w, 6);
	w = find(":groups=1..99", 4);
	assert_name(&w[3], ":groups=50,kill");
	done(w, 4);
}

static void test_wrong_parameters(void **state)
{
	static const char *const cases[][2] = {
		{ ":groups=100", "groups is a number from 1 to 99" },
		{ ":groups=x", "groups is a number" },
		{ ":mode=c", "mode is one of: a, b" },
		{ ":grups=1", "grups is no parameter of it; known: groups, free, mode, what, loops" },
		{ ":what=a b", "what is a word" },
		{ ":$(rm)", "what is a word" },
		{ ":loops=0", "loops is a number from 1 on, or two" },
		{ ":loops=9/5", "loops is a number" },
		{ ":groups=51..60", "a range" },
		{ ":free=1..1000", "a range" },
		{ ":groups=", "without a value" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_cleanup_free_ char *text = xasprintf("%s%s", mine, cases[i][0]);
		_cleanup_error_ struct error err = ERROR_INIT;
		struct workload *w;
		size_t n;

		assert_int_equal(workloads_find(text, &w, &n, &err), -EINVAL);
		if (!strstr(error_text(&err), cases[i][1]))
			fail_msg("%s: %s", cases[i][0], error_text(&err));
	}
}

/* A name in braces that is no parameter is told before anything boots; a shell's braces are not meant. */
static void test_names(void **state)
{
	static const struct {
		const char *line;
		bool is_fine;
	} cases[] = { { "cmd:sh -c 'echo {foo}'", false }, { "cmd:sh -c 'echo ${foo} {n} { foo} {dir} {A}'", true } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_cleanup_error_ struct error err = ERROR_INIT;
		struct workload *w = NULL;
		size_t n = 0;
		int r = workloads_find(cases[i].line, &w, &n, &err);

		assert_int_equal(r, cases[i].is_fine ? 0 : -EINVAL);
		if (!cases[i].is_fine)
			assert_non_null(strstr(error_text(&err), "{foo} is no parameter; known: dir"));
		done(w, n);
	}
}

static void test_command(void **state)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	struct workload *w;
	size_t n;

	assert_int_equal(workloads_find("cmd:sh -c 'exit {n}'", &w, &n, NULL), 0);
	assert_string_equal(w->name, "cmd:sh -c 'exit {n}'");
	assert_int_equal(w->method, WORKLOAD_TWO_SIZES);
	assert_int_equal(w->ops[0], 1000);
	assert_int_equal(w->ops[1], 2000);
	assert_int_equal(w->host_files.n, 1);
	assert_true(str_has_suffix(w->host_files.v[0], "/sh"));
	done(w, n);
	assert_int_equal(workloads_find("cmd:sh -c true", &w, &n, NULL), 0);
	assert_int_equal(w->method, WORKLOAD_SAME_SIZE);
	assert_int_equal(w->ops[0], 1);
	done(w, n);
	assert_int_equal(workloads_find("cmd:no-such-program-here", &w, &n, &err), -ENOENT);
	assert_non_null(strstr(error_text(&err), "not on this machine"));
	assert_int_equal(workloads_find("cmd:", &w, &n, NULL), -EINVAL);
	assert_int_equal(workloads_find("no-such-thing", &w, &n, NULL), -EINVAL);
	assert_int_equal(workloads_find("/no/such/file", &w, &n, NULL), -ENOENT);
}

/* Every file that comes with the program, with its defaults. */
static void test_builtin(void **state)
{
	const char *name, *text;
	size_t n_bytes, i = 0;

	for (; (name = workload_builtin(i, &text, &n_bytes)); i++) {
		_cleanup_error_ struct error err = ERROR_INIT;
		struct workload *w;
		size_t n;

		if (workloads_find(name, &w, &n, &err) < 0)
			fail_msg("%s: %s", name, error_text(&err));
		assert_int_equal(n, 1);
		assert_true(w->ops[0] > 0);
		assert_int_equal(!w->ops[1], w->method == WORKLOAD_SAME_SIZE);
		/* All of its parameters were found. */
		assert_null(strstr(w->run, "{seconds}"));
		done(w, n);
	}
	assert_true(i >= 9);
}

/* ---- mistakes ---- */

#define GOOD "about: a\nrun: b\nops: 1\nunit: c\n"

static void test_mistakes(void **state)
{
	static const char *const cases[][2] = {
		{ "", "this is no YAML" },
		{ "---\n", "keys with values are wanted" },
		{ "about: a\n", "f:1:1: about, run, ops and unit are wanted" },
		{ GOOD "runs: 3\n", "f:5:1: a workload: unknown key runs; known: about" },
		{ GOOD "port: 70000\n", "f:5:7: a number from 1 to 65535" },
		{ GOOD "timeout: soon\n", "f:5:10: a number" },
		{ GOOD "packages: one\n", "f:5:11: a list is wanted" },
		{ GOOD "failures: [\"a(b\"]\n", "f:5:13: a(b: " },
		/* What regcomp() would die of, or never come back from. */
		{ GOOD "failures: [\"((((((((((((\"]\n", "f:5:13: ((((((((((((: more than 10 parentheses" },
		{ GOOD "failures: [\"(((a{255}){255}){255}){255}\"]\n", "more than 1,000 repetitions" },
		{ GOOD "failures: [\"a{,99999}\"]\n", "more than 1,000 repetitions" },
		{ GOOD "failures: [\"(a*)\\\\1\"]\n", "refers back" },
		{ GOOD "files: {etc/x: y}\n", "f:5:9: a path in the guest" },
		{ GOOD "files: {/etc/../x: y}\n", "f:5:9: a path in the guest" },
		{ GOOD "size: {parameter: n, method: sometimes}\n", "two-sizes or same-size" },
		{ GOOD "size: {parameter: n, method: two-sizes, default: 3}\n", "[A, B]" },
		{ GOOD "size: {parameter: n, method: two-sizes, default: [3, 3]}\n", "a number from 4" },
		{ GOOD "size: {parameter: n, method: same-size, default: [3, 4]}\n", "one number" },
		{ GOOD "parameters: {n: 1}\nsize: {parameter: n, method: same-size, default: 3}\n",
		  "under size only" },
		{ GOOD "parameters: {N: 1}\n", "lower-case" },
		{ GOOD "parameters: {n: {min: 1}}\n", "n: a default is wanted" },
		{ GOOD "parameters: {n: {default: 0, min: 1}}\n", "not between min and max" },
		{ GOOD "parameters: {n: {default: x, values: {y: z}}}\n", "none of its values" },
		{ GOOD "parameters: {n: {default: 1, steps: [3, 2]}}\n", "a number from 4" },
		{ GOOD "parameters: {n: {default: 1, color: red}}\n", "unknown key color" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_cleanup_error_ struct error err = ERROR_INIT;
		struct workload_def d;

		assert_int_equal(workload_def_parse("f", cases[i][0], strlen(cases[i][0]), &d, &err),
				 -EINVAL);
		if (!strstr(error_text(&err), cases[i][1]))
			fail_msg("%zu: %s", i, error_text(&err));
	}
}

/* A figure that the program prints says how many operations it did. */
static void test_ops(void **state)
{
	static const char good[] = "about: a\nrun: b {n}\nops: rate * n * 1000\nunit: c\nreader: r\n"
				   "size: {parameter: n, method: same-size, default: 3}\n";
	static const char bad[] = "about: a\nrun: b\nops: rate * 1000\nunit: c\n";
	struct workload *w;
	size_t n;

	assert_int_equal(file_write(mine, good, strlen(good), NULL), 0);
	assert_int_equal(workloads_find(mine, &w, &n, NULL), 0);
	assert_string_equal(w->ops_reading, "rate");
	assert_int_equal(w->ops[0], 3000);
	done(w, n);
	assert_int_equal(file_write(mine, bad, strlen(bad), NULL), 0);
	assert_int_equal(workloads_find(mine, &w, &n, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),	   cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_parameters), cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_wrong_parameters), cmocka_unit_test(test_names), cmocka_unit_test(test_command),
		cmocka_unit_test(test_builtin),	   cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_ops),
	};

	return cmocka_run_group_tests(tests, write_mine, remove_mine);
}
