/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/kbuild.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "kernel/buildlog.h"
#include "sys/child.h"
#include "sys/loop.h"

/* Configuring takes seconds, on a bad day a minute. */
#define CONFIG_DEADLINE_MS (10 * 60 * 1000)
/* Linking a large kernel is the longest time in which make says nothing. */
#define SILENCE_MS (30 * 60 * 1000)
#define TICK_MS 500

static const struct {
	const char *tool, *package;
} tools[] = {
	{ "make", "make" },     { "gcc", "gcc" },   { "ld", "binutils" }, { "flex", "flex" },
	{ "bison", "bison" },   { "bc", "bc" },     { "perl", "perl" },
};

void kbuild_init(struct kbuild *kb, const char *tree, const struct arch *arch, const char *cc)
{
	bool foreign = !str_equal(arch->name, arch_host());

	*kb = (struct kbuild){ .arch = arch, .tree = xstrdup(tree) };
	kb->cross = foreign ? xasprintf("%s-", arch->triplet) : xstrdup("");
	/* clang compiles for all; only binutils are a target's own. */
	kb->cc = xasprintf("%s%s", cc && str_has_prefix(cc, "clang") ? "" : kb->cross,
			   cc ? cc : "gcc");
}

void kbuild_finish(struct kbuild *kb)
{
	free(kb->tree);
	free(kb->out);
	free(kb->log);
	free(kb->cross);
	free(kb->cc);
	free(kb->kconfig);
	free(kb->compiler);
	*kb = (struct kbuild){ 0 };
}

/* ---- tools ---- */

static bool is_in_path(const char *program)
{
	_cleanup_free_ char *file = file_in_path(program);

	return file;
}

/* Debian's package of a compiler: "gcc-powerpc64le-linux-gnu" has powerpc64le-linux-gnu-gcc. */
static char *compiler_package(const struct kbuild *kb)
{
	const char *plain = kb->cc + (str_has_prefix(kb->cc, kb->cross) ? strlen(kb->cross) : 0);

	if (plain == kb->cc || !*kb->cross)
		return xstrdup(plain);
	return xasprintf("%s-%s", plain, kb->arch->triplet);
}

/* What building lacks on this machine: names for a person, and the package of each. */
static void find_missing(const struct kbuild *kb, struct strv *names, struct strv *packages)
{
	_cleanup_free_ char *ld = xasprintf("%sld", kb->cross);

	for (size_t i = 0; i < ARRAY_SIZE(tools); i++)
		if (!is_in_path(tools[i].tool)) {
			strv_add(names, tools[i].tool);
			strv_add(packages, tools[i].package);
		}
	if (!is_in_path(kb->cc)) {
		_cleanup_free_ char *package = compiler_package(kb);

		strv_add(names, kb->cc);
		strv_add(packages, package);
	}
	if (*kb->cross && !is_in_path(ld)) {
		strv_add(names, ld);
		strv_addf(packages, "binutils-%s", kb->arch->triplet);
	}
	/* objtool, which x86 kernels are checked with while they are built. */
	if (strcmp(kb->arch->srcarch, "x86") == 0 && !file_exists("/usr/include/gelf.h")) {
		strv_add(names, "libelf's headers");
		strv_add(packages, "libelf-dev");
	}
}

static int read_compiler(struct kbuild *kb, struct error *err)
{
	char *argv[] = { kb->cc, "--version", NULL };
	struct child_result result;
	const char *said;
	int r = child_run(argv, CONFIG_DEADLINE_MS, &result, err);

	if (r == 0) {
		said = str_text(&result.out);
		if (child_is_success(result.status))
			kb->compiler = xstrndup(said, strcspn(said, "\n"));
		else
			r = error_set(err, EIO, "%s --version fails: %s", kb->cc,
				      str_text(&result.err));
	}
	child_result_finish(&result);
	return r;
}

int kbuild_check(struct kbuild *kb, struct error *err)
{
	_cleanup_strv_ struct strv names = { 0 }, packages = { 0 };

	find_missing(kb, &names, &packages);
	if (names.n)
		return error_set(err, ENOENT, "building kernels needs %s: apt install %s", names.v[0],
				 packages.v[0]);
	kb->has_ccache = is_in_path("ccache");
	return read_compiler(kb, err);
}

char *kbuild_packages(const struct arch *arch)
{
	_cleanup_strv_ struct strv names = { 0 }, packages = { 0 };
	_cleanup_free_ char *list = NULL;
	struct kbuild kb;

	kbuild_init(&kb, "", arch, NULL);
	find_missing(&kb, &names, &packages);
	kbuild_finish(&kb);
	if (!packages.n)
		return NULL;
	list = strv_join(&packages, " ");
	return xasprintf("apt install %s", list);
}

/* ---- make ---- */

/* Of the caller's environment, what would change the kernel, or make itself. */
static const char *const scrubbed[] = {
	"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEFILES", "KBUILD_OUTPUT", "KBUILD_KCONFIG",
	"KBUILD_DEFCONFIG", "KCONFIG_CONFIG", "KCONFIG_ALLCONFIG", "KCONFIG_OVERWRITECONFIG",
	"KBUILD_VERBOSE", "KBUILD_EXTRA_WARN", "KBUILD_CFLAGS", "KCFLAGS", "KAFLAGS", "KCPPFLAGS",
	"KRUSTFLAGS", "HOSTCFLAGS", "HOSTLDFLAGS", "LLVM", "LLVM_IAS", "W", "V", "C",
	"INSTALL_PATH", "CFLAGS", "CPPFLAGS", "LDFLAGS",
};

/*
 * What would get the time, the user and the machine into the kernel is fixed:
 * the same source and configuration are the same bytes.
 */
static const char *const fixed[] = {
	"KBUILD_BUILD_TIMESTAMP=2024-01-01", "KBUILD_BUILD_USER=ktoll", "KBUILD_BUILD_HOST=ktoll",
	"KBUILD_BUILD_VERSION=1", "LOCALVERSION=",
};

static void make_argv(const struct kbuild *kb, bool with_ccache, struct strv *argv)
{
	const char *launcher = with_ccache && kb->has_ccache ? "ccache " : "";

	strv_add(argv, "env");
	for (size_t i = 0; i < ARRAY_SIZE(scrubbed); i++)
		strv_addf(argv, "--unset=%s", scrubbed[i]);
	strv_add(argv, "make");
	strv_add(argv, "--no-print-directory");
	strv_add(argv, "-C");
	strv_add(argv, kb->tree);
	strv_addf(argv, "O=%s", kb->out);
	strv_addf(argv, "ARCH=%s", kb->arch->kbuild);
	strv_addf(argv, "CROSS_COMPILE=%s", kb->cross);
	strv_addf(argv, "CC=%s%s", launcher, kb->cc);
	strv_addf(argv, "HOSTCC=%sgcc", launcher);
	if (kb->kconfig)
		strv_addf(argv, "KBUILD_KCONFIG=%s", kb->kconfig);
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		strv_add(argv, fixed[i]);
}

static void build_argv(const struct kbuild *kb, const char *flag, const struct strv *targets,
		       struct strv *argv)
{
	make_argv(kb, true, argv);
	strv_add(argv, flag);
	strv_add_all(argv, targets);
}

/* Runs a make that ends soon, and collects what it says. */
static int run_make(const struct kbuild *kb, const struct strv *argv, const char *what,
		    struct error *err)
{
	struct child_result result;
	int r = child_run(argv->v, CONFIG_DEADLINE_MS, &result, err);

	if (r == 0 && child_was_interrupted(result.status))
		r = error_set(err, ECANCELED, "interrupted");
	if (r == 0 && !child_is_success(result.status)) {
		r = buildlog_explain(str_text(&result.out), str_text(&result.err), err);
		error_context(err, r, "%s in %s fails", what, kb->tree);
	}
	child_result_finish(&result);
	return r;
}

static int run_config_target(const struct kbuild *kb, const char *target, const char *allconfig,
			     struct error *err)
{
	_cleanup_strv_ struct strv argv = { 0 };
	_cleanup_free_ char *what = xasprintf("make %s", target);

	make_argv(kb, false, &argv);
	if (allconfig)
		strv_addf(&argv, "KCONFIG_ALLCONFIG=%s", allconfig);
	strv_add(&argv, target);
	return run_make(kb, &argv, what, err);
}

static int force(struct kbuild *kb, const struct spec_option *options, size_t n, struct error *err)
{
	_cleanup_free_ char *tree_path = path_join(kb->tree, "Kconfig"), *text = NULL, *old = NULL;
	_cleanup_free_ char *path = path_join(kb->out, "Kconfig.forced");
	_cleanup_str_ struct str st = STR_INIT;
	const char *rest, *title;
	size_t n_forced = 0;
	int r;

	for (size_t i = 0; i < n; i++)
		n_forced += options[i].is_forced;
	if (!n_forced)
		return 0;
	r = file_read(tree_path, &text, NULL, err);
	if (r < 0)
		return r;
	/* The title has to be the first statement. */
	title = strstr(text, "mainmenu ");
	rest = title ? title + strcspn(title, "\n") : text;
	str_add_bytes(&st, text, (size_t)(rest - text));
	str_add(&st, "\n");
	for (size_t i = 0; i < n; i++)
		if (options[i].is_forced)
			str_addf(&st, "config %s\n\tdefault %s\n",
				 options[i].name + strlen("CONFIG_"), options[i].value);
	str_add(&st, rest);
	/* Written only if it changed: make looks at its age. */
	if (file_read(path, &old, NULL, NULL) < 0 || strcmp(old, str_text(&st)) != 0)
		r = file_write(path, str_text(&st), st.len, err);
	if (r == 0)
		kb->kconfig = TAKE_PTR(path);
	return r;
}

int kbuild_enter(struct kbuild *kb, const char *out, const struct spec_option *options, size_t n,
		 struct error *err)
{
	int r = dir_make(out, err);

	if (r < 0)
		return r;
	free(kb->out);
	free(kb->log);
	free(kb->kconfig);
	kb->out = xstrdup(out);
	kb->log = path_join(out, "ktoll.log");
	kb->kconfig = NULL;
	return force(kb, options, n, err);
}

int kbuild_config(const struct kbuild *kb, enum kbuild_base base, const char *text,
		  char **ret_given, char **ret_resolved, struct error *err)
{
	_cleanup_free_ char *path = path_join(kb->out, ".config"), *given = NULL;
	_cleanup_free_ char *fragment = path_join(kb->out, "ktoll.config"), *resolved = NULL;
	int r = 0;

	if (base == KBUILD_DEFCONFIG) {
		_cleanup_free_ char *defaults = NULL;

		r = run_config_target(kb, kb->arch->defconfig, NULL, err);
		if (r == 0)
			r = file_read(path, &defaults, NULL, err);
		if (r == 0)
			given = xasprintf("%s%s", defaults, text);
	} else {
		given = xstrdup(text);
	}
	if (r == 0)
		r = file_write(base == KBUILD_ALLNO ? fragment : path, given, strlen(given), err);
	if (r == 0)
		r = base == KBUILD_ALLNO ? run_config_target(kb, "allnoconfig", fragment, err) :
					   run_config_target(kb, "olddefconfig", NULL, err);
	if (r == 0)
		r = file_read(path, &resolved, NULL, err);
	if (r < 0)
		return r;
	*ret_given = TAKE_PTR(given);
	*ret_resolved = TAKE_PTR(resolved);
	return 0;
}

/* ---- a build ---- */

struct build {
	struct loop *loop;
	pid_t pid;
	int out_fd, log_fd, log_error;
	struct buildlog log;
	uint64_t total;
	struct timespec start;
	struct loop_source *on_out, *on_child, *on_tick, *on_silence;
	kbuild_progress progress;
	void *data;
	bool silent;
	int status;
};

static void drain(struct build *b)
{
	char buf[65536];
	ssize_t n;

	while ((n = read(b->out_fd, buf, sizeof(buf))) > 0) {
		if (!b->log_error && fd_write_all(b->log_fd, buf, (size_t)n) < 0)
			b->log_error = errno;
		buildlog_feed(&b->log, buf, (size_t)n);
		loop_timer_set(b->on_silence, SILENCE_MS);
	}
	if (n == 0) {
		loop_remove(b->on_out);
		b->on_out = NULL;
	}
}

static void out_ready(void *data, int fd)
{
	(void)fd;
	drain(data);
}

static void child_ended(void *data, int status)
{
	struct build *b = data;

	kill(-b->pid, SIGKILL); /* what it left running */
	b->pid = 0;
	b->status = status;
	drain(b);
	loop_remove(b->on_child);
	b->on_child = NULL;
	loop_stop(b->loop, 0);
}

static void on_tick(void *data)
{
	struct build *b = data;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (b->progress)
		b->progress(b->data, b->log.objects, b->total,
			    (double)(now.tv_sec - b->start.tv_sec) +
				    (double)(now.tv_nsec - b->start.tv_nsec) / 1e9);
	loop_timer_set(b->on_tick, TICK_MS);
}

static void on_silence(void *data)
{
	struct build *b = data;

	b->silent = true;
	loop_stop(b->loop, 0);
}

static int follow(struct build *b, struct error *err)
{
	int r;

	clock_gettime(CLOCK_MONOTONIC, &b->start);
	b->on_out = loop_add_fd(b->loop, b->out_fd, out_ready, b);
	b->on_child = loop_add_child(b->loop, b->pid, child_ended, b);
	b->on_tick = loop_add_timer(b->loop, TICK_MS, on_tick, b);
	b->on_silence = loop_add_timer(b->loop, SILENCE_MS, on_silence, b);
	r = loop_run(b->loop);
	loop_remove(b->on_out);
	loop_remove(b->on_child);
	loop_remove(b->on_tick);
	loop_remove(b->on_silence);
	child_kill(b->pid);
	if (r == -ECANCELED)
		return error_set(err, ECANCELED, "interrupted");
	if (r == 0 && b->silent)
		return error_blame(err, ERROR_KERNEL, ETIMEDOUT,
				   "make has said nothing for half an hour: ended");
	return r;
}

static int start(const struct kbuild *kb, const struct strv *argv, struct build *b,
		 struct error *err)
{
	_cleanup_close_ int end = -1;
	int fds[2];

	b->log_fd = open(kb->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (b->log_fd < 0)
		return error_set(err, errno, "cannot write %s: %s", kb->log, strerror(errno));
	if (pipe2(fds, O_CLOEXEC) < 0)
		return error_set(err, errno, "cannot make a pipe: %s", strerror(errno));
	b->out_fd = fds[0];
	end = fds[1];
	fcntl(b->out_fd, F_SETFL, O_NONBLOCK);
	b->pid = child_start_group(argv->v,
				   (struct child_fd[]){ { end, STDOUT_FILENO }, { end, STDERR_FILENO } },
				   2, err);
	return b->pid < 0 ? b->pid : 0;
}

/* What make would compile, once it has prepared; 0 if it does not say. */
static uint64_t count_objects(const struct kbuild *kb, const struct strv *targets)
{
	_cleanup_strv_ struct strv argv = { 0 };
	struct child_result result;
	uint64_t n = 0;

	build_argv(kb, "-n", targets, &argv);
	if (child_run(argv.v, CONFIG_DEADLINE_MS, &result, NULL) == 0)
		n = buildlog_count_planned(str_text(&result.out));
	child_result_finish(&result);
	return n;
}

static int put_config(const struct kbuild *kb, const char *resolved, struct error *err)
{
	_cleanup_free_ char *path = path_join(kb->out, ".config"), *old = NULL;

	/* A newer file of the same content would be worth a round of configuring to make. */
	if (file_read(path, &old, NULL, NULL) == 0 && strcmp(old, resolved) == 0)
		return 0;
	return file_write(path, resolved, strlen(resolved), err);
}

/* The configuration that make ended up with must be the one it was given. */
static int check_config(const struct kbuild *kb, const char *resolved, struct error *err)
{
	_cleanup_free_ char *path = path_join(kb->out, ".config"), *now = NULL;
	int r = file_read(path, &now, NULL, err);

	if (r < 0 || strcmp(now, resolved) == 0)
		return r;
	return error_set(err, EIO, "the build changed its configuration in %s", path);
}

int kbuild_make(const struct kbuild *kb, const char *resolved, const struct strv *targets,
		kbuild_progress progress, void *data, uint64_t *ret_objects, struct error *err)
{
	_cleanup_strv_ struct strv preparation = { 0 }, prepare = { 0 }, argv = { 0 };
	_cleanup_loop_ struct loop *loop = NULL;
	struct build b = { .out_fd = -1, .log_fd = -1, .progress = progress, .data = data };
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	_cleanup_free_ char *jobs = xasprintf("-j%ld", cores > 0 ? cores : 1);
	int r = put_config(kb, resolved, err);

	strv_add(&preparation, "prepare");
	build_argv(kb, jobs, &preparation, &prepare);
	if (r == 0)
		r = run_make(kb, &prepare, "make prepare", err);
	if (r == 0)
		r = loop_new(&loop, err);
	if (r < 0)
		return r;
	b.loop = loop;
	b.total = count_objects(kb, targets);
	build_argv(kb, jobs, targets, &argv);
	r = start(kb, &argv, &b, err);
	if (r == 0)
		r = follow(&b, err);
	/* Ctrl-C goes to make as well, and it may be first. */
	if (r == 0 && child_was_interrupted(b.status))
		r = error_set(err, ECANCELED, "interrupted");
	if (r == 0 && !child_is_success(b.status)) {
		r = b.log_error == ENOSPC ?
			    error_set(err, ENOSPC, "the disk is full: make room in %s", kb->out) :
			    buildlog_failed(&b.log, err);
		error_context(err, r, "the kernel does not build (all of it: %s)", kb->log);
	}
	if (r == 0)
		r = check_config(kb, resolved, err);
	if (r == 0)
		*ret_objects = b.log.objects;
	buildlog_finish(&b.log);
	if (b.out_fd >= 0)
		close(b.out_fd);
	if (b.log_fd >= 0)
		close(b.log_fd);
	return r;
}
