/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/count.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "engine/cmdline.h"
#include "engine/harvest.h"
#include "engine/inlinecache.h"
#include "engine/liveness.h"
#include "engine/qemu.h"
#include "engine/stream.h"
#include "engine/symcache.h"
#include "guest/mailbox.h"
#include "sys/child.h"

#define CONSOLE_MAX_BYTES 65536
#define DEFAULT_PATIENCE_S 60

/* Descriptors in QEMU. */
enum { FD_RAM = 3, FD_INITRD, FD_STREAM, FD_CONSOLE };

struct count_engine {
	struct engine engine;
	struct qemu qemu;
	const struct machine *machine;
	const struct plan *plan;
	uint64_t budget_ms, patience_s;
	const char *as_long_as;
	bool no_plugin, has_nulls;
	unsigned ram_mib;
	int initrd_fd[2]; /* one that asks for no symbols, one that does */
};

struct boot {
	struct count_engine *engine;
	const struct boot_request *request;
	boot_done_fn done;
	void *data;
	struct loop *loop;
	pid_t pid;
	int ram_fd, stream_fd, console_fd, stderr_fd;
	struct loop_source *on_stream, *on_console, *on_stderr, *on_child, *on_look;
	struct stream stream;
	struct str console, messages; /* the guest's, QEMU's */
	struct error error;           /* of the stream */
	struct timespec start;
	struct liveness_state liveness;
	enum liveness ended_for; /* not LIVENESS_GOOD: ktoll ended it */
	bool asked_symbols;
	char *command;
	uint64_t booted_ms;
};

static uint64_t since_ms(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)((now.tv_sec - start->tv_sec) * 1000 +
			  (now.tv_nsec - start->tv_nsec) / 1000000);
}

/* ---- starting ---- */

static int count_prepare(struct engine *e, struct variant *variants, size_t n, struct error *err)
{
	const struct count_engine *c = (const struct count_engine *)e;
	const struct cmdline_change change = { .as_long_as = c->as_long_as,
					       .added = c->has_nulls ? CMDLINE_FIRST_BOOT : NULL };

	return cmdline_prepare(c->machine, &change, variants, n, err);
}

static bool has_cx16(const struct count_engine *e)
{
	return strcmp(e->machine->arch, "x86_64") == 0;
}

static void qemu_argv(const struct boot *b, struct strv *argv)
{
	const struct count_engine *e = b->engine;
	const struct variant *v = b->request->variant;
	_cleanup_free_ char *cmdline = cmdline_of_boot(v->cmdline, b->request->null_boot);

	strv_add(argv, e->qemu.path);
	strv_add_all(argv, &e->qemu.args);
	qemu_add_sandbox(&e->qemu, argv);
	strv_add(argv, "-M");
	strv_addf(argv, "%s,memory-backend=ram", e->machine->type);
	strv_add(argv, "-object");
	strv_addf(argv, "memory-backend-file,id=ram,size=%uM,mem-path=/proc/self/fd/%d,share=on",
		  e->ram_mib, FD_RAM);
	strv_add(argv, "-m");
	strv_addf(argv, "%uM", e->ram_mib);
	strv_add(argv, "-accel");
	strv_add(argv, "tcg,thread=single");
	strv_add(argv, "-icount");
	strv_add(argv, "shift=0,sleep=off");
	strv_add(argv, "-smp");
	strv_add(argv, "1");
	strv_add(argv, "-cpu");
	strv_addf(argv, "%s%s", v->cpu ? v->cpu : e->machine->cpu,
		  has_cx16(e) && e->qemu.cx16 != QEMU_FAULT_ABSENT ? ",cx16=off" : "");
	strv_add(argv, "-rtc");
	strv_add(argv, "base=2024-01-01T00:00:00,clock=vm");
	strv_add(argv, "-seed");
	strv_addf(argv, "%u", (unsigned)e->plan->seed);
	strv_add(argv, "-nodefaults");
	strv_add(argv, "-no-user-config");
	strv_add(argv, "-display");
	strv_add(argv, "none");
	strv_add(argv, "-no-reboot");
	strv_add(argv, "-chardev");
	strv_addf(argv, "file,id=console,path=/proc/self/fd/%d", FD_CONSOLE);
	strv_add(argv, "-serial");
	strv_add(argv, "chardev:console");
	strv_add(argv, "-kernel");
	strv_add(argv, v->kernel.image_path);
	strv_add(argv, "-initrd");
	strv_addf(argv, "/proc/self/fd/%d", FD_INITRD);
	strv_add(argv, "-append");
	strv_add(argv, cmdline);
	if (!e->no_plugin) {
		_cleanup_free_ char *plugin = qemu_option_value(e->qemu.plugin);

		strv_add(argv, "-plugin");
		strv_addf(argv, "file=%s,fd=%d", plugin, FD_STREAM);
	}
}

static void boot_free(struct boot *b)
{
	struct loop_source *sources[] = { b->on_stream, b->on_console, b->on_stderr, b->on_child,
					  b->on_look };
	int fds[] = { b->ram_fd, b->stream_fd, b->console_fd, b->stderr_fd };

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		loop_remove(sources[i]);
	child_kill(b->pid);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	stream_finish(&b->stream);
	str_finish(&b->console);
	str_finish(&b->messages);
	error_finish(&b->error);
	free(b->command);
	free(b);
}
DEFINE_CLEANUP(struct boot *, boot_free)

/* Reads what there is; false at the end of the pipe. */
static bool drain(int fd, struct str *to)
{
	char buf[65536];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		str_add_bytes(to, buf, (size_t)n);
	return n < 0 && errno == EAGAIN;
}

static void drain_stream(struct boot *b)
{
	struct str bytes = STR_INIT;

	if (b->stream_fd < 0)
		return;
	if (!drain(b->stream_fd, &bytes)) {
		loop_remove(b->on_stream);
		b->on_stream = NULL;
	}
	if (bytes.len && !b->error.text) {
		int r = stream_feed(&b->stream, bytes.s, bytes.len, &b->error);

		/* Nothing can be read from it any more: the boot has no result. */
		if (r < 0)
			kill(-b->pid, SIGKILL);
	}
	if (b->stream.n_regions && !b->booted_ms)
		b->booted_ms = since_ms(&b->start);
	if (bytes.len)
		liveness_reported(&b->liveness);
	str_finish(&bytes);
}

static void drain_console(struct boot *b)
{
	if (!drain(b->console_fd, &b->console)) {
		loop_remove(b->on_console);
		b->on_console = NULL;
	}
	/* Twice the size is kept, so that cutting is rare. */
	if (b->console.len > 2 * CONSOLE_MAX_BYTES) {
		memmove(b->console.s, b->console.s + b->console.len - CONSOLE_MAX_BYTES,
			CONSOLE_MAX_BYTES + 1);
		b->console.len = CONSOLE_MAX_BYTES;
	}
}

static void drain_stderr(struct boot *b)
{
	if (!drain(b->stderr_fd, &b->messages)) {
		loop_remove(b->on_stderr);
		b->on_stderr = NULL;
	}
	if (b->messages.len > CONSOLE_MAX_BYTES)
		b->messages.len = CONSOLE_MAX_BYTES;
}

static void stream_ready(void *data, int fd)
{
	(void)fd;
	drain_stream(data);
}

static void console_ready(void *data, int fd)
{
	(void)fd;
	drain_console(data);
}

static void stderr_ready(void *data, int fd)
{
	(void)fd;
	drain_stderr(data);
}

static void look(void *data)
{
	const struct count_engine *e = ((struct boot *)data)->engine;
	struct boot *b = data;
	struct proctime now;

	loop_timer_set(b->on_look, LIVENESS_EVERY_MS);
	if (proctime_get(b->pid, &now) < 0)
		return;
	b->ended_for = liveness_look(&b->liveness, &now, e->budget_ms, e->patience_s * 1000 / LIVENESS_EVERY_MS);
	if (b->ended_for != LIVENESS_GOOD)
		kill(-b->pid, SIGKILL);
}

/* ---- what came of it ---- */

/* The console without carriage returns and what a terminal would act on, owned by the caller. */
static char *console_text(const struct boot *b)
{
	char *text = xstrndup(str_text(&b->console), b->console.len), *to = text;

	for (const char *c = text;; c++) {
		if (*c != '\r')
			*to++ = *c;
		if (!*c)
			break;
	}
	str_make_printable(text);
	return text;
}

/* What QEMU itself said, in one line, owned by the caller. */
static char *qemu_messages(const struct boot *b)
{
	char *text = xstrndup(str_text(&b->messages), b->messages.len);
	size_t n = strlen(text);

	while (n && text[n - 1] == '\n')
		text[--n] = 0;
	str_make_printable(text);
	return text;
}

/*
 * What the host did to a boot, in a sentence that the caller owns; NULL if it did nothing. A signal that QEMU does not
 * send itself was somebody else's, or the kernel's for want of memory.
 */
static char *lost_of(const struct boot *b, int status)
{
	static const char again[] = "the same command measures this boot again";
	static const int outside[] = { SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU };

	if (b->ended_for == LIVENESS_STARVED)
		return xasprintf("QEMU got no processor time for %llu s; %s (-j: fewer boots at a time)",
				 (unsigned long long)b->engine->patience_s, again);
	if (b->ended_for != LIVENESS_GOOD || b->error.text || !WIFSIGNALED(status))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(outside); i++)
		if (WTERMSIG(status) == outside[i])
			return xasprintf("QEMU was ended from outside, by signal %d%s; %s", outside[i],
					 outside[i] == SIGKILL ? " (for want of memory?)" : "", again);
	return NULL;
}

/* Why a machine ended that was not told to, in a sentence; owned by the caller. */
static char *trouble_of(const struct boot *b, int status)
{
	_cleanup_free_ char *messages = qemu_messages(b);

	if (b->ended_for == LIVENESS_SILENT)
		return xasprintf("it executed for %llu s of QEMU's processor time without a report: ended (--timeout)",
				 (unsigned long long)b->engine->budget_ms / 1000);
	if (b->ended_for == LIVENESS_ASLEEP)
		return xstrdup("it sleeps for good: no timer and no interrupt is due that would wake it, and nothing was reported");
	if (b->error.text)
		return xstrdup(b->error.text);
	if (memmem(str_text(&b->console), b->console.len, "Kernel panic", 12))
		return xstrdup("the kernel panicked");
	if (WIFSIGNALED(status))
		return xasprintf("QEMU was ended by signal %d: %s", WTERMSIG(status), messages);
	if (!child_is_success(status))
		return xasprintf("QEMU ended with status %d: %s", WEXITSTATUS(status), messages);
	return xstrdup("the machine was reset before the agent had reported everything");
}

/* Variables that rules name: a kernel without KALLSYMS_ALL does not tell of them, its ELF file does. */
static void add_variables(const char *vmlinux, struct str *text)
{
	static const char *const wanted[] = { "__preempt_count", "pcpu_hot" };

	for (size_t i = 0; vmlinux && text->len && i < ARRAY_SIZE(wanted); i++) {
		_cleanup_free_ char *there = xasprintf(" %s\n", wanted[i]);
		uint64_t addr;

		if (!strstr(str_text(text), there) && elf_find_symbol(vmlinux, wanted[i], &addr) == 0)
			str_addf(text, "%016llx %s\n", (unsigned long long)addr, wanted[i]);
	}
}

/* What the compiler put where, of the code that was executed. Without debug information: nothing. */
static void get_inlines(const char *build_id, struct outcome *o)
{
	struct inlines all = { 0 };

	if (build_id && inlinecache_get(build_id, &all) == 0)
		inlines_of_code(&all, &o->code, &o->inlines);
	inlines_finish(&all);
}

/*
 * The symbols of this boot's kernel, from the guest or from the cache. They are kept if the guest sent all of them, and under the
 * build id that the host read from the image: what a guest says of itself is no name for what others will use.
 */
static int get_symbols(struct boot *b, struct outcome *o, struct mailbox *m, struct symbols *ret,
		       struct error *err)
{
	const char *build_id = b->request->variant->kernel.build_id;
	struct str text = STR_INIT;
	int r = 0;

	if (m->symbols.len) {
		text = m->symbols;
		m->symbols = STR_INIT;
		if (build_id && m->ended && !m->damaged && !m->beyond && str_equal(build_id, facts_get(&o->guest, "build_id")))
			r = symcache_put(build_id, text.s, text.len, err);
	} else if (build_id) {
		symcache_get(build_id, &text);
	}
	add_variables(b->request->variant->kernel.vmlinux_path, &text);
	symbols_parse(str_text(&text), text.len, ret);
	o->symbols_bytes = text.len;
	o->symbols = text.len ? str_take(&text) : NULL;
	str_finish(&text);
	return r;
}

/* Whose the samples are, and the failures. */
static void name_boot(struct outcome *o, unsigned null_boot)
{
	for (size_t i = 0; i < o->n_samples; i++)
		o->samples[i].null_boot = null_boot;
	for (size_t i = 0; null_boot && i < o->n_failures; i++) {
		char *message = xasprintf("null boot %u: %s", null_boot, o->failures[i].message);

		free(o->failures[i].message);
		o->failures[i].message = message;
	}
}

/* The exit of QEMU: gather, check, call back. */
static void child_ended(void *data, int status)
{
	struct boot *b = data;
	boot_done_fn done = b->done;
	void *done_data = b->data;
	_cleanup_error_ struct error err = ERROR_INIT;
	_cleanup_free_ char *trouble = NULL, *lost = NULL;
	struct symbols symbols = { 0 };
	struct mailbox m = { 0 };
	struct outcome o = { .done = true };
	int r;

	b->pid = 0;
	loop_remove(b->on_child);
	b->on_child = NULL;
	drain_stream(b);
	drain_console(b);
	drain_stderr(b);
	o.wall_ms = since_ms(&b->start);
	o.booted_ms = b->booted_ms;
	o.command = TAKE_PTR(b->command);
	o.console = console_text(b);
	r = mailbox_read(b->ram_fd, b->engine->plan->nonce, &m, &err);
	o.guest = m.info;
	m.info = (struct facts){ 0 };
	lost = lost_of(b, status);
	if (r == 0 && !lost && !b->engine->no_plugin && !b->stream.has_header && b->ended_for == LIVENESS_GOOD) {
		_cleanup_free_ char *messages = qemu_messages(b);

		/* QEMU gave up before the guest began: nothing that a kernel could be blamed for. */
		r = error_set(&err, EIO, "QEMU does not start: %s", messages);
	}
	if (r == 0)
		r = get_symbols(b, &o, &m, &symbols, &err);
	if (!m.ended || !b->stream.quit)
		trouble = trouble_of(b, status);
	if (lost) {
		o.done = false;
		outcome_add_failure(&o, NULL, FAILURE_LOST, lost, NULL);
	} else if (r == 0 && !b->engine->no_plugin) {
		harvest_samples(&(struct harvest){ b->engine->machine, b->engine->plan, b->request->variant,
						   &b->stream, &m, o.console, trouble,
						   b->error.text ? b->error.text : m.beyond },
				&symbols, &o);
	}
	name_boot(&o, b->request->null_boot);
	get_inlines(b->request->variant->kernel.build_id, &o);
	symbols_finish(&symbols);
	mailbox_finish(&m);
	boot_free(b);
	done(done_data, &o, r, &err);
}

static int open_pipe(int fds[2], struct error *err)
{
	if (pipe2(fds, O_CLOEXEC) < 0)
		return error_set(err, errno, "cannot make a pipe: %s", strerror(errno));
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	return 0;
}

static int start_qemu(struct boot *b, struct error *err)
{
	_cleanup_close_ int stream = -1, console = -1, messages = -1;
	_cleanup_strv_ struct strv argv = { 0 };
	int fds[2], r;

	r = open_pipe(fds, err);
	if (r < 0)
		return r;
	b->stream_fd = fds[0];
	stream = fds[1];
	r = open_pipe(fds, err);
	if (r < 0)
		return r;
	b->console_fd = fds[0];
	console = fds[1];
	r = open_pipe(fds, err);
	if (r < 0)
		return r;
	b->stderr_fd = fds[0];
	messages = fds[1];
	qemu_argv(b, &argv);
	b->command = qemu_shown_command(&argv);
	b->pid = child_start(argv.v,
			     (struct child_fd[]){ { messages, STDERR_FILENO },
						  { b->ram_fd, FD_RAM },
						  { b->engine->initrd_fd[b->asked_symbols], FD_INITRD },
						  { stream, FD_STREAM },
						  { console, FD_CONSOLE } },
			     5, err);
	return b->pid < 0 ? b->pid : 0;
}

/* For the first boot that wants it: with a root it has up to hundreds of MiB, and most runs need one of the two. */
static int make_initrd(struct count_engine *e, bool want_symbols, struct error *err)
{
	size_t n_bytes;
	int r = initramfs_make(e->machine->arch, e->plan, want_symbols, &n_bytes, err);

	if (r < 0)
		return r;
	if (e->plan->root)
		e->ram_mib = machine_ram_mib(n_bytes);
	e->initrd_fd[want_symbols] = r;
	return 0;
}

static int count_start(struct engine *base, struct loop *loop, const struct boot_request *request,
		       boot_done_fn done, void *data, struct boot **ret, struct error *err)
{
	_cleanup_(boot_freep) struct boot *b = xcalloc(1, sizeof(*b));
	const char *build_id = request->variant->kernel.build_id;
	int r;

	b->engine = (struct count_engine *)base;
	b->request = request;
	b->done = done;
	b->data = data;
	b->loop = loop;
	b->asked_symbols = !build_id || !symcache_has(build_id);
	b->ram_fd = b->stream_fd = b->console_fd = b->stderr_fd = -1;
	if (b->engine->initrd_fd[b->asked_symbols] < 0) {
		r = make_initrd(b->engine, b->asked_symbols, err);
		if (r < 0)
			return r;
	}
	b->ram_fd = memfd_create("guest-ram", MFD_CLOEXEC);
	clock_gettime(CLOCK_MONOTONIC, &b->start);
	if (b->ram_fd < 0 || ftruncate(b->ram_fd, (off_t)b->engine->ram_mib << 20) < 0)
		return error_set(err, errno, "no memory for a guest: %s", strerror(errno));
	r = start_qemu(b, err);
	if (r < 0)
		return r;
	b->on_stream = loop_add_fd(loop, b->stream_fd, stream_ready, b);
	b->on_console = loop_add_fd(loop, b->console_fd, console_ready, b);
	b->on_stderr = loop_add_fd(loop, b->stderr_fd, stderr_ready, b);
	b->on_child = loop_add_child(loop, b->pid, child_ended, b);
	b->on_look = loop_add_timer(loop, LIVENESS_EVERY_MS, look, b);
	*ret = TAKE_PTR(b);
	return 0;
}

static double count_progress(const struct boot *b)
{
	/* Booting and settling is about three quarters of a boot, and takes some 10 s of processor time. */
	double booting = (double)b->liveness.cpu_ms / 13000, cells;
	const struct plan *plan = b->engine->plan;
	uint64_t regions = 0;

	if (!b->stream.n_regions)
		return booting < 0.7 ? booting : 0.7;
	/* A region more per workload: the one that warms up. */
	for (size_t i = 0; i < plan->n_items; i++)
		regions += plan->items[i].replicates * plan_item_sizes(&plan->items[i]) + 1;
	cells = (double)b->stream.n_regions / (double)regions;
	return 0.75 + 0.25 * (cells < 1 ? cells : 1);
}

static void count_free(struct engine *base)
{
	struct count_engine *e = (struct count_engine *)base;

	qemu_finish(&e->qemu);
	for (size_t i = 0; i < ARRAY_SIZE(e->initrd_fd); i++)
		if (e->initrd_fd[i] >= 0)
			close(e->initrd_fd[i]);
	facts_finish(&e->engine.facts);
	free(e);
}

static const struct engine_ops count_ops = {
	.name = "count",
	.prepare = count_prepare,
	.start = count_start,
	.progress = count_progress,
	.cancel = boot_free,
	.free = count_free,
};

int count_new(const struct count_options *options, struct engine **ret, struct error *err)
{
	_cleanup_free_ char *api = NULL, *sandbox = NULL;
	struct count_engine *e = xcalloc(1, sizeof(*e));
	_cleanup_engine_ struct engine *owner = &e->engine;
	int r;

	e->engine.ops = &count_ops;
	e->plan = options->plan;
	e->ram_mib = machine_ram_mib(0);
	e->budget_ms = options->budget_ms;
	e->patience_s = options->patience_s ? options->patience_s : DEFAULT_PATIENCE_S;
	e->as_long_as = options->as_long_as;
	e->no_plugin = options->no_plugin;
	e->has_nulls = options->has_nulls;
	e->initrd_fd[false] = e->initrd_fd[true] = -1;
	e->machine = options->machine;
	r = qemu_probe(e->machine, &e->qemu, err);
	if (r < 0)
		return r;
	api = xasprintf("%u", e->qemu.api);
	facts_add(&e->engine.facts, "machine", e->machine->type);
	facts_add(&e->engine.facts, "cpu_model", e->machine->cpu);
	facts_add(&e->engine.facts, "qemu_version", e->qemu.version);
	facts_add(&e->engine.facts, "qemu_path", e->qemu.path);
	facts_add(&e->engine.facts, "plugin_api", api);
	sandbox = qemu_shown_sandbox(&e->qemu);
	facts_add(&e->engine.facts, "sandbox", sandbox);
	if (has_cx16(e))
		facts_add(&e->engine.facts, "cx16",
			  e->qemu.cx16 == QEMU_FAULT_ABSENT  ? "sound" :
			  e->qemu.cx16 == QEMU_FAULT_PRESENT ? "faulty: cx16=off" :
							       "not known: cx16=off");
	*ret = owner;
	owner = NULL;
	return 0;
}
