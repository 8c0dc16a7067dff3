/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/live.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "model/arch.h"
#include "sys/child.h"

/* Descriptors in the agent. */
enum { FD_AGENT = 3, FD_EXIT, FD_PLAN };
#define GREETING_MS 10000
#define END_MS 10000

static int live_lock_in_cache(char **ret, struct error *err)
{
	_cleanup_free_ char *dir = NULL;
	int r = dir_cache(&dir, err);

	if (r == 0)
		r = dir_make(dir, err);
	if (r == 0)
		*ret = path_join(dir, "live.lock");
	return r;
}

/*
 * A lock on a file where no other user can make one, or hold it against us: given back by the end of the last process
 * that has it, whatever that is. Two users measure each other unless one of them is root; so far this machine tells.
 */
int live_lock(struct error *err)
{
	const char *runtime = geteuid() == 0 ? "/run" : getenv("XDG_RUNTIME_DIR");
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	int r = 0;

	if (runtime && *runtime == '/')
		path = path_join(runtime, "ktoll-live.lock");
	else
		r = live_lock_in_cache(&path, err);
	if (r < 0)
		return r;
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_set(err, errno, "cannot reserve this machine: %s: %s", path, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return error_set(err, errno == EWOULDBLOCK ? EBUSY : errno,
				 errno == EWOULDBLOCK ? "another ktoll live runs on this machine: two would measure each other" :
							"cannot reserve this machine: %s", strerror(errno));
	r = fd;
	fd = -1;
	return r;
}

/* The program of a command line: what comes behind `env NAME=VALUE…`. */
static const char *program_of(const struct strv *words)
{
	size_t i = 0;

	if (words->n && strcmp(words->v[0], "env") == 0)
		for (i = 1; i < words->n && strchr(words->v[i], '='); i++)
			;
	return i < words->n ? words->v[i] : NULL;
}

static int check_program(const struct workload *w, struct error *err)
{
	_cleanup_strv_ struct strv words = { 0 };
	_cleanup_free_ char *path = NULL, *packages = strv_join(&w->packages, " ");
	const char *program;
	int r = workload_words(w->run, w->clock_size, &words, err);

	if (r < 0)
		return r;
	if (w->options.n || w->params.n)
		return error_blame(err, ERROR_USAGE, ENOTSUP,
				   "-w %s needs a kernel that is booted for it: ktoll compare does that", w->name);
	for (size_t i = 0; i < w->n_files; i++)
		if (*w->files[i].path == '/')
			return error_blame(err, ERROR_USAGE, ENOTSUP,
					   "-w %s writes %s, which it may in a guest, and not here: write a workload file "
					   "without it (man ktoll-workload)", w->name, w->files[i].path);
	program = program_of(&words);
	path = program ? strchr(program, '/') ? xstrdup(program) : file_in_path(program) : NULL;
	if (!path || access(path, X_OK) < 0)
		return error_blame(err, ERROR_USAGE, ENOENT, "-w %s: %s is not installed%s%s", w->name,
				   program ? program : "its program", w->packages.n ? "; apt install " : "",
				   w->packages.n ? packages : "");
	return 0;
}

int live_check(const struct plan *plan, struct error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < plan->n_items; i++)
		if (plan->items[i].workload)
			r = check_program(plan->items[i].workload, err);
	return r;
}

int live_folder(char **ret, struct error *err)
{
	const char *dir = getenv("TMPDIR");
	char *path = xstrdup("/dev/shm/ktoll-XXXXXX");

	if (!mkdtemp(path)) {
		free(path);
		path = xasprintf("%s/ktoll-XXXXXX", dir ? dir : P_tmpdir);
		if (!mkdtemp(path)) {
			int r = error_set(err, errno, "cannot make a folder in %s: %s", dir ? dir : P_tmpdir,
					  strerror(errno));

			free(path);
			return r;
		}
	}
	*ret = path;
	return 0;
}

struct here {
	const struct knob *knob;
	struct dialog *dialog;
	size_t value; /* of the knob now; SIZE_MAX: as it was */
};

static int enter(void *data, size_t variant, struct error *err)
{
	struct here *h = data;
	int r = 0;

	if (h->knob && h->value != variant)
		r = knob_set(h->knob, variant, err);
	if (r == 0)
		h->value = variant;
	return r;
}

static int leave(void *data, size_t variant, struct error *err)
{
	(void)data;
	(void)variant;
	(void)err;
	return 0;
}

static struct dialog *dialog_of(void *data, size_t variant)
{
	(void)variant;
	return ((struct here *)data)->dialog;
}

static int start_agent(const char *folder, const struct plan *plan, pid_t *ret_pid, struct dialog **ret,
		       struct error *err)
{
	_cleanup_free_ char *agent_path = xasprintf("/proc/self/fd/%d", FD_AGENT);
	char plan_fd[16], exit_fd[16];
	char *argv[] = { agent_path, (char *)"serve", plan_fd, exit_fd, (char *)folder, NULL };
	_cleanup_close_ int agent = -1, exit_program = -1, plan_file = -1;
	_cleanup_str_ struct str text = STR_INIT;
	struct guest_programs programs;
	struct plan here = *plan;
	int to[2], from[2], r = initramfs_programs(arch_host(), &programs, err);

	here.dir = folder;
	if (r == 0)
		r = initramfs_files(&here, err);
	if (r == 0)
		r = initramfs_plan(&here, false, &text, err);
	if (r == 0)
		r = agent = file_memory("agent", programs.agent, programs.agent_bytes, err);
	if (r >= 0)
		r = exit_program = file_memory("exit", programs.exit, programs.exit_bytes, err);
	if (r >= 0)
		r = plan_file = file_memory("plan", str_text(&text), text.len, err);
	if (r < 0)
		return r;
	if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0)
		return error_set(err, errno, "cannot make a pipe: %s", strerror(errno));
	snprintf(plan_fd, sizeof(plan_fd), "%d", FD_PLAN);
	snprintf(exit_fd, sizeof(exit_fd), "%d", FD_EXIT);
	*ret_pid = child_start(argv,
			       (struct child_fd[]){ { to[0], STDIN_FILENO },
						    { from[1], STDOUT_FILENO },
						    { STDERR_FILENO, STDERR_FILENO },
						    { agent, FD_AGENT },
						    { exit_program, FD_EXIT },
						    { plan_file, FD_PLAN } },
			       6, err);
	close(to[0]);
	close(from[1]);
	r = dialog_new(from[0], to[1], ret, err);
	return *ret_pid < 0 ? *ret_pid : r;
}

static void note_restored(struct sitting *s, const struct knob *knob)
{
	_cleanup_error_ struct error err = ERROR_INIT;

	facts_add(&s->facts, knob_fact(knob), knob->before);
	facts_add(&s->facts, "knob_restored", knob_restore(knob, &err) == 0 ? "yes" : error_text(&err));
}

int live_run(const char *folder, const struct knob *knob, const struct blocks_options *options,
	     struct sitting *s, struct error *err)
{
	struct here h = { .knob = knob, .value = SIZE_MAX };
	const struct blocks_place place = { enter, leave, dialog_of, NULL, &h, true };
	size_t variant;
	pid_t pid = 0;
	int r = start_agent(folder, options->plan, &pid, &h.dialog, err);

	if (r == 0)
		r = blocks_greeting(&place, 0, GREETING_MS, err);
	if (r == 0)
		r = blocks_run(&place, options, s, &variant, err);
	/* It ends what it started when nobody talks to it any more; what it leaves when killed comes to the guardian. */
	dialog_free(h.dialog);
	child_end(pid, r == 0 ? END_MS : 0);
	dialog_forget_signals();
	if (knob)
		note_restored(s, knob);
	return r;
}
