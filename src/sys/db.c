/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/db.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

struct db {
	dev_t dev;
	ino_t ino;
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
	struct rlimit limit;

	/* SQLite does not keep the error of the write, only that there was one. */
	if (code == SQLITE_IOERR && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		return error_set(err, EFBIG, "cannot write %s: files are limited to %llu bytes (ulimit -f)", db->path,
				 (unsigned long long)limit.rlim_cur);
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

/* ---- what lies beside a database ---- */

/* See "The Rollback Journal" in SQLite's file format: the first and, behind the name of a super-journal, the last 8 bytes. */
static const uint8_t journal_magic[8] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };

static bool has_magic(int fd, off_t at)
{
	uint8_t bytes[sizeof(journal_magic)];

	return at >= 0 && pread(fd, bytes, sizeof(bytes), at) == sizeof(bytes) &&
	       memcmp(bytes, journal_magic, sizeof(bytes)) == 0;
}

static int refused(const char *path, const char *suffix, const char *why, struct error *err)
{
	return error_set(err, EPERM, "%s%s %s: it is not touched, and %s is not opened beside it. Look at it, and move it away", path,
			 suffix, why, path);
}

/* 1 and a descriptor if there is a journal to be played, 0 if there is none, -EPERM for one that is not this database's. */
static int find_journal(const char *path, const struct stat *db, int *ret_fd, struct error *err)
{
	_cleanup_free_ char *name = xasprintf("%s-journal", path);
	_cleanup_close_ int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return refused(path, "-journal", "is no file that can be read", err);
	if (st.st_uid != db->st_uid)
		return refused(path, "-journal", "belongs to somebody else", err);
	/* One that was cut, or whose beginning was cleared: what it was for has been committed. */
	if (!has_magic(fd, 0))
		return 0;
	if (st.st_size >= 16 && has_magic(fd, st.st_size - 8))
		return refused(path, "-journal", "names another file, which playing it would remove", err);
	*ret_fd = fd;
	fd = -1;
	return 1;
}

/* There is never a write-ahead log: a database that says so is not one of ours. */
static int check_log(const char *path, int fd, struct error *err)
{
	static const char *const suffixes[] = { "-wal", "-shm" };
	uint8_t versions[2];

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		_cleanup_free_ char *name = xasprintf("%s%s", path, suffixes[i]);
		struct stat st;

		if (lstat(name, &st) == 0)
			return refused(path, suffixes[i], "belongs to no record of ktoll", err);
	}
	/* The file format's write and read version: 2 is a write-ahead log. */
	if (pread(fd, versions, 2, 18) == 2 && (versions[0] > 1 || versions[1] > 1))
		return error_set(err, EBADMSG, "%s is not a record, or is damaged (it wants a write-ahead log)", path);
	return 0;
}

/* SQLite's lock bytes, and whether a writer holds any of them: see os_unix.c's description of its locks. */
#define LOCK_BYTES_AT 0x40000000
#define N_LOCK_BYTES  512
static int check_writer(const char *path, int fd, struct error *err)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = LOCK_BYTES_AT, .l_len = N_LOCK_BYTES };

	if (fcntl(fd, F_OFD_SETLK, &lock) < 0 && (errno == EACCES || errno == EAGAIN))
		return error_set(err, EBUSY, "%s is in use by another ktoll", path);
	return 0;
}

/* ---- opening ---- */

static int open_file(const char *path, enum db_mode mode, struct stat *ret, struct error *err)
{
	const int flags[] = { [DB_READ] = O_RDONLY, [DB_WRITE] = O_RDWR | O_NOFOLLOW,
			      [DB_CREATE] = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW };
	_cleanup_close_ int fd = open(path, flags[mode] | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0644);
	int r;

	if (fd < 0) {
		r = errno;
		return r == ENOENT && mode != DB_CREATE ? error_set(err, r, "there is no %s", path) :
		       r == EEXIST		     ? error_set(err, r, "%s exists already", path) :
		       r == ELOOP		     ? error_set(err, r, "%s is a symbolic link: name the file itself", path) :
						       error_set(err, r, "cannot %s %s: %s",
								 mode == DB_CREATE ? "create" : "open", path, strerror(r));
	}
	if (fstat(fd, ret) < 0 || !S_ISREG(ret->st_mode))
		return error_set(err, EBADMSG, "%s is not a record: not a file", path);
	r = fd;
	fd = -1;
	return r;
}

/*
 * A private copy of a database with its journal, in which that is played as soon as it is read; gone when it is closed. The
 * copy has no name any more by then.
 */
static int open_copy(struct db *db, int fd, int journal_fd, struct error *err)
{
	const char *tmp = getenv("TMPDIR");
	_cleanup_free_ char *dir = xasprintf("%s/ktoll-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
	_cleanup_free_ char *name = NULL, *journal = NULL;
	int r;

	if (!mkdtemp(dir))
		return error_set(err, errno, "%s was left half written, and there is no place for a copy: %s: %s", db->path, dir,
				 strerror(errno));
	name = xasprintf("%s/record", dir);
	journal = xasprintf("%s-journal", name);
	r = file_copy_from(fd, name, err);
	if (r == 0)
		r = file_copy_from(journal_fd, journal, err);
	if (r == 0 && sqlite3_open_v2(name, &db->handle, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		r = failed(db, err);
	if (r == 0)
		r = db_run(db, err, "PRAGMA schema_version", "");
	unlink(journal);
	unlink(name);
	rmdir(dir);
	return r;
}

/* What is at the descriptor, and nothing else: no lock, no journal, no log. */
static int open_immutable(struct db *db, int fd, struct error *err)
{
	_cleanup_free_ char *uri = xasprintf("file:/proc/self/fd/%d?immutable=1", fd);

	return sqlite3_open_v2(uri, &db->handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) == SQLITE_OK ? 0 :
														failed(db, err);
}

static int open_handle(struct db *db, enum db_mode mode, int fd, const struct stat *st, struct error *err)
{
	_cleanup_free_ char *real = NULL;
	_cleanup_close_ int journal_fd = -1;
	int r = check_log(db->path, fd, err);

	if (r == 0 && mode == DB_READ)
		r = check_writer(db->path, fd, err);
	if (r == 0)
		r = find_journal(db->path, st, &journal_fd, err);
	if (r < 0)
		return r;
	if (mode == DB_READ)
		return r ? open_copy(db, fd, journal_fd, err) : open_immutable(db, fd, err);
	/* Links on the way to it may be the user's own. */
	real = realpath(db->path, NULL);
	if (!real)
		return error_set(err, errno, "cannot open %s: %s", db->path, strerror(errno));
	return sqlite3_open_v2(real, &db->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL) == SQLITE_OK ?
		       0 : failed(db, err);
}

int db_open(const char *path, enum db_mode mode, struct db **ret, struct error *err)
{
	_cleanup_db_ struct db *db = xcalloc(1, sizeof(*db));
	_cleanup_close_ int fd = -1;
	struct stat st;
	int r;

	db->path = xstrdup(path);
	fd = open_file(path, mode, &st, err);
	if (fd < 0)
		return fd;
	db->dev = st.st_dev;
	db->ino = st.st_ino;
	r = open_handle(db, mode, fd, &st, err);
	if (r < 0)
		return r;
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

bool db_is_in_place(const struct db *db)
{
	struct stat st;

	return stat(db->path, &st) == 0 && st.st_dev == db->dev && st.st_ino == db->ino;
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
