/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "sys/terminal.h"

#define PLAIN_EVERY_S 30

void progress_note(void *unused, const char *sentence)
{
	(void)unused;
	progress_end();
	fprintf(stderr, "ktoll: %s\n", sentence);
}

void progress_show(double done, size_t running, size_t ended, size_t n, double left_s)
{
	static time_t last;
	bool rewrite = terminal_is(STDERR_FILENO);
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!last)
		last = now.tv_sec;
	if (!rewrite && now.tv_sec - last < PLAIN_EVERY_S)
		return;
	last = now.tv_sec;
	fprintf(stderr, "%sktoll: %3.0f %%, %zu of %zu boots done, %zu running", rewrite ? "\r" : "",
		done * 100, ended, n, running);
	if (left_s >= 0)
		fprintf(stderr, ", about %.0f s left", left_s);
	fputs(rewrite ? "\033[K" : "\n", stderr);
}

void progress_end(void)
{
	if (terminal_is(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}
