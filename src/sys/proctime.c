/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/proctime.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"

/* The fields behind the name, which may have any characters, as in proc(5): state is the first. */
static int read_stat(const char *path, char *ret_state, unsigned long long *ret_ticks)
{
	_cleanup_free_ char *text = NULL;
	unsigned long long user, system;
	const char *behind;
	int r = file_read(path, &text, NULL, NULL);

	if (r < 0)
		return r;
	behind = strrchr(text, ')');
	if (!behind || sscanf(behind, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", ret_state, &user, &system) != 3)
		return -EBADMSG;
	*ret_ticks = user + system;
	return 0;
}

int proctime_get(pid_t pid, struct proctime *ret)
{
	_cleanup_free_ char *stat = xasprintf("/proc/%d/stat", (int)pid), *tasks = xasprintf("/proc/%d/task", (int)pid);
	struct proctime p = { 0 };
	unsigned long long ticks, of_thread;
	struct dirent *e;
	char state;
	DIR *d;
	int r = read_stat(stat, &state, &ticks);

	if (r < 0)
		return r;
	p.cpu_ms = ticks * 1000 / (unsigned long long)sysconf(_SC_CLK_TCK);
	d = opendir(tasks);
	while (d && (e = readdir(d))) {
		_cleanup_free_ char *path = xasprintf("%s/%s/stat", tasks, e->d_name);

		if (*e->d_name != '.' && read_stat(path, &state, &of_thread) == 0)
			p.wants_cpu |= state != 'S' && state != 'I' && state != 'Z' && state != 'X';
	}
	if (d)
		closedir(d);
	*ret = p;
	return 0;
}
