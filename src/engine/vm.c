/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/vm.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "engine/cmdline.h"
#include "engine/qemu.h"
#include "explain/clocking.h"
#include "guest/mailbox.h"
#include "model/arch.h"
#include "sys/child.h"
#include "sys/qmp.h"
#include "wire/wire.h"

/* Descriptors in QEMU. */
enum { FD_RAM = 3, FD_INITRD, FD_CONSOLE, FD_QMP };
#define QMP_MS 20000
#define CONSOLE_MAX_BYTES 65536

struct guest {
	pid_t pid;
	int ram_fd;
	struct dialog *console, *qmp;
	struct str lines; /* of the kernel */
	char *command;
};

struct vm {
	struct vm_options options;
	struct variant *variants;
	struct qemu qemu;
	bool has_kvm;
	int initrd_fd;
	unsigned ram_mib;
	struct guest *guests;
};

/* ---- one machine ---- */

static void guest_end(struct guest *g)
{
	dialog_free(g->console);
	dialog_free(g->qmp);
	child_kill(g->pid);
	if (g->ram_fd >= 0)
		close(g->ram_fd);
	str_finish(&g->lines);
	free(g->command);
	*g = (struct guest){ .ram_fd = -1 };
}

static void qemu_argv(const struct vm *v, const struct variant *variant, struct strv *argv)
{
	const struct machine *m = v->options.machine;

	strv_add(argv, v->qemu.path);
	strv_add_all(argv, &v->qemu.args);
	qemu_add_sandbox(&v->qemu, argv);
	strv_add(argv, "-M");
	strv_addf(argv, "%s,memory-backend=ram", m->type);
	strv_add(argv, "-object");
	strv_addf(argv, "memory-backend-file,id=ram,size=%uM,mem-path=/proc/self/fd/%d,share=on", v->ram_mib, FD_RAM);
	strv_add(argv, "-m");
	strv_addf(argv, "%uM", v->ram_mib);
	strv_add(argv, "-accel");
	strv_add(argv, v->has_kvm ? "kvm" : "tcg,thread=single");
	strv_add(argv, "-smp");
	strv_add(argv, "1");
	strv_add(argv, "-cpu");
	strv_add(argv, variant->cpu ? variant->cpu : v->has_kvm ? "host" : m->cpu);
	strv_add(argv, "-nodefaults");
	strv_add(argv, "-no-user-config");
	strv_add(argv, "-display");
	strv_add(argv, "none");
	strv_add(argv, "-no-reboot");
	strv_add(argv, "-chardev");
	strv_addf(argv, "socket,id=console,fd=%d", FD_CONSOLE);
	strv_add(argv, "-serial");
	strv_add(argv, "chardev:console");
	strv_add(argv, "-chardev");
	strv_addf(argv, "socket,id=qmp,fd=%d", FD_QMP);
	strv_add(argv, "-mon");
	strv_add(argv, "chardev=qmp,mode=control");
	strv_add(argv, "-kernel");
	strv_add(argv, variant->kernel.image_path);
	strv_add(argv, "-initrd");
	strv_addf(argv, "/proc/self/fd/%d", FD_INITRD);
	strv_add(argv, "-append");
	strv_add(argv, variant->cmdline);
}

/* The last processor that we may use: the first ones have most of the interrupts. */
static void pin_last(cpu_set_t *old)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	sched_getaffinity(0, sizeof(*old), old);
	for (int i = CPU_SETSIZE - 1; i >= 0 && !CPU_COUNT(&one); i--)
		if (CPU_ISSET(i, old))
			CPU_SET(i, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static int start(struct vm *v, size_t i, struct error *err)
{
	struct guest *g = &v->guests[i];
	_cleanup_strv_ struct strv argv = { 0 };
	int console[2], qmp[2], r;
	cpu_set_t old;

	g->ram_fd = memfd_create("guest-ram", MFD_CLOEXEC);
	if (g->ram_fd < 0 || ftruncate(g->ram_fd, (off_t)v->ram_mib << 20) < 0)
		return error_set(err, errno, "no memory for a guest: %s", strerror(errno));
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, console) < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, qmp) < 0)
		return error_set(err, errno, "cannot make a socket: %s", strerror(errno));
	qemu_argv(v, &v->variants[i], &argv);
	g->command = qemu_shown_command(&argv);
	pin_last(&old);
	g->pid = child_start(argv.v,
			     (struct child_fd[]){ { STDERR_FILENO, STDERR_FILENO },
						  { g->ram_fd, FD_RAM },
						  { v->initrd_fd, FD_INITRD },
						  { console[1], FD_CONSOLE },
						  { qmp[1], FD_QMP } },
			     5, err);
	sched_setaffinity(0, sizeof(old), &old);
	close(console[1]);
	close(qmp[1]);
	r = dialog_new(console[0], console[0], &g->console, err);
	if (r == 0)
		r = dialog_new(qmp[0], qmp[0], &g->qmp, err);
	if (g->pid < 0)
		return g->pid;
	return r < 0 ? r : qmp_begin(g->qmp, QMP_MS, err);
}

/* ---- whose turn it is ---- */

static int enter(void *data, size_t variant, struct error *err)
{
	return qmp_command(((struct vm *)data)->guests[variant].qmp, "cont", QMP_MS, err);
}

static int leave(void *data, size_t variant, struct error *err)
{
	return qmp_command(((struct vm *)data)->guests[variant].qmp, "stop", QMP_MS, err);
}

static struct dialog *dialog_of(void *data, size_t variant)
{
	return ((struct vm *)data)->guests[variant].console;
}

static void on_line(void *data, size_t variant, const char *line)
{
	struct str *s = &((struct vm *)data)->guests[variant].lines;

	if (s->len < CONSOLE_MAX_BYTES)
		str_addf(s, "%s\n", line);
}

/* ---- a boot of all ---- */

static int boot_one(struct vm *v, const struct blocks_place *place, size_t i, struct outcome *o, struct error *err)
{
	struct mailbox m = { 0 };
	int r = start(v, i, err);

	if (r == 0)
		r = blocks_greeting(place, i, v->options.timeout_ms, err);
	if (r == 0)
		r = leave(v, i, err);
	if (r == 0)
		r = mailbox_read(v->guests[i].ram_fd, v->options.blocks.plan->nonce, &m, err);
	o->guest = m.info;
	m.info = (struct facts){ 0 };
	mailbox_finish(&m);
	return r;
}

/* Nobody's fault but the guest's, or QEMU's: the boot has failed, the run has not. */
static bool is_of_guest(int r)
{
	return r == -EPIPE || r == -ETIMEDOUT || r == -EPROTO || r == -EBADMSG;
}

static const char *why(const struct guest *g, const struct error *err)
{
	if (g->lines.len && strstr(g->lines.s, "Kernel panic"))
		return "the kernel panicked";
	return error_text(err);
}

static void take_outcome(struct vm *v, size_t i, struct outcome *o)
{
	struct guest *g = &v->guests[i];

	o->done = true;
	o->command = TAKE_PTR(g->command);
	o->console = str_take(&g->lines);
	if (o->console)
		str_make_printable(o->console);
}

int vm_run(struct vm *v, struct sitting *s, struct outcome *outcomes, bool *ret_failed, struct error *err)
{
	const struct blocks_place place = { enter, leave, dialog_of, on_line, v, false };
	size_t n = v->options.blocks.n_variants, at = 0;
	int r = 0;

	*ret_failed = false;
	for (; r == 0 && at < n; at++)
		r = boot_one(v, &place, at, &outcomes[at], err);
	if (r < 0)
		at--;
	else
		r = blocks_run(&place, &v->options.blocks, s, &at, err);
	if (is_of_guest(r)) {
		_cleanup_free_ char *tail = xstrdup(str_text(&v->guests[at].lines));

		str_make_printable(tail);
		outcome_add_failure(&outcomes[at], NULL, "boot", why(&v->guests[at], err), tail);
		*ret_failed = true;
		r = 0;
	}
	for (size_t i = 0; i < n; i++) {
		take_outcome(v, i, &outcomes[i]);
		guest_end(&v->guests[i]);
	}
	return r;
}

/* ---- all ---- */

void vm_free(struct vm *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->options.blocks.n_variants; i++)
		guest_end(&v->guests[i]);
	free(v->guests);
	if (v->initrd_fd >= 0)
		close(v->initrd_fd);
	qemu_finish(&v->qemu);
	free(v);
}

static int make_initrd(struct vm *v, struct error *err)
{
	const struct plan *plan = v->options.blocks.plan;
	size_t n_bytes;
	int r = initramfs_make(v->options.machine->arch, plan, false, &n_bytes, err);

	if (r < 0)
		return r;
	v->ram_mib = machine_ram_mib(plan->root ? n_bytes : 0);
	v->initrd_fd = r;
	return 0;
}

int vm_new(const struct vm_options *options, struct variant *variants, struct facts *facts, struct vm **ret,
	   struct error *err)
{
	/* Each boot lays the kernel out anew, so that the layout is among what varies between them. */
	static const char *const left_out[] = { "nokaslr", "norandmaps", NULL };
	const struct cmdline_change change = { .left_out = left_out, .added = WIRE_PARAM_SERVE };
	_cleanup_vm_ struct vm *v = xcalloc(1, sizeof(*v));
	_cleanup_free_ char *sandbox = NULL, *obstacle = NULL;
	int r;

	v->options = *options;
	v->variants = variants;
	v->initrd_fd = -1;
	v->guests = xcalloc(options->blocks.n_variants, sizeof(*v->guests));
	for (size_t i = 0; i < options->blocks.n_variants; i++)
		v->guests[i].ram_fd = -1;
	r = qemu_probe(options->machine, &v->qemu, err);
	if (r == 0)
		r = cmdline_prepare(options->machine, &change, variants, options->blocks.n_variants, err);
	if (r == 0)
		r = make_initrd(v, err);
	if (r == 0)
		r = qemu_kvm_obstacle(options->machine, &v->qemu, &obstacle, err);
	if (r < 0)
		return r;
	v->has_kvm = !obstacle;
	facts_add(facts, "machine", options->machine->type);
	facts_add(facts, "cpu_model", v->has_kvm ? "host" : options->machine->cpu);
	facts_add(facts, "qemu_version", v->qemu.version);
	facts_add(facts, "qemu_path", v->qemu.path);
	sandbox = qemu_shown_sandbox(&v->qemu);
	facts_add(facts, "sandbox", sandbox);
	facts_add(facts, CLOCKING_ACCEL, v->has_kvm ? "kvm" : "tcg");
	if (obstacle)
		facts_add(facts, "no_kvm", obstacle);
	*ret = TAKE_PTR(v);
	return 0;
}
