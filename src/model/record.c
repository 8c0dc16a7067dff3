/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/record.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/str.h"
#include "model/arch.h"
#include "sys/db.h"
#include "sys/digest.h"
#include "sys/utf8.h"

/* "ktol": tells `file` and a reader what this database is. */
#define APPLICATION_ID 0x6b746f6c
#define SCHEMA_VERSION 7
/* 6 has no null boots; 5 has no lead_ops of samples; 4 has no sittings either. */
#define SCHEMA_OLDEST 4
#define STRING_OF(x) #x
#define STRING(x) STRING_OF(x)
/* A record that claims more is not one of ours. */
#define MAX_VARIANTS 1000

/* `blob` keeps each text or profile once, under its SHA-256. */
static const char *const schema[] = {
	"CREATE TABLE head (key TEXT NOT NULL, value TEXT NOT NULL)",
	"CREATE TABLE blob (id TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID",
	"CREATE TABLE variant (number INTEGER PRIMARY KEY, name TEXT NOT NULL, spec TEXT NOT NULL, "
	"cpu TEXT, cmdline TEXT NOT NULL, text_bytes INTEGER NOT NULL, source TEXT, arch TEXT NOT "
	"NULL, package TEXT, version TEXT, release TEXT, image TEXT, config TEXT REFERENCES "
	"blob(id))",
	"CREATE TABLE origin (variant INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL)",
	"CREATE TABLE param (variant INTEGER NOT NULL, position INTEGER NOT NULL, value TEXT NOT NULL)",
	"CREATE TABLE boot (variant INTEGER NOT NULL, null_boot INTEGER NOT NULL, command TEXT NOT NULL, console TEXT NOT "
	"NULL, wall_ms INTEGER NOT NULL, booted_ms INTEGER NOT NULL, code TEXT REFERENCES blob(id), "
	"inlines TEXT REFERENCES blob(id), PRIMARY KEY (variant, null_boot)) WITHOUT ROWID",
	"CREATE TABLE guest (variant INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL)",
	"CREATE TABLE sample (variant INTEGER NOT NULL, null_boot INTEGER NOT NULL, workload TEXT NOT NULL, size INTEGER NOT "
	"NULL, replicate INTEGER NOT NULL, ops INTEGER NOT NULL, lead_ops INTEGER NOT NULL, started INTEGER NOT NULL, clock INTEGER NOT NULL, "
	"kernel_insns INTEGER NOT NULL, user_insns INTEGER NOT NULL, string_iters INTEGER NOT NULL, "
	"kernel_string_iters INTEGER NOT NULL, locked INTEGER NOT NULL, faults INTEGER NOT NULL, halts INTEGER NOT NULL, "
	"ticks INTEGER NOT NULL, tries INTEGER NOT NULL, phase INTEGER "
	"NOT NULL, is_tick INTEGER NOT NULL, profile TEXT NOT NULL REFERENCES blob(id), output TEXT REFERENCES "
	"blob(id))",
	/* The value as text, with all its digits. */
	"CREATE TABLE metric (variant INTEGER NOT NULL, null_boot INTEGER NOT NULL, workload TEXT NOT NULL, size INTEGER NOT "
	"NULL, replicate INTEGER NOT NULL, name TEXT NOT NULL, unit TEXT NOT NULL, better TEXT NOT "
	"NULL, value TEXT NOT NULL)",
	"CREATE TABLE failure (variant INTEGER NOT NULL, null_boot INTEGER NOT NULL, workload TEXT, stage TEXT NOT NULL, message "
	"TEXT NOT NULL, log_tail TEXT)",
	"CREATE TABLE symbols (build_id TEXT PRIMARY KEY, blob TEXT NOT NULL REFERENCES blob(id))",
	"CREATE TABLE sitting (number INTEGER PRIMARY KEY, boot TEXT NOT NULL, started INTEGER NOT NULL)",
	"CREATE TABLE sitting_fact (sitting INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL)",
	"CREATE TABLE block (sitting INTEGER NOT NULL, position INTEGER NOT NULL, variant INTEGER NOT NULL, "
	"workload TEXT NOT NULL, round INTEGER NOT NULL, ops INTEGER NOT NULL, ns INTEGER NOT NULL, at_ms "
	"INTEGER NOT NULL, PRIMARY KEY (sitting, position)) WITHOUT ROWID",
	/* The value as text, with all its digits. */
	"CREATE TABLE figure (sitting INTEGER NOT NULL, position INTEGER NOT NULL, kind TEXT NOT NULL, name "
	"TEXT NOT NULL, unit TEXT NOT NULL, better TEXT NOT NULL, value TEXT NOT NULL)",
};

struct record {
	struct db *db;
	uint64_t version;
	char *path;
};

void record_close(struct record *r)
{
	if (!r)
		return;
	db_close(r->db);
	free(r->path);
	free(r);
}

static int put_blob(struct record *r, const void *p, size_t n_bytes, char **ret_id,
		    struct error *err)
{
	_cleanup_free_ char *id = digest_sha256(p, n_bytes);
	int rc = db_run(r->db, err, "INSERT OR IGNORE INTO blob VALUES (?, ?)", "sb", id, p,
			n_bytes);

	if (rc == 0)
		*ret_id = TAKE_PTR(id);
	return rc;
}

/* What is known of some kernels only: those which were built here, or came with their ELF file. */
static int put_origin(struct record *r, uint64_t i, const struct kernel *k, struct error *err)
{
	_cleanup_free_ char *code = xasprintf("%llu", (unsigned long long)k->sizes.code);
	_cleanup_free_ char *data = xasprintf("%llu", (unsigned long long)k->sizes.data);
	_cleanup_free_ char *loaded = xasprintf("%llu", (unsigned long long)k->sizes.loaded);
	const struct {
		const char *key, *value;
	} rows[] = {
		{ "compiler", k->compiler },   { "tree", k->tree },
		{ "tree_diff", k->tree_diff }, { "content", k->content },
		{ "patch_functions", k->patch_functions },
		{ "code_bytes", code },	       { "data_bytes", data },
		{ "vmlinux_bytes", loaded },
	};
	int rc = 0;

	for (size_t j = 0; rc == 0 && j < ARRAY_SIZE(rows); j++)
		if (rows[j].value)
			rc = db_run(r->db, err, "INSERT INTO origin VALUES (?, ?, ?)", "uss", i,
				    rows[j].key, rows[j].value);
	return rc;
}

static int put_variant(struct record *r, uint64_t i, const struct variant *v, struct error *err)
{
	const struct kernel *k = &v->kernel;
	_cleanup_free_ char *config = NULL;
	int rc = 0;

	if (k->config)
		rc = put_blob(r, k->config, strlen(k->config), &config, err);
	if (rc == 0)
		rc = db_run(r->db, err,
			    "INSERT INTO variant VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			    "ussssusssssss", i, v->name, v->spec, v->cpu, v->cmdline, k->sizes.text,
			    k->source, k->arch, k->package, k->version, k->release, k->image_path,
			    config);
	if (rc == 0)
		rc = put_origin(r, i, k, err);
	for (size_t p = 0; rc == 0 && p < v->params.n; p++)
		rc = db_run(r->db, err, "INSERT INTO param VALUES (?, ?, ?)", "uus", i,
			    (uint64_t)p, v->params.v[p]);
	return rc;
}

static int begin(struct record *r, struct error *err)
{
	return db_run(r->db, err, "BEGIN IMMEDIATE", "");
}

/* Ends the transaction: all of it if rc is 0, else nothing; the first error stays. */
static int end(struct record *r, int rc, struct error *err)
{
	if (rc == 0)
		rc = db_run(r->db, err, "COMMIT", "");
	if (rc < 0)
		db_run(r->db, NULL, "ROLLBACK", "");
	return rc;
}

static int fill(struct record *r, const struct run *run, struct error *err)
{
	int rc = begin(r, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(schema); i++)
		rc = db_run(r->db, err, schema[i], "");
	for (size_t i = 0; rc == 0 && i < run->head.keys.n; i++)
		rc = db_run(r->db, err, "INSERT INTO head VALUES (?, ?)", "ss",
			    run->head.keys.v[i], run->head.values.v[i]);
	for (size_t i = 0; rc == 0 && i < run->n_variants; i++)
		rc = put_variant(r, i, &run->variants[i], err);
	if (rc == 0)
		rc = db_run(r->db, err, "PRAGMA user_version = " STRING(SCHEMA_VERSION), "");
	if (rc == 0) {
		_cleanup_free_ char *sql = xasprintf("PRAGMA application_id = %d", APPLICATION_ID);

		rc = db_run(r->db, err, sql, "");
	}
	return end(r, rc, err);
}

/* Nobody else may write as long as this record is open. */
static int lock(struct record *r, struct error *err)
{
	int rc = db_run(r->db, err, "BEGIN EXCLUSIVE", "");

	/* Not before: who waits in this mode keeps a lock that whoever is first waits for. */
	if (rc < 0)
		return rc;
	return end(r, db_run(r->db, err, "PRAGMA locking_mode = EXCLUSIVE", ""), err);
}

/* Who has the lock looks what became of the file before: another process may have begun, filled or removed it. */
static int check_blank(struct record *r, struct error *err)
{
	uint64_t n_tables = 0;
	int rc = db_get_number(r->db, "SELECT count(*) FROM sqlite_schema", &n_tables, err);

	if (rc < 0)
		return rc;
	if (!db_is_in_place(r->db))
		return error_set(err, EBUSY, "%s was removed by somebody else at this moment: the same command begins anew", r->path);
	return n_tables ? error_set(err, EEXIST, "%s exists already", r->path) : 0;
}

int record_create(const char *path, const struct run *run, struct record **ret, struct error *err)
{
	_cleanup_record_ struct record *r = xcalloc(1, sizeof(*r));
	bool is_begun, is_ours = false;
	int rc;

	r->path = xstrdup(path);
	r->version = SCHEMA_VERSION;
	is_begun = file_exists(path) && !record_exists(path);
	rc = db_open(path, is_begun ? DB_WRITE : DB_CREATE, &r->db, err);
	if (rc == 0)
		rc = lock(r, err);
	if (rc == 0)
		rc = check_blank(r, err);
	is_ours = rc == 0;
	if (rc == 0)
		rc = fill(r, run, err);
	if (rc < 0) {
		/* Only with the lock, and blank: else it is the record of another process. */
		if (is_ours)
			remove(path);
		return rc;
	}
	*ret = TAKE_PTR(r);
	return 0;
}

bool record_exists(const char *path)
{
	_cleanup_record_ struct record *r = NULL;

	return file_exists(path) && record_open(path, false, &r, NULL) != -ENODATA;
}

int record_open(const char *path, bool for_writing, struct record **ret, struct error *err)
{
	_cleanup_record_ struct record *r = xcalloc(1, sizeof(*r));
	uint64_t id = 0, version = 0, n_tables = 1;
	int rc;

	r->path = xstrdup(path);
	rc = db_open(path, for_writing ? DB_WRITE : DB_READ, &r->db, err);
	if (rc == 0 && for_writing)
		rc = lock(r, err);
	if (rc == 0)
		rc = db_get_number(r->db, "PRAGMA application_id", &id, err);
	if (rc == 0)
		rc = db_get_number(r->db, "PRAGMA user_version", &version, err);
	if (rc == 0 && !id)
		rc = db_get_number(r->db, "SELECT count(*) FROM sqlite_schema", &n_tables, err);
	if (rc < 0)
		return rc;
	if (!id && !n_tables)
		return error_set(err, ENODATA, "%s is not a record yet: it holds nothing. If ktoll was ended as it began it, the same command begins anew", path);
	if (id != APPLICATION_ID)
		return error_set(err, EBADMSG, "%s is not a record of ktoll", path);
	if (version > SCHEMA_VERSION)
		return error_set(err, EPROTO,
				 "%s was written by a newer ktoll (schema %llu, this one reads %d): "
				 "update ktoll",
				 path, (unsigned long long)version, SCHEMA_VERSION);
	if (version < SCHEMA_OLDEST)
		return error_set(err, EPROTO, "%s was written by an older ktoll (schema %llu, this one "
				 "reads %d and newer): measure again", path, (unsigned long long)version,
				 SCHEMA_OLDEST);
	r->version = version;
	*ret = TAKE_PTR(r);
	return 0;
}

static int put_metrics(struct record *r, uint64_t variant, const struct sample *s,
		       struct error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->n_metrics; i++) {
		const struct metric *m = &s->metrics[i];
		_cleanup_free_ char *value = xasprintf("%.17g", m->value);

		rc = db_run(r->db, err, "INSERT INTO metric VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", "uusuussss",
			    variant, (uint64_t)s->null_boot, s->workload, (uint64_t)s->size, (uint64_t)s->replicate, m->name,
			    m->unit, m->is_higher_better ? "higher" : "lower", value);
	}
	return rc;
}

static int put_sample(struct record *r, uint64_t variant, const struct sample *s,
		      struct error *err)
{
	_cleanup_free_ char *id = NULL, *output = NULL;
	_cleanup_free_ void *bytes = NULL;
	size_t n_bytes;
	int rc;

	bytes = profile_encode(&s->profile, &n_bytes);
	rc = put_blob(r, bytes, n_bytes, &id, err);
	if (rc == 0 && s->output)
		rc = put_blob(r, s->output, strlen(s->output), &output, err);
	if (rc == 0)
		rc = put_metrics(r, variant, s, err);
	if (rc < 0)
		return rc;
	return db_run(r->db, err,
		      "INSERT INTO sample VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		      "uusuuuuuuuuuuuuuuuuuss", variant, (uint64_t)s->null_boot, s->workload, (uint64_t)s->size,
		      (uint64_t)s->replicate, s->ops, s->lead_ops, s->started, s->clock, s->kernel_insns, s->user_insns, s->string_iters,
		      s->kernel_string_iters, s->locked, s->faults, s->halts, s->ticks,
		      (uint64_t)s->tries, (uint64_t)s->phase, (uint64_t)s->is_tick, id,
		      output);
}

static int put_symbols(struct record *r, const char *build_id, const char *text, size_t n_bytes,
		       struct error *err)
{
	_cleanup_free_ char *id = NULL;
	int rc = put_blob(r, text, n_bytes, &id, err);

	return rc < 0 ? rc :
			db_run(r->db, err, "INSERT OR REPLACE INTO symbols VALUES (?, ?)", "ss",
			       build_id, id);
}

static int clear_outcome(struct record *r, uint64_t variant, uint64_t null_boot, struct error *err)
{
	static const char *const tables[] = { "boot", "sample", "metric", "failure" };
	int rc = null_boot ? 0 : db_run(r->db, err, "DELETE FROM guest WHERE variant = ?", "u", variant);

	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(tables); i++) {
		_cleanup_free_ char *sql =
			xasprintf("DELETE FROM %s WHERE variant = ? AND null_boot = ?", tables[i]);

		rc = db_run(r->db, err, sql, "uu", variant, null_boot);
	}
	return rc;
}

static int put_boot(struct record *r, size_t variant, uint64_t null_boot, const struct outcome *o, struct error *err)
{
	_cleanup_free_ char *code_id = NULL, *inlines_id = NULL;
	_cleanup_free_ void *code = NULL, *inlines = NULL;
	size_t n_code, n_inlines;
	int rc = 0;

	if (o->code.n) {
		code = code_encode(&o->code, &n_code);
		rc = put_blob(r, code, n_code, &code_id, err);
	}
	if (rc == 0 && o->inlines.n_spans) {
		inlines = inlines_encode(&o->inlines, &n_inlines);
		rc = put_blob(r, inlines, n_inlines, &inlines_id, err);
	}
	if (rc < 0)
		return rc;
	return db_run(r->db, err, "INSERT INTO boot VALUES (?, ?, ?, ?, ?, ?, ?, ?)", "uussuuss",
		      (uint64_t)variant, null_boot, o->command ? o->command : "", o->console ? o->console : "",
		      o->wall_ms, o->booted_ms, code_id, inlines_id);
}

int record_put_outcome(struct record *r, size_t variant, unsigned null_boot, const struct outcome *o,
		       struct error *err)
{
	const char *build_id = facts_get(&o->guest, "build_id");
	int rc = begin(r, err);

	if (rc < 0)
		return rc;
	rc = clear_outcome(r, variant, null_boot, err);
	if (rc == 0 && o->done)
		rc = put_boot(r, variant, null_boot, o, err);
	for (size_t i = 0; rc == 0 && !null_boot && i < o->guest.keys.n; i++)
		rc = db_run(r->db, err, "INSERT INTO guest VALUES (?, ?, ?)", "uss",
			    (uint64_t)variant, o->guest.keys.v[i], o->guest.values.v[i]);
	for (size_t i = 0; rc == 0 && i < o->n_samples; i++)
		if (o->samples[i].null_boot == null_boot)
			rc = put_sample(r, variant, &o->samples[i], err);
	for (size_t i = 0; rc == 0 && i < o->n_failures; i++)
		rc = db_run(r->db, err, "INSERT INTO failure VALUES (?, ?, ?, ?, ?, ?)", "uussss",
			    (uint64_t)variant, (uint64_t)null_boot, o->failures[i].workload, o->failures[i].stage,
			    o->failures[i].message, o->failures[i].log_tail);
	if (rc == 0 && o->symbols && build_id)
		rc = put_symbols(r, build_id, o->symbols, o->symbols_bytes, err);
	return end(r, rc, err);
}

int record_set_complete(struct record *r, struct error *err)
{
	return db_run(r->db, err, "INSERT INTO head VALUES ('complete', '1')", "");
}

static int put_figures(struct record *r, uint64_t sitting, const struct block *b, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < b->n_figures; i++) {
		const struct figure *f = &b->figures[i];
		_cleanup_free_ char *value = xasprintf("%.17g", f->value);

		rc = db_run(r->db, err, "INSERT INTO figure VALUES (?, ?, ?, ?, ?, ?, ?)", "uusssss", sitting,
			    (uint64_t)b->position, f->kind == FIGURE_METRIC ? "metric" : "counter",
			    f->name, f->unit, f->is_higher_better ? "higher" : "lower", value);
	}
	return rc;
}

static int put_sitting(struct record *r, uint64_t number, const struct sitting *s, struct error *err)
{
	int rc = db_run(r->db, err, "INSERT INTO sitting VALUES (?, ?, ?)", "usu", number, s->boot, s->started);

	for (size_t i = 0; rc == 0 && i < s->facts.keys.n; i++)
		rc = db_run(r->db, err, "INSERT INTO sitting_fact VALUES (?, ?, ?)", "uss", number,
			    s->facts.keys.v[i], s->facts.values.v[i]);
	for (size_t i = 0; rc == 0 && i < s->n_blocks; i++) {
		const struct block *b = &s->blocks[i];

		rc = db_run(r->db, err, "INSERT INTO block VALUES (?, ?, ?, ?, ?, ?, ?, ?)", "uuusuuuu", number,
			    (uint64_t)b->position, (uint64_t)b->variant, b->workload, (uint64_t)b->round, b->ops,
			    b->ns, b->at_ms);
		if (rc == 0)
			rc = put_figures(r, number, b, err);
	}
	return rc;
}

int record_put_sitting(struct record *r, size_t number, const struct sitting *s, struct error *err)
{
	int rc = begin(r, err);

	if (rc == 0)
		rc = end(r, put_sitting(r, number, s, err), err);
	return rc;
}

int record_put_failure(struct record *r, size_t variant, const struct failure *f, struct error *err)
{
	return db_run(r->db, err, "INSERT INTO failure VALUES (?, 0, ?, ?, ?, ?)", "ussss", (uint64_t)variant,
		      f->workload, f->stage, f->message, f->log_tail);
}

int record_put_fact(struct record *r, size_t sitting, const char *key, const char *value, struct error *err)
{
	return db_run(r->db, err, "INSERT INTO sitting_fact VALUES (?, ?, ?)", "uss", (uint64_t)sitting, key,
		      value);
}

int record_add_variant(struct record *r, size_t number, const struct variant *v, struct error *err)
{
	int rc = begin(r, err);

	if (rc == 0)
		rc = end(r, put_variant(r, number, v, err), err);
	return rc;
}

/* ---- reading ---- */

/* A text column of a stranger's file: never NULL, and nothing a terminal acts on. */
static char *text(struct db_rows *rows, int column)
{
	const char *s = db_text(rows, column);
	struct str copy = STR_INIT;

	utf8_add_printable(&copy, s ? s : "");
	return str_take(&copy);
}

/* The same of a name: one line, so that it is no more than its place in a table. */
static char *name(struct db_rows *rows, int column)
{
	char *s = text(rows, column);

	for (char *c = s; *c; c++)
		if (*c == '\n' || *c == '\t')
			*c = '?';
	return s;
}

static char *text_or_null(struct db_rows *rows, int column)
{
	return db_text(rows, column) ? text(rows, column) : NULL;
}

static int load_facts(struct record *r, const char *sql, const char *kinds, uint64_t variant,
		      struct facts *ret, struct error *err)
{
	_cleanup_rows_ struct db_rows *rows = NULL;
	int rc = db_query(r->db, &rows, err, sql, kinds, variant);

	while (rc >= 0 && (rc = db_next(rows, err)) > 0) {
		_cleanup_free_ char *key = text(rows, 0), *value = text(rows, 1);

		facts_add(ret, key, value);
	}
	return rc;
}

/* The one row of a blob, checked against its own name; close it after use. */
static int find_blob(struct record *r, const char *id, struct db_rows **ret, struct error *err)
{
	_cleanup_rows_ struct db_rows *rows = NULL;
	_cleanup_free_ char *sum = NULL;
	int rc = db_query(r->db, &rows, err, "SELECT data FROM blob WHERE id = ?", "s", id);
	const void *p;
	size_t n;

	if (rc == 0)
		rc = db_next(rows, err);
	if (rc == 0)
		rc = error_set(err, ENODATA, "%s is damaged: a blob is missing", r->path);
	if (rc < 0)
		return rc;
	p = db_bytes(rows, 0, &n);
	sum = digest_sha256(p, n);
	if (strcmp(sum, id) != 0)
		return error_set(err, EBADMSG, "%s is damaged: a blob was changed", r->path);
	*ret = TAKE_PTR(rows);
	return 0;
}

static int load_config(struct record *r, const char *id, struct kernel *k, struct error *err)
{
	_cleanup_rows_ struct db_rows *rows = NULL;
	_cleanup_free_ char *copy = NULL;
	struct str config = STR_INIT;
	int rc = find_blob(r, id, &rows, err);
	const void *p;
	size_t n;

	if (rc < 0)
		return rc;
	p = db_bytes(rows, 0, &n);
	copy = xstrndup(p, n);
	utf8_add_printable(&config, copy);
	k->config = str_take(&config);
	k->config_sha256 = xstrdup(id);
	return 0;
}

static int load_params(struct record *r, uint64_t variant, struct strv *ret, struct error *err)
{
	_cleanup_rows_ struct db_rows *rows = NULL;
	int rc = db_query(r->db, &rows, err,
			  "SELECT value FROM param WHERE variant = ? ORDER BY position", "u",
			  variant);

	while (rc >= 0 && (rc = db_next(rows, err)) > 0) {
		_cleanup_free_ char *s = text(rows, 0);

		strv_add(ret, s);
	}
	return rc;
}

static int load_origin(struct record *r, uint64_t variant, struct kernel *k, struct error *err)
{
	_cleanup_rows_ struct db_rows *rows = NULL;
	const struct {
		const char *key;
		char **text;
		uint64_t *number;
	} known[] = {
		{ "compiler", &k->compiler, NULL },	 { "tree", &k->tree, NULL },
		{ "tree_diff", &k->tree_diff, NULL },	 { "content", &k->content, NULL },
		{ "patch_functions", &k->patch_functions, NULL },
		{ "code_bytes", NULL, &k->sizes.code },	 { "data_bytes", NULL, &k->sizes.data },
		{ "vmlinux_bytes", NULL, &k->sizes.loaded },
	};
	int rc = db_query(r->db, &rows, err, "SELECT key, value FROM origin WHERE variant = ?", "u",
			  variant);

	while (rc >= 0 && (rc = db_next(rows, err)) > 0) {
		_cleanup_free_ char *key = text(rows, 0), *value = text(rows, 1);

		for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
			if (strcmp(key, known[i].key) != 0)
				continue;
			if (known[i].number)
				str_to_u64(value, 0, UINT64_MAX, known[i].number);
			else if (!*known[i].text)
				*known[i].text = TAKE_PTR(value);
			break;
		}
	}
	return rc;
}

static int load_variants(struct record *r, struct run *run, struct error *err)
{
	_cleanup_rows_ struct db_rows *rows = NULL;
	size_t cap = 0;
	int rc = db_query(r->db, &rows, err,
			  "SELECT number, name, spec, cpu, cmdline, text_bytes, source, arch, "
			  "package, version, release, image, config FROM variant ORDER BY number",
			  "");

	while (rc >= 0 && (rc = db_next(rows, err)) > 0) {
		struct variant *v;
		_cleanup_free_ char *arch = text(rows, 7), *config = text_or_null(rows, 12);

		if (db_number(rows, 0) != run->n_variants || run->n_variants >= MAX_VARIANTS)
			return error_set(err, EBADMSG, "%s is damaged: bad numbers of variants",
					 r->path);
		v = ARRAY_ADD(run->variants, run->n_variants, cap);
		v->name = name(rows, 1);
		v->spec = name(rows, 2);
		v->cpu = text_or_null(rows, 3);
		v->cmdline = name(rows, 4);
		v->kernel.sizes.text = db_number(rows, 5);
		v->kernel.source = text_or_null(rows, 6);
		v->kernel.arch = arch_from_name(arch) ? arch_from_name(arch) : "unknown";
		v->kernel.package = text_or_null(rows, 8);
		v->kernel.version = text_or_null(rows, 9);
		v->kernel.release = text_or_null(rows, 10);
		v->kernel.image_path = text_or_null(rows, 11);
		rc = config ? load_config(r, config, &v->kernel, err) : 0;
		if (rc == 0)
			rc = load_origin(r, run->n_variants - 1, &v->kernel, err);
		if (rc == 0)
			rc = load_params(r, run->n_variants - 1, &v->params, err);
	}
	if (rc == 0 && run->n_variants == 0)
		return error_set(err, EBADMSG, "%s is damaged: it has no variant", r->path);
	return rc;
}

/* The column, in records that have it. */
static const char *null_boot_of(const struct record *r)
{
	return r->version >= 7 ? "null_boot" : "0";
}

static int load_boots(struct record *r, struct run *run, struct error *err)
{
	_cleanup_rows_ struct db_rows *rows = NULL;
	_cleanup_free_ char *sql = xasprintf("SELECT variant, command, console, wall_ms, booted_ms, %s FROM boot", null_boot_of(r));
	int rc = db_query(r->db, &rows, err, sql, "");

	while (rc >= 0 && (rc = db_next(rows, err)) > 0) {
		uint64_t v = db_number(rows, 0), null_boot = db_number(rows, 5);
		struct outcome *o;

		if (v >= run->n_variants)
			continue;
		o = &run->outcomes[v];
		if (null_boot) {
			o->nulls_done |= null_boot <= RUN_MAX_NULLS ? 1u << null_boot : 0;
			o->nulls_ms += db_number(rows, 3);
			continue;
		}
		o->done = true;
		o->command = text(rows, 1);
		o->console = text(rows, 2);
		o->wall_ms = db_number(rows, 3);
		o->booted_ms = db_number(rows, 4);
		rc = load_facts(r, "SELECT key, value FROM guest WHERE variant = ? ORDER BY rowid",
				"u", v, &o->guest, err);
	}
	return rc;
}

static int load_samples(struct record *r, struct run *run, struct error *err)
{
	_cleanup_rows_ struct db_rows *rows = NULL;
	_cleanup_free_ char *sql = xasprintf("SELECT variant, workload, replicate, ops, started, clock, kernel_insns, "
					     "user_insns, string_iters, kernel_string_iters, locked, faults, halts, ticks, "
					     "tries, phase, is_tick, profile, size, output, %s, %s FROM sample ORDER BY rowid",
					     r->version >= 6 ? "lead_ops" : "0", null_boot_of(r));
	int rc = db_query(r->db, &rows, err, sql, "");

	while (rc >= 0 && (rc = db_next(rows, err)) > 0) {
		uint64_t v = db_number(rows, 0);
		struct outcome *o;
		struct sample *s;

		/* Divided by, and never 0 in a record of ours. */
		if (v >= run->n_variants || !db_number(rows, 3))
			return error_set(err, EBADMSG, "%s is damaged: a sample of no operations, or of no variant (%s, variant %llu, "
					 "replicate %llu)", r->path, db_text(rows, 1) ? db_text(rows, 1) : "?",
					 (unsigned long long)v, (unsigned long long)db_number(rows, 2));
		o = &run->outcomes[v];
		s = ARRAY_ADD(o->samples, o->n_samples, o->cap_samples);
		s->workload = name(rows, 1);
		s->replicate = (uint32_t)db_number(rows, 2);
		s->ops = db_number(rows, 3);
		s->started = db_number(rows, 4);
		s->clock = db_number(rows, 5);
		s->kernel_insns = db_number(rows, 6);
		s->user_insns = db_number(rows, 7);
		s->string_iters = db_number(rows, 8);
		s->kernel_string_iters = db_number(rows, 9);
		s->locked = db_number(rows, 10);
		s->faults = db_number(rows, 11);
		s->halts = db_number(rows, 12);
		s->ticks = db_number(rows, 13);
		s->tries = (uint32_t)db_number(rows, 14);
		s->phase = (uint32_t)db_number(rows, 15);
		s->is_tick = db_number(rows, 16);
		s->profile_id = text(rows, 17);
		s->size = (uint32_t)db_number(rows, 18);
		s->is_program = db_text(rows, 19);
		s->output_id = text_or_null(rows, 19);
		s->lead_ops = r->version >= 6 ? db_number(rows, 20) : SAMPLE_LEAD_UNKNOWN;
		s->null_boot = (uint32_t)db_number(rows, 21);
	}
	return rc;
}

static struct sample *find_sample(struct outcome *o, const char *workload, uint64_t size,
				  uint64_t replicate, uint64_t null_boot)
{
	for (size_t i = 0; i < o->n_samples; i++) {
		struct sample *s = &o->samples[i];

		if (s->size == size && s->replicate == replicate && s->null_boot == null_boot && strcmp(s->workload, workload) == 0)
			return s;
	}
	return NULL;
}

static int load_metrics(struct record *r, struct run *run, struct error *err)
{
	_cleanup_rows_ struct db_rows *rows = NULL;
	_cleanup_free_ char *sql = xasprintf("SELECT variant, workload, size, replicate, name, unit, better, value, %s FROM metric "
					     "ORDER BY rowid", null_boot_of(r));
	int rc = db_query(r->db, &rows, err, sql, "");

	while (rc >= 0 && (rc = db_next(rows, err)) > 0) {
		uint64_t v = db_number(rows, 0);
		_cleanup_free_ char *workload = text(rows, 1), *better = text(rows, 6),
				    *value = text(rows, 7);
		struct sample *s = v < run->n_variants ?
					   find_sample(&run->outcomes[v], workload, db_number(rows, 2),
						       db_number(rows, 3), db_number(rows, 8)) :
					   NULL;

		if (s)
			*ARRAY_ADD(s->metrics, s->n_metrics, s->cap_metrics) = (struct metric){
				.name = text(rows, 4),
				.unit = text(rows, 5),
				.is_higher_better = strcmp(better, "higher") == 0,
				.value = strtod(value, NULL),
			};
	}
	return rc;
}

static int load_failures(struct record *r, struct run *run, struct error *err)
{
	_cleanup_rows_ struct db_rows *rows = NULL;
	int rc = db_query(r->db, &rows, err,
			  "SELECT variant, workload, stage, message, log_tail FROM failure ORDER BY "
			  "rowid",
			  "");

	while (rc >= 0 && (rc = db_next(rows, err)) > 0) {
		uint64_t v = db_number(rows, 0);
		_cleanup_free_ char *workload = text_or_null(rows, 1), *stage = text(rows, 2),
				    *message = text(rows, 3), *tail = text(rows, 4);

		if (v < run->n_variants)
			outcome_add_failure(&run->outcomes[v], workload, stage, message, tail);
	}
	return rc;
}

static int load_sittings(struct record *r, struct run *run, struct error *err)
{
	_cleanup_rows_ struct db_rows *rows = NULL;
	int rc = db_query(r->db, &rows, err, "SELECT number, boot, started FROM sitting ORDER BY number", "");

	while (rc >= 0 && (rc = db_next(rows, err)) > 0) {
		struct sitting *s;

		/* Blocks name their sitting by its number: they count from 0. */
		if (db_number(rows, 0) != run->n_sittings)
			return error_set(err, EBADMSG, "%s is damaged: a sitting is missing", r->path);
		s = ARRAY_ADD(run->sittings, run->n_sittings, run->cap_sittings);
		*s = (struct sitting){ .boot = text(rows, 1), .started = db_number(rows, 2) };
		rc = load_facts(r, "SELECT key, value FROM sitting_fact WHERE sitting = ? ORDER BY rowid", "u",
				run->n_sittings - 1, &s->facts, err);
	}
	return rc;
}

static int load_blocks(struct record *r, struct run *run, struct error *err)
{
	_cleanup_rows_ struct db_rows *rows = NULL;
	int rc = db_query(r->db, &rows, err,
			  "SELECT sitting, position, variant, workload, round, ops, ns, at_ms FROM block ORDER BY "
			  "sitting, position", "");

	while (rc >= 0 && (rc = db_next(rows, err)) > 0) {
		uint64_t sitting = db_number(rows, 0), variant = db_number(rows, 2);
		struct block *b;

		if (sitting >= run->n_sittings || variant >= run->n_variants || !db_number(rows, 5))
			return error_set(err, EBADMSG, "%s is damaged: a block of nothing", r->path);
		b = sitting_add_block(&run->sittings[sitting]);
		b->position = (uint32_t)db_number(rows, 1);
		b->variant = variant;
		b->workload = text(rows, 3);
		b->round = (uint32_t)db_number(rows, 4);
		b->ops = db_number(rows, 5);
		b->ns = db_number(rows, 6);
		b->at_ms = db_number(rows, 7);
	}
	return rc;
}

static struct block *find_block(struct sitting *s, uint64_t position)
{
	/* Positions are ascending and mostly the index. */
	for (size_t i = position < s->n_blocks ? position + 1 : s->n_blocks; i-- > 0;)
		if (s->blocks[i].position == position)
			return &s->blocks[i];
	return NULL;
}

static int load_figures(struct record *r, struct run *run, struct error *err)
{
	_cleanup_rows_ struct db_rows *rows = NULL;
	int rc = db_query(r->db, &rows, err,
			  "SELECT sitting, position, kind, name, unit, better, value FROM figure ORDER BY rowid", "");

	while (rc >= 0 && (rc = db_next(rows, err)) > 0) {
		uint64_t sitting = db_number(rows, 0);
		_cleanup_free_ char *kind = text(rows, 2), *name = text(rows, 3), *unit = text(rows, 4),
				    *better = text(rows, 5), *value = text(rows, 6);
		struct block *b = sitting < run->n_sittings ?
					  find_block(&run->sittings[sitting], db_number(rows, 1)) : NULL;

		if (b)
			block_add_figure(b, strcmp(kind, "metric") == 0 ? FIGURE_METRIC : FIGURE_COUNTER, name,
					 unit, strcmp(better, "higher") == 0, strtod(value, NULL));
	}
	return rc;
}

int record_load(struct record *r, struct run *ret, struct error *err)
{
	struct run run = { .path = xstrdup(r->path) };
	int rc = load_facts(r, "SELECT key, value FROM head ORDER BY rowid", "", 0, &run.head, err);

	if (rc == 0)
		rc = load_variants(r, &run, err);
	if (rc == 0) {
		run.outcomes = xcalloc(run.n_variants, sizeof(*run.outcomes));
		rc = load_boots(r, &run, err);
	}
	if (rc == 0)
		rc = load_samples(r, &run, err);
	if (rc == 0)
		rc = load_metrics(r, &run, err);
	if (rc == 0)
		rc = load_failures(r, &run, err);
	if (rc == 0 && r->version > SCHEMA_OLDEST)
		rc = load_sittings(r, &run, err);
	if (rc == 0 && run.n_sittings)
		rc = load_blocks(r, &run, err);
	if (rc == 0 && run.n_sittings)
		rc = load_figures(r, &run, err);
	if (rc < 0) {
		run_finish(&run);
		return rc;
	}
	run.complete = facts_get(&run.head, "complete");
	*ret = run;
	return 0;
}

int record_load_profile(struct record *r, const char *profile_id, struct profile *ret,
			struct error *err)
{
	_cleanup_rows_ struct db_rows *rows = NULL;
	int rc = find_blob(r, profile_id, &rows, err);
	const void *p;
	size_t n;

	if (rc < 0)
		return rc;
	p = db_bytes(rows, 0, &n);
	rc = profile_decode(p, n, ret, err);
	return rc < 0 ? error_context(err, rc, "%s", r->path) : 0;
}

/* Blobs that the boots of a variant name in a column, those without left out. */
static int load_of_boots(struct record *r, const char *column, size_t variant, int (*take)(void *to, const void *p, size_t n, struct error *err),
			 void *to, struct error *err)
{
	_cleanup_rows_ struct db_rows *rows = NULL;
	_cleanup_free_ char *sql = xasprintf("SELECT %s, %s FROM boot WHERE variant = ? ORDER BY 2", column, null_boot_of(r));
	int rc = db_query(r->db, &rows, err, sql, "u", (uint64_t)variant);

	while (rc >= 0 && (rc = db_next(rows, err)) > 0) {
		_cleanup_rows_ struct db_rows *blob = NULL;
		const void *p;
		size_t n;

		if (!db_text(rows, 0))
			continue;
		rc = find_blob(r, db_text(rows, 0), &blob, err);
		if (rc < 0)
			return rc;
		p = db_bytes(blob, 0, &n);
		rc = take(to, p, n, err);
		if (rc < 0)
			return error_context(err, rc, "%s", r->path);
	}
	return rc;
}

static int take_code(void *to, const void *p, size_t n, struct error *err)
{
	struct code c = { 0 };
	int rc = code_decode(p, n, &c, err);

	if (rc == 0)
		code_merge(to, c.v, c.n);
	code_finish(&c);
	return rc;
}

static int take_inlines(void *to, const void *p, size_t n, struct error *err)
{
	struct inlines in = { 0 };
	int rc = inlines_decode(p, n, &in, err);

	if (rc == 0)
		inlines_merge(to, &in);
	inlines_finish(&in);
	return rc;
}

int record_load_code(struct record *r, size_t variant, struct code *ret, struct error *err)
{
	*ret = (struct code){ 0 };
	return load_of_boots(r, "code", variant, take_code, ret, err);
}

int record_load_inlines(struct record *r, size_t variant, struct inlines *ret, struct error *err)
{
	*ret = (struct inlines){ 0 };
	return load_of_boots(r, "inlines", variant, take_inlines, ret, err);
}

int record_load_symbols(struct record *r, const char *build_id, struct symbols *ret,
			struct error *err)
{
	_cleanup_rows_ struct db_rows *rows = NULL, *blob = NULL;
	int rc = db_query(r->db, &rows, err, "SELECT blob FROM symbols WHERE build_id = ?", "s",
			  build_id);
	const char *id;
	const void *p;
	size_t n;

	if (rc == 0)
		rc = db_next(rows, err);
	if (rc < 0)
		return rc;
	id = rc ? db_text(rows, 0) : NULL;
	if (!id)
		return error_set(err, ENODATA, "%s has no symbols of the kernel with build id %s",
				 r->path, build_id);
	rc = find_blob(r, id, &blob, err);
	if (rc < 0)
		return rc;
	p = db_bytes(blob, 0, &n);
	symbols_parse(p, n, ret);
	return 0;
}

static int load_output(struct record *r, struct sample *s, struct error *err)
{
	_cleanup_rows_ struct db_rows *rows = NULL;
	int rc = s->output_id ? find_blob(r, s->output_id, &rows, err) : 0;
	const void *p;
	size_t n;

	if (rc < 0 || !rows)
		return rc;
	p = db_bytes(rows, 0, &n);
	s->output = xstrndup(p, n);
	return 0;
}

static int load_symbol_text(struct record *r, struct outcome *o, struct error *err)
{
	_cleanup_rows_ struct db_rows *rows = NULL, *blob = NULL;
	const char *build_id = facts_get(&o->guest, "build_id"), *id = NULL;
	int rc = db_query(r->db, &rows, err, "SELECT blob FROM symbols WHERE build_id = ?", "s",
			  build_id ? build_id : "");
	const void *p;
	size_t n;

	if (rc == 0 && (rc = db_next(rows, err)) > 0)
		id = db_text(rows, 0);
	if (rc < 0 || !id)
		return rc < 0 ? rc : 0;
	rc = find_blob(r, id, &blob, err);
	if (rc < 0)
		return rc;
	p = db_bytes(blob, 0, &n);
	o->symbols = xstrndup(p, n);
	o->symbols_bytes = n;
	return 0;
}

int record_load_rest(struct record *r, struct run *run, size_t variant, struct error *err)
{
	struct outcome *o = &run->outcomes[variant];
	int rc = record_load_code(r, variant, &o->code, err);

	if (rc == 0)
		rc = record_load_inlines(r, variant, &o->inlines, err);
	if (rc == 0)
		rc = load_symbol_text(r, o, err);
	for (size_t i = 0; rc == 0 && i < o->n_samples; i++) {
		rc = record_load_profile(r, o->samples[i].profile_id, &o->samples[i].profile, err);
		if (rc == 0)
			rc = load_output(r, &o->samples[i], err);
	}
	return rc;
}

static bool is_unfinished(const char *path, const char *key)
{
	_cleanup_record_ struct record *r = NULL;
	struct facts head = { 0 };
	bool yes;

	if (record_open(path, false, &r, NULL) < 0 ||
	    load_facts(r, "SELECT key, value FROM head", "", 0, &head, NULL) < 0)
		return false;
	yes = str_equal(facts_get(&head, "key"), key) && !facts_get(&head, "complete");
	facts_finish(&head);
	return yes;
}

char *record_find_unfinished(const char *dir, const char *key)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char *best = NULL;
	time_t best_time = 0;

	while (d && (e = readdir(d))) {
		_cleanup_free_ char *path = path_join(dir, e->d_name);
		struct stat st;

		if (!str_has_suffix(e->d_name, RECORD_SUFFIX) || stat(path, &st) < 0 ||
		    (best && st.st_mtime <= best_time) || !is_unfinished(path, key))
			continue;
		free(best);
		best = TAKE_PTR(path);
		best_time = st.st_mtime;
	}
	if (d)
		closedir(d);
	return best;
}
