/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of verbs. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cmd/verb.h"

static const struct verb *const verbs[] = {
	&verb_compare,
	&verb_run,
	&verb_explain,
	&verb_diffconfig,
	&verb_bisect,
	&verb_gate,
	&verb_judge,
	&verb_live,
	&verb_report,
	&verb_list,
	&verb_doctor,
};

static void help(FILE *to)
{
	fputs("usage: ktoll VERB [OPTION]... [OPERAND]...\n"
	      "What a kernel option costs, whether the difference is real, and where it comes from.\n\n",
	      to);
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		fprintf(to, "  %-11s %s\n", verbs[i]->name, verbs[i]->summary);
	fputs("\n  --version    the version\n  --help       this; ktoll VERB --help for a verb\n", to);
}

/*
 * What is opened later must not become standard output: a report would be
 * written into it. Read-only, so that writing to a closed one still fails.
 */
static void hold_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0)
			_exit(EXIT_HOST);
}

static int run(int argc, char **argv)
{
	if (argc < 2) {
		help(stderr);
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		if (strcmp(argv[1], verbs[i]->name) == 0)
			return verbs[i]->run(verbs[i], argc - 1, argv + 1);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		help(stdout);
		return EXIT_DONE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("ktoll " KTOLL_VERSION);
		return EXIT_DONE;
	}
	verb_say("no verb %s; see ktoll --help", argv[1]);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	int status;

	hold_standard_descriptors();
	/* A limit on the size of files is an error of a write like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	status = run(argc, argv);
	/* Verbs that print much have said it themselves. */
	if ((fflush(stdout) == EOF || ferror(stdout)) && status != EXIT_HOST) {
		fprintf(stderr, "ktoll: cannot write to standard output: %s\n", strerror(errno));
		status = EXIT_HOST;
	}
	return status;
}
