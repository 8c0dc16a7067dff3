/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cmd/kernelfind.h"
#include "cmd/progress.h"
#include "cmd/show.h"
#include "engine/inlinecache.h"
#include "engine/count.h"
#include "engine/pool.h"
#include "guest/root.h"
#include "kernel/preempt.h"
#include "model/spec.h"
#include "readers/reader.h"
#include "sys/dwarf.h"
#include "sys/digest.h"

#define MAX_JOBS 256
/* A sample is a region of guest time; hundreds of them only cost time. */
#define MAX_REPLICATES 50
#define OPERATION_REPLICATES 5
/* Programs take longer. Where start and end cancel out, the distance from the tick hardly matters. */
#define TWO_SIZES_REPLICATES 2
#define SAME_SIZE_REPLICATES 6
#define SETTLE_LIMIT_MS 60000
#define DEFAULT_TIMEOUT_S 180

#define KEY_SEED    KEY_LONG(1)
#define KEY_ENGINE  KEY_LONG(2)
#define KEY_TIMEOUT KEY_LONG(3)

static const struct option_row rows[] = {
	{ 'w', "workload", "WORKLOAD", "an operation or a program, several with commas (default: all operations)" },
	{ 'n', "name", "NAME=SPEC", "a short name for a kernel spec, to be used in its place" },
	{ KEY_ENGINE, "engine", "ENGINE", "count (default): instruction counts under QEMU" },
	{ 'r', "replicates", "N", "regions per operation, each at another tick phase (default 5; programs 2 or 6)" },
	{ 'j', "jobs", "N", "boots at a time (default: one per core)" },
	{ KEY_SEED, "seed", "N", "tick phases and guest entropy are drawn from it (default 1)" },
	{ KEY_TIMEOUT, "timeout", "SECONDS", "end a boot without a sign of life for so long (180)" },
	{ 'o', "output", "RECORD", "where the record goes; an unfinished one is resumed" },
	SHOW_OPTION_ROWS,
	{ 0 },
};

struct request {
	const struct verb *verb;
	struct show_options show;
	struct asked {
		const struct operation_info *operation; /* NULL for a program */
		struct workload workload;
	} *asked; /* in the order given */
	size_t n_asked, cap_asked;
	struct plan plan;
	struct root root;
	uint64_t replicates; /* 0: by default */
	struct strv names, specs; /* of -n */
	uint64_t jobs, timeout_s;
	const char *output;
	char *command;
	struct run run;
};

static void request_finish(struct request *q)
{
	for (size_t i = 0; i < q->n_asked; i++)
		workload_finish(&q->asked[i].workload);
	free(q->asked);
	free(q->plan.items);
	root_finish(&q->root);
	strv_finish(&q->names);
	strv_finish(&q->specs);
	free(q->command);
	run_finish(&q->run);
}

/* ---- the command line ---- */

static const char *asked_name(const struct asked *a)
{
	return a->operation ? a->operation->name : a->workload.name;
}

static int add_asked(struct request *q, const struct asked *a, const char *text)
{
	for (size_t i = 0; i < q->n_asked; i++)
		if (strcmp(asked_name(&q->asked[i]), asked_name(a)) == 0)
			return verb_usage(q->verb, "-w %s twice", text);
	*ARRAY_ADD(q->asked, q->n_asked, q->cap_asked) = *a;
	return 0;
}

/* One that reads what a single program printed. */
static bool is_known_reader(const char *name)
{
	const struct reader *r = reader_find(name);

	return r && r->collect;
}

static int no_reader(const struct request *q, const char *text, const char *name)
{
	_cleanup_str_ struct str known = STR_INIT;

	for (size_t i = 0; reader_at(i); i++)
		if (reader_at(i)->collect)
			str_addf(&known, "%s%s", known.len ? ", " : "", reader_at(i)->name);
	return verb_usage(q->verb, "-w %s: no reader '%s'; known: %s", text, name, str_text(&known));
}

/* What is not an operation: a program, or several where a parameter is a range. */
static int add_programs(struct request *q, const char *text)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	struct workload *found = NULL;
	size_t n = 0;
	int status, r = workloads_find(text, &found, &n, &err);

	if (r < 0)
		return verb_failed(r, &err);
	status = 0;
	for (size_t i = 0; i < n; i++) {
		if (!status && found[i].reader && !is_known_reader(found[i].reader))
			status = no_reader(q, text, found[i].reader);
		if (!status)
			status = add_asked(q, &(struct asked){ .workload = found[i] }, text);
		if (status)
			workload_finish(&found[i]);
	}
	free(found);
	return status;
}

static int add_workload(struct request *q, const char *name)
{
	const struct operation_info *operation = operation_find(name);

	return operation ? add_asked(q, &(struct asked){ .operation = operation }, name) :
			   add_programs(q, name);
}

/* Plain names may be joined by commas; one with parameters, a file or a command stands alone. */
static int add_workloads(struct request *q, const char *list)
{
	_cleanup_free_ char *copy = xstrdup(list);
	char *save = NULL;
	int status = 0;

	if (strpbrk(list, ":/"))
		return add_workload(q, list);
	for (char *w = strtok_r(copy, ",", &save); w && !status; w = strtok_r(NULL, ",", &save))
		status = add_workload(q, w);
	return status;
}

static int number(struct request *q, const char *option, const char *value, uint64_t min,
		  uint64_t max, uint64_t *ret)
{
	if (str_to_u64(value, min, max, ret) < 0)
		return verb_usage(q->verb, "--%s takes a number from %llu to %llu, not '%s'", option,
				  (unsigned long long)min, (unsigned long long)max, value);
	return 0;
}

static int add_name(struct request *q, const char *value)
{
	const char *eq = strchr(value, '=');
	_cleanup_free_ char *name = NULL;

	if (!eq || eq == value)
		return verb_usage(q->verb, "-n takes NAME=SPEC, not '%s'", value);
	name = xstrndup(value, (size_t)(eq - value));
	if (strpbrk(name, ":,"))
		return verb_usage(q->verb, "a name has no ':' and no ',': '%s'", name);
	if (strv_has(&q->names, name))
		return verb_usage(q->verb, "-n %s= twice", name);
	strv_add(&q->names, name);
	strv_add(&q->specs, eq + 1);
	return 0;
}

static int take_option(struct request *q, int key, const char *value)
{
	switch (key) {
	case 'w':
		return add_workloads(q, value);
	case 'n':
		return add_name(q, value);
	case 'r':
		return number(q, "replicates", value, 1, MAX_REPLICATES, &q->replicates);
	case 'j':
		return number(q, "jobs", value, 1, MAX_JOBS, &q->jobs);
	case KEY_SEED:
		/* QEMU's -seed has 32 bits. */
		return number(q, "seed", value, 0, UINT32_MAX, &q->plan.seed);
	case KEY_TIMEOUT:
		return number(q, "timeout", value, 1, 86400, &q->timeout_s);
	case KEY_ENGINE:
		if (strcmp(value, "count") != 0)
			return verb_usage(q->verb, "--engine takes count, not '%s'", value);
		return 0;
	case 'o':
		q->output = value;
		return 0;
	default:
		return show_option(&q->show, q->verb, key, value);
	}
}

/* ---- variants ---- */

static bool name_taken(const struct run *run, const char *name)
{
	for (size_t i = 0; i < run->n_variants; i++)
		if (strcmp(run->variants[i].name, name) == 0)
			return true;
	return false;
}

/* The given name, or the spec without its source's prefix; numbered if it is there already. */
static char *variant_name(const struct run *run, const char *given, const char *spec)
{
	_cleanup_free_ char *name = xstrdup(given ? given : spec);

	if (!given && str_has_prefix(name, "image:")) {
		/* The file's name, and what else the spec says. */
		char *end = name + strcspn(name, ","), *slash = memrchr(name, '/', (size_t)(end - name));
		char *shorter = xstrdup(slash ? slash + 1 : name + strlen("image:"));

		free(name);
		name = shorter;
	} else if (!given && str_has_prefix(name, "debian:")) {
		const char *rest = name + strlen("debian:");
		char *shorter = xasprintf("%s%s", *rest && *rest != ',' ? "" : "newest", rest);

		free(name);
		name = shorter;
	}
	for (unsigned i = 2; name_taken(run, name); i++) {
		char *numbered = xasprintf("%.*s#%u", (int)strcspn(name, "#"), name, i);

		free(name);
		name = numbered;
	}
	return TAKE_PTR(name);
}

static int find_kernel(const struct spec *spec, struct kernel *ret, struct error *err)
{
	struct kernel k = { 0 };
	int r = kernel_find(spec, &k, err);

	if (r < 0)
		return r;
	r = preempt_check(&k, &spec->params, err);
	if (r < 0) {
		error_context(err, r, "%s", spec->text);
		kernel_finish(&k);
		return r;
	}
	*ret = k;
	return 0;
}

/* All guests of a run are of one architecture: instructions of two are not to be compared. */
static int check_arch(const char *arch, const char *first, const struct spec *spec,
		      struct error *err)
{
	if (!machine_find(arch))
		return error_blame(err, ERROR_USAGE, ENOTSUP, "%s: there is no machine for %s",
				   spec->text, arch);
	if (first && strcmp(arch, first) != 0)
		return error_blame(err, ERROR_USAGE, EINVAL,
				   "%s is for %s and the base for %s: instructions of two "
				   "architectures cannot be compared", spec->text, arch, first);
	return 0;
}

/* What an operand stands for: the spec that -n gave this name, or itself. */
static const char *spec_of(const struct request *q, const char *operand)
{
	for (size_t i = 0; i < q->names.n; i++)
		if (strcmp(q->names.v[i], operand) == 0)
			return q->specs.v[i];
	return operand;
}

/* Before anything is fetched or built for nothing. Of an image only the file says what it is. */
static int check_operands(const struct request *q, char **operands, int n, struct error *err)
{
	const char *first = NULL;
	int r = 0;

	for (int i = 0; r == 0 && i < n; i++) {
		struct spec spec;

		r = spec_parse(spec_of(q, operands[i]), &spec, err);
		if (r < 0)
			return r;
		if (spec.kind != SPEC_IMAGE) {
			r = check_arch(spec.arch, first, &spec, err);
			first = spec.arch; /* static */
		}
		spec_finish(&spec);
	}
	return r;
}

static void add_setting(struct str *to, const char *mark, const char *setting)
{
	str_addf(to, ",%s", mark);
	for (const char *c = setting; *c; c++)
		str_add(to, *c == ',' ? "\\," : (char[]){ *c, '\0' });
}

/*
 * A spec with what the workloads need of the kernel: options if it is built here, and boot
 * parameters. Owned by the caller.
 */
static char *with_needs(const struct request *q, const char *text, bool is_built)
{
	struct str s = STR_INIT;

	str_add(&s, text);
	for (size_t i = 0; i < q->n_asked; i++) {
		const struct workload *w = &q->asked[i].workload;

		for (size_t k = 0; is_built && k < w->options.n; k++)
			add_setting(&s, "", w->options.v[k]);
		for (size_t k = 0; k < w->params.n; k++)
			add_setting(&s, "+", w->params.v[k]);
	}
	return str_take(&s);
}

static int add_variant(struct request *q, const char *operand, size_t *cap, struct error *err)
{
	const char *asked = spec_of(q, operand), *given = asked == operand ? NULL : operand;
	_cleanup_free_ char *text = NULL;
	const char *first = q->run.n_variants ? q->run.variants[0].kernel.arch : NULL;
	struct spec spec;
	struct variant v = { 0 };
	int r = spec_parse(asked, &spec, err);

	if (r < 0)
		return r;
	text = with_needs(q, asked, spec_is_built(&spec));
	spec_finish(&spec);
	r = spec_parse(text, &spec, err);
	if (r < 0)
		return r;
	r = find_kernel(&spec, &v.kernel, err);
	if (r == 0 && (r = check_arch(v.kernel.arch, first, &spec, err)) < 0)
		kernel_finish(&v.kernel);
	if (r == 0) {
		v.name = variant_name(&q->run, given, asked);
		v.spec = xstrdup(text);
		v.cpu = TAKE_PTR(spec.cpu);
		q->plan.selinux |= initramfs_wants_selinux(&spec.params);
		v.params = spec.params;
		v.dropped = spec.dropped;
		spec.params = spec.dropped = (struct strv){ 0 };
		*ARRAY_ADD(q->run.variants, q->run.n_variants, *cap) = v;
	}
	spec_finish(&spec);
	return r;
}

/* ---- the head of the record ---- */

static void add_number(struct facts *f, const char *key, uint64_t v)
{
	_cleanup_free_ char *s = xasprintf("%llu", (unsigned long long)v);

	facts_add(f, key, s);
}

/* The first line of a file that begins with `prefix`, without it and without quotes. */
static void add_from_file(struct facts *f, const char *key, const char *path, const char *prefix)
{
	_cleanup_free_ char *text = NULL;
	const char *at;

	if (file_read(path, &text, NULL, NULL) < 0)
		return;
	at = strstr(text, prefix);
	if (at) {
		_cleanup_free_ char *value = NULL;

		at += strlen(prefix);
		at += strspn(at, "\t :\"");
		value = xstrndup(at, strcspn(at, "\"\n"));
		facts_add(f, key, value);
	}
}

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

/* All that becomes of a program but its name and what is printed about it. */
static void add_item_key(struct str *st, const struct plan_item *i)
{
	const struct workload *w = i->workload;

	str_addf(st, "|%s|%u", plan_item_name(i), i->replicates);
	if (!w)
		return;
	str_addf(st, "|%s|%s|%s|%u|%s|%llu|%llu|%llu", or_empty(w->setup), or_empty(w->server),
		 or_empty(w->after), w->port, w->run, (unsigned long long)w->sizes[0],
		 (unsigned long long)w->sizes[1], (unsigned long long)w->timeout_s);
	for (size_t k = 0; k < w->n_files; k++)
		str_addf(st, "|%s|%s", w->files[k].path, w->files[k].text);
	str_addf(st, "|%llu|%llu|%s|%s", (unsigned long long)w->ops[0], (unsigned long long)w->ops[1],
		 or_empty(w->ops_reading), or_empty(w->reader));
	for (size_t k = 0; k < w->failures.n; k++)
		str_addf(st, "|%s", w->failures.v[k]);
}

/* What makes two plans the same: equal keys give equal results. */
static char *plan_key(const struct request *q, const struct engine *e)
{
	_cleanup_str_ struct str st = STR_INIT;

	str_addf(&st, "%s|%s|%llu|%s", KTOLL_VERSION, e->ops->name,
		 (unsigned long long)q->plan.seed, or_empty(q->root.id));
	for (size_t i = 0; i < q->plan.n_items; i++)
		add_item_key(&st, &q->plan.items[i]);
	for (size_t i = 0; i < e->facts.keys.n; i++)
		str_addf(&st, "|%s=%s", e->facts.keys.v[i], e->facts.values.v[i]);
	for (size_t i = 0; i < q->run.n_variants; i++) {
		const struct variant *v = &q->run.variants[i];

		str_addf(&st, "|%s|%s|%s|%s|%s|%s", v->name, or_empty(v->kernel.package),
			 or_empty(v->kernel.version), or_empty(v->kernel.content), or_empty(v->cpu),
			 v->cmdline);
	}
	return digest_sha256(str_text(&st), st.len);
}

/* What a report has to know of programs: replicates, the unit of an operation, what is in the guest. */
static void add_programs_facts(const struct request *q, struct facts *h)
{
	for (size_t i = 0; i < q->plan.n_items; i++) {
		const struct plan_item *item = &q->plan.items[i];
		_cleanup_free_ char *replicates = NULL, *unit = NULL;

		if (!item->workload)
			continue;
		replicates = xasprintf("replicates.%s", item->workload->name);
		unit = xasprintf("unit.%s", item->workload->name);
		add_number(h, replicates, item->replicates);
		facts_add(h, unit, item->workload->unit);
	}
	if (q->root.versions.n) {
		_cleanup_free_ char *packages = strv_join(&q->root.versions, "\n");

		facts_add(h, "guest_packages", packages);
	}
}

static void fill_head(struct request *q, const struct engine *e)
{
	_cleanup_free_ char *workloads = NULL, *key = plan_key(q, e);
	_cleanup_strv_ struct strv names = { 0 };
	struct facts *h = &q->run.head;
	struct utsname u;

	for (size_t i = 0; i < q->plan.n_items; i++)
		strv_add(&names, plan_item_name(&q->plan.items[i]));
	workloads = strv_join(&names, "\n");
	facts_add(h, "tool_version", KTOLL_VERSION);
	facts_add(h, "command", q->command);
	add_number(h, "created", (uint64_t)time(NULL));
	facts_add(h, "engine", e->ops->name);
	add_number(h, "seed", q->plan.seed);
	add_number(h, "replicates", q->replicates ? q->replicates : OPERATION_REPLICATES);
	facts_add(h, "workloads", workloads);
	add_programs_facts(q, h);
	facts_add(h, "key", key);
	facts_add(h, "arch", q->run.variants[0].kernel.arch);
	for (size_t i = 0; i < e->facts.keys.n; i++)
		facts_add(h, e->facts.keys.v[i], e->facts.values.v[i]);
	add_from_file(h, "host_os", "/etc/os-release", "PRETTY_NAME=");
	add_from_file(h, "host_cpu", "/proc/cpuinfo", "model name");
	if (uname(&u) == 0)
		facts_add(h, "host_kernel", u.release);
}

/* ---- the record ---- */

static int open_existing(struct request *q, const char *path, struct record **ret,
			 struct error *err)
{
	_cleanup_record_ struct record *rec = NULL;
	struct run old = { 0 };
	int r = record_open(path, true, &rec, err);

	if (r == 0)
		r = record_load(rec, &old, err);
	if (r < 0)
		return r;
	if (!str_equal(facts_get(&old.head, "key"), facts_get(&q->run.head, "key"))) {
		run_finish(&old);
		return error_set(err, EEXIST,
				 "%s holds another run: name another file with -o, or remove it",
				 path);
	}
	/* Equal keys: the variants are those of the command line, the outcomes the record's. */
	q->run.outcomes = TAKE_PTR(old.outcomes);
	q->run.complete = old.complete;
	q->run.path = TAKE_PTR(old.path);
	run_finish(&old);
	*ret = TAKE_PTR(rec);
	return 0;
}

static int create_in(const char *dir, struct request *q, struct record **ret, struct error *err)
{
	char stamp[32];
	time_t now = time(NULL);
	int r = -EEXIST;

	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", localtime(&now));
	for (unsigned i = 1; r == -EEXIST && i < 100; i++) {
		_cleanup_free_ char *path =
			i == 1 ? xasprintf("%s/%s-compare" RECORD_SUFFIX, dir, stamp) :
				 xasprintf("%s/%s-compare-%u" RECORD_SUFFIX, dir, stamp, i);

		r = record_create(path, &q->run, ret, err);
		if (r == 0)
			q->run.path = TAKE_PTR(path);
	}
	return r;
}

/* A new record, or the one that this very plan has begun. */
static int get_record(struct request *q, struct record **ret, struct error *err)
{
	_cleanup_free_ char *data = NULL, *dir = NULL, *begun = NULL;
	int r;

	if (q->output) {
		if (file_exists(q->output))
			return open_existing(q, q->output, ret, err);
		q->run.path = xstrdup(q->output);
		return record_create(q->output, &q->run, ret, err);
	}
	r = dir_data(&data, err);
	if (r < 0)
		return r;
	dir = path_join(data, "records");
	r = dir_make(dir, err);
	if (r < 0)
		return r;
	begun = record_find_unfinished(dir, facts_get(&q->run.head, "key"));
	if (begun)
		return open_existing(q, begun, ret, err);
	return create_in(dir, q, ret, err);
}

/* ---- measuring ---- */

struct measuring {
	struct record *rec;
	size_t *variant; /* of each request */
	size_t n;
};

static int on_outcome(void *data, size_t index, struct outcome *outcome, struct error *err)
{
	struct measuring *m = data;
	int r = record_put_outcome(m->rec, m->variant[index], outcome, err);

	outcome_finish(outcome);
	return r;
}

static void on_progress(void *data, double done, size_t running, size_t ended, double left_s)
{
	struct measuring *m = data;

	progress_show(done, running, ended, m->n, left_s);
}

/* Once per kernel. What cannot be read is a loss for `explain` only. */
static void read_debug_information(const struct variant *v)
{
	const struct kernel *k = &v->kernel;
	_cleanup_error_ struct error err = ERROR_INIT;
	_cleanup_free_ char *note = NULL;
	int r;

	if (!k->vmlinux_path || !k->build_id || inlinecache_has(k->build_id) ||
	    !dwarf_is_in(k->vmlinux_path))
		return;
	note = xasprintf("%s: reading its debug information, once", v->name);
	progress_note(NULL, note);
	r = inlinecache_make(k->build_id, k->vmlinux_path, &err);
	if (r < 0)
		fprintf(stderr, "ktoll: %s\n", error_text(&err));
}

static int measure(struct request *q, struct engine *e, struct record *rec, struct error *err)
{
	_cleanup_free_ struct boot_request *boots = xcalloc(q->run.n_variants, sizeof(*boots));
	struct measuring m = { .rec = rec, .variant = xcalloc(q->run.n_variants, sizeof(size_t)) };
	struct pool_hooks hooks = { on_outcome, on_progress, &m };
	int r;

	for (size_t i = 0; i < q->run.n_variants; i++) {
		if (q->run.outcomes && q->run.outcomes[i].done)
			continue;
		boots[m.n].variant = &q->run.variants[i];
		m.variant[m.n++] = i;
	}
	for (size_t i = 0; i < m.n; i++)
		read_debug_information(boots[i].variant);
	if (m.n && m.n < q->run.n_variants) {
		_cleanup_free_ char *s = xasprintf("resuming %s: %zu of %zu boots are done",
						   q->run.path, q->run.n_variants - m.n,
						   q->run.n_variants);

		progress_note(NULL, s);
	}
	r = pool_run(e, boots, m.n, (unsigned)q->jobs, &hooks, err);
	progress_end();
	if (r == 0 && !q->run.complete)
		r = record_set_complete(rec, err);
	free(m.variant);
	return r;
}

/* A run that could not go on: its record stays if there is a finished boot in it. */
static void leave_record(const char *path, struct record **rec)
{
	struct run run = { 0 };
	bool any = record_load(*rec, &run, NULL) < 0;

	for (size_t i = 0; i < run.n_variants; i++)
		any |= run.outcomes[i].done;
	run_finish(&run);
	record_close(TAKE_PTR(*rec));
	if (any)
		fprintf(stderr, "ktoll: finished boots are in %s; the same command goes on\n", path);
	else
		remove(path);
}

/* ---- the plan ---- */

static uint32_t replicates_of(const struct request *q, const struct asked *a)
{
	if (!a->operation && a->workload.is_once)
		return 1;
	if (q->replicates)
		return (uint32_t)q->replicates;
	if (a->operation)
		return OPERATION_REPLICATES;
	return a->workload.method == WORKLOAD_TWO_SIZES ? TWO_SIZES_REPLICATES :
							  SAME_SIZE_REPLICATES;
}

/* Of what was asked for, or all operations. */
static void make_plan(struct request *q)
{
	if (!q->n_asked)
		for (size_t i = 0; i < operation_list_n; i++)
			ARRAY_ADD(q->asked, q->n_asked, q->cap_asked)->operation =
				&operation_list[i];
	/* What can be run once begins at a time of its own: it comes first. */
	for (size_t i = 0; i < 2 * q->n_asked; i++) {
		const struct asked *a = &q->asked[i % q->n_asked];

		if ((i < q->n_asked) != (!a->operation && a->workload.is_once))
			continue;
		*ARRAY_ADD(q->plan.items, q->plan.n_items, q->plan.cap_items) = (struct plan_item){
			.operation = a->operation,
			.workload = a->operation ? NULL : &a->workload,
			.replicates = replicates_of(q, a),
		};
	}
}

/* A guest root with all that the programs need, if there are any. */
static int find_root(struct request *q, struct error *err)
{
	_cleanup_strv_ struct strv packages = { 0 }, files = { 0 };
	bool any = false;
	int r;

	for (size_t i = 0; i < q->plan.n_items; i++) {
		const struct workload *w = q->plan.items[i].workload;

		if (!w)
			continue;
		any = true;
		strv_add_all(&packages, &w->packages);
		strv_add_all(&files, &w->host_files);
	}
	if (!any)
		return 0;
	r = root_find(q->run.variants[0].kernel.arch, &packages, &files, progress_note, NULL, &q->root,
		      err);
	q->plan.root = q->root.path;
	return r;
}

static int compare(struct request *q, char **operands, int n)
{
	struct count_options options = { .plan = &q->plan,
					 .timeout_ms = q->timeout_s * 1000 };
	_cleanup_error_ struct error err = ERROR_INIT;
	_cleanup_engine_ struct engine *e = NULL;
	_cleanup_record_ struct record *rec = NULL;
	size_t cap = 0;
	int r = check_operands(q, operands, n, &err);

	for (int i = 0; r == 0 && i < n; i++)
		r = add_variant(q, operands[i], &cap, &err);
	if (r == 0)
		r = find_root(q, &err);
	if (r == 0) {
		options.machine = machine_find(q->run.variants[0].kernel.arch);
		r = count_new(&options, &e, &err);
	}
	if (r == 0)
		r = e->ops->prepare(e, q->run.variants, q->run.n_variants, &err);
	if (r < 0)
		return verb_failed(r, &err);
	fill_head(q, e);
	r = get_record(q, &rec, &err);
	if (r == 0)
		r = measure(q, e, rec, &err);
	if (r < 0) {
		int status = verb_failed(r, &err);

		if (rec && q->run.path)
			leave_record(q->run.path, &rec);
		return status;
	}
	return show_record(rec, &q->show);
}

static int run_compare(const struct verb *v, int argc, char **argv)
{
	struct request q = { .verb = v, .show = SHOW_OPTIONS_INIT };
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	struct strv words = { 0 };
	struct options o;
	const char *value;
	int r, status = 0, first;

	q.plan.seed = 1;
	q.plan.settle_limit_ms = SETTLE_LIMIT_MS;
	q.jobs = cores > 0 ? (uint64_t)cores : 1;
	q.timeout_s = DEFAULT_TIMEOUT_S;
	strv_add(&words, "ktoll");
	for (int i = 0; i < argc; i++)
		strv_add(&words, argv[i]);
	q.command = strv_join(&words, " ");
	strv_finish(&words);
	verb_options_init(&o, v, argc, argv);
	while (!status && (r = verb_option(&o, &value)) > 0)
		status = take_option(&q, r, value);
	first = o.first_operand;
	verb_options_finish(&o);
	if (!status && r < 0)
		status = verb_option_status(r);
	else if (!status && argc - first < 2)
		status = verb_usage(v, "a base and at least one other kernel are wanted");
	else if (!status) {
		make_plan(&q);
		/* Any number that the guest's memory does not hold by chance. */
		q.plan.nonce = 0x9d3f1c6ba2e84705ull ^ q.plan.seed;
		status = compare(&q, argv + first, argc - first);
	}
	request_finish(&q);
	return status;
}

const struct verb verb_compare = {
	.name = "compare",
	.operands = "BASE OTHER...",
	.summary = "Boots kernels, counts what they execute, and compares",
	.options = rows,
	.run = run_compare,
};
