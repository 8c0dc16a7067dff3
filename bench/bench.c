/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What measuring costs, as ratios of boots that run side by side in time: the
 * guest with the counting plugin against the guest without, two boots at a
 * time against one, the share of a boot that is booting and settling, and a boot
 * with the guest root of all workloads against one without; and what each workload takes.
 * Usage: bench [PAIRS]. Needs an idle machine to mean anything.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "engine/count.h"
#include "engine/pool.h"
#include "guest/root.h"
#include "kernel/debian.h"
#include "kernel/image.h"
#include "model/workloaddef.h"

#define MAX_PAIRS 50

static struct variant variants[2];
static struct plan plan = { .seed = 1, .nonce = 1, .settle_limit_ms = 60000 };
static double booting_share, boot_s;

static void die(const struct error *err)
{
	fprintf(stderr, "bench: %s\n", error_text(err));
	exit(128);
}

static int on_outcome(void *data, size_t index, struct outcome *o, struct error *err)
{
	if (o->n_failures)
		return error_set(err, 1, "a boot failed: %s", o->failures[0].message);
	boot_s = (double)o->wall_ms / 1000;
	if (o->booted_ms)
		booting_share = (double)o->booted_ms / (double)o->wall_ms;
	outcome_finish(o);
	return 0;
}

/* Seconds for `n` boots, `jobs` at a time. */
static double run(bool plugin, size_t n, unsigned jobs)
{
	struct count_options options = { .machine = machine_find(arch_host()), .plan = &plan, .budget_ms = 180000,
					 .no_plugin = !plugin };
	struct boot_request boots[2] = { { &variants[0], 0 }, { &variants[1], 0 } };
	struct pool_hooks hooks = { .on_outcome = on_outcome };
	_cleanup_error_ struct error err = ERROR_INIT;
	_cleanup_engine_ struct engine *e = NULL;
	struct timespec a, b;

	if (count_new(&options, &e, &err) < 0)
		die(&err);
	if (e->ops->prepare(e, variants, 2, &err) < 0)
		die(&err);
	clock_gettime(CLOCK_MONOTONIC, &a);
	if (pool_run(e, boots, n, jobs, &hooks, &err) < 0)
		die(&err);
	clock_gettime(CLOCK_MONOTONIC, &b);
	return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void show(const char *what, double *ratio, unsigned n)
{
	qsort(ratio, n, sizeof(*ratio), ascending);
	printf("%-52s %.3f  (%.3f to %.3f, %u pairs)\n", what, ratio[n / 2], ratio[0], ratio[n - 1], n);
	fflush(stdout);
}

/* The packages of all workloads that come with ktoll and can be counted, as one root. */
static void find_root(struct root *ret)
{
	_cleanup_strv_ struct strv packages = { 0 }, files = { 0 };
	_cleanup_error_ struct error err = ERROR_INIT;
	const char *name, *text;
	size_t n;

	for (size_t i = 0; (name = workload_builtin(i, &text, &n)); i++) {
		struct workload_def d;

		if (workload_def_parse(name, text, n, &d, &err) < 0)
			die(&err);
		if (!d.is_clock_only)
			strv_add_all(&packages, &d.packages);
		workload_def_finish(&d);
	}
	if (root_find(arch_host(), &packages, &files, NULL, NULL, ret, &err) < 0)
		die(&err);
}

/* A boot with the root of all workloads and a single replicate of one of them. */
static void bench_programs(char *root)
{
	const char *name, *text;
	size_t n_bytes;

	plan.root = root;
	for (size_t i = 0; (name = workload_builtin(i, &text, &n_bytes)); i++) {
		_cleanup_error_ struct error err = ERROR_INIT;
		const char *asked = strcmp(name, "stress-ng") == 0 ? "stress-ng:kill" : name;
		struct plan_item item = { .replicates = 1 }, *all = plan.items;
		struct workload *w;
		size_t n;

		if (workloads_find(asked, &w, &n, &err) < 0)
			die(&err);
		/* One that needs a kernel of its own, or a clock, is left out. */
		if (!w->options.n && !w->is_clock_only) {
			item.workload = w;
			plan.items = &item;
			printf("boot with that root and %-28s %.1f s\n", asked, run(true, 1, 1));
			fflush(stdout);
			plan.items = all;
		}
		for (size_t k = 0; k < n; k++)
			workload_finish(&w[k]);
		free(w);
	}
	plan.root = NULL;
}

/* What a guest root costs a boot that does next to nothing. */
static void bench_root(unsigned pairs)
{
	_cleanup_(root_finish) struct root root = { 0 };
	double cost[MAX_PAIRS];

	find_root(&root);
	plan.n_items = 1;
	for (unsigned i = 0; i < pairs; i++) {
		plan.root = root.path;
		cost[i] = run(true, 1, 1);
		plan.root = NULL;
		cost[i] /= run(true, 1, 1);
	}
	show("boot with the root of all workloads / without", cost, pairs);
	bench_programs(root.path);
	printf("%-52s %.0f MiB\n", "that root", (double)root.n_bytes / (1 << 20));
}

int main(int argc, char **argv)
{
	unsigned pairs = argc > 1 ? (unsigned)atoi(argv[1]) : 5;
	double cost[MAX_PAIRS], speedup[MAX_PAIRS];
	struct spec spec;
	_cleanup_error_ struct error err = ERROR_INIT;

	if (pairs < 1 || pairs > MAX_PAIRS) {
		fprintf(stderr, "usage: bench [PAIRS], 1 to %d\n", MAX_PAIRS);
		return 129;
	}
	if (spec_parse("debian:6.1", &spec, &err) < 0)
		die(&err);
	for (size_t i = 0; i < 2; i++)
		if (debian_find(&spec, NULL, NULL, &variants[i].kernel, &err) < 0 ||
		    image_unpack(&variants[i].kernel, &err) < 0)
			die(&err);
	for (size_t i = 0; i < operation_list_n; i++)
		*ARRAY_ADD(plan.items, plan.n_items, plan.cap_items) =
			(struct plan_item){ .operation = &operation_list[i], .replicates = 5 };
	run(true, 1, 1); /* the symbols, and the page cache */
	for (unsigned i = 0; i < pairs; i++) {
		double with = run(true, 1, 1);

		cost[i] = with / run(false, 1, 1);
	}
	show("guest with plugin / without (1.0 is free)", cost, pairs);
	for (unsigned i = 0; i < pairs; i++) {
		double one = run(true, 2, 1);

		speedup[i] = one / run(true, 2, 2);
	}
	show("two boots: -j 1 / -j 2 (2.0 is ideal on two cores)", speedup, pairs);
	run(true, 1, 1);
	printf("%-52s %.3f\n", "share of a boot that is booting and settling", booting_share);
	printf("%-52s %.1f s\n", "one variant, default operations, alone", boot_s);
	bench_root(pairs);
	for (size_t i = 0; i < 2; i++)
		variant_finish(&variants[i]);
	free(plan.items);
	spec_finish(&spec);
	return 0;
}
