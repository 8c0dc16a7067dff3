/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Archives: members of a Debian or RPM package, and cpio images for the kernel's
 * initramfs. With sys/unpack the only place that knows libarchive.
 *
 * Reading: archive_deb_read() and archive_package_read() ask a function about each
 * member in turn and keep the wanted ones, in memory or in a descriptor. Names are relative,
 * without a leading "./"; an archive with a name that leads out of its folder
 * ("..", absolute) is refused as a whole.
 *
 * Writing: cpio_new() or cpio_new_fd(), cpio_add_*() with parents before children,
 * cpio_finish(), cpio_finish_fd() or cpio_free(). The same calls give the same bytes: times,
 * owners and inode numbers do not come from this machine.
 */
#ifndef KTOLL_ARCHIVE_H
#define KTOLL_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct archive_file {
	char *name; /* "boot/vmlinuz-6.1.0-57-amd64" */
	mode_t mode; /* with the type: S_IFREG … */
	char *link; /* what a symbolic link says, or the member a hard link means; else NULL */
	uint64_t size_bytes;
	char *bytes; /* a regular file's content with a NUL added; NULL if it went to `to_fd` */
	int to_fd;   /* -1, or where the content is to go: set by the asking function, not closed */
};

enum archive_answer {
	ARCHIVE_SKIP,
	ARCHIVE_TAKE,
	ARCHIVE_STOP, /* skip this one and read no further */
};

/* `f` has everything but its content; `to_fd` may be set. */
typedef enum archive_answer (*archive_ask)(void *data, struct archive_file *f);

struct archive_files {
	struct archive_file *files; /* in the archive's order */
	size_t n, cap;
};

/*
 * Reads the data member of a .deb (tar, plain or compressed with xz, zstd or
 * gzip). At most 1 GiB is kept in memory. -EBADMSG for a broken or hostile
 * archive; errors of the descriptors, as -ENOSPC, as they are.
 */
int archive_deb_read(const char *deb_path, archive_ask ask, void *data, struct archive_files *ret,
		     struct error *err);
void archive_files_finish(struct archive_files *f);

enum archive_kind { ARCHIVE_NONE, ARCHIVE_DEB, ARCHIVE_RPM };

/* Which kind of package do the bytes begin as? */
enum archive_kind archive_package_kind(const void *bytes, size_t n_bytes);

/* The same for the bytes of a .deb or .rpm in memory; `what` is it, for sentences. */
int archive_package_read(const void *bytes, size_t n_bytes, const char *what, archive_ask ask,
			 void *data, struct archive_files *ret, struct error *err);

/*
 * A member's name without "./" and slashes at its end, owned by the caller; "" is the folder
 * itself, NULL a name that leads out of it.
 */
char *archive_safe_name(const char *name);

/*
 * Unpacks bytes that one of xz, zstd, gzip, bzip2, lz4 or lzma has packed, into
 * at most `max_bytes`; owned by the caller. -EBADMSG for anything else.
 */
int archive_unpack(const void *packed, size_t n_bytes, size_t max_bytes, char **ret,
		   size_t *ret_bytes);

struct cpio;

struct cpio *cpio_new(void);
/*
 * Into a descriptor, which is not closed, and padded with zeros to 512 bytes so that another image
 * may follow; `path` is for sentences.
 */
struct cpio *cpio_new_fd(int fd, const char *path);
void cpio_add_dir(struct cpio *c, const char *path, mode_t mode);
void cpio_add_file(struct cpio *c, const char *path, mode_t mode, const void *p, size_t n_bytes);
void cpio_add_symlink(struct cpio *c, const char *path, const char *target);
/* A character device. */
void cpio_add_node(struct cpio *c, const char *path, mode_t mode, unsigned int major,
		   unsigned int minor);
/*
 * Frees the cpio and gives its bytes, owned by the caller; or the first thing
 * that went wrong in any of the calls.
 */
int cpio_finish(struct cpio *c, char **ret, size_t *ret_len, struct error *err);
/* The same for one in a descriptor, which has `ret_n_bytes` then; and their SHA-256. */
int cpio_finish_fd(struct cpio *c, char **ret_sha256, uint64_t *ret_n_bytes, struct error *err);
void cpio_free(struct cpio *c);

#endif
