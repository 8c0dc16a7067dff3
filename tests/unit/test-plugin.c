/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The QEMU plugin against guests whose counts are known, under each QEMU at
 * hand; the self-check against plugins that count wrongly; and what becomes of
 * a QEMU that cannot serve.
 *
 * Environment: KTOLL_PLUGIN_DIR, the plugins; KTOLL_MUTANT_DIR, the wrong ones
 * (ktoll-miscount-1.so …); KTOLL_TEST_QEMU2 and KTOLL_TEST_QEMU2_ARGS, another
 * QEMU than that of PATH, if there is one. One that is named and cannot serve is a failure.
 *
 * The program exports the functions of plugin API 2, so that a plugin can also
 * be loaded into it and meet API versions that no QEMU at hand has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "engine/bare.h"
#include "engine/qemu.h"
#include "engine/selfcheck.h"
#include "sys/child.h"
#include "tests/bare/known.h"
#include "wire/wire.h"

#define ADDR(label) BARE_ADDRESS(label, known_image)

/* ---- the QEMUs ---- */

static struct qemu qemus[2];
static size_t n_qemus;

static void set_or_unset(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static int find_qemus(void **state)
{
	const char *second = getenv("KTOLL_TEST_QEMU2");
	struct error err = ERROR_INIT;
	bool is_fine = true;

	(void)state;
	for (size_t i = 0; i < (second && *second ? 2 : 1); i++) {
		set_or_unset("KTOLL_QEMU", i ? second : NULL);
		set_or_unset("KTOLL_QEMU_ARGS", i ? getenv("KTOLL_TEST_QEMU2_ARGS") : NULL);
		if (qemu_probe(machine_find("x86_64"), &qemus[n_qemus], &err) == 0)
			n_qemus++;
		else
			fprintf(stderr, "%s\n", error_text(&err)), is_fine = false;
		error_finish(&err);
	}
	set_or_unset("KTOLL_QEMU", NULL);
	set_or_unset("KTOLL_QEMU_ARGS", NULL);
	return is_fine ? 0 : -1;
}

static int drop_qemus(void **state)
{
	(void)state;
	while (n_qemus)
		qemu_finish(&qemus[--n_qemus]);
	return 0;
}

/* ---- a run of known.S ---- */

struct known {
	struct child_result result;
	struct {
		struct wire_region head;
		const char *counts; /* n_counts of struct wire_count, not aligned */
		uint64_t clock;
	} regions[KNOWN_REGIONS];
};

static void known_finish(struct known *k)
{
	child_result_finish(&k->result);
}

static void parse_stream(struct known *k)
{
	const char *p = k->result.out.s, *end = p + k->result.out.len;
	struct wire_frame f = { 0 };
	size_t n = 0;

	assert_true(k->result.out.len > sizeof(struct wire_stream_header));
	for (p += sizeof(struct wire_stream_header); p < end; p += f.n_bytes) {
		memcpy(&f, p, sizeof(f));
		p += sizeof(f);
		if (f.kind == WIRE_STREAM_QUIT)
			break;
		assert_int_equal(f.kind, WIRE_STREAM_REGION);
		assert_true(n < KNOWN_REGIONS);
		memcpy(&k->regions[n].head, p, sizeof(struct wire_region));
		assert_int_equal(k->regions[n].head.index, n);
		k->regions[n].counts = p + sizeof(struct wire_region);
		n++;
	}
	assert_int_equal(f.kind, WIRE_STREAM_QUIT);
	assert_int_equal(n, KNOWN_REGIONS);
}

static void known_run(const struct qemu *q, const char *plugin, struct known *ret)
{
	int image = file_memory("known", known_image, (size_t)(known_image_end - known_image), NULL);
	int clocks = file_memory("clocks", "", 0, NULL);
	_cleanup_free_ char *value = qemu_option_value(plugin);
	_cleanup_strv_ struct strv argv = { 0 };
	static const char *const fixed[] = {
		"-nodefaults", "-display", "none", "-no-reboot", "-M", "pc", "-m", "16",
		"-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off",
	};

	*ret = (struct known){ 0 };
	strv_add(&argv, q->path);
	for (size_t i = 0; i < q->args.n; i++)
		strv_add(&argv, q->args.v[i]);
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		strv_add(&argv, fixed[i]);
	strv_add(&argv, "-debugcon");
	strv_addf(&argv, "file:/proc/%d/fd/%d", (int)getpid(), clocks);
	strv_add(&argv, "-kernel");
	strv_addf(&argv, "/proc/%d/fd/%d", (int)getpid(), image);
	strv_add(&argv, "-plugin");
	strv_addf(&argv, "%s,fd=1", value);
	assert_int_equal(child_run(argv.v, 60000, &ret->result, NULL), 0);
	if (!child_is_success(ret->result.status))
		fprintf(stderr, "%s", str_text(&ret->result.err));
	assert_true(child_is_success(ret->result.status));
	parse_stream(ret);
	for (size_t i = 0; i < KNOWN_REGIONS; i++)
		assert_int_equal(pread(clocks, &ret->regions[i].clock, 8, (off_t)(8 * i)), 8);
	close(image);
	close(clocks);
}

static struct wire_count count_at(const struct known *k, enum known_region r, uint64_t addr)
{
	struct wire_count c;

	for (size_t i = 0; i < k->regions[r].head.n_counts; i++) {
		memcpy(&c, k->regions[r].counts + i * sizeof(c), sizeof(c));
		if (c.addr == addr)
			return c;
	}
	return (struct wire_count){ .addr = addr };
}

static void assert_count(const struct known *k, enum known_region r, uint64_t addr, uint64_t count,
			 uint64_t entries)
{
	struct wire_count c = count_at(k, r, addr);

	assert_int_equal(c.count, count);
	assert_int_equal(c.entries, entries);
}

static int check(const struct known *k, enum known_region r, struct error *err)
{
	uint64_t faults = count_at(k, r, ADDR(known_pf_entry)).count +
			  count_at(k, r, ADDR(known_ud_entry)).count;

	return selfcheck_cell(k->regions[r].head.total, k->regions[r].clock, faults,
			      k->regions[r].head.halts > 0, err);
}

/* ---- tests with QEMU ---- */

static void assert_known_counts(const struct known *k)
{
	/* The clock shows the same total, but for the instructions that were started twice. */
	static const struct {
		uint64_t total, twice;
	} want[KNOWN_REGIONS] = {
		[KNOWN_EMPTY] = { 0, 0 },
		[KNOWN_LOOP] = { 1 + 2 * KNOWN_LOOPS, 0 },
		[KNOWN_REP] = { 1 + 2 * (5 + KNOWN_REP_BYTES + 1 + 1), 0 },
		[KNOWN_REP_LOOP] = { 3 + 3 * KNOWN_REP_LOOPS, 0 },
		[KNOWN_REP_BARE] = { 2 + KNOWN_REP_LOOPS * (3 + 2 + 1), 0 },
		[KNOWN_FAULTS] = { 1 + KNOWN_FAULT_TIMES * (5 + 3 + 1), KNOWN_FAULT_TIMES },
		[KNOWN_REP_FAULT] = { 2 + KNOWN_REP_FAULT_BYTES + 1 + 3 + 1, 1 },
		[KNOWN_UD] = { 1 + KNOWN_UD_TIMES * (3 + 2), 0 },
		[KNOWN_PATCHED] = { 1 + KNOWN_PATCH_TIMES * 6, 0 },
		/* QEMU drops the running block after the store and begins again with the store. */
		[KNOWN_PATCHED_SELF] = { 1 + KNOWN_PATCH_TIMES * (4 + 1), KNOWN_PATCH_TIMES },
		[KNOWN_HALT] = { 1 + KNOWN_HALT_TIMES * (11 + 5), 0 },
	};

	for (size_t i = 0; i < KNOWN_REGIONS; i++) {
		assert_int_equal(k->regions[i].head.total, want[i].total);
		if (i != KNOWN_HALT)
			assert_int_equal(k->regions[i].clock, want[i].total - want[i].twice);
	}
	assert_count(k, KNOWN_LOOP, ADDR(known_loop), KNOWN_LOOPS, 0);
	/* n iterations are n + 1 starts, so iterations = count - entries, also for none. */
	assert_count(k, KNOWN_REP, ADDR(known_rep), 2 * (KNOWN_REP_BYTES + 1), 2);
	assert_count(k, KNOWN_REP, ADDR(known_rep_zero), 2, 2);
	assert_count(k, KNOWN_REP_LOOP, ADDR(known_rep_loop), KNOWN_REP_LOOPS, KNOWN_REP_LOOPS);
	assert_count(k, KNOWN_REP_BARE, ADDR(known_rep_bare), 3 * KNOWN_REP_LOOPS, KNOWN_REP_LOOPS);
	assert_count(k, KNOWN_FAULTS, ADDR(known_fault), 2 * KNOWN_FAULT_TIMES, 0);
	assert_count(k, KNOWN_FAULTS, ADDR(known_pf_entry), KNOWN_FAULT_TIMES, 0);
	assert_count(k, KNOWN_REP_FAULT, ADDR(known_rep_fault), KNOWN_REP_FAULT_BYTES + 2, 2);
	assert_count(k, KNOWN_UD, ADDR(known_ud), KNOWN_UD_TIMES, 0);
	assert_count(k, KNOWN_UD, ADDR(known_ud_entry), KNOWN_UD_TIMES, 0);
	assert_count(k, KNOWN_PATCHED, ADDR(known_patched), KNOWN_PATCH_TIMES, 0);
	assert_count(k, KNOWN_PATCHED_SELF, ADDR(known_patching), 2 * KNOWN_PATCH_TIMES, 0);
	assert_count(k, KNOWN_PATCHED_SELF, ADDR(known_patched_self), KNOWN_PATCH_TIMES, 0);
	assert_count(k, KNOWN_HALT, ADDR(known_halt), KNOWN_HALT_TIMES, 0);
	assert_count(k, KNOWN_HALT, ADDR(known_timer_entry), KNOWN_HALT_TIMES, 0);
	assert_int_equal(k->regions[KNOWN_HALT].head.halts, KNOWN_HALT_TIMES);
	assert_true(k->regions[KNOWN_HALT].clock > KNOWN_HALT_TIMES * 800000);
}

static void test_known_counts(void **state)
{
	(void)state;
	assert_true(n_qemus > 0);
	for (size_t i = 0; i < n_qemus; i++) {
		_cleanup_(known_finish) struct known k = { 0 };

		printf("QEMU %s, plugin API %u\n", qemus[i].version, qemus[i].api);
		known_run(&qemus[i], qemus[i].plugin, &k);
		assert_known_counts(&k);
		for (size_t r = 0; r < KNOWN_REGIONS; r++) {
			/* No fault explains what code that patches its own block counts twice. */
			if (r == KNOWN_PATCHED_SELF)
				assert_int_equal(check(&k, r, NULL), -EBADMSG);
			else
				assert_int_equal(check(&k, r, NULL), 0);
		}
	}
}

static size_t failed_regions(const struct qemu *q, const char *mutation)
{
	_cleanup_free_ char *file =
		xasprintf("%s/ktoll-%s-%u.so", getenv("KTOLL_MUTANT_DIR"), mutation, q->api);
	_cleanup_(known_finish) struct known k = { 0 };
	size_t n = 0;

	known_run(q, file, &k);
	for (size_t r = 0; r < KNOWN_REGIONS; r++) {
		_cleanup_error_ struct error err = ERROR_INIT;

		if (r == KNOWN_PATCHED_SELF || check(&k, r, &err) == 0)
			continue;
		printf("%s, region %zu: %s\n", mutation, r, error_text(&err));
		n++;
	}
	return n;
}

static void test_wrong_plugins_are_caught(void **state)
{
	static const char *const mutations[] = { "miscount", "skip-block", "restart-twice" };

	(void)state;
	assert_true(n_qemus > 0 && getenv("KTOLL_MUTANT_DIR"));
	for (size_t i = 0; i < n_qemus; i++)
		for (size_t m = 0; m < ARRAY_SIZE(mutations); m++)
			assert_true(failed_regions(&qemus[i], mutations[m]) > 0);
}

static void test_probe(void **state)
{
	(void)state;
	assert_true(n_qemus > 0);
	for (size_t i = 0; i < n_qemus; i++) {
		assert_int_not_equal(qemus[i].cx16, QEMU_FAULT_UNKNOWN);
		assert_int_equal(qemus[i].api, qemus[i].major >= 9 ? 2 : 1);
		assert_true(qemus[i].api_cur >= qemus[i].api);
		if (qemus[i].major == 7)
			assert_int_equal(qemus[i].cx16, QEMU_FAULT_PRESENT);
		if (qemus[i].major >= 10)
			assert_int_equal(qemus[i].cx16, QEMU_FAULT_ABSENT);
	}
}

/* ---- QEMUs that cannot serve: scripts ---- */

/* Runs qemu_probe() against a script that answers --version and a start with the plugin. */
static void assert_refused(const char *version, const char *start, int rc, const char *sentence)
{
	char dir[] = "/tmp/ktoll-test-XXXXXX";
	_cleanup_free_ char *path = NULL, *script = NULL;
	_cleanup_error_ struct error err = ERROR_INIT;
	struct qemu q;

	assert_non_null(mkdtemp(dir));
	path = path_join(dir, "qemu-system-x86_64");
	script = xasprintf("#!/bin/sh\nif [ \"$1\" = --version ]; then echo '%s'; exit; fi\n%s\n",
			   version, start);
	assert_int_equal(file_write(path, script, strlen(script), NULL), 0);
	assert_int_equal(chmod(path, 0755), 0);
	setenv("KTOLL_QEMU", path, 1);
	assert_int_equal(qemu_probe(machine_find("x86_64"), &q, &err), rc);
	if (!strstr(error_text(&err), sentence))
		fail_msg("no \"%s\" in: %s", sentence, error_text(&err));
	unsetenv("KTOLL_QEMU");
	unlink(path);
	rmdir(dir);
}

#define V(n) "QEMU emulator version " n
/* A header of version 1, plugin API 2, QEMU's API 2 to 7. */
#define HEADER7 "printf 'KTLLPSM1\\1\\0\\0\\0\\2\\0\\0\\0\\2\\0\\0\\0\\7\\0\\0\\0x86_64\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0'\n"

static void test_refusals(void **state)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	_cleanup_free_ char *path = xstrdup(getenv("PATH"));
	struct qemu q;

	(void)state;
	assert_non_null(getenv("KTOLL_PLUGIN_DIR"));
	assert_refused("hello", "", -ENOTSUP, "does not say its version");
	assert_refused(V("6.2.0"), "", -ENOTSUP, "too old: ktoll needs 7.2 or newer");
	assert_refused(V("8.2.0"), "echo \"$0: -plugin: invalid option\" >&2; exit 1", -ENOTSUP,
		       "built without plugins");
	assert_refused(V("12.0.0"),
		       HEADER7 "echo 'ktoll plugin: this QEMU has plugin API 7, ktoll knows up to 6' "
			       ">&2\necho 'qemu: Could not load' >&2; exit 1",
		       -ENOTSUP, "does not know (ktoll plugin: this QEMU has plugin API 7");
	assert_refused(V("13.0.0"),
		       "echo 'qemu-system-x86_64: Could not load plugin x: plugin requires API version 2, "
		       "but this QEMU supports only a minimum version of 8' >&2; exit 1",
		       -ENOTSUP, "only a minimum version of 8): update ktoll");
	assert_refused(V("9.0.0"), "exit 3", -ENOTSUP, "without a word");
	setenv("PATH", "/nowhere", 1);
	assert_int_equal(qemu_probe(machine_find("x86_64"), &q, &err), -ENOENT);
	setenv("PATH", path, 1);
	assert_non_null(strstr(error_text(&err), "apt install qemu-system-x86"));
}

/* A QEMU without seccomp serves, and its guests are started without the sandbox; others are started with it. */
static void test_sandbox(void **state)
{
	static const char script[] = "#!/bin/sh\ncase \" $* \" in *' -sandbox '*)\n"
				     "echo \"qemu-system-x86_64: -sandbox: There is no option group 'sandbox'\" >&2; exit 1;;\n"
				     "esac\nexec qemu-system-x86_64 \"$@\"\n";
	char dir[] = "/tmp/ktoll-test-XXXXXX";
	_cleanup_free_ char *path = NULL, *with = qemu_shown_sandbox(&qemus[0]), *without = NULL;
	_cleanup_strv_ struct strv argv = { 0 };
	struct qemu q;

	(void)state;
	assert_string_equal(with, "on");
	qemu_add_sandbox(&qemus[0], &argv);
	assert_int_equal(argv.n, 2);
	assert_string_equal(argv.v[0], "-sandbox");
	assert_non_null(mkdtemp(dir));
	path = path_join(dir, "qemu-system-x86_64");
	assert_int_equal(file_write(path, script, strlen(script), NULL), 0);
	assert_int_equal(chmod(path, 0755), 0);
	setenv("KTOLL_QEMU", path, 1);
	assert_int_equal(qemu_probe(machine_find("x86_64"), &q, NULL), 0);
	unsetenv("KTOLL_QEMU");
	unlink(path);
	rmdir(dir);
	without = qemu_shown_sandbox(&q);
	assert_string_equal(without, "off: QEMU says: -sandbox: There is no option group 'sandbox'");
	qemu_add_sandbox(&q, &argv);
	assert_int_equal(argv.n, 2);
	qemu_finish(&q);
}

static void test_option_value(void **state)
{
	_cleanup_free_ char *a = qemu_option_value("/a,b,,c"), *b = qemu_option_value("");

	(void)state;
	assert_string_equal(a, "/a,,b,,,,c");
	assert_string_equal(b, "");
}

static void test_selfcheck(void **state)
{
	(void)state;
	assert_int_equal(selfcheck_cell(100, 100, 0, false, NULL), 0);
	assert_int_equal(selfcheck_cell(103, 100, 3, false, NULL), 0);
	assert_int_equal(selfcheck_cell(104, 100, 3, false, NULL), -EBADMSG);
	assert_int_equal(selfcheck_cell(99, 100, 3, false, NULL), -EBADMSG);
	assert_int_equal(selfcheck_cell(99, 100, 3, true, NULL), 0);
	assert_int_equal(selfcheck_cell(104, 100, 3, true, NULL), -EBADMSG);
	assert_int_equal(selfcheck_cell(UINT64_MAX, 0, UINT64_MAX, false, NULL), 0);
	assert_int_equal(selfcheck_cell(UINT64_MAX, UINT64_MAX, 5, false, NULL), 0);
}

/* ---- plugin API 2 in this process ---- */

#define EXPORT __attribute__((visibility("default")))

struct qemu_plugin_insn {
	uint64_t addr;
	const char *bytes;
	size_t len;
};
struct qemu_plugin_tb {
	struct qemu_plugin_insn *insns;
	size_t n;
};
struct qemu_plugin_scoreboard {
	char *data;
};
struct plugin_u64 {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
};
struct plugin_info {
	const char *target;
	int min, cur;
	bool system;
	int smp, max;
};
typedef void (*trans_cb)(uint64_t id, struct qemu_plugin_tb *tb);
typedef void (*exec_cb)(unsigned int vcpu, void *udata);

static struct {
	int api;
	bool has_vcpu;
	trans_cb trans;
	uint64_t *inlined[8]; /* what the instructions of a block add to, in order */
	size_t n_inlined;
	exec_cb cb;
	void *udata;
} host;

/* clang-format off */
EXPORT void qemu_plugin_reset(uint64_t id, void (*cb)(uint64_t));
EXPORT void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, trans_cb cb);
EXPORT void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb, int op, struct plugin_u64 e, uint64_t imm);
EXPORT void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, exec_cb cb, int flags, void *udata);
EXPORT void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn, int op, struct plugin_u64 e, uint64_t imm);
EXPORT struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t size);
EXPORT void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *s, unsigned int vcpu);
EXPORT size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
EXPORT struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
EXPORT uintptr_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest, size_t len);
EXPORT size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
EXPORT uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
/* clang-format on */

void qemu_plugin_reset(uint64_t id, void (*cb)(uint64_t))
{
	host.trans = NULL;
	cb(id);
}

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, trans_cb cb)
{
	(void)id;
	host.trans = cb;
}

void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb, int op,
						       struct plugin_u64 e, uint64_t imm)
{
	(void)tb;
	(void)op;
	(void)e;
	(void)imm;
}

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, exec_cb cb, int flags,
					    void *udata)
{
	(void)insn;
	(void)flags;
	host.cb = cb;
	host.udata = udata;
}

void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn, int op,
							 struct plugin_u64 e, uint64_t imm)
{
	(void)insn;
	(void)op;
	assert_int_equal(imm, 1);
	assert_true(host.n_inlined < ARRAY_SIZE(host.inlined));
	host.inlined[host.n_inlined++] = (uint64_t *)(void *)(e.score->data + e.offset);
}

struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t size)
{
	struct qemu_plugin_scoreboard *s = xmalloc(sizeof(*s));

	s->data = xcalloc(16, size);
	return s;
}

void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *s, unsigned int vcpu)
{
	assert_true(host.has_vcpu); /* QEMU ends itself otherwise */
	assert_int_equal(vcpu, 0);
	return s->data;
}

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb)
{
	return tb->n;
}

struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i)
{
	return &tb->insns[i];
}

uintptr_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest, size_t len)
{
	if (host.api == 2)
		return (uintptr_t)insn->bytes;
	memcpy(dest, insn->bytes, insn->len < len ? insn->len : len);
	return insn->len;
}

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn)
{
	return insn->len;
}

uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn)
{
	return insn->addr;
}

/*
 * Loads a fresh copy of the plugin as a QEMU of this API would; gives what its
 * install function says. It stays loaded, so that what it owns is no leak.
 */
static int load(int api, int *ret_stream)
{
	_cleanup_free_ char *file = xasprintf("%s/ktoll-count-2.so", getenv("KTOLL_PLUGIN_DIR"));
	_cleanup_free_ char *bytes = NULL, *copy = NULL;
	struct plugin_info info = { .target = "x86_64", .min = 2, .cur = api, .system = true };
	int (*install)(uint64_t, const struct plugin_info *, int, char **);
	char arg[32], *argv[] = { arg };
	int ends[2], *version;
	void *plugin;
	size_t len;

	assert_int_equal(pipe(ends), 0);
	snprintf(arg, sizeof(arg), "fd=%d", ends[1]);
	memset(&host, 0, sizeof(host));
	host.api = api;
	assert_int_equal(file_read(file, &bytes, &len, NULL), 0);
	/* Left open: a second copy of the same name would be the first one. */
	copy = xasprintf("/proc/self/fd/%d", file_memory("plugin", bytes, len, NULL));
	plugin = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
	if (!plugin)
		fail_msg("%s", dlerror());
	version = dlsym(plugin, "qemu_plugin_version");
	assert_int_equal(*version, 2);
	install = (int (*)(uint64_t, const struct plugin_info *, int, char **))(uintptr_t)dlsym(
		plugin, "qemu_plugin_install");
	*ret_stream = ends[0];
	return install(7, &info, 1, argv);
}

static void check_api(int api)
{
	static char marks[3][9] = { "\x66\x0f\x1f\x84\x00\x33\x4c\x4f\x54",
				    "\x66\x0f\x1f\x84\x00\x11\x4c\x4f\x54",
				    "\x66\x0f\x1f\x84\x00\x22\x4c\x4f\x54" };
	struct qemu_plugin_insn code[] = { { 0x1000, "\x90", 1 }, { 0x1001, "\x90", 1 } };
	struct {
		struct wire_stream_header header;
		struct wire_frame frame;
		struct wire_region region;
		struct wire_count counts[2];
	} got;
	int stream;

	assert_int_equal(load(api, &stream), 0);
	host.has_vcpu = true;
	for (size_t i = 0; i < 3; i++) {
		struct qemu_plugin_insn mark = { 0x2000 + i, marks[i], 9 };

		host.cb = NULL;
		host.trans(7, &(struct qemu_plugin_tb){ &mark, 1 });
		assert_non_null(host.cb);
		if (i == 2) { /* inside the region */
			*host.inlined[0] += 3;
			*host.inlined[1] += 4;
		}
		host.cb(0, host.udata);
		if (i == 0) { /* armed */
			assert_int_equal(host.n_inlined, 0);
			host.trans(7, &(struct qemu_plugin_tb){ code, 2 });
			assert_int_equal(host.n_inlined, 2);
		}
	}
	assert_int_equal(read(stream, &got, sizeof(got)), sizeof(got));
	assert_int_equal(got.header.qemu_api_cur, api);
	assert_int_equal(got.region.total, 7);
	assert_int_equal(got.counts[0].addr, 0x1000);
	assert_int_equal(got.counts[0].count, 3);
	assert_int_equal(got.counts[1].count, 4);
	close(stream);
}

static void test_plugin_apis(void **state)
{
	int stream;

	(void)state;
	assert_non_null(getenv("KTOLL_PLUGIN_DIR"));
	for (int api = 2; api <= 6; api++)
		check_api(api);
	/* Version 7 has other callbacks: none may be registered. */
	assert_int_not_equal(load(7, &stream), 0);
	assert_null(host.trans);
	close(stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_selfcheck),
		cmocka_unit_test(test_option_value),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_sandbox),
		cmocka_unit_test(test_plugin_apis),
		cmocka_unit_test(test_probe),
		cmocka_unit_test(test_known_counts),
		cmocka_unit_test(test_wrong_plugins_are_caught),
	};

	return cmocka_run_group_tests(tests, find_qemus, drop_qemus);
}
