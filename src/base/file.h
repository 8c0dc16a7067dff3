/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paths and whole files. Writes are atomic: a reader sees the old file or the
 * new one, and a full disk leaves the old one. Every failure names the path.
 */
#ifndef KTOLL_FILE_H
#define KTOLL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* `dir/name`, owned by the caller. */
char *path_join(const char *dir, const char *name);

/* Creates the folder and its parents, mode 0755. */
int dir_make(const char *path, struct error *err);

/* ktoll's cache folder ($XDG_CACHE_HOME/ktoll or ~/.cache/ktoll), created; owned by the caller. */
int dir_cache(char **ret_path, struct error *err);

/* ktoll's data folder ($XDG_DATA_HOME/ktoll or ~/.local/share/ktoll), created; owned by the caller. */
int dir_data(char **ret_path, struct error *err);

/* ktoll's folder for what people configure ($XDG_CONFIG_HOME/ktoll or ~/.config/ktoll), not created. */
int dir_config(char **ret_path, struct error *err);

/* Removes the folder with all that is in it, as far as that goes; links are not followed. */
void dir_remove(const char *path);

/* Bytes that are free for this user on the disk of a folder; UINT64_MAX if it cannot be asked. */
uint64_t dir_room_bytes(const char *path);

bool file_exists(const char *path);

/* The program that execvp() would find in PATH, for a name without a slash; NULL if none. Owned by the caller. */
char *file_in_path(const char *name);

/* The whole file, with a NUL added that `ret_len` does not count. At most 1 GiB. */
int file_read(const char *path, char **ret, size_t *ret_len, struct error *err);
/* -EBADMSG, with the line in `what`, if there is a NUL among its bytes. The text has one behind them. */
int text_check(const char *text, size_t n_bytes, const char *what, struct error *err);

/* Writes to a temporary neighbour, syncs, renames. */
int file_write(const char *path, const void *p, size_t n_bytes, struct error *err);

/* An anonymous file in memory, not inherited by exec, holding the bytes: its descriptor or -errno. */
int file_memory(const char *name, const void *p, size_t n_bytes, struct error *err);

/* Writes all that the file at `path` holds to `fd`; the bytes do not pass through this process. */
int file_copy_to(const char *path, int fd, struct error *err);
/* And the other way: from the descriptor's start into a new file for the user alone. */
int file_copy_from(int fd, const char *path, struct error *err);

/* Writes everything or fails: 0 or -errno. */
int fd_write_all(int fd, const void *p, size_t n_bytes);

#endif
