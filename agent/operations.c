/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The built-in operations. To add one: write its functions here and give it a
 * row in the table at the end. System calls are made without the C library's
 * wrappers, so that what runs in user space is a handful of instructions and
 * the same on every kernel.
 */
#include "operation.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "arch.h"

/* A system call of four arguments; the others are 0. */
#define CALL(nr, a, b, c, d)                                                                       \
	arch_syscall(nr, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
/* In a guest: see operations_here(). */
static const char *file_path = "/tmp/file", *exit_path = "/exit";
#ifdef ARCH_PAGE_BYTES
#define PAGE_BYTES ARCH_PAGE_BYTES
#else
#define PAGE_BYTES page_bytes
static size_t page_bytes;

__attribute__((constructor)) static void find_page_bytes(void)
{
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
}
#endif

long operation_error;

/* Notes a result that is not what the operation needs. */
static inline void expect(long got, long wanted)
{
	if (__builtin_expect(got != wanted, 0) && !operation_error)
		operation_error = got < 0 ? got : -EIO;
}

static int fd_a = -1, fd_b = -1, fd_c = -1, fd_d = -1;
static pid_t partner;

static void close_all(void)
{
	int *fds[] = { &fd_a, &fd_b, &fd_c, &fd_d };

	if (partner > 0) {
		kill(partner, SIGKILL);
		waitpid(partner, NULL, 0);
	}
	partner = 0;
	for (unsigned i = 0; i < 4; i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

static int opened(const char *path, int flags)
{
	fd_a = open(path, flags, 0600);
	return fd_a < 0 ? -errno : 0;
}

/* Starts `loop` in a process of its own. */
static int start_partner(void (*loop)(void))
{
	partner = fork();
	if (partner < 0)
		return -errno;
	if (partner == 0) {
		loop();
		_exit(0);
	}
	return 0;
}

/* ---- system calls that newer architectures have in another form only ---- */

static inline long call_fork(void)
{
#ifdef SYS_fork
	return CALL(SYS_fork, 0, 0, 0, 0);
#else
	return CALL(SYS_clone, SIGCHLD, 0, 0, 0);
#endif
}

/* Without waiting where the call can say so; all that is asked for is there already. */
static inline long call_poll(struct pollfd *fds, unsigned n)
{
#ifdef SYS_poll
	return CALL(SYS_poll, fds, n, 0, 0);
#else
	return CALL(SYS_ppoll, fds, n, 0, 0);
#endif
}

static inline long call_select(int n, fd_set *set)
{
#if defined(SYS__newselect) /* where SYS_select is an older one */
	return CALL(SYS__newselect, n, set, 0, 0);
#elif defined(SYS_select)
	return CALL(SYS_select, n, set, 0, 0);
#else
	return CALL(SYS_pselect6, n, set, 0, 0);
#endif
}

static inline long call_epoll_wait(int fd, struct epoll_event *e)
{
#ifdef SYS_epoll_wait
	return CALL(SYS_epoll_wait, fd, e, 1, 0);
#else
	return CALL(SYS_epoll_pwait, fd, e, 1, 0);
#endif
}

/* ---- single system calls ---- */

static void getppid_run(void)
{
	CALL(SYS_getppid, 0, 0, 0, 0);
}

static int read_setup(void)
{
	return opened("/dev/zero", O_RDONLY);
}

static void read_run(void)
{
	char c;

	expect(CALL(SYS_read, fd_a, &c, 1, 0), 1);
}

static int write_setup(void)
{
	return opened("/dev/null", O_WRONLY);
}

static void write_run(void)
{
	char c = 0;

	expect(CALL(SYS_write, fd_a, &c, 1, 0), 1);
}

static int file_setup(void)
{
	int fd = open(file_path, O_RDWR | O_CREAT, 0600);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static void open_close_run(void)
{
	long fd = CALL(SYS_openat, AT_FDCWD, file_path, O_RDONLY, 0);

	if (fd < 0)
		expect(fd, 0);
	expect(CALL(SYS_close, fd, 0, 0, 0), 0);
}

static void stat_run(void)
{
	struct stat st;

	expect(CALL(SYS_newfstatat, AT_FDCWD, file_path, &st, 0), 0);
}

static void sleep_loop(void)
{
	for (;;)
		pause();
}

static int kill_setup(void)
{
	return start_partner(sleep_loop);
}

static void kill_run(void)
{
	expect(CALL(SYS_kill, partner, 0, 0, 0), 0);
}

static pid_t self;

static void on_signal(int sig)
{
	(void)sig;
}

static int signal_setup(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	self = getpid();
	return sigaction(SIGUSR1, &sa, NULL) < 0 ? -errno : 0;
}

static void signal_run(void)
{
	expect(CALL(SYS_kill, self, SIGUSR1, 0, 0), 0);
}

static void signal_teardown(void)
{
	signal(SIGUSR1, SIG_DFL);
}

/* Memory that the agent shares with its partner. */
static union {
	uint32_t turn;   /* futex word: 1 is the partner's turn, 0 the agent's */
	uint64_t yields; /* of the partner */
} *shared;

static int start_sharing_partner(void (*loop)(void))
{
	shared = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return shared == MAP_FAILED ? -errno : start_partner(loop);
}

static void stop_sharing_partner(void)
{
	close_all();
	munmap(shared, PAGE_BYTES);
}

static void yield_loop(void)
{
	for (;;) {
		CALL(SYS_sched_yield, 0, 0, 0, 0);
		shared->yields++;
	}
}

static int yield_setup(void)
{
	return start_sharing_partner(yield_loop);
}

static uint64_t yield_others(void)
{
	return __atomic_load_n(&shared->yields, __ATOMIC_RELAXED);
}

static void yield_run(void)
{
	CALL(SYS_sched_yield, 0, 0, 0, 0);
}

static void clock_gettime_run(void)
{
	struct timespec t;

	/* The C library's: it goes through the vDSO. */
	clock_gettime(CLOCK_MONOTONIC, &t);
}

/* ---- between two tasks ---- */

/* One byte there and one back. The agent writes fd_b and reads fd_a, the partner fd_c and fd_d. */
static void rr_run(void)
{
	char c = 0;

	expect(CALL(SYS_write, fd_b, &c, 1, 0), 1);
	expect(CALL(SYS_read, fd_a, &c, 1, 0), 1);
}

static void rr_loop(void)
{
	char c;

	close(fd_b);
	if (fd_a != fd_b)
		close(fd_a);
	while (CALL(SYS_read, fd_c, &c, 1, 0) == 1)
		CALL(SYS_write, fd_d, &c, 1, 0);
}

static int pipe_setup(void)
{
	int there[2], back[2];

	if (pipe(there) < 0)
		return -errno;
	fd_c = there[0];
	fd_b = there[1];
	if (pipe(back) < 0)
		return -errno;
	fd_a = back[0];
	fd_d = back[1];
	return start_partner(rr_loop);
}

static int tcp_connect(int listener, struct sockaddr_in *sin)
{
	socklen_t len = sizeof(*sin);
	int one = 1;

	if (bind(listener, (void *)sin, len) < 0 || listen(listener, 1) < 0 ||
	    getsockname(listener, (void *)sin, &len) < 0)
		return -errno;
	fd_a = socket(AF_INET, SOCK_STREAM, 0);
	if (fd_a < 0 || connect(fd_a, (void *)sin, len) < 0)
		return -errno;
	fd_c = accept(listener, NULL, NULL);
	if (fd_c < 0)
		return -errno;
	setsockopt(fd_a, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd_c, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return 0;
}

static int tcp_rr_setup(void)
{
	struct sockaddr_in sin = { .sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int listener = socket(AF_INET, SOCK_STREAM, 0), r;

	if (listener < 0)
		return -errno;
	r = tcp_connect(listener, &sin);
	close(listener);
	if (r < 0)
		return r;
	fd_b = dup(fd_a);
	fd_d = dup(fd_c);
	return fd_b < 0 || fd_d < 0 ? -errno : start_partner(rr_loop);
}

static int unix_setup(void)
{
	int sv[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sv) < 0)
		return -errno;
	fd_a = sv[0];
	fd_b = sv[1];
	return 0;
}

static void unix_run(void)
{
	char buf[100];

	expect(CALL(SYS_write, fd_b, buf, sizeof(buf), 0), sizeof(buf));
	expect(CALL(SYS_read, fd_a, buf, sizeof(buf), 0), sizeof(buf));
}

static void futex_pass(uint32_t to, uint32_t mine)
{
	uint32_t *turn = &shared->turn;

	__atomic_store_n(turn, to, __ATOMIC_SEQ_CST);
	CALL(SYS_futex, turn, FUTEX_WAKE, 1, 0);
	while (__atomic_load_n(turn, __ATOMIC_SEQ_CST) != mine)
		CALL(SYS_futex, turn, FUTEX_WAIT, to, 0);
}

static void futex_loop(void)
{
	while (__atomic_load_n(&shared->turn, __ATOMIC_SEQ_CST) != 1)
		CALL(SYS_futex, &shared->turn, FUTEX_WAIT, 0, 0);
	for (;;)
		futex_pass(0, 1);
}

static int futex_setup(void)
{
	return start_sharing_partner(futex_loop);
}

static void futex_run(void)
{
	futex_pass(1, 0);
}

/* ---- memory ---- */

#define MMAP_BYTES 65536

static void mmap_run(void)
{
	long p = arch_syscall(SYS_mmap, 0, MMAP_BYTES, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	/* After a failed mmap munmap fails as well: its address is not a page's. */
	expect(CALL(SYS_munmap, p, MMAP_BYTES, 0, 0), 0);
}

#define FAULT_PAGES 101 /* odd: operation_draw() takes no more */
static volatile char *fault_area, *fault_at;

static int page_fault_prepare(void)
{
	char *p = mmap(NULL, FAULT_PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return -errno;
	/* A huge page would take the place of many faults; without the option there is nothing
	 * to forbid, so the result does not matter. */
	madvise(p, FAULT_PAGES * PAGE_BYTES, MADV_NOHUGEPAGE);
	fault_area = fault_at = p;
	return 0;
}

static void page_fault_run(void)
{
	*fault_at = 1;
	fault_at += PAGE_BYTES;
}

static void page_fault_finish(void)
{
	munmap((void *)fault_area, FAULT_PAGES * PAGE_BYTES);
}

/* ---- processes ---- */

static void reap(long pid)
{
	int status = -1;

	if (pid < 0)
		expect(pid, 0);
	expect(CALL(SYS_wait4, pid, &status, 0, 0), pid);
	expect(status, 0);
}

static void fork_run(void)
{
	long pid = call_fork();

	if (pid == 0)
		CALL(SYS_exit_group, 0, 0, 0, 0);
	reap(pid);
}

static void exec_run(void)
{
	static char *const argv[] = { (char *)"/exit", NULL }, *const envp[] = { NULL };
	long pid = call_fork();

	if (pid == 0) {
		CALL(SYS_execve, exit_path, argv, envp, 0);
		CALL(SYS_exit_group, 1, 0, 0, 0);
	}
	reap(pid);
}

static void *thread_body(void *arg)
{
	return arg;
}

static void thread_run(void)
{
	pthread_t t;
	int r = pthread_create(&t, NULL, thread_body, NULL);

	expect(r ? -r : -pthread_join(t, NULL), 0);
}

/* ---- waiting for many ---- */

#define N_WAITED 10
static struct pollfd waited[N_WAITED];
static int waited_write[N_WAITED];

/* Ten pipes, the last of which has a byte in it. */
static int wait_setup(void)
{
	for (unsigned i = 0; i < N_WAITED; i++) {
		int p[2];

		if (pipe(p) < 0)
			return -errno;
		waited[i] = (struct pollfd){ .fd = p[0], .events = POLLIN };
		waited_write[i] = p[1];
	}
	return write(waited_write[N_WAITED - 1], "x", 1) == 1 ? 0 : -EIO;
}

static void wait_teardown(void)
{
	for (unsigned i = 0; i < N_WAITED; i++) {
		close(waited[i].fd);
		close(waited_write[i]);
	}
	close_all();
}

static void poll_run(void)
{
	expect(call_poll(waited, N_WAITED), 1);
}

static fd_set select_set;

static int select_setup(void)
{
	int r = wait_setup();

	FD_ZERO(&select_set);
	for (unsigned i = 0; r == 0 && i < N_WAITED; i++)
		FD_SET(waited[i].fd, &select_set);
	return r;
}

static void select_run(void)
{
	fd_set set = select_set;

	expect(call_select(waited[N_WAITED - 1].fd + 1, &set), 1);
}

static int epoll_setup(void)
{
	int r = wait_setup();

	if (r < 0)
		return r;
	fd_a = epoll_create1(0);
	for (unsigned i = 0; i < N_WAITED; i++) {
		struct epoll_event e = { .events = EPOLLIN };

		if (epoll_ctl(fd_a, EPOLL_CTL_ADD, waited[i].fd, &e) < 0)
			return -errno;
	}
	return 0;
}

static void epoll_run(void)
{
	struct epoll_event e;

	expect(call_epoll_wait(fd_a, &e), 1);
}

/* ---- the tick ---- */

static void tick_run(void)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &a);
	do
		clock_gettime(CLOCK_MONOTONIC_COARSE, &b);
	while (a.tv_nsec == b.tv_nsec);
}

struct operation_batch operation_draw(const struct operation *op, uint64_t (*random)(void))
{
	unsigned half = op->batch / 2;
	struct operation_batch b = { .ops = op->batch };

	if (op->is_tick)
		return b;
	b.ops = (half + (uint32_t)(random() % (op->batch - half + 1))) | 1;
	/* What is made ready for a region has nothing left for operations before it. */
	if (!op->prepare)
		b.lead_ops = op->batch / 8 + (uint32_t)(random() % (op->batch * 3 / 8 + 2));
	return b;
}

void operations_here(const char *folder, int exit_fd)
{
	static char file[4096], program[64];

	snprintf(file, sizeof(file), "%s/file", folder);
	snprintf(program, sizeof(program), "/proc/self/fd/%d", exit_fd);
	file_path = file;
	exit_path = program;
}

const struct operation operations[] = {
	{ .name = "getppid", .batch = 1000, .run = getppid_run,
	  .help = "getppid(): a system call that does next to nothing" },
	{ .name = "read", .batch = 500, .setup = read_setup, .run = read_run,
	  .teardown = close_all, .help = "read() of one byte from /dev/zero" },
	{ .name = "write", .batch = 500, .setup = write_setup, .run = write_run,
	  .teardown = close_all, .help = "write() of one byte to /dev/null" },
	{ .name = "open-close", .batch = 100, .setup = file_setup, .run = open_close_run,
	  .help = "open() and close() of a file on tmpfs" },
	{ .name = "stat", .batch = 200, .setup = file_setup, .run = stat_run,
	  .help = "stat() of a file on tmpfs" },
	{ .name = "kill", .batch = 300, .setup = kill_setup, .run = kill_run,
	  .teardown = close_all, .help = "kill(pid, 0) of another process" },
	{ .name = "signal", .batch = 100, .setup = signal_setup, .run = signal_run,
	  .teardown = signal_teardown, .help = "a signal to oneself: sent, handled, returned from" },
	{ .name = "pipe", .batch = 50, .setup = pipe_setup, .run = rr_run, .teardown = close_all,
	  .help = "one byte to another process and back through two pipes: two context switches" },
	{ .name = "unix", .batch = 80, .setup = unix_setup, .run = unix_run,
	  .teardown = close_all, .help = "write() and read() of 100 bytes through a unix stream socket" },
	{ .name = "tcp-rr", .batch = 15, .setup = tcp_rr_setup, .run = rr_run,
	  .teardown = close_all, .help = "one byte to another process and back over TCP on loopback" },
	{ .name = "futex", .batch = 50, .setup = futex_setup, .run = futex_run,
	  .teardown = stop_sharing_partner, .help = "futex wake and wait with another process: two context switches" },
	{ .name = "mmap", .batch = 40, .run = mmap_run,
	  .help = "mmap() and munmap() of 64 KiB, untouched" },
	{ .name = "page-fault", .batch = FAULT_PAGES - 1, .prepare = page_fault_prepare,
	  .run = page_fault_run, .finish = page_fault_finish,
	  .help = "first touch of an anonymous page" },
	{ .name = "fork", .batch = 5, .run = fork_run,
	  .help = "fork(), exit of the child, wait()" },
	{ .name = "exec", .batch = 2, .run = exec_run,
	  .help = "fork(), execve() of a program that exits at once, wait()" },
	{ .name = "thread", .batch = 10, .run = thread_run,
	  .help = "pthread_create() and pthread_join()" },
	{ .name = "epoll", .batch = 300, .setup = epoll_setup, .run = epoll_run,
	  .teardown = wait_teardown, .help = "epoll_wait() on ten pipes, one ready" },
	{ .name = "poll", .batch = 200, .setup = wait_setup, .run = poll_run,
	  .teardown = wait_teardown, .help = "poll() of ten pipes, one ready" },
	{ .name = "select", .batch = 80, .setup = select_setup, .run = select_run,
	  .teardown = wait_teardown, .help = "select() of ten pipes, one ready" },
	{ .name = "yield", .batch = 100, .setup = yield_setup, .run = yield_run,
	  .others = yield_others, .teardown = stop_sharing_partner,
	  .help = "sched_yield() while another process does the same; either one's counts" },
	{ .name = "clock-gettime", .batch = 2000, .run = clock_gettime_run,
	  .help = "clock_gettime(CLOCK_MONOTONIC) through the vDSO" },
	{ .name = "spin", .batch = 400, .run = arch_spin_1000,
	  .help = "1,000 instructions of user code: the control whose answer is known" },
	{ .name = "tick", .batch = 3, .is_tick = true, .run = tick_run,
	  .help = "one timer tick while a user loop runs: what the kernel executes" },
};
const unsigned n_operations = sizeof(operations) / sizeof(operations[0]);
