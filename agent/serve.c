/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "serve.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "counters.h"
#include "operation.h"

#define NS_PER_S 1000000000ull
/* Never as many in one go that it could not be ended. */
#define MAX_OPERATIONS (1ull << 40)

static int out_fd;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static void put(const char *p, size_t n)
{
	while (n) {
		ssize_t r = write(out_fd, p, n);

		if (r < 0 && errno != EINTR)
			exit(1);
		if (r > 0) {
			p += r;
			n -= (size_t)r;
		}
	}
}

/* One line, and what was printed behind it. */
static void answer(const char *what, const char *figures, const char *output, size_t n_output,
		   const char *sentence)
{
	char line[1024];
	int n = snprintf(line, sizeof(line), "%s%s%s output=%zu%s%s\n", WIRE_ANSWER, what, figures,
			 n_output, *sentence ? " " : "", sentence);

	put(line, (size_t)n);
	put(output, n_output);
}

static void answer_failed(const char *sentence, const char *output, size_t n_output)
{
	answer("failed", "", output, n_output, sentence);
}

static const struct operation *find(const char *name)
{
	for (unsigned i = 0; i < n_operations; i++)
		if (strcmp(operations[i].name, name) == 0)
			return &operations[i];
	return NULL;
}

/* ---- operations ---- */

/*
 * Where an operation needs room made for a batch, only the batches are in the time; else
 * all are one loop.
 */
static int run_operation(const struct operation *op, uint64_t n, uint64_t *ret_ops, uint64_t *ret_ns)
{
	uint64_t batch = op->prepare || op->finish ? op->batch : n, ns = 0, others, start;
	int r = 0;

	others = op->others ? op->others() : 0;
	for (uint64_t done = 0; done < n && r == 0; done += batch) {
		uint64_t k = n - done < batch ? n - done : batch;

		r = op->prepare ? op->prepare() : 0;
		if (r < 0)
			break;
		start = now_ns();
		while (k--)
			op->run();
		ns += now_ns() - start;
		if (op->finish)
			op->finish();
		if (operation_error) {
			r = (int)operation_error;
			operation_error = 0;
		}
	}
	*ret_ops = n + (op->others ? op->others() : 0) - others;
	*ret_ns = ns;
	return r;
}

/* ---- commands ---- */

static void figures_of(char *buf, size_t n_bytes, uint64_t ops, uint64_t ns)
{
	int n = snprintf(buf, n_bytes, " ops=%llu ns=%llu", (unsigned long long)ops,
			 (unsigned long long)ns);

	counters_text(buf + n, n_bytes - (size_t)n);
}

static void do_operation(const char *verb, const struct operation *op, uint64_t size)
{
	char figures[800] = "";
	uint64_t ops = 0, ns = 0;
	int r = 0;

	if (strcmp(verb, "ready") == 0) {
		r = op->setup ? op->setup() : 0;
		/* What is done only the first time is not part of an operation. */
		if (r == 0)
			r = run_operation(op, op->batch, &ops, &ns);
	} else if (strcmp(verb, "run") == 0) {
		counters_begin();
		r = run_operation(op, size, &ops, &ns);
		figures_of(figures, sizeof(figures), ops, ns);
	} else if (op->teardown) {
		op->teardown();
	}
	if (r < 0)
		answer_failed(strerror(-r), NULL, 0);
	else
		answer("ok", figures, NULL, 0, "");
}

static int run_program(const struct program *p, char *figures, size_t n_bytes)
{
	uint64_t start, ns;

	if (program_begin(p, 0, 0) < 0)
		return -1;
	counters_begin();
	start = now_ns();
	program_run();
	ns = now_ns() - start;
	figures_of(figures, n_bytes, p->plan->ops[0], ns);
	return program_end(p);
}

static void do_program(const char *verb, const struct program *p)
{
	char figures[800] = "";
	const char *output;
	size_t n;
	int r = 0;

	if (strcmp(verb, "ready") == 0) {
		r = program_ready(p);
		if (r == 0 && !p->plan->once)
			r = run_program(p, figures, sizeof(figures));
		*figures = 0;
	} else if (strcmp(verb, "run") == 0) {
		r = run_program(p, figures, sizeof(figures));
	} else {
		program_over();
	}
	output = program_output(&n);
	if (r < 0)
		answer_failed(program_trouble(), output, n);
	else
		answer("ok", figures, output, strcmp(verb, "run") == 0 ? n : 0, "");
}

static void do_command(const char *line, const struct workload *workloads, uint32_t n)
{
	unsigned long long size = 1;
	unsigned index;
	char verb[8];
	int got = sscanf(line, "%7s %u %llu", verb, &index, &size);
	const struct operation *op;

	if (got < 2 || index >= n || !size || size > MAX_OPERATIONS ||
	    (strcmp(verb, "ready") != 0 && strcmp(verb, "run") != 0 && strcmp(verb, "over") != 0)) {
		answer_failed("the agent does not know this command", NULL, 0);
	} else if (!*workloads[index].plan.operation) {
		do_program(verb, &workloads[index].program);
	} else if ((op = find(workloads[index].plan.operation))) {
		do_operation(verb, op, size);
	} else {
		answer_failed("the agent has no such operation", NULL, 0);
	}
}

void serve(int in, int out, const struct workload *workloads, uint32_t n)
{
	struct termios t;
	FILE *f;
	char line[200];

	/* A console as it is would answer by itself, and change what is printed. */
	if (tcgetattr(in, &t) == 0) {
		cfmakeraw(&t);
		tcsetattr(in, TCSANOW, &t);
	}
	out_fd = out;
	f = fdopen(in, "r");
	counters_open();
	answer("ok", "", NULL, 0, "");
	while (f && fgets(line, sizeof(line), f) && strcmp(line, "quit\n") != 0)
		do_command(line, workloads, n);
}
