/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/recording.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/alloc.h"
#include "base/file.h"
#include "sys/digest.h"

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
/* Of the program that runs operations in these guests; owned by the caller. NULL: there is none. */
static char *agent_digest(const char *arch)
{
	struct guest_programs p;

	return initramfs_programs(arch, &p, NULL) == 0 ? digest_sha256(p.agent, p.agent_bytes) : NULL;
}

static char *plan_key(const struct measure *q, const struct facts *engine)
{
	_cleanup_free_ char *agent = agent_digest(q->run.variants[0].kernel.arch);
	_cleanup_str_ struct str st = STR_INIT;

	str_addf(&st, "%s|%s|%llu|%s|%s", KTOLL_VERSION, q->engine,
		 (unsigned long long)q->plan.seed, or_empty(q->root.id), or_empty(agent));
	for (size_t i = 0; i < q->plan.n_items; i++)
		add_item_key(&st, &q->plan.items[i]);
	if (q->nulls)
		str_addf(&st, "|null boots %llu", (unsigned long long)q->nulls);
	for (size_t i = 0; i < engine->keys.n; i++)
		str_addf(&st, "|%s=%s", engine->keys.v[i], engine->values.v[i]);
	for (size_t i = 0; i < q->run.n_variants; i++) {
		const struct variant *v = &q->run.variants[i];

		str_addf(&st, "|%s|%s|%s|%s|%s|%s", v->name, or_empty(v->kernel.package),
			 or_empty(v->kernel.version), or_empty(v->kernel.content), or_empty(v->cpu),
			 v->cmdline);
	}
	return digest_sha256(str_text(&st), st.len);
}

/* What a report has to know of programs: replicates, the unit of an operation, what is in the guest. */
static void add_programs_facts(const struct measure *q, struct facts *h)
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
	if (q->root.id)
		facts_add(h, "guest_root", q->root.id);
}

void recording_fill_head(struct measure *q, const struct facts *engine)
{
	_cleanup_free_ char *workloads = NULL, *key = plan_key(q, engine);
	_cleanup_free_ char *agent = agent_digest(q->run.variants[0].kernel.arch);
	_cleanup_strv_ struct strv names = { 0 };
	struct facts *h = &q->run.head;
	struct utsname u;

	for (size_t i = 0; i < q->plan.n_items; i++)
		if (!q->plan.items[i].is_unasked)
			strv_add(&names, plan_item_name(&q->plan.items[i]));
	workloads = strv_join(&names, "\n");
	facts_add(h, "tool_version", KTOLL_VERSION);
	facts_add(h, "command", q->command);
	add_number(h, "created", (uint64_t)time(NULL));
	facts_add(h, "engine", q->engine);
	add_number(h, "seed", q->plan.seed);
	add_number(h, "replicates", q->replicates ? q->replicates : ASKED_OPERATION_REPLICATES);
	facts_add(h, "workloads", workloads);
	if (q->nulls)
		add_number(h, "null_boots", q->nulls);
	add_programs_facts(q, h);
	facts_add(h, "key", key);
	if (agent)
		facts_add(h, "agent", agent);
	facts_add(h, "arch", q->run.variants[0].kernel.arch);
	for (size_t i = 0; i < engine->keys.n; i++)
		facts_add(h, engine->keys.v[i], engine->values.v[i]);
	for (size_t i = 0; i < q->extra.keys.n; i++)
		facts_add(h, q->extra.keys.v[i], q->extra.values.v[i]);
	add_from_file(h, "host_os", "/etc/os-release", "PRETTY_NAME=");
	add_from_file(h, "host_cpu", "/proc/cpuinfo", "model name");
	if (uname(&u) == 0)
		facts_add(h, "host_kernel", u.release);
}

/* ---- the record ---- */

static int open_existing(struct measure *q, const char *path, struct record **ret,
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
	for (size_t i = 0; q->retry && i < old.n_variants; i++)
		if (old.outcomes[i].n_failures)
			outcome_finish(&old.outcomes[i]);
	q->run.outcomes = TAKE_PTR(old.outcomes);
	q->run.sittings = TAKE_PTR(old.sittings);
	q->run.n_sittings = old.n_sittings;
	old.n_sittings = 0;
	q->run.complete = old.complete;
	q->run.path = TAKE_PTR(old.path);
	run_finish(&old);
	*ret = TAKE_PTR(rec);
	return 0;
}

static int create_in(const char *dir, struct measure *q, struct record **ret, struct error *err)
{
	char stamp[32];
	time_t now = time(NULL);
	int r = -EEXIST;

	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", localtime(&now));
	for (unsigned i = 1; r == -EEXIST && i < 100; i++) {
		_cleanup_free_ char *path =
			i == 1 ? xasprintf("%s/%s-%s" RECORD_SUFFIX, dir, stamp, q->verb->name) :
				 xasprintf("%s/%s-%s-%u" RECORD_SUFFIX, dir, stamp, q->verb->name, i);

		r = record_create(path, &q->run, ret, err);
		if (r == 0)
			q->run.path = TAKE_PTR(path);
	}
	return r;
}

int recording_get(struct measure *q, struct record **ret, struct error *err)
{
	_cleanup_free_ char *data = NULL, *dir = NULL, *begun = NULL;
	int r;

	if (q->output) {
		if (record_exists(q->output))
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

void recording_leave(const char *path, struct record **rec)
{
	struct run run = { 0 };
	bool any = record_load(*rec, &run, NULL) < 0;

	for (size_t i = 0; i < run.n_variants; i++)
		any |= run.outcomes[i].done;
	run_finish(&run);
	record_close(TAKE_PTR(*rec));
	if (any)
		verb_say("finished boots are in %s; the same command goes on", path);
	else
		remove(path);
}
