/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/db.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

struct db {
	sqlite3 *handle;
	char *path;
};

struct db_rows {
	sqlite3_stmt *st;
	struct db *db;
};

static int failed(struct db *db, struct error *err)
{
	int code = sqlite3_errcode(db->handle);

	switch (code) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return error_set(err, EBUSY, "%s is in use by another ktoll", db->path);
	case SQLITE_FULL:
		return error_set(err, ENOSPC, "the disk is full: cannot write %s", db->path);
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
		return error_set(err, EBADMSG, "%s is not a record, or is damaged (%s)", db->path,
				 sqlite3_errmsg(db->handle));
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_CANTOPEN:
		return error_set(err, EACCES, "cannot open %s: %s", db->path,
				 sqlite3_errmsg(db->handle));
	default:
		return error_set(err, EIO, "%s: %s", db->path, sqlite3_errmsg(db->handle));
	}
}

int db_open(const char *path, enum db_mode mode, struct db **ret, struct error *err)
{
	/* A reader, too, must roll back what a killed writer left half done. */
	static const int flags[] = { [DB_READ] = SQLITE_OPEN_READWRITE,
				     [DB_WRITE] = SQLITE_OPEN_READWRITE,
				     [DB_CREATE] = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE };
	_cleanup_db_ struct db *db = xcalloc(1, sizeof(*db));
	int r;

	db->path = xstrdup(path);
	if ((access(path, F_OK) == 0) == (mode == DB_CREATE))
		return mode == DB_CREATE ? error_set(err, EEXIST, "%s exists already", path) :
					   error_set(err, ENOENT, "there is no %s", path);
	if (mode == DB_CREATE) {
		_cleanup_free_ char *dir = xstrdup(path);
		char *slash = strrchr(dir, '/');

		if (slash)
			*(slash == dir ? slash + 1 : slash) = 0;
		if (slash && access(dir, W_OK) < 0)
			return error_set(err, errno, "cannot create %s: %s: %s", path, dir,
					 strerror(errno));
	}
	r = sqlite3_open_v2(path, &db->handle,
			    mode == DB_READ && access(path, W_OK) < 0 ? SQLITE_OPEN_READONLY :
									 flags[mode],
			    NULL);
	if (!db->handle)
		return error_set(err, ENOMEM, "cannot open %s: out of memory", path);
	if (r != SQLITE_OK)
		return failed(db, err);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_busy_timeout(db->handle, 300);
	r = db_run(db, err, "PRAGMA cell_size_check = ON", "");
	if (r == 0 && mode == DB_READ)
		r = db_run(db, err, "PRAGMA query_only = ON", "");
	if (r < 0)
		return r;
	*ret = TAKE_PTR(db);
	return 0;
}

void db_close(struct db *db)
{
	if (!db)
		return;
	sqlite3_close(db->handle);
	free(db->path);
	free(db);
}

static int prepare(struct db *db, sqlite3_stmt **ret, struct error *err, const char *sql,
		   const char *kinds, va_list ap)
{
	if (sqlite3_prepare_v2(db->handle, sql, -1, ret, NULL) != SQLITE_OK)
		return failed(db, err);
	for (int i = 0; kinds[i]; i++) {
		const void *p;

		switch (kinds[i]) {
		case 's':
			sqlite3_bind_text(*ret, i + 1, va_arg(ap, const char *), -1,
					  SQLITE_TRANSIENT);
			break;
		case 'u':
			sqlite3_bind_int64(*ret, i + 1, (sqlite3_int64)va_arg(ap, uint64_t));
			break;
		case 'b':
			p = va_arg(ap, const void *);
			sqlite3_bind_blob64(*ret, i + 1, p ? p : "", va_arg(ap, size_t),
					    SQLITE_TRANSIENT);
			break;
		}
	}
	return 0;
}

int db_run(struct db *db, struct error *err, const char *sql, const char *kinds, ...)
{
	sqlite3_stmt *st = NULL;
	va_list ap;
	int r;

	va_start(ap, kinds);
	r = prepare(db, &st, err, sql, kinds, ap);
	va_end(ap);
	if (r < 0)
		return r;
	do
		r = sqlite3_step(st);
	while (r == SQLITE_ROW);
	if (r != SQLITE_DONE) {
		r = failed(db, err);
		sqlite3_finalize(st);
		return r;
	}
	sqlite3_finalize(st);
	return 0;
}

int db_query(struct db *db, struct db_rows **ret, struct error *err, const char *sql,
	     const char *kinds, ...)
{
	struct db_rows *rows = xcalloc(1, sizeof(*rows));
	va_list ap;
	int r;

	rows->db = db;
	va_start(ap, kinds);
	r = prepare(db, &rows->st, err, sql, kinds, ap);
	va_end(ap);
	if (r < 0) {
		free(rows);
		return r;
	}
	*ret = rows;
	return 0;
}

int db_next(struct db_rows *rows, struct error *err)
{
	int r = sqlite3_step(rows->st);

	return r == SQLITE_ROW ? 1 : r == SQLITE_DONE ? 0 : failed(rows->db, err);
}

const char *db_text(struct db_rows *rows, int column)
{
	return (const char *)sqlite3_column_text(rows->st, column);
}

uint64_t db_number(struct db_rows *rows, int column)
{
	return (uint64_t)sqlite3_column_int64(rows->st, column);
}

const void *db_bytes(struct db_rows *rows, int column, size_t *ret_bytes)
{
	const void *p = sqlite3_column_blob(rows->st, column);

	*ret_bytes = (size_t)sqlite3_column_bytes(rows->st, column);
	return p ? p : "";
}

void db_rows_close(struct db_rows *rows)
{
	if (!rows)
		return;
	sqlite3_finalize(rows->st);
	free(rows);
}

int db_get_number(struct db *db, const char *sql, uint64_t *ret, struct error *err)
{
	_cleanup_rows_ struct db_rows *rows = NULL;
	int r = db_query(db, &rows, err, sql, "");

	if (r < 0)
		return r;
	r = db_next(rows, err);
	if (r == 0)
		return error_set(err, ENODATA, "%s: nothing found", db->path);
	if (r < 0)
		return r;
	*ret = db_number(rows, 0);
	return 0;
}
