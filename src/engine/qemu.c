/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/qemu.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "engine/bare.h"
#include "engine/cx16.h"
#include "model/arch.h"
#include "sys/child.h"
#include "wire/wire.h"

/* The first one whose icount and plugins ktoll was tried with. */
#define OLDEST_MAJOR 7
#define OLDEST_MINOR 2

/* The first one without plugin API 1. */
#define API2_MAJOR 9

#define VERSION_DEADLINE_MS 20000
/* A start takes 0.1 s, on a loaded machine a second. */
#define PROBE_DEADLINE_MS 60000
#define KVM_DEADLINE_MS 10000 /* a tenth of a second where it works */

/* ---- the binary ---- */

void qemu_add_sandbox(const struct qemu *q, struct strv *argv)
{
	if (q->no_sandbox)
		return;
	strv_add(argv, "-sandbox");
	strv_add(argv, "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny");
}

char *qemu_shown_sandbox(const struct qemu *q)
{
	return q->no_sandbox ? xasprintf("off: QEMU says: %s", q->no_sandbox) : xstrdup("on");
}

static int find_binary(const struct machine *m, struct qemu *q, struct error *err)
{
	const char *wanted = getenv("KTOLL_QEMU"), *args = getenv("KTOLL_QEMU_ARGS");
	_cleanup_free_ char *usual = xasprintf("qemu-system-%s", m->qemu);

	if (args && *args && !(wanted && *wanted))
		return error_set(err, EINVAL, "KTOLL_QEMU_ARGS is for the QEMU that KTOLL_QEMU names, and it names none: unset the one, or set the other");
	if (wanted && *wanted) {
		_cleanup_free_ char *copy = xstrdup(args ?: "");
		char *state = NULL;

		q->path = strchr(wanted, '/') ? xstrdup(wanted) : file_in_path(wanted);
		if (!q->path || access(q->path, X_OK) < 0)
			return error_set(err, ENOENT,
					 "KTOLL_QEMU names %s, which is not there or cannot be run",
					 wanted);
		for (char *a = strtok_r(copy, " \t\n", &state); a;
		     a = strtok_r(NULL, " \t\n", &state))
			strv_add(&q->args, a);
		return 0;
	}
	q->path = file_in_path(usual);
	if (!q->path)
		return error_set(err, ENOENT,
				 "there is no %s in PATH: apt install %s, or name one with KTOLL_QEMU",
				 usual, m->package);
	return 0;
}

static int read_version(const struct machine *m, struct qemu *q, struct error *err)
{
	static const char key[] = "version ";
	char *argv[] = { q->path, (char *)"--version", NULL };
	_cleanup_(child_result_finish) struct child_result r;
	const char *text, *start;
	int rc;

	rc = child_run(argv, VERSION_DEADLINE_MS, &r, err);
	if (rc < 0)
		return rc;
	text = str_text(&r.out);
	start = strstr(text, key);
	if (!child_is_success(r.status) || !start ||
	    sscanf(start + strlen(key), "%u.%u", &q->major, &q->minor) != 2)
		return error_set(err, ENOTSUP,
				 "%s does not say its version as QEMU does: apt install %s, or name one with KTOLL_QEMU",
				 q->path, m->package);
	start += strlen(key);
	q->version = xstrndup(start, strcspn(start, "\n"));
	str_make_printable(q->version);
	if (q->major < OLDEST_MAJOR || (q->major == OLDEST_MAJOR && q->minor < OLDEST_MINOR))
		return error_set(err, ENOTSUP,
				 "%s is QEMU %u.%u, too old: ktoll needs %d.%d or newer (Debian 12 has 7.2: apt install %s), or name one with KTOLL_QEMU",
				 q->path, q->major, q->minor, OLDEST_MAJOR, OLDEST_MINOR,
				 m->package);
	return 0;
}

/* ---- the plugin file ---- */

static int find_plugin(uint32_t api, char **ret, struct error *err)
{
	_cleanup_free_ char *name = xasprintf("ktoll-count-%u.so", api);
	const char *wanted = getenv("KTOLL_PLUGIN_DIR");
	_cleanup_strv_ struct strv dirs = { 0 };
	_cleanup_free_ char *tried = NULL;
	char self[4096];

	if (wanted && *wanted) {
		strv_add(&dirs, wanted);
	} else {
		ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

		if (n > 0) {
			self[n] = '\0';
			*strrchr(self, '/') = '\0';
			strv_addf(&dirs, "%s/plugin", self);
		}
#ifdef KTOLL_PLUGIN_DIR
		strv_add(&dirs, KTOLL_PLUGIN_DIR);
#endif
	}
	for (size_t i = 0; i < dirs.n; i++) {
		char *file = path_join(dirs.v[i], name);

		if (file_exists(file)) {
			*ret = file;
			return 0;
		}
		free(file);
	}
	tried = strv_join(&dirs, " or ");
	return error_set(err, ENOENT,
			 "the QEMU plugin %s is not in %s: build ktoll (make build), or name its folder with KTOLL_PLUGIN_DIR",
			 name, tried);
}

char *qemu_option_value(const char *text)
{
	_cleanup_str_ struct str s = STR_INIT;

	for (; *text; text++)
		str_add(&s, *text == ',' ? ",," : (char[]){ *text, '\0' });
	return str_take(&s);
}

/* ---- what QEMU offers ---- */

#define PLUGIN_SAYS "ktoll plugin: "

struct answer {
	bool has_header;
	struct wire_stream_header header;
	int status;
	char *complaint; /* one line of what was said on stderr, or "" */
};

static void answer_finish(struct answer *a)
{
	free(a->complaint);
}

static const char *without_name(const char *line)
{
	const char *colon = str_has_prefix(line, "qemu-system-") ? strstr(line, ": ") : NULL;

	return colon ? colon + 2 : line;
}

/* Our plugin's line if there is one, else the last line without the name of QEMU in front. */
static char *complaint_of(struct str *text)
{
	_cleanup_free_ char *all = str_take(text);
	size_t n = strlen(all);
	const char *line;

	while (n && all[n - 1] == '\n')
		all[--n] = '\0';
	str_make_printable(all);
	line = strstr(all, PLUGIN_SAYS);
	if (line)
		return xstrndup(line, strcspn(line, "\n"));
	line = strrchr(all, '\n');
	line = line ? line + 1 : all;
	return xstrdup(without_name(line));
}

static void add_quiet_qemu(struct strv *argv, const struct qemu *q)
{
	strv_add(argv, q->path);
	strv_add_all(argv, &q->args);
	strv_add(argv, "-nodefaults");
	strv_add(argv, "-display");
	strv_add(argv, "none");
}

/* A PC for the guest that looks for the fault of cmpxchg16b. */
static void add_bare_machine(struct strv *argv, const char *accel, const char *cpu, int image)
{
	strv_add(argv, "-M");
	strv_add(argv, "pc");
	strv_add(argv, "-m");
	strv_add(argv, "16");
	strv_add(argv, "-accel");
	strv_add(argv, accel);
	strv_add(argv, "-cpu");
	strv_add(argv, cpu);
	strv_add(argv, "-no-reboot");
	strv_add(argv, "-device");
	strv_addf(argv, "isa-debug-exit,iobase=%#x,iosize=4", BARE_EXIT_PORT);
	strv_add(argv, "-kernel");
	strv_addf(argv, "/proc/%d/fd/%d", (int)getpid(), image);
}

/*
 * Starts QEMU with the plugin, whose stream goes to standard output. On x86 it
 * runs the guest that looks for the fault of cmpxchg16b; elsewhere the plugin
 * ends QEMU as soon as it has said what it is in.
 */
static int ask(const struct qemu *q, int image, struct answer *ret, struct error *err)
{
	_cleanup_free_ char *plugin = qemu_option_value(q->plugin);
	_cleanup_strv_ struct strv argv = { 0 };
	_cleanup_(child_result_finish) struct child_result r;
	int rc;

	add_quiet_qemu(&argv, q);
	qemu_add_sandbox(q, &argv);
	strv_add(&argv, "-plugin");
	strv_addf(&argv, "%s,fd=%d%s", plugin, STDOUT_FILENO, image < 0 ? ",probe=on" : "");
	if (image >= 0) {
		strv_add(&argv, "-icount");
		strv_add(&argv, "shift=0,sleep=off");
		add_bare_machine(&argv, "tcg,thread=single", "qemu64,cx16=on", image);
	} else {
		strv_add(&argv, "-M");
		strv_add(&argv, "none");
	}
	rc = child_run(argv.v, PROBE_DEADLINE_MS, &r, err);
	if (rc < 0)
		return rc;
	*ret = (struct answer){ .status = r.status };
	if (r.out.len >= sizeof(ret->header)) {
		memcpy(&ret->header, r.out.s, sizeof(ret->header));
		ret->has_header = ret->header.magic == WIRE_STREAM_MAGIC;
	}
	ret->complaint = complaint_of(&r.err);
	return 0;
}

/* QEMU 7.2 and 10 say so when the file is for another plugin API. */
static bool is_wrong_api(const struct answer *a)
{
	return !a->has_header && (strstr(a->complaint, "undefined symbol") ||
				  strstr(a->complaint, "requires API version"));
}

/* Built without seccomp, or on a kernel without: it is asked again, and guests run, without the sandbox. */
static bool is_about_sandbox(const struct answer *a)
{
	return !a->has_header && (strstr(a->complaint, "sandbox") || strstr(a->complaint, "seccomp"));
}

static int refuse(const struct machine *m, const struct qemu *q, const struct answer *a,
		  struct error *err)
{
	if (str_has_prefix(a->complaint, PLUGIN_SAYS "this QEMU has plugin API") || is_wrong_api(a))
		return error_set(err, ENOTSUP,
				 "%s is QEMU %s, whose plugin interface this ktoll does not know (%s): update ktoll, or name an older QEMU with KTOLL_QEMU (Debian 12 has 7.2, Debian 13 has 10.0)",
				 q->path, q->version, a->complaint);
	if (strstr(a->complaint, "-plugin") || strstr(a->complaint, "invalid accelerator"))
		return error_set(err, ENOTSUP,
				 "%s is QEMU %s built without %s (it says: %s): apt install %s, or name one configured with --enable-plugins with KTOLL_QEMU",
				 q->path, q->version,
				 strstr(a->complaint, "accelerator") ? "TCG" : "plugins",
				 a->complaint, m->package);
	return error_set(err, ENOTSUP, "%s (QEMU %s) does not start with the plugin %s: %s", q->path,
			 q->version, q->plugin,
			 *a->complaint ? a->complaint : "it ended without a word");
}

static int check_header(const struct qemu *q, const struct wire_stream_header *h,
			struct error *err)
{
	size_t n = strnlen(h->target, sizeof(h->target));

	if (h->version != WIRE_VERSION || h->api != q->api)
		return error_set(err, ENOTSUP,
				 "%s belongs to another version of ktoll: build both together, or name its folder with KTOLL_PLUGIN_DIR",
				 q->plugin);
	if (n != strlen(q->target) || memcmp(h->target, q->target, n) != 0)
		return error_set(err, ENOTSUP,
				 "%s emulates %.*s, but the kernel is for %s: name another with KTOLL_QEMU, or unset it",
				 q->path, (int)n, h->target, q->target);
	return 0;
}

/* True if QEMU loaded the plugin and the plugin took it. */
static bool is_served(const struct answer *a)
{
	return a->has_header && !str_has_prefix(a->complaint, PLUGIN_SAYS);
}

/* What the guest that looks for the fault of cmpxchg16b said, by how QEMU ended. */
static enum qemu_fault fault_told_by(int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2 * CX16_ABSENT + 1)
		return QEMU_FAULT_ABSENT;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2 * CX16_PRESENT + 1)
		return QEMU_FAULT_PRESENT;
	return QEMU_FAULT_UNKNOWN;
}

static void note_answer(struct qemu *q, const struct answer *a, bool ran_image)
{
	q->api_min = a->header.qemu_api_min;
	q->api_cur = a->header.qemu_api_cur;
	if (ran_image)
		q->cx16 = fault_told_by(a->status);
}

/* The file that the version suggests, then the other one: a fork's number may mislead. */
static int ask_with_plugin(const struct machine *m, struct qemu *q, int image, struct error *err)
{
	const uint32_t likely = q->major >= API2_MAJOR ? 2 : 1, order[] = { likely, 3 - likely };
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		_cleanup_(answer_finish) struct answer a = { 0 };
		char *plugin;

		if (find_plugin(order[i], &plugin, i == 0 ? err : NULL) < 0)
			return i == 0 ? -ENOENT : rc;
		free(q->plugin);
		q->plugin = plugin;
		q->api = order[i];
		rc = ask(q, image, &a, err);
		if (rc == 0 && !q->no_sandbox && is_about_sandbox(&a)) {
			q->no_sandbox = TAKE_PTR(a.complaint);
			rc = ask(q, image, &a, err);
		}
		if (rc < 0)
			return rc;
		if (is_served(&a)) {
			note_answer(q, &a, image >= 0);
			return check_header(q, &a.header, err);
		}
		/* The second refusal would only say that API 1 is too old for a new QEMU. */
		if (i == 0 || !is_wrong_api(&a))
			rc = refuse(m, q, &a, err);
		if (!is_wrong_api(&a))
			break;
	}
	return rc < 0 ? rc : -ENOTSUP;
}

/* The guest for the fault of cmpxchg16b as a file, or -1 where it cannot be tried. */
static int open_image(const struct machine *m)
{
#ifdef __x86_64__
	if (str_equal(m->qemu, "x86_64"))
		return file_memory("cx16", cx16_image, (size_t)(cx16_image_end - cx16_image), NULL);
#else
	(void)m;
#endif
	return -1;
}

int qemu_probe(const struct machine *m, struct qemu *ret, struct error *err)
{
	_cleanup_(qemu_finish) struct qemu q = { 0 };
	_cleanup_close_ int image = -1;
	int rc;

	q.target = m->qemu;
	rc = find_binary(m, &q, err);
	if (rc == 0)
		rc = read_version(m, &q, err);
	if (rc == 0) {
		image = open_image(m);
		rc = ask_with_plugin(m, &q, image, err);
	}
	if (rc < 0)
		return rc;
	*ret = q;
	q = (struct qemu){ 0 };
	return 0;
}

/* The first line that is no warning, without the name of QEMU in front. */
static char *first_error_of(struct str *text)
{
	_cleanup_free_ char *all = str_take(text);
	const char *line = all, *end;

	while ((end = strchr(line, '\n')) && memmem(line, (size_t)(end - line), " warning: ", 10))
		line = end + 1;
	line = without_name(line);
	return xstrndup(line, strcspn(line, "\n"));
}

int qemu_kvm_obstacle(const struct machine *m, const struct qemu *q, char **ret, struct error *err)
{
	_cleanup_close_ int image = -1;
	_cleanup_strv_ struct strv argv = { 0 };
	_cleanup_(child_result_finish) struct child_result r = { 0 };
	_cleanup_error_ struct error why = ERROR_INIT;
	_cleanup_free_ char *said = NULL;
	int rc;

	*ret = NULL;
	if (!str_equal(m->arch, arch_host())) {
		*ret = xstrdup("the guests are not of this machine's architecture");
		return 0;
	}
	if (access("/dev/kvm", R_OK | W_OK) < 0) {
		*ret = xasprintf("/dev/kvm: %s", strerror(errno));
		return 0;
	}
	image = open_image(m);
	if (image < 0)
		return 0;
	add_quiet_qemu(&argv, q);
	add_bare_machine(&argv, "kvm", "host", image);
	rc = child_run(argv.v, KVM_DEADLINE_MS, &r, &why);
	if (rc < 0 && rc != -ETIMEDOUT)
		return error_set(err, rc, "%s", error_text(&why));
	if (rc == 0 && fault_told_by(r.status) != QEMU_FAULT_UNKNOWN)
		return 0;
	said = first_error_of(&r.err);
	str_make_printable(said);
	*ret = xasprintf("a guest of a few instructions does not run with it (%s)",
			 *said ? said : rc < 0 ? "it does not end" : "it ended without a word");
	return 0;
}

void qemu_finish(struct qemu *q)
{
	free(q->no_sandbox);
	free(q->path);
	strv_finish(&q->args);
	free(q->version);
	free(q->plugin);
	*q = (struct qemu){ 0 };
}

char *qemu_shown_command(const struct strv *argv)
{
	struct str st = STR_INIT;

	for (size_t i = 0; i < argv->n; i++) {
		bool plain = argv->v[i][strcspn(argv->v[i], " \t\"'$&;()<>|*?[]{}\\")] == 0;

		str_addf(&st, plain ? "%s%s" : "%s'%s'", i ? " " : "", argv->v[i]);
	}
	return str_take(&st);
}
