/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cmd/verb.h"
#include "explain/mechanism.h"
#include "guest/initramfs.h"
#include "kernel/cached.h"
#include "kernel/debian.h"
#include "model/study.h"
#include "model/arch.h"
#include "model/record.h"
#include "model/workloaddef.h"
#include "sys/table.h"

static const struct option_row rows[] = { { 0 } };

/* Adds those of one architecture, and their number to *n_all. */
static int add_kernels(struct table *t, const char *arch, size_t *n_all, struct error *err)
{
	struct debian_kernel *kernels;
	size_t n;
	int r = debian_list(arch, &kernels, &n, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *spec = xasprintf("%s,arch=%s", kernels[i].spec, arch);

		table_add_row(t);
		table_set(t, 0, str_equal(arch, arch_host()) ? kernels[i].spec : spec);
		table_set(t, 1, kernels[i].package);
		table_set(t, 2, kernels[i].version);
		table_set(t, 3, kernels[i].is_cached ? "cache" : kernels[i].suite);
	}
	debian_kernels_free(kernels, n);
	*n_all += n;
	return 0;
}

static int list_kernels(struct error *err)
{
	_cleanup_table_ struct table *t = table_new();
	const char *host = arch_host();
	size_t n = 0;
	int r = 0;

	table_add_column(t, "SPEC", 0);
	table_add_column(t, "PACKAGE", 0);
	table_add_column(t, "VERSION", 0);
	table_add_column(t, "WHERE", 0);
	if (host)
		r = add_kernels(t, host, &n, err);
	for (size_t i = 0; r == 0 && arch_at(i); i++)
		if (!str_equal(arch_at(i)->name, host))
			r = add_kernels(t, arch_at(i)->name, &n, err);
	if (r < 0)
		return r;
	if (!n)
		puts("none in the cache, and no package list yet: ktoll compare fetches both");
	return table_print(t, stdout, err);
}

/* "groups=1, mode=process|thread, loops=300": the first value of each holds if nothing is said. */
static char *params_of(const struct workload_def *d)
{
	struct str s = STR_INIT;

	for (size_t i = 0; i < d->n_params; i++) {
		const struct workload_param *p = &d->params[i];

		str_addf(&s, "%s%s%s%s", s.len ? ", " : "", p->is_positional ? "" : p->name,
			 p->is_positional ? "" : "=", p->value);
		for (size_t k = 0; k < p->words.n; k++)
			if (strcmp(p->words.v[k], p->value) != 0)
				str_addf(&s, "|%s", p->words.v[k]);
	}
	if (d->size) {
		str_addf(&s, "%s%s=%llu", s.len ? ", " : "", d->size, (unsigned long long)d->sizes[0]);
		if (d->sizes[1])
			str_addf(&s, "/%llu", (unsigned long long)d->sizes[1]);
	}
	return str_take(&s) ?: xstrdup("");
}

static int list_programs(struct error *err)
{
	_cleanup_table_ struct table *t = table_new();
	const char *name, *text;
	size_t n;

	table_add_column(t, "PROGRAM", 0);
	table_add_column(t, "PARAMETERS", 0);
	table_add_column(t, "COUNTED PER", 0);
	table_add_column(t, "WHAT IT DOES", 0);
	for (size_t i = 0; (name = workload_builtin(i, &text, &n)); i++) {
		_cleanup_free_ char *params = NULL;
		struct workload_def d;
		int r = workload_def_parse(name, text, n, &d, err);

		if (r < 0)
			return r;
		params = params_of(&d);
		table_add_row(t);
		table_set(t, 0, name);
		table_set(t, 1, params);
		table_set(t, 2, d.unit);
		table_set(t, 3, d.about);
		workload_def_finish(&d);
	}
	return table_print(t, stdout, err);
}

static int list_workloads(struct error *err)
{
	_cleanup_table_ struct table *t = table_new();
	int r;

	table_add_column(t, "OPERATION", 0);
	table_add_column(t, "BATCH", TABLE_RIGHT);
	table_add_column(t, "ONE OPERATION IS", 0);
	for (size_t i = 0; i < operation_list_n; i++) {
		_cleanup_free_ char *batch = xasprintf("%u", operation_list[i].batch);

		table_add_row(t);
		table_set(t, 0, operation_list[i].name);
		table_set(t, 1, batch);
		table_set(t, 2, operation_list[i].help);
	}
	r = table_print(t, stdout, err);
	if (r == 0)
		verb_print("\n");
	return r < 0 ? r : list_programs(err);
}

/* ---- sizes on disk ---- */

/* Files with several names that have been counted, as search.h's tree. */
struct counted {
	void *tree;
};

struct inode {
	dev_t dev;
	ino_t ino;
};

static int by_inode(const void *a, const void *b)
{
	const struct inode *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static bool is_counted(struct counted *c, const struct stat *st)
{
	struct inode *inode = xmalloc(sizeof(*inode)), **place;

	*inode = (struct inode){ st->st_dev, st->st_ino };
	place = tsearch(inode, &c->tree, by_inode);
	if (place && *place == inode)
		return false;
	free(inode);
	return place;
}

/* What lies below a folder, is not only linked to, and was not counted before under another name. */
static uint64_t sum_of(const char *path, struct counted *c)
{
	struct dirent *e;
	struct stat st;
	uint64_t sum;
	DIR *d;

	if (lstat(path, &st) < 0 || (!S_ISDIR(st.st_mode) && st.st_nlink > 1 && is_counted(c, &st)))
		return 0;
	sum = (uint64_t)st.st_blocks * 512;
	d = S_ISDIR(st.st_mode) ? opendir(path) : NULL;
	while (d && (e = readdir(d))) {
		_cleanup_free_ char *below = path_join(path, e->d_name);

		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			sum += sum_of(below, c);
	}
	if (d)
		closedir(d);
	return sum;
}

static void add_size(struct table *t, const char *path, struct counted *c)
{
	_cleanup_free_ char *size = xasprintf("%.1f MiB", (double)sum_of(path, c) / (1 << 20));

	table_add_row(t);
	table_set(t, 0, size);
}

static void add_folders(struct table *t, const char *parent, struct counted *c)
{
	struct dirent **names = NULL;
	/* In an order that stays: a file is counted where it comes first. */
	int n = scandir(parent, &names, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		_cleanup_free_ char *path = path_join(parent, names[i]->d_name);

		if (names[i]->d_name[0] != '.') {
			add_size(t, path, c);
			table_set(t, 1, path);
		}
		free(names[i]);
	}
	free(names);
}

/* Each folder of the cache, and of the data. */
static int add_places(struct table *t, struct error *err)
{
	_cleanup_free_ char *cache = NULL, *data = NULL;
	struct counted counted = { 0 };
	int r = dir_cache(&cache, err);

	if (r == 0)
		r = dir_data(&data, err);
	if (r < 0)
		return r;
	table_add_column(t, "SIZE", TABLE_RIGHT);
	table_add_column(t, "FOLDER", 0);
	add_folders(t, cache, &counted);
	add_folders(t, data, &counted);
	tdestroy(counted.tree, free);
	return 0;
}

static int add_cached(struct table *t, struct error *err)
{
	struct counted counted = { 0 };
	struct cached *list;
	size_t n;
	int r = cached_list(&list, &n, err);

	if (r < 0)
		return r;
	table_add_column(t, "SIZE", TABLE_RIGHT);
	table_add_column(t, "ARCH", 0);
	table_add_column(t, "RELEASE", 0);
	table_add_column(t, "PACKAGE, OR FIRST ASKED FOR AS", 0);
	for (size_t i = 0; i < n; i++) {
		add_size(t, list[i].dir, &counted);
		table_set(t, 1, list[i].arch ? list[i].arch : "-");
		table_set(t, 2, list[i].release ? list[i].release : "-");
		table_set(t, 3, list[i].what ? list[i].what : "-");
	}
	tdestroy(counted.tree, free);
	cached_free(list, n);
	return 0;
}

static int list_cache(struct error *err)
{
	_cleanup_table_ struct table *places = table_new(), *cached = table_new();
	int r = add_places(places, err);

	if (r == 0)
		r = add_cached(cached, err);
	if (r < 0)
		return r;
	r = table_print(places, stdout, err);
	if (r < 0)
		return r;
	puts("");
	return table_print(cached, stdout, err);
}

/* Of this machine's architecture; those of another differ in a few names of entry code. */
static int list_mechanisms(struct error *err)
{
	_cleanup_table_ struct table *t = table_new();
	struct mechanisms m;
	int r = mechanisms_load(&m, arch_host() ? arch_host() : "", err);

	if (r < 0)
		return r;
	table_add_column(t, "MECHANISM", 0);
	table_add_column(t, "WHAT IT IS", TABLE_WRAP);
	table_add_column(t, "OPTIONS", TABLE_WRAP);
	for (size_t i = 0; i < m.n; i++) {
		_cleanup_free_ char *options = strv_join(&m.v[i].options, " ");

		table_add_row(t);
		table_set(t, 0, m.v[i].name);
		table_set(t, 1, m.v[i].about ? m.v[i].about : "");
		table_set(t, 2, options);
	}
	r = table_print(t, stdout, err);
	mechanisms_finish(&m);
	return r;
}

static int list_studies(struct error *err)
{
	_cleanup_table_ struct table *t = table_new();
	const char *name, *text;
	size_t n;

	table_add_column(t, "STUDY", 0);
	table_add_column(t, "PARTS", 0);
	table_add_column(t, "WHAT IT ASKS", TABLE_WRAP);
	for (size_t i = 0; (name = study_builtin(i, &text, &n)); i++) {
		_cleanup_strv_ struct strv parts = { 0 };
		_cleanup_free_ char *list = NULL;
		struct study s;
		int r = study_parse(name, text, n, NULL, &s, err);

		if (r < 0)
			return r;
		for (size_t k = 0; k < s.n_parts; k++)
			strv_add(&parts, s.parts[k].name);
		list = strv_join(&parts, ", ");
		table_add_row(t);
		table_set(t, 0, name);
		table_set(t, 1, list);
		table_set(t, 2, s.about);
		study_finish(&s);
	}
	return table_print(t, stdout, err);
}

static int run_list(const struct verb *v, int argc, char **argv)
{
	static const struct {
		const char *what;
		int (*list)(struct error *err);
	} lists[] = { { "kernels", list_kernels },
		      { "workloads", list_workloads },
		      { "mechanisms", list_mechanisms },
		      { "studies", list_studies },
		      { "cache", list_cache } };
	_cleanup_error_ struct error err = ERROR_INIT;
	struct options o;
	const char *value, *what;
	int r, n;

	verb_options_init(&o, v, argc, argv);
	r = verb_option(&o, &value);
	n = argc - o.first_operand;
	what = argv[o.first_operand];
	verb_options_finish(&o);
	if (r < 0)
		return verb_option_status(r);
	for (size_t i = 0; n == 1 && i < ARRAY_SIZE(lists); i++) {
		if (strcmp(what, lists[i].what) != 0)
			continue;
		r = lists[i].list(&err);
		return r < 0 ? verb_failed(r, &err) : EXIT_DONE;
	}
	return verb_usage(v, "kernels, workloads, mechanisms, studies or cache is wanted");
}

const struct verb verb_list = {
	.name = "list",
	.operands = "kernels|workloads|mechanisms|studies|cache",
	.summary = "Lists what there is to choose from",
	.options = rows,
	.run = run_list,
};
