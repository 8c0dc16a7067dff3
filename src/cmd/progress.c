/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cmd/verb.h"
#include "sys/terminal.h"

#define PLAIN_EVERY_S 30

void progress_note(void *unused, const char *sentence)
{
	(void)unused;
	progress_end();
	verb_say("%s", sentence);
}

/* Is it time for a line? On a terminal always, elsewhere every so often. */
static bool is_due(bool rewrite)
{
	static time_t last;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!last)
		last = now.tv_sec;
	if (!rewrite && now.tv_sec - last < PLAIN_EVERY_S)
		return false;
	last = now.tv_sec;
	return true;
}

static void print_left(double left_s)
{
	if (left_s >= 90)
		fprintf(stderr, ", about %.0f min left", left_s / 60);
	else if (left_s >= 0)
		fprintf(stderr, ", about %.0f s left", left_s);
}

void progress_show(double done, size_t running, size_t ended, size_t n, double left_s)
{
	bool rewrite = terminal_is(STDERR_FILENO);

	if (!is_due(rewrite))
		return;
	fprintf(stderr, "%sktoll: %3.0f %%, %zu of %zu boots done, %zu running", rewrite ? "\r" : "",
		done * 100, ended, n, running);
	print_left(left_s);
	fputs(rewrite ? "\033[K" : "\n", stderr);
}

void progress_objects(void *unused, uint64_t done, uint64_t total, double elapsed_s)
{
	bool rewrite = terminal_is(STDERR_FILENO);

	(void)unused;
	if (!is_due(rewrite))
		return;
	fprintf(stderr, "%sktoll: %llu", rewrite ? "\r" : "", (unsigned long long)done);
	if (total)
		fprintf(stderr, " of %llu", (unsigned long long)total);
	fputs(" objects compiled", stderr);
	/* The first ones say little about the rest. */
	if (total && done * 20 > total && done <= total)
		print_left(elapsed_s * (double)(total - done) / (double)done);
	fputs(rewrite ? "\033[K" : "\n", stderr);
}

void progress_blocks(size_t done, size_t all)
{
	bool rewrite = terminal_is(STDERR_FILENO);

	if (!is_due(rewrite))
		return;
	fprintf(stderr, "%sktoll: %zu of %zu blocks%s", rewrite ? "\r" : "", done, all, rewrite ? "\033[K" : "\n");
}

void progress_end(void)
{
	if (terminal_is(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}
