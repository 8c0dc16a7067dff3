/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/knob.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "sys/child.h"

#define PREEMPT_PATH "/sys/kernel/debug/sched/preempt"
#define SELINUX_PATH "/sys/fs/selinux/enforce"
#define COMMAND_DEADLINE_MS 60000

static int usage(struct error *err, const char *text)
{
	return error_blame(err, ERROR_USAGE, EINVAL,
			   "'%s' is no knob: preempt=none,full, selinux=permissive,enforcing, /PATH=VALUE,VALUE or "
			   "NAME=!COMMAND,!COMMAND",
			   text);
}

static int add_value(struct knob *k, const char *text, const char *value, struct error *err)
{
	if (!*value || strv_has(&k->values, value))
		return usage(err, text);
	strv_add(&k->values, value);
	if (strcmp(k->name, "selinux") == 0) {
		if (strcmp(value, "enforcing") != 0 && strcmp(value, "permissive") != 0)
			return error_blame(err, ERROR_USAGE, EINVAL, "selinux= takes enforcing and permissive, not '%s'",
					   value);
		strv_add(&k->written, strcmp(value, "enforcing") == 0 ? "1" : "0");
	} else if (!k->path) {
		if (*value != '!' || !value[1])
			return usage(err, text);
		strv_add(&k->written, value + 1);
	} else {
		strv_add(&k->written, value);
	}
	return 0;
}

int knob_parse(const char *text, const char *restore, struct knob *ret, struct error *err)
{
	const char *eq = strchr(text, '=');
	_cleanup_free_ char *values = eq ? xstrdup(eq + 1) : NULL;
	struct knob k = { 0 };
	char *next = values, *value;
	int r = 0;

	if (!eq || eq == text)
		return usage(err, text);
	k.name = xstrndup(text, (size_t)(eq - text));
	if (*k.name == '/')
		k.path = xstrdup(k.name);
	else if (strcmp(k.name, "preempt") == 0)
		k.path = xstrdup(PREEMPT_PATH);
	else if (strcmp(k.name, "selinux") == 0)
		k.path = xstrdup(SELINUX_PATH);
	while (r == 0 && (value = strsep(&next, ",")))
		r = add_value(&k, text, value, err);
	if (r == 0 && k.values.n < 2)
		r = usage(err, text);
	if (r == 0 && restore && k.path)
		r = error_blame(err, ERROR_USAGE, EINVAL, "--restore is for commands: what was in a file is known");
	if (r == 0 && !k.path)
		k.before = xstrdup(restore ? restore : k.written.v[0]);
	if (r < 0)
		knob_finish(&k);
	else
		*ret = k;
	return r;
}

void knob_finish(struct knob *k)
{
	free(k->name);
	free(k->path);
	free(k->before);
	strv_finish(&k->values);
	strv_finish(&k->written);
	*k = (struct knob){ 0 };
}

/* ---- files ---- */

/* What a file says now. Of "none voluntary (full)" or "[always] never", what is marked. Owned by the caller. */
static int read_file(const char *path, char **ret, struct error *err)
{
	char *text, *open, *close;
	int r = file_read(path, &text, NULL, err);

	if (r < 0)
		return r;
	text[strcspn(text, "\n")] = 0;
	open = strpbrk(text, "([");
	close = open ? strpbrk(open, ")]") : NULL;
	if (close) {
		*close = 0;
		memmove(text, open + 1, strlen(open + 1) + 1);
	}
	*ret = text;
	return 0;
}

/* The kernel takes a value with the write, or refuses it there; closing says nothing. */
static int write_file(const char *path, const char *value, struct error *err)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	_cleanup_free_ char *line = xasprintf("%s\n", value);

	if (fd < 0)
		return error_set(err, errno, "%s cannot be opened for writing: %s", path, strerror(errno));
	if (write(fd, line, strlen(line)) != (ssize_t)strlen(line))
		return error_set(err, errno, "%s does not take '%s': %s", path, value, strerror(errno));
	return 0;
}

/* Numbers may come back in another form. */
static bool is_equal(const char *a, const char *b)
{
	char *end_a, *end_b;
	long long x = strtoll(a, &end_a, 0), y = strtoll(b, &end_b, 0);

	if (*a && *b && !*end_a && !*end_b)
		return x == y;
	return strcmp(a, b) == 0;
}

static int set_file(const struct knob *k, const char *value, struct error *err)
{
	_cleanup_free_ char *now = NULL;
	int r = write_file(k->path, value, err);

	if (r == 0)
		r = read_file(k->path, &now, err);
	if (r == 0 && !is_equal(now, value))
		r = error_set(err, EIO, "%s: '%s' was written, and '%s' is there", k->path, value, now);
	return r;
}

/* ---- commands ---- */

static int run_command(const char *command, struct error *err)
{
	char *argv[] = { (char *)"/bin/sh", (char *)"-c", (char *)command, NULL };
	struct child_result result;
	int r = child_run(argv, COMMAND_DEADLINE_MS, &result, err);

	if (r == 0 && !child_is_success(result.status)) {
		str_make_printable(result.err.len ? result.err.s : (char[]){ "" });
		r = error_set(err, EIO, "'%s' failed, %s %d%s%s", command, WIFEXITED(result.status) ? "status" : "signal",
			      WIFEXITED(result.status) ? WEXITSTATUS(result.status) : WTERMSIG(result.status),
			      result.err.len ? ": " : "", str_text(&result.err));
	}
	child_result_finish(&result);
	return r;
}

/* ---- both ---- */

static int no_preempt(struct error *err)
{
	if (access("/sys/kernel/debug/sched", F_OK) == 0)
		return error_set(err, ENOTSUP,
				 "this kernel cannot switch its preemption model while it runs: it was built without "
				 "PREEMPT_DYNAMIC, or with PREEMPT_RT (%s is not there)", PREEMPT_PATH);
	if (geteuid() != 0)
		return error_set(err, EACCES, "preempt= is switched in debugfs, which is root's: run it as root");
	return error_set(err, ENOENT, "preempt= is switched in debugfs, which is not mounted, or not in this kernel: "
				      "mount -t debugfs debugfs /sys/kernel/debug");
}

/* "none voluntary (full)": a value that is not in it is refused before anything is switched. */
static int check_choices(const struct knob *k, struct error *err)
{
	_cleanup_free_ char *text = NULL;
	int r = file_read(k->path, &text, NULL, err);

	if (r < 0)
		return r;
	text[strcspn(text, "\n")] = 0;
	for (size_t i = 0; i < k->written.n; i++) {
		_cleanup_free_ char *copy = xstrdup(text);
		char *next = copy, *word;
		bool found = false;

		while ((word = strsep(&next, " ()[]")))
			found |= strcmp(word, k->written.v[i]) == 0;
		if (!found)
			return error_set(err, EINVAL, "%s: this kernel has no '%s'; it has: %s", k->name,
					 k->written.v[i], text);
	}
	return 0;
}

/* Only the first line is put back, with a newline: a file that has more would be cut. */
static int check_one_line(const char *path, struct error *err)
{
	_cleanup_free_ char *text = NULL;
	size_t n_bytes, line;
	struct stat st;
	int r = file_read(path, &text, &n_bytes, err);

	if (r < 0)
		return r;
	line = strcspn(text, "\n");
	if (!n_bytes || line + 1 < n_bytes)
		return error_set(err, EINVAL, "%s has %s: a knob has one line, which is put back in the end", path,
				 n_bytes ? "more than a line" : "nothing in it");
	/* The kernel's own files say another size than they have, and take a newline. */
	if (line == n_bytes && stat(path, &st) == 0 && (size_t)st.st_size == n_bytes)
		return error_set(err, EINVAL, "%s does not end with a newline, as a knob does: it could not be put back as it was",
				 path);
	return 0;
}

int knob_probe(struct knob *k, struct error *err)
{
	bool is_preempt = strcmp(k->name, "preempt") == 0;
	int r;

	if (!k->path)
		return 0;
	if (access(k->path, F_OK) < 0)
		return is_preempt ? no_preempt(err) :
		       strcmp(k->name, "selinux") == 0 ?
				    error_set(err, ENOENT, "this kernel runs without SELinux, or selinuxfs is not mounted (%s)",
					      k->path) :
				    error_set(err, ENOENT, "%s: %s", k->path, strerror(errno));
	if (access(k->path, W_OK) < 0)
		return error_set(err, errno, "%s cannot be written%s: %s", k->path,
				 geteuid() ? " by you; run it as root" : "", strerror(errno));
	r = is_preempt ? check_choices(k, err) : check_one_line(k->path, err);
	return r < 0 ? r : read_file(k->path, &k->before, err);
}

int knob_set(const struct knob *k, size_t value, struct error *err)
{
	return k->path ? set_file(k, k->written.v[value], err) : run_command(k->written.v[value], err);
}

const char *knob_fact(const struct knob *k)
{
	return k->path ? "knob_before" : "knob_restore";
}

int knob_restore(const struct knob *k, struct error *err)
{
	return k->path ? set_file(k, k->before, err) : run_command(k->before, err);
}
