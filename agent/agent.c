/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program in the guest: init, and the runner of the plan. It mounts what
 * the operations need, waits until the kernel has come to rest, runs every
 * operation between markers, reports, and ends the machine. Static and small;
 * it needs no other file but the plan and /exit.
 *
 * Run anywhere else with the argument `list` it prints the table of operations
 * as C initialisers, from which the host's table is made at build time; with
 * `serve` it runs blocks of workloads on the machine that it is on.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "arch.h"
#include "operation.h"
#include "mailer.h"
#include "program.h"
#include "serve.h"
#include "wire/wire.h"

/* syslog(2) */
#define SYSLOG_ACTION_READ_ALL 3

#define NS_PER_S 1000000000ull

static uint64_t read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* The file's start, with a NUL: its length, or -1. */
static ssize_t slurp(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 0, r;

	if (fd < 0)
		return -1;
	while ((size_t)n < size - 1 && (r = read(fd, buf + n, size - 1 - (size_t)n)) > 0)
		n += r;
	close(fd);
	buf[n] = 0;
	return n;
}

static void report_number(const char *key, uint64_t value)
{
	char buf[32];

	snprintf(buf, sizeof(buf), "%llu", (unsigned long long)value);
	report_pair(WIRE_REPORT_INFO, key, buf);
}

/* A file's content without the newline at its end; nothing where there is no such file. */
static void report_file(const char *key, const char *path)
{
	char buf[4096];
	ssize_t n = slurp(path, buf, sizeof(buf));

	if (n < 0)
		return;
	if (n && buf[n - 1] == '\n')
		buf[n - 1] = 0;
	report_pair(WIRE_REPORT_INFO, key, buf);
}

/* ---- getting ready ---- */

static void mount_all(void)
{
	static const struct {
		const char *type, *at;
	} mounts[] = {
		{ "proc", "/proc" },     { "sysfs", "/sys" }, { "devtmpfs", "/dev" },
		{ "debugfs", "/sys/kernel/debug" },
	};

	/* A kernel can lack some of them; what then fails is the operation that needs it. */
	for (unsigned i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		mkdir(mounts[i].at, 0755);
		mount(mounts[i].type, mounts[i].at, mounts[i].type, 0, NULL);
	}
	program_mount_tmpfs("/tmp");
}

static void loopback_up(void)
{
	struct ifreq r = { .ifr_name = "lo" };
	int s = socket(AF_INET, SOCK_DGRAM, 0);

	if (s < 0)
		return;
	r.ifr_flags = IFF_UP | IFF_RUNNING;
	ioctl(s, SIOCSIFFLAGS, &r);
	close(s);
}

static uint64_t random_state;

/* splitmix64 (Steele, Lea, Flood 2014): good enough to draw tick phases from a seed. */
static uint64_t random_next(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* Without it the first user of randomness gathers jitter for a billion instructions. */
static void add_entropy(void)
{
	struct {
		int bits, n_bytes;
		uint64_t word[8];
	} e = { .bits = 512, .n_bytes = 64 };
	int fd = open("/dev/urandom", O_RDWR | O_CLOEXEC);

	for (unsigned i = 0; i < 8; i++)
		e.word[i] = random_next();
	if (fd < 0)
		return;
	ioctl(fd, RNDADDENTROPY, &e);
	close(fd);
}

/*
 * What all tasks but this one have run so far: nanoseconds where the kernel
 * keeps schedstat, else the number of context switches, each taken for 50 us.
 */
static uint64_t others_ran_ns(void)
{
	DIR *d = opendir("/proc");
	uint64_t sum = 0;
	struct dirent *e;
	char path[300], buf[4096];

	while (d && (e = readdir(d))) {
		char *p;

		if (e->d_name[0] < '1' || e->d_name[0] > '9' || strcmp(e->d_name, "1") == 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%s/schedstat", e->d_name);
		if (slurp(path, buf, sizeof(buf)) > 0) {
			sum += strtoull(buf, NULL, 10);
			continue;
		}
		snprintf(path, sizeof(path), "/proc/%s/status", e->d_name);
		if (slurp(path, buf, sizeof(buf)) < 0)
			continue;
		for (p = buf; (p = strstr(p, "ctxt_switches:")); p += 14)
			sum += strtoull(p + 14, NULL, 10) * 50000;
	}
	if (d)
		closedir(d);
	return sum;
}

/*
 * Waits until the others have run for less than a thousandth of each of three
 * windows in a row: crypto self-tests, deferred probes and the like run on for
 * seconds after init has started. Sleeping costs no wall time here.
 */
#define SETTLE_WINDOW_MS 300
static bool settle(uint32_t limit_ms, uint64_t *ret_ns)
{
	uint64_t start = read_clock(CLOCK_MONOTONIC), last = others_ran_ns(), now = start;
	unsigned quiet = 0;

	while (quiet < 3 && now - start < limit_ms * 1000000ull) {
		uint64_t ran;

		usleep(SETTLE_WINDOW_MS * 1000);
		ran = others_ran_ns();
		quiet = ran - last < SETTLE_WINDOW_MS * 1000 ? quiet + 1 : 0;
		last = ran;
		now = read_clock(CLOCK_MONOTONIC);
	}
	*ret_ns = now - start;
	return quiet >= 3;
}

/* ---- measuring ---- */

static uint64_t tick_ns, seed;
static uint32_t null_boot; /* WIRE_PARAM_NULL */
static uint32_t regions;

/*
 * Sleeps until shortly before the next tick, because sleeping costs the host
 * nothing, then watches it come. The coarse clock is set by the tick.
 */
#define WATCH_NS 100000
static void wait_for_tick(void)
{
	uint64_t last = read_clock(CLOCK_MONOTONIC_COARSE), wake = last + tick_ns - WATCH_NS;
	struct timespec t = { (time_t)(wake / NS_PER_S), (long)(wake % NS_PER_S) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	last = read_clock(CLOCK_MONOTONIC_COARSE);
	while (read_clock(CLOCK_MONOTONIC_COARSE) == last)
		;
}

#define MAX_TRIES 8
/* Once without a report: what is done only the first time is not part of an operation. */
#define WARM_UP UINT32_MAX

/* From seed, null boot, workload and replicate alone: equal on every kernel, whatever failed before. */
static void draw_from(const char *name, uint32_t replicate)
{
	random_state = seed + replicate + ((uint64_t)null_boot << 32);
	for (const char *c = name; *c; c++)
		random_state = random_state * 31 + (uint8_t)*c;
}

static uint32_t draw_phase(uint64_t below_ns)
{
	return (uint32_t)(random_next() % below_ns);
}

/* All interrupts so far, those of timers too; 0 where the kernel does not say. */
static uint64_t interrupts(void)
{
	static const char key[] = "\nintr ";
	char buf[4096], *at;

	at = slurp("/proc/stat", buf, sizeof(buf)) > 0 ? strstr(buf, key) : NULL;
	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* Whoever the tick woke runs now, not inside the region. */
static void start_behind_tick(void)
{
	wait_for_tick();
	for (unsigned i = 0; i < 3; i++)
		sched_yield();
}

static uint64_t ticks_between(uint64_t before, uint64_t after)
{
	return (after - before + tick_ns / 2) / tick_ns;
}

static int measure_cell(const struct operation *op, uint32_t workload, uint32_t replicate)
{
	struct wire_cell cell = { .workload = workload, .replicate = replicate };
	uint64_t before, interrupts_before, others;
	struct operation_batch batch;
	bool again;
	int r;

	draw_from(op->name, replicate);
	cell.phase = draw_phase(tick_ns / 16 + 1);
	batch = operation_draw(op, random_next);
	cell.lead_ops = batch.lead_ops;
	do {
		if (op->prepare && (r = op->prepare()) < 0)
			return r;
		start_behind_tick();
		interrupts_before = op->is_tick ? 0 : interrupts();
		/* And what the tick's softirqs took from per-CPU caches is put back. */
		for (uint32_t i = 0; i < batch.lead_ops; i++)
			op->run();
		before = read_clock(CLOCK_MONOTONIC_COARSE);
		arch_spin(cell.phase);
		others = op->others ? op->others() : 0;
		cell.clock = arch_measure(op->run, batch.ops);
		cell.ops = batch.ops + (op->others ? op->others() : 0) - others;
		cell.ticks = ticks_between(before, read_clock(CLOCK_MONOTONIC_COARSE));
		/* Timers with a clock of their own (a scheduler's) end between two ticks. */
		if (!op->is_tick && !cell.ticks)
			cell.ticks = interrupts() - interrupts_before;
		cell.region = regions++;
		if (op->finish)
			op->finish();
		if (operation_error) {
			r = (int)operation_error;
			operation_error = 0;
			return r;
		}
		again = !cell.clock || (cell.ticks && !op->is_tick);
	} while (++cell.tries < MAX_TRIES && again);
	if (!cell.clock)
		return -EINTR;
	if (replicate != WARM_UP)
		report_frame(WIRE_REPORT_CELL, &cell, sizeof(cell));
	return 0;
}

static void report_failed(uint32_t workload, const char *sentence, const char *output, size_t n_output)
{
	static char body[sizeof(struct wire_failed) + 400 + WIRE_OUTPUT_BYTES];
	struct wire_failed f = { .workload = workload, .n_output = (uint32_t)n_output };
	size_t n = strnlen(sentence, 399);

	memcpy(body, &f, sizeof(f));
	memcpy(body + sizeof(f), sentence, n);
	body[sizeof(f) + n] = 0;
	if (n_output)
		memcpy(body + sizeof(f) + n + 1, output, n_output);
	report_frame(WIRE_REPORT_FAILED, body, sizeof(f) + n + 1 + n_output);
}

static void run_operation(const char *name, uint32_t workload, uint32_t replicates)
{
	const struct operation *op = NULL;
	int r = 0;

	for (unsigned i = 0; i < n_operations; i++)
		if (strcmp(operations[i].name, name) == 0)
			op = &operations[i];
	if (!op) {
		report_failed(workload, "the agent has no such operation", NULL, 0);
		return;
	}
	if (op->setup)
		r = op->setup();
	if (r == 0)
		r = measure_cell(op, workload, WARM_UP);
	for (uint32_t i = 0; r == 0 && i < replicates; i++)
		r = measure_cell(op, workload, i);
	if (op->teardown)
		op->teardown();
	if (r < 0)
		report_failed(workload, strerror(-r), NULL, 0);
}

static int measure_program(const struct program *p, uint32_t workload, uint32_t size,
			   uint32_t replicate)
{
	struct wire_cell cell = { .workload = workload, .size = size, .replicate = replicate,
				  .ops = p->plan->ops[size] };
	const char *output;
	uint64_t before;
	unsigned n_padding;
	size_t n;

	/*
	 * Ticks fall into it in any case; where the first one does is drawn, for every other replicate: the one behind it has
	 * the mirrored place, so that what grows with the phase cancels out. Its environment's size is as good as any other.
	 */
	draw_from(p->argv[0][0], replicate / 2);
	cell.phase = draw_phase(tick_ns * 3 / 4);
	if (replicate % 2)
		cell.phase = (uint32_t)(tick_ns * 3 / 4) - 1 - cell.phase;
	random_state += replicate;
	n_padding = (unsigned)(random_next() % (PROGRAM_MAX_PADDING + 1));
	do {
		if (program_begin(p, size, n_padding) < 0)
			return -1;
		start_behind_tick();
		before = read_clock(CLOCK_MONOTONIC_COARSE);
		arch_spin(cell.phase);
		cell.clock = arch_measure(program_run, 1);
		cell.ticks = ticks_between(before, read_clock(CLOCK_MONOTONIC_COARSE));
		cell.region = regions++;
		if (program_end(p) < 0)
			return -1;
	} while (++cell.tries < MAX_TRIES && !cell.clock && !p->plan->once);
	if (replicate == WARM_UP)
		return 0;
	output = program_output(&n);
	report_frame(WIRE_REPORT_OUTPUT, output, n);
	report_frame(WIRE_REPORT_CELL, &cell, sizeof(cell));
	return 0;
}

static void run_program(const struct program *p, uint32_t workload, uint32_t settle_limit_ms)
{
	const char *output;
	uint64_t ns;
	size_t n;
	int r = program_ready(p);

	if (r == 0) {
		/* A server that is not waited for is a load: it never comes to rest. */
		if (!*p->server || p->plan->ready_port)
			settle(settle_limit_ms, &ns);
		r = p->plan->once ? 0 : measure_program(p, workload, 0, WARM_UP);
	}
	for (uint32_t i = 0; r == 0 && i < p->plan->replicates; i++)
		for (uint32_t size = 0; r == 0 && size < p->plan->n_sizes; size++)
			r = measure_program(p, workload, size, i);
	if (r < 0) {
		output = program_output(&n);
		report_failed(workload, program_trouble(), output, n);
	}
	program_over();
}

/* ---- telling about the guest ---- */

static void report_vulnerabilities(void)
{
	static const char dir[] = "/sys/devices/system/cpu/vulnerabilities";
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char path[400], key[300];

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		snprintf(key, sizeof(key), "vulnerability.%s", e->d_name);
		report_file(key, path);
	}
	if (d)
		closedir(d);
}

/* The GNU build id, from the ELF notes that the kernel shows: namesz, descsz, type, name, desc. */
static void report_build_id(void)
{
	char buf[4096], hex[2 * 64 + 1];
	ssize_t n = slurp("/sys/kernel/notes", buf, sizeof(buf));
	size_t at = 0;

	while (n > 0 && at + 12 <= (size_t)n) {
		uint32_t h[3];
		size_t name = at + 12, desc;

		memcpy(h, buf + at, 12);
		desc = name + ((h[0] + 3) & ~3u);
		if (desc + h[1] > (size_t)n)
			return;
		if (h[2] == 3 && h[0] == 4 && memcmp(buf + name, "GNU", 4) == 0 && h[1] <= 64) {
			for (uint32_t i = 0; i < h[1]; i++)
				sprintf(hex + 2 * i, "%02x", (uint8_t)buf[desc + i]);
			report_pair(WIRE_REPORT_INFO, "build_id", hex);
			return;
		}
		at = desc + ((h[1] + 3) & ~3u);
	}
}

/* What stands in the log behind some words, up to one of these characters. */
static void report_said(const char *key, const char *log, const char *words, const char *ends)
{
	const char *at = strstr(log, words);
	char value[1024];

	if (!at)
		return;
	at += strlen(words);
	snprintf(value, sizeof(value), "%.*s", (int)strcspn(at, ends), at);
	report_pair(WIRE_REPORT_INFO, key, value);
}

/*
 * The preemption model in use: from debugfs, or, where the kernel has none, from
 * what it said as it booted.
 */
static void report_preempt(const char *log)
{
	static const char path[] = "/sys/kernel/debug/sched/preempt";

	report_file("sched_preempt", path);
	if (access(path, F_OK) != 0)
		report_said("boot_preempt", log, "Dynamic Preempt: ", " \n");
}

/* What the kernel said as it booted. */
static void report_log(void)
{
	static char log[1 << 18];
	int n = klogctl(SYSLOG_ACTION_READ_ALL, log, sizeof(log) - 1);

	log[n > 0 ? n : 0] = 0;
	report_preempt(log);
	report_said(WIRE_INFO_UNKNOWN, log, "Unknown kernel command line parameters \"", "\"\n");
}

static void report_guest(void)
{
	struct utsname u;
	struct timespec t;

	uname(&u);
	report_pair(WIRE_REPORT_INFO, "release", u.release);
	report_pair(WIRE_REPORT_INFO, "version", u.version);
	report_build_id();
	report_file("cmdline", "/proc/cmdline");
	report_log();
	report_file("realtime", "/sys/kernel/realtime");
	report_vulnerabilities();
	clock_getres(CLOCK_MONOTONIC_COARSE, &t);
	tick_ns = (uint64_t)t.tv_nsec;
	report_number("tick_ns", tick_ns);
	report_number(WIRE_INFO_SPIN, 1000 + ARCH_LOOP_INSNS);
	report_number("page_bytes", (uint64_t)sysconf(_SC_PAGESIZE));
	report_number("init_ns", read_clock(CLOCK_MONOTONIC));
}

static bool has_param(const char *param)
{
	char line[4096];

	return slurp("/proc/cmdline", line, sizeof(line)) > 0 && strstr(line, param);
}

/* The number behind it; 0 without. */
static uint32_t number_param(const char *param)
{
	char line[4096], *at = slurp("/proc/cmdline", line, sizeof(line)) > 0 ? strstr(line, param) : NULL;

	return at ? (uint32_t)strtoul(at + strlen(param), NULL, 10) : 0;
}

/* Nothing where the kernel has no SELinux: the host sees what is reported. */
static void load_selinux(void)
{
	static char policy[1 << 16];
	ssize_t n = slurp(WIRE_SELINUX_POLICY, policy, sizeof(policy));
	int fd;

	mount("selinuxfs", "/sys/fs/selinux", "selinuxfs", 0, NULL);
	fd = open("/sys/fs/selinux/load", O_WRONLY | O_CLOEXEC);
	if (n > 0 && fd >= 0 && write(fd, policy, (size_t)n) == n)
		program_put("/sys/fs/selinux/enforce",
			    has_param(WIRE_PARAM_SELINUX "enforcing") ? "1" : "0");
	if (fd >= 0)
		close(fd);
	report_file("selinux_enforce", "/sys/fs/selinux/enforce");
}

/* Variables in the per-CPU area that instructions name: where the preemption count is. */
static bool is_wanted_variable(const char *name)
{
	return strcmp(name, "__preempt_count") == 0 || strcmp(name, "pcpu_hot") == 0;
}

/* Functions, mostly: "ADDR T name" lines become "ADDR name". */
static void report_symbols(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	static char out[65536];
	char line[1024];
	size_t n = 0;

	while (f && fgets(line, sizeof(line), f)) {
		char *kind = strchr(line, ' '), *name = kind ? strchr(kind + 1, ' ') : NULL, *end;

		if (!name)
			continue;
		end = name + strcspn(name, "\t\n");
		*end = 0;
		if (!strchr("tTwW", kind[1]) && !is_wanted_variable(name + 1))
			continue;
		if (n + (size_t)(end - line) + 2 > sizeof(out)) {
			report_frame(WIRE_REPORT_SYMBOLS, out, n);
			n = 0;
		}
		n += (size_t)sprintf(out + n, "%.*s%s\n", (int)(kind - line), line, name);
	}
	if (n)
		report_frame(WIRE_REPORT_SYMBOLS, out, n);
	if (f)
		fclose(f);
}

/* The plan's workloads, each with its text. */
static int read_workloads(FILE *f, struct workload *workloads, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct wire_workload *w = &workloads[i].plan;
		char *text;

		if (fread(w, sizeof(*w), 1, f) != 1 || w->n_bytes > (1u << 20))
			return -EINVAL;
		w->operation[WIRE_NAME_BYTES - 1] = 0;
		text = malloc(w->n_bytes + 1);
		if (!text || fread(text, 1, w->n_bytes, f) != w->n_bytes)
			return -EINVAL;
		if (!*w->operation && program_parse(w, text, &workloads[i].program) < 0)
			return -EINVAL;
	}
	return 0;
}

static int read_plan(FILE *f, struct wire_plan *plan, struct workload **ret)
{
	int r;

	if (!f || fread(plan, sizeof(*plan), 1, f) != 1 || plan->magic != WIRE_PLAN_MAGIC ||
	    plan->version != WIRE_VERSION || plan->n_workloads > WIRE_MAX_WORKLOADS)
		return -EINVAL;
	*ret = calloc(plan->n_workloads + 1u, sizeof(**ret));
	r = *ret ? read_workloads(f, *ret, plan->n_workloads) : -ENOMEM;
	fclose(f);
	return r;
}

static int list(void)
{
	for (unsigned i = 0; i < n_operations; i++)
		printf("{ \"%s\", \"%s\", %u, %d },\n", operations[i].name, operations[i].help,
		       operations[i].batch, operations[i].is_tick);
	return 0;
}

/*
 * On a live machine: the plan and the program for exec are descriptors, the folder is for what
 * workloads write.
 */
static int serve_here(const char *plan_fd, const char *exit_fd, const char *folder)
{
	struct workload *workloads = NULL;
	struct wire_plan plan;
	char path[64];

	/* From its start, wherever the descriptor stands. */
	snprintf(path, sizeof(path), "/proc/self/fd/%s", plan_fd);
	if (read_plan(fopen(path, "re"), &plan, &workloads) < 0 || chdir(folder) < 0) {
		fprintf(stderr, "ktoll agent: no plan, or no folder\n");
		return 1;
	}
	operations_here(folder, atoi(exit_fd));
	program_here(folder);
	serve(STDIN_FILENO, STDOUT_FILENO, workloads, plan.n_workloads);
	program_over();
	return 0;
}

int main(int argc, char **argv)
{
	struct workload *workloads = NULL;
	struct wire_plan plan;
	bool has_programs = false;
	uint64_t ns;

	if (argc == 2 && strcmp(argv[1], "list") == 0)
		return list();
	if (argc == 5 && strcmp(argv[1], "serve") == 0)
		return serve_here(argv[2], argv[3], argv[4]);
	if (getpid() != 1) {
		fprintf(stderr, "ktoll's agent runs as init in a guest\n");
		return 1;
	}
	arch_setup();
	mount_all();
	if (read_plan(fopen(WIRE_PLAN_PATH, "re"), &plan, &workloads) < 0 || report_open(plan.nonce) < 0) {
		fprintf(stderr, "ktoll agent: no plan, or no memory to report in\n");
		return 1;
	}
	seed = random_state = plan.seed;
	null_boot = number_param(WIRE_PARAM_NULL);
	add_entropy();
	loopback_up();
	report_guest();
	if (has_param(WIRE_PARAM_SELINUX))
		load_selinux();
	for (uint32_t i = 0; i < plan.n_workloads; i++)
		has_programs |= !*workloads[i].plan.operation;
	if (has_programs)
		program_mount(!has_param(WIRE_PARAM_MEMCG_ROOT));
	report_number(WIRE_INFO_TOLD, 1);
	report_number("settled", settle(plan.settle_limit_ms, &ns));
	report_number("settle_ns", ns);
	report_file("clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	if (has_param(WIRE_PARAM_SERVE)) {
		serve(STDIN_FILENO, STDOUT_FILENO, workloads, plan.n_workloads);
		reboot(RB_AUTOBOOT);
	}
	arch_mark_arm();
	for (uint32_t i = 0; i < plan.n_workloads; i++) {
		const struct wire_workload *w = &workloads[i].plan;

		if (*w->operation && !null_boot)
			run_operation(w->operation, i, w->replicates);
		else if (!*w->operation)
			run_program(&workloads[i].program, i, plan.settle_limit_ms);
	}
	report_number("done_ns", read_clock(CLOCK_MONOTONIC));
	if (plan.want_symbols)
		report_symbols();
	report_frame(WIRE_REPORT_END, NULL, 0);
	arch_mark_quit();
	/* Without the plugin the marker did nothing. */
	reboot(RB_AUTOBOOT);
	return 1;
}
