/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a file of data/workloads, or a user's of the same kind, says: a program
 * with parameters. The keys are described in man/ktoll-workload.5.scd.
 */
#ifndef KTOLL_WORKLOADDEF_H
#define KTOLL_WORKLOADDEF_H

#include "model/workload.h"

struct workload_param {
	char *name;
	char *value;   /* by default */
	bool is_number, is_positional;
	uint64_t min, max;          /* of a number */
	struct strv words, texts;   /* of a choice: what is said, and what it becomes */
	uint64_t *steps;            /* of a number: values that a range A..B means; ascending */
	size_t n_steps, cap_steps;
};

struct workload_def {
	char *about, *unit, *ops, *setup, *server, *after, *run, *reader;
	struct strv packages, host_files, failures, options, kernel_params;
	bool is_once, is_clock_only;
	struct workload_file *files;
	size_t n_files, cap_files;
	uint16_t port;
	struct workload_param *params; /* in the file's order, without the size */
	size_t n_params, cap_params;
	char *size; /* the name of the parameter that scales; NULL: runs are not scaled */
	enum workload_method method;
	uint64_t sizes[2], clock_size; /* 0: not said */
	uint64_t timeout_s;
};

/*
 * Any bytes may be parsed; `file` is their name for sentences. -EINVAL with file, line and
 * column. The caller owns what `ret` holds: workload_def_finish().
 */
int workload_def_parse(const char *file, const char *text, size_t n_bytes, struct workload_def *ret,
		       struct error *err);
void workload_def_finish(struct workload_def *d);

/* The built-in ones, one after the other from 0 on; NULL behind the last. Text and name are static. */
const char *workload_builtin(size_t i, const char **ret_text, size_t *ret_bytes);

#endif
