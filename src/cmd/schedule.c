/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/schedule.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "stat/random.h"

/* In pairs, of which each begins with the one that the pair before it did not begin with. */
static void print_order(const struct strv *kernels, uint64_t boots, uint64_t seed)
{
	struct random random;
	size_t first, n = 1;

	random_seed(&random, seed);
	first = random_below(&random, kernels->n);
	verb_print("Boot in this order; after each boot let the machine settle, then measure once:\n");
	for (uint64_t i = 0; i < boots; i++)
		for (size_t k = 0; k < kernels->n; k++) {
			size_t at = i % 2 ? kernels->n - 1 - k : k;

			verb_print("  %3zu  %s\n", n++, kernels->v[(first + at) % kernels->n]);
		}
}

static const char *path_of_self(char *buf, size_t n_bytes)
{
	ssize_t n = readlink("/proc/self/exe", buf, n_bytes - 1);

	if (n < 0)
		return "ktoll";
	buf[n] = 0;
	return buf;
}

static void add_word(struct str *to, const char *word)
{
	bool plain = !word[strcspn(word, " \t\"'$\\;")];

	str_addf(to, plain ? " %s" : " \"%s\"", word);
}

/* The command that each boot runs: this one, without the plan, and with a place that does not move. */
static int command_of(const struct verb *v, int argc, char **argv, struct str *ret)
{
	char self[PATH_MAX], *full;

	str_add(ret, path_of_self(self, sizeof(self)));
	str_add(ret, " live");
	for (int i = 1; i < argc; i++) {
		bool is_plan = strcmp(argv[i], "--plan") == 0 || strcmp(argv[i], "--boots") == 0;

		if (is_plan)
			i++;
		else if (!str_has_prefix(argv[i], "--plan=") && !str_has_prefix(argv[i], "--boots="))
			add_word(ret, argv[i]);
		if (!is_plan && strcmp(argv[i], "-o") == 0 && i + 1 < argc) {
			full = *argv[i + 1] == '/' ? xstrdup(argv[i + 1]) : NULL;
			if (!full && getcwd(self, sizeof(self)))
				full = xasprintf("%s/%s", self, argv[i + 1]);
			add_word(ret, full ? full : argv[i + 1]);
			free(full);
			i++;
		}
	}
	if (!strstr(str_text(ret), " -o "))
		return verb_usage(v, "--plan wants -o RECORD: all boots go into one");
	return 0;
}

int schedule_print(const struct verb *v, const char *kernels, uint64_t boots, uint64_t seed, int argc, char **argv)
{
	_cleanup_free_ char *copy = xstrdup(kernels);
	_cleanup_strv_ struct strv names = { 0 };
	_cleanup_str_ struct str command = STR_INIT;
	char *next = copy, *name;
	int status;

	while ((name = strsep(&next, ",")))
		if (*name)
			strv_add(&names, name);
	if (names.n < 2)
		return verb_usage(v, "--plan takes two kernels or more, with commas between them, not '%s'", kernels);
	status = command_of(v, argc, argv, &command);
	if (status)
		return status;
	print_order(&names, boots, seed);
	verb_print("\nA side is called after its kernel's release; where both have the same one, give each boot -n NAME.\n"
	       "`ktoll report` on the record says after each boot what the boots so far can decide.\n\n"
	       "As a unit that measures after each boot (systemctl enable it; choose the next kernel with your\n"
	       "boot loader, or in ExecStartPost with grub-reboot and systemctl reboot):\n\n"
	       "[Unit]\n"
	       "Description=ktoll: times of this boot\n"
	       "After=multi-user.target\n\n"
	       "[Service]\n"
	       "Type=oneshot\n"
	       "ExecStartPre=/bin/sleep 60\n"
	       "ExecStart=%s\n\n"
	       "[Install]\n"
	       "WantedBy=multi-user.target\n",
	       str_text(&command));
	return EXIT_DONE;
}
