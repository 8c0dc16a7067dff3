/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workloads that are programs: what a file of data/workloads says, and what
 * becomes of it with the parameters of a command line. The operations that the
 * agent has built in are not here (guest/initramfs.h).
 */
#ifndef KTOLL_WORKLOAD_H
#define KTOLL_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

enum workload_method {
	/*
	 * Cost grows with the size: it is run at two of them, and an operation costs the
	 * difference of the counts over the difference of the operations, so that start and
	 * end cancel out.
	 */
	WORKLOAD_TWO_SIZES,
	/* It does not (the scheduler does more in longer runs): one size, at several tick phases. */
	WORKLOAD_SAME_SIZE,
};

struct workload_file {
	char *path; /* in the guest, absolute; or a name without a slash, in the folder that {dir} stands for */
	char *text;
	size_t n_bytes;
	unsigned mode; /* permissions */
};

void workload_files_free(struct workload_file *files, size_t n);

/* One workload with values for all its parameters: nothing is left open but {size}. */
struct workload {
	char *name;  /* the parameters that are not the default in the file's order: "hackbench:groups=10,mode=pipe" */
	char *unit;  /* what one operation is: "request" */
	struct strv packages;   /* Debian's, beside those of every guest */
	struct strv host_files; /* of this machine, copied with the libraries they need */
	struct workload_file *files; /* written into the guest */
	size_t n_files;
	char *setup;  /* shell commands before the first run, not measured; NULL for none */
	char *server; /* a command line that runs on through all runs; NULL for none */
	char *after;  /* shell commands behind each run, not measured, that print in its place; NULL for none */
	bool is_clock_only; /* not for counting: it would take days */
	bool is_once; /* it can be run a single time in a boot */
	struct strv options; /* that a kernel which is built for it has to have: "NAME=y" */
	struct strv params;  /* boot parameters that it needs */
	uint16_t port; /* 127.0.0.1 has to accept connections here before a run; 0 for none */
	char *run;    /* the command line that is measured, split into words as a shell would; "{size}" is in it */
	struct strv failures; /* POSIX extended regular expressions: one that matches the output makes the run a failure */
	char *reader; /* of its output, see readers/; NULL if it prints no figure */
	enum workload_method method;
	uint64_t sizes[2]; /* ascending; the second is 0 with WORKLOAD_SAME_SIZE */
	uint64_t ops[2];   /* operations at these sizes; with ops_reading, times that many */
	uint64_t clock_size, clock_ops; /* of a run that is timed: long against its start and end */
	char *ops_reading; /* the figure that tells how many were done, by its name in the reader; or NULL */
	uint64_t timeout_s; /* of guest time, for one run */
};

/*
 * What `-w` takes beside an operation: "hackbench", "hackbench:groups=10,mode=thread",
 * "stress-ng:kill", a range "hackbench:groups=1..96" (one workload for each step), a file
 * "./mine.yaml:n=3", or a command of this machine "cmd:stress-ng --pipe 1 --pipe-ops {n}". An
 * array owned by the caller: workload_finish() on each, then free(). -EINVAL, blamed on
 * usage, says what there is; errors of a user's file name the place in it.
 */
int workloads_find(const char *text, struct workload **ret, size_t *ret_n, struct error *err);
void workload_finish(struct workload *w);

/* The words of a workload's `run` at a size, as a shell would split it. -EINVAL for a quote without an end. */
int workload_words(const char *run, uint64_t size, struct strv *ret, struct error *err);

#endif
