/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SQLite behind a few calls. A database is opened defensively: it may come
 * from somebody else, and so may the files beside it. Numbers are unsigned 64-bit here and must stay below
 * 2^63. Every failure names the file.
 *
 * A writer that was killed leaves a journal, PATH-journal, by which the database is made whole again. A journal can name
 * another file, which SQLite removes after it was played. So one is played only if it is certain to be
 * no more than a journal of this database: a file and no link, of the database's owner, that names no other. Anything
 * else beside a database is refused in a sentence.
 */
#ifndef KTOLL_DB_H
#define KTOLL_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"

struct db;
struct db_rows;

enum db_mode {
	/* Must exist. Neither it nor anything beside it is changed: what a killed writer left is played in a copy. */
	DB_READ,
	DB_WRITE,  /* must exist, and be no link */
	DB_CREATE, /* must not exist */
};

/* -EBUSY: somebody else is writing to it. -EBADMSG: not a database. -EPERM: what is beside it is not its own. */
int db_open(const char *path, enum db_mode mode, struct db **ret, struct error *err);
/* Is what its path names still the file that was opened? */
bool db_is_in_place(const struct db *db);
void db_close(struct db *db);
DEFINE_CLEANUP(struct db *, db_close)
#define _cleanup_db_ _cleanup_(db_closep)

/*
 * Runs one statement to its end. `kinds` has a letter for each ?: 's' a
 * string or NULL, 'u' a uint64_t, 'b' a pointer and a size_t.
 */
int db_run(struct db *db, struct error *err, const char *sql, const char *kinds, ...);

/* The same, to read rows from; close with db_rows_close(). */
int db_query(struct db *db, struct db_rows **ret, struct error *err, const char *sql,
	     const char *kinds, ...);
/* 1 with a row, 0 at the end, or -errno. */
int db_next(struct db_rows *rows, struct error *err);
/* Valid until the next db_next(). The string is NULL for a NULL. */
const char *db_text(struct db_rows *rows, int column);
uint64_t db_number(struct db_rows *rows, int column);
const void *db_bytes(struct db_rows *rows, int column, size_t *ret_bytes);
void db_rows_close(struct db_rows *rows);
DEFINE_CLEANUP(struct db_rows *, db_rows_close)
#define _cleanup_rows_ _cleanup_(db_rows_closep)

/* One number out of one row: 0 or -errno; -ENODATA without a row. */
int db_get_number(struct db *db, const char *sql, uint64_t *ret, struct error *err);

#endif
