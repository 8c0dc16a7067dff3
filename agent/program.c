/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CGROUP "/sys/fs/cgroup"
#define READY_LIMIT_MS 30000
#define READY_STEP_MS  10

/* Its size moves the stack of a program, and means nothing. */
static const char padding[] = "KTOLL_PADDING=";
static char padded[sizeof(padding) + PROGRAM_MAX_PADDING];
static char *const guest_environment[] = {
	(char *)"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	(char *)"HOME=/root", (char *)"LC_ALL=C", padded, NULL,
};

/* In a guest: see program_here(). */
static char *const *environment = guest_environment;
static const char *folder = "/tmp", *output_path = "/tmp/.output";
static bool is_guest = true;

static bool has_cgroup;
static char trouble[300];
static char output[WIRE_OUTPUT_BYTES];
static size_t n_output;

/* Of the run: */
static char *const *argv_now;
static int output_fd = -1, status_now;
static unsigned limit_s;
static pid_t child;
static volatile int exec_error; /* set by the child, which shares the memory until it executes */
static volatile bool is_late;

static int fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static int fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(trouble, sizeof(trouble), fmt, ap);
	va_end(ap);
	return -1;
}

const char *program_trouble(void)
{
	return trouble;
}

const char *program_output(size_t *ret_bytes)
{
	*ret_bytes = n_output;
	return output;
}

/* ---- the plan ---- */

/* The next string of the text; NULL behind the end. */
static char *next(char **at, char *end)
{
	char *s = *at, *nul = s < end ? memchr(s, 0, (size_t)(end - s)) : NULL;

	if (!nul)
		return NULL;
	*at = nul + 1;
	return s;
}

int program_parse(const struct wire_workload *w, char *text, struct program *ret)
{
	char *at = text, *end = text + w->n_bytes;

	*ret = (struct program){ .plan = w, .setup = next(&at, end), .server = next(&at, end),
				  .after = next(&at, end) };
	if (!ret->after || w->n_sizes < 1 || w->n_sizes > WIRE_SIZES)
		return -EINVAL;
	for (unsigned i = 0; i < w->n_sizes; i++) {
		if (!w->n_words[i] || w->n_words[i] > w->n_bytes)
			return -EINVAL;
		ret->argv[i] = calloc(w->n_words[i] + 1u, sizeof(char *));
		for (unsigned k = 0; k < w->n_words[i]; k++)
			if (!ret->argv[i] || !(ret->argv[i][k] = next(&at, end)))
				return -EINVAL;
	}
	return 0;
}

/* ---- where they run ---- */

int program_put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), r = -1;

	if (fd >= 0) {
		r = write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
		close(fd);
	}
	return r;
}

void program_mount_tmpfs(const char *at)
{
	const struct dirent *e;
	DIR *below;

	mkdir(at, 0755);
	below = opendir(at);
	mount("tmpfs", at, "tmpfs", 0, NULL);
	while (below && (e = readdir(below))) {
		char from[300], to[300];

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		snprintf(from, sizeof(from), "/proc/self/fd/%d/%s", dirfd(below), e->d_name);
		snprintf(to, sizeof(to), "%s/%s", at, e->d_name);
		if (e->d_type == DT_DIR)
			mkdir(to, 0755);
		else
			close(open(to, O_CREAT | O_WRONLY | O_CLOEXEC, 0755));
		mount(from, to, NULL, MS_BIND, NULL);
	}
	if (below)
		closedir(below);
}

void program_mount(bool memcg)
{
	mkdir("/dev/shm", 01777);
	mount("tmpfs", "/dev/shm", "tmpfs", 0, NULL);
	mkdir("/dev/pts", 0755);
	mount("devpts", "/dev/pts", "devpts", 0, NULL);
	program_mount_tmpfs("/run");
	/* A kernel without the controller runs them without it: the report says which. */
	if (memcg)
		has_cgroup = mount("cgroup2", CGROUP, "cgroup2", 0, NULL) == 0 &&
			     program_put(CGROUP "/cgroup.subtree_control", "+memory") == 0 &&
			     mkdir(CGROUP "/programs", 0755) == 0;
}

static void enter_cgroup(void)
{
	if (has_cgroup)
		program_put(CGROUP "/programs/cgroup.procs", "0");
}

static void leave_cgroup(void)
{
	if (has_cgroup)
		program_put(CGROUP "/cgroup.procs", "0");
}

/* ---- running ---- */

static void on_alarm(int sig)
{
	(void)sig;
	is_late = true;
	/* All but init; elsewhere the program's own group. */
	if (is_guest)
		kill(-1, SIGKILL);
	else if (child > 0)
		kill(-child, SIGKILL);
}

/* In the child, which borrows the parent's memory: nothing may be changed but exec_error. */
static void become(char *const *argv)
{
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	dup2(null, STDIN_FILENO);
	dup2(output_fd, STDOUT_FILENO);
	dup2(output_fd, STDERR_FILENO);
	if (chdir(folder) == 0)
		execvpe(argv[0], argv, environment);
	exec_error = errno;
	_exit(127);
}

static void start(void)
{
	exec_error = 0;
	child = vfork();
	if (child == 0)
		become(argv_now);
}

void program_run(void)
{
	pid_t pid;

	start();
	/* Orphans come to init, too. */
	while (child > 0 && (pid = wait(&status_now)) != child)
		if (pid < 0 && errno != EINTR)
			break;
}

static int open_output(void)
{
	if (output_fd >= 0)
		close(output_fd);
	n_output = 0;
	output_fd = open(output_path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
	return output_fd < 0 ? fail("cannot write %s: %s", output_path, strerror(errno)) : 0;
}

static void read_output(void)
{
	off_t size = lseek(output_fd, 0, SEEK_END);
	off_t from = size > (off_t)sizeof(output) ? size - (off_t)sizeof(output) : 0;
	ssize_t n = pread(output_fd, output, sizeof(output), from);

	n_output = n > 0 ? (size_t)n : 0;
}

static int begin(char *const *argv, unsigned timeout_s)
{
	if (open_output() < 0)
		return -1;
	argv_now = argv;
	is_late = false;
	enter_cgroup();
	signal(SIGALRM, on_alarm);
	limit_s = timeout_s;
	alarm(timeout_s);
	return 0;
}

static int end(const char *what)
{
	int error = exec_error;

	alarm(0);
	leave_cgroup();
	read_output();
	if (child < 0)
		return fail("%scannot start a process", what);
	/* What it left running in its group. */
	kill(-child, SIGKILL);
	while (waitpid(-child, NULL, 0) > 0)
		;
	if (error)
		return fail("%scannot start %s: %s", what, argv_now[0], strerror(error));
	if (is_late)
		return fail("%sended: not done after %u s of guest time", what, limit_s);
	if (WIFSIGNALED(status_now))
		return fail("%s%s was ended by signal %d (%s)", what, argv_now[0],
			    WTERMSIG(status_now), strsignal(WTERMSIG(status_now)));
	if (WEXITSTATUS(status_now))
		return fail("%s%s ended with status %d", what, argv_now[0],
			    WEXITSTATUS(status_now));
	return 0;
}

int program_begin(const struct program *p, unsigned size, unsigned n_padding)
{
	size_t n = n_padding < PROGRAM_MAX_PADDING ? n_padding : PROGRAM_MAX_PADDING;

	memcpy(padded, padding, sizeof(padding) - 1);
	memset(padded + sizeof(padding) - 1, 'x', n);
	padded[sizeof(padding) - 1 + n] = 0;
	return begin(p->argv[size], p->plan->timeout_s);
}

/* Commands for a shell, outside of the region. */
static int run_shell(const char *commands, unsigned limit, const char *what)
{
	char *argv[] = { (char *)"/bin/sh", (char *)"-ec", (char *)commands, NULL };

	if (begin(argv, limit) < 0)
		return -1;
	program_run();
	return end(what);
}

int program_end(const struct program *p)
{
	int r = end("");

	return r < 0 || !*p->after ? r : run_shell(p->after, p->plan->timeout_s, "after: ");
}

/* ---- getting ready ---- */

static bool accepts(unsigned port)
{
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool ok = s >= 0 && connect(s, (void *)&sin, sizeof(sin)) == 0;

	if (s >= 0)
		close(s);
	return ok;
}

static int wait_ready(unsigned port)
{
	pid_t server = child;

	for (unsigned ms = 0; ms < READY_LIMIT_MS; ms += READY_STEP_MS) {
		pid_t pid;

		if (accepts(port))
			return 0;
		while ((pid = waitpid(-1, &status_now, WNOHANG)) > 0)
			/* One that goes to the background ends well. */
			if (pid == server && (!WIFEXITED(status_now) || WEXITSTATUS(status_now))) {
				read_output();
				return fail("server: it ended before it accepted connections on port %u",
					    port);
			}
		usleep(READY_STEP_MS * 1000);
	}
	read_output();
	return fail("server: no connection accepted on port %u within %u s", port,
		    READY_LIMIT_MS / 1000);
}

int program_ready(const struct program *p)
{
	char *server[] = { (char *)"/bin/sh", (char *)"-c", (char *)p->server, NULL };

	n_output = 0;
	if (*p->setup && run_shell(p->setup, p->plan->timeout_s, "setup: ") < 0)
		return -1;
	if (*p->server) {
		if (open_output() < 0)
			return -1;
		argv_now = server;
		enter_cgroup();
		start();
		leave_cgroup();
		if (child < 0 || exec_error)
			return fail("server: cannot start a shell");
	}
	return p->plan->ready_port ? wait_ready(p->plan->ready_port) : 0;
}

/* Orphans come to us as well, so the children's list has, after some rounds, had everybody on it. */
static void end_children(void)
{
	pid_t pid;

	do {
		FILE *f = fopen("/proc/thread-self/children", "re");

		while (f && fscanf(f, "%d", &pid) == 1)
			kill(pid, SIGKILL);
		if (f)
			fclose(f);
		while ((pid = wait(NULL)) > 0 || (pid < 0 && errno == EINTR))
			if (pid > 0)
				break;
	} while (pid > 0);
}

void program_here(const char *where)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/.output", where);
	output_path = path;
	folder = where;
	environment = environ;
	is_guest = false;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void program_over(void)
{
	if (!is_guest) {
		end_children();
		return;
	}
	kill(-1, SIGKILL);
	while (wait(NULL) > 0 || errno == EINTR)
		;
}
