/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "sys/digest.h"

#define MEMORY_MAX_BYTES (1ull << 30)
#define READ_BYTES 65536

static void reader_free(struct archive *a)
{
	archive_read_free(a);
}
DEFINE_CLEANUP(struct archive *, reader_free)

/* ---- reading ---- */

/* The tar inside, which is read through the ar outside. */
struct inner {
	struct archive *outer;
	char buf[READ_BYTES];
};

static la_ssize_t inner_read(struct archive *a, void *data, const void **ret)
{
	struct inner *in = data;
	la_ssize_t n = archive_read_data(in->outer, in->buf, sizeof(in->buf));

	if (n < 0) {
		archive_set_error(a, EBADMSG, "%s", archive_error_string(in->outer));
		return -1;
	}
	*ret = in->buf;
	return n;
}

static int broken(struct error *err, const char *path, struct archive *a)
{
	const char *why = archive_error_string(a);

	return error_set(err, EBADMSG, "%s is not a usable package: %s", path,
			 why ? why : "it is cut off");
}

char *archive_safe_name(const char *name)
{
	char *safe;
	size_t n;

	if (!name || name[0] == '/')
		return NULL;
	while (str_has_prefix(name, "./"))
		name += 2;
	if (strcmp(name, ".") == 0)
		name = "";
	for (const char *c = name; *c; c = strchr(c, '/') ? strchr(c, '/') + 1 : c + strlen(c))
		if (c[0] == '.' && c[1] == '.' && (c[2] == '/' || !c[2]))
			return NULL;
	safe = xstrdup(name);
	for (n = strlen(safe); n && safe[n - 1] == '/';)
		safe[--n] = 0;
	return safe;
}

static int take_into_fd(struct archive *tar, const char *path, int fd, struct error *err)
{
	char buf[READ_BYTES];

	for (;;) {
		la_ssize_t n = archive_read_data(tar, buf, sizeof(buf));
		int r;

		if (n < 0)
			return broken(err, path, tar);
		if (n == 0)
			return 0;
		r = fd_write_all(fd, buf, (size_t)n);
		if (r < 0)
			return error_set(err, r, "cannot unpack %s: %s", path, strerror(-r));
	}
}

static int take_into_memory(struct archive *tar, const char *path, struct archive_file *f,
			    uint64_t *room, struct error *err)
{
	/* Not the header's size at once: it may be a lie. */
	struct str text = STR_INIT;
	char buf[READ_BYTES];

	for (;;) {
		la_ssize_t n = archive_read_data(tar, buf, sizeof(buf));
		int r = 0;

		if (n < 0)
			r = broken(err, path, tar);
		else if ((uint64_t)n > *room)
			r = error_set(err, EFBIG, "%s unpacks to more than 1 GiB", path);
		if (r < 0) {
			str_finish(&text);
			return r;
		}
		if (n == 0)
			break;
		*room -= (uint64_t)n;
		str_add_bytes(&text, buf, (size_t)n);
	}
	f->size_bytes = text.len;
	f->bytes = str_take(&text);
	return 0;
}

static void file_finish(struct archive_file *f)
{
	free(f->name);
	free(f->link);
	free(f->bytes);
}

static void describe(struct archive_entry *entry, struct archive_file *ret)
{
	const char *hard = archive_entry_hardlink(entry), *link = archive_entry_symlink(entry);
	int64_t size = archive_entry_size(entry);

	ret->mode = archive_entry_mode(entry);
	ret->size_bytes = size > 0 ? (uint64_t)size : 0;
	ret->to_fd = -1;
	/* A tar's hard link may come without a type of its own. */
	if (hard)
		ret->mode = S_IFREG | (ret->mode & 07777);
	if (hard || link)
		ret->link = xstrdup(hard ? hard : link);
}

static int read_members(struct archive *tar, const char *path, archive_ask ask, void *data,
		    struct archive_files *ret, struct error *err)
{
	uint64_t room = MEMORY_MAX_BYTES;

	for (;;) {
		struct archive_file f = { 0 };
		struct archive_entry *entry;
		enum archive_answer answer;
		int r = archive_read_next_header(tar, &entry);

		if (r == ARCHIVE_EOF)
			return 0;
		if (r < ARCHIVE_WARN)
			return broken(err, path, tar);
		f.name = archive_safe_name(archive_entry_pathname(entry));
		if (!f.name)
			return error_set(err, EBADMSG,
					 "%s is refused: a name in it leads out of its folder",
					 path);
		describe(entry, &f);
		answer = f.name[0] ? ask(data, &f) : ARCHIVE_SKIP;
		r = 0;
		if (answer == ARCHIVE_TAKE && S_ISREG(f.mode) && !f.link)
			r = f.to_fd >= 0 ? take_into_fd(tar, path, f.to_fd, err) :
					   take_into_memory(tar, path, &f, &room, err);
		if (answer == ARCHIVE_TAKE && r == 0)
			*ARRAY_ADD(ret->files, ret->n, ret->cap) = f;
		else
			file_finish(&f);
		if (r < 0 || answer == ARCHIVE_STOP)
			return r;
	}
}

static int read_data_member(struct archive *ar, const char *path, archive_ask ask, void *data,
			    struct archive_files *ret, struct error *err)
{
	_cleanup_free_ struct inner *in = xcalloc(1, sizeof(*in));
	_cleanup_(reader_freep) struct archive *tar = archive_read_new();

	in->outer = ar;
	archive_read_support_format_tar(tar);
	archive_read_support_filter_xz(tar);
	archive_read_support_filter_zstd(tar);
	archive_read_support_filter_gzip(tar);
	if (archive_read_open(tar, in, NULL, inner_read, NULL) != ARCHIVE_OK)
		return broken(err, path, tar);
	return read_members(tar, path, ask, data, ret, err);
}

/* From an open ar archive. */
static int read_deb(struct archive *ar, const char *what, archive_ask ask, void *data,
		    struct archive_files *ret, struct error *err)
{
	struct archive_entry *entry;

	for (;;) {
		int r = archive_read_next_header(ar, &entry);
		const char *name;

		if (r == ARCHIVE_EOF)
			return error_set(err, EBADMSG,
					 "%s is not a usable package: it has no data.tar", what);
		if (r < ARCHIVE_WARN)
			return broken(err, what, ar);
		name = archive_entry_pathname(entry);
		if (name && str_has_prefix(name, "data.tar"))
			return read_data_member(ar, what, ask, data, ret, err);
	}
}

int archive_deb_read(const char *deb_path, archive_ask ask, void *data, struct archive_files *ret,
		     struct error *err)
{
	_cleanup_(reader_freep) struct archive *ar = archive_read_new();
	struct archive_files files = { 0 };
	int r;

	archive_read_support_format_ar(ar);
	if (archive_read_open_filename(ar, deb_path, READ_BYTES) != ARCHIVE_OK) {
		/* Only a system call's failure has a number of errno's. */
		if (!file_exists(deb_path))
			return error_set(err, ENOENT, "cannot read %s: %s", deb_path,
					 strerror(ENOENT));
		return broken(err, deb_path, ar);
	}
	r = read_deb(ar, deb_path, ask, data, &files, err);
	if (r < 0)
		archive_files_finish(&files);
	else
		*ret = files;
	return r;
}

enum archive_kind archive_package_kind(const void *bytes, size_t n_bytes)
{
	if (n_bytes > 8 && memcmp(bytes, "!<arch>\n", 8) == 0)
		return ARCHIVE_DEB;
	/* The lead's magic, rpm's lib/rpmlead. */
	if (n_bytes > 4 && memcmp(bytes, "\xed\xab\xee\xdb", 4) == 0)
		return ARCHIVE_RPM;
	return ARCHIVE_NONE;
}

int archive_package_read(const void *bytes, size_t n_bytes, const char *what, archive_ask ask,
			 void *data, struct archive_files *ret, struct error *err)
{
	_cleanup_(reader_freep) struct archive *a = archive_read_new();
	bool is_deb = archive_package_kind(bytes, n_bytes) == ARCHIVE_DEB;
	struct archive_files files = { 0 };
	int r;

	if (is_deb) {
		archive_read_support_format_ar(a);
	} else {
		archive_read_support_format_cpio(a);
		archive_read_support_filter_rpm(a);
		archive_read_support_filter_zstd(a);
		archive_read_support_filter_xz(a);
		archive_read_support_filter_gzip(a);
		archive_read_support_filter_bzip2(a);
		archive_read_support_filter_lzma(a);
	}
	if (archive_read_open_memory(a, bytes, n_bytes) != ARCHIVE_OK)
		return broken(err, what, a);
	r = is_deb ? read_deb(a, what, ask, data, &files, err) :
		     read_members(a, what, ask, data, &files, err);
	if (r < 0)
		archive_files_finish(&files);
	else
		*ret = files;
	return r;
}

void archive_files_finish(struct archive_files *f)
{
	for (size_t i = 0; i < f->n; i++)
		file_finish(&f->files[i]);
	free(f->files);
	*f = (struct archive_files){ 0 };
}

/* ---- writing ---- */

int archive_unpack(const void *packed, size_t n_bytes, size_t max_bytes, char **ret,
		   size_t *ret_bytes)
{
	_cleanup_(reader_freep) struct archive *raw = archive_read_new();
	_cleanup_free_ char *out = NULL;
	size_t n = 0, cap = 0;
	struct archive_entry *entry;

	archive_read_support_format_raw(raw);
	archive_read_support_filter_xz(raw);
	archive_read_support_filter_zstd(raw);
	archive_read_support_filter_gzip(raw);
	archive_read_support_filter_bzip2(raw);
	archive_read_support_filter_lz4(raw);
	archive_read_support_filter_lzma(raw);
	if (archive_read_open_memory(raw, packed, n_bytes) != ARCHIVE_OK ||
	    archive_read_next_header(raw, &entry) != ARCHIVE_OK ||
	    archive_filter_count(raw) < 2) /* packed by nothing: the bytes themselves */
		return -EBADMSG;
	for (;;) {
		la_ssize_t got;

		if (cap - n < 65536)
			out = xrealloc(out, cap = cap * 2 + (1u << 20));
		got = archive_read_data(raw, out + n, cap - n);
		if (got < 0 || n + (size_t)got > max_bytes)
			return -EBADMSG;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	*ret = TAKE_PTR(out);
	*ret_bytes = n;
	return 0;
}

struct cpio {
	struct archive *archive;
	struct str bytes; /* unless they go to `fd` */
	int fd;		  /* -1 */
	char *path;
	struct digest *digest; /* of what went to `fd` */
	uint64_t n_bytes;
	int64_t last_inode;
	struct error error; /* the first failure; cpio_finish() tells it */
	int rc;
};

static la_ssize_t cpio_write(struct archive *a, void *data, const void *p, size_t n)
{
	struct cpio *c = data;

	int r;

	c->n_bytes += n;
	if (c->fd < 0) {
		str_add_bytes(&c->bytes, p, n);
		return (la_ssize_t)n;
	}
	r = fd_write_all(c->fd, p, n);
	if (r < 0) {
		if (c->rc == 0)
			c->rc = error_set(&c->error, r, "cannot write %s: %s", c->path,
					  strerror(-r));
		archive_set_error(a, -r, "%s", strerror(-r));
		return -1;
	}
	digest_add(c->digest, p, n);
	return (la_ssize_t)n;
}

static void cpio_failed(struct cpio *c, const char *path)
{
	const char *why = archive_error_string(c->archive);

	if (c->rc == 0)
		c->rc = error_set(&c->error, EINVAL, "cannot put %s into the initramfs: %s", path,
				  why ? why : "no reason given");
}

static void cpio_open(struct cpio *c, int last_block_bytes)
{
	c->archive = archive_write_new();
	if (!c->archive)
		abort();
	if (archive_write_set_format_cpio_newc(c->archive) != ARCHIVE_OK ||
	    archive_write_set_bytes_per_block(c->archive, READ_BYTES) != ARCHIVE_OK ||
	    archive_write_set_bytes_in_last_block(c->archive, last_block_bytes) != ARCHIVE_OK ||
	    archive_write_open(c->archive, c, NULL, cpio_write, NULL) != ARCHIVE_OK)
		cpio_failed(c, "anything");
}

struct cpio *cpio_new(void)
{
	struct cpio *c = xcalloc(1, sizeof(*c));

	c->fd = -1;
	/* No padding up to a tape's block. */
	cpio_open(c, 1);
	return c;
}

struct cpio *cpio_new_fd(int fd, const char *path)
{
	struct cpio *c = xcalloc(1, sizeof(*c));

	c->fd = fd;
	c->path = xstrdup(path);
	c->digest = digest_new();
	cpio_open(c, 512);
	return c;
}

static void cpio_add(struct cpio *c, const char *path, mode_t mode, dev_t device,
		     const char *target, const void *p, size_t n_bytes)
{
	struct archive_entry *e;

	if (c->rc < 0)
		return;
	e = archive_entry_new();
	while (*path == '/')
		path++;
	archive_entry_set_pathname(e, path);
	archive_entry_set_mode(e, mode);
	archive_entry_set_ino64(e, ++c->last_inode);
	archive_entry_set_nlink(e, 1);
	archive_entry_set_uid(e, 0);
	archive_entry_set_gid(e, 0);
	archive_entry_set_mtime(e, 0, 0);
	/* Also where there is no content: the format wants a size for everything. */
	archive_entry_set_size(e, (int64_t)n_bytes);
	if (target)
		archive_entry_set_symlink(e, target);
	if (S_ISCHR(mode)) {
		archive_entry_set_rdevmajor(e, major(device));
		archive_entry_set_rdevminor(e, minor(device));
	}
	if (archive_write_header(c->archive, e) != ARCHIVE_OK ||
	    (n_bytes && archive_write_data(c->archive, p, n_bytes) != (la_ssize_t)n_bytes) ||
	    archive_write_finish_entry(c->archive) != ARCHIVE_OK)
		cpio_failed(c, path);
	archive_entry_free(e);
}

void cpio_add_dir(struct cpio *c, const char *path, mode_t mode)
{
	cpio_add(c, path, S_IFDIR | (mode & 07777), 0, NULL, NULL, 0);
}

void cpio_add_file(struct cpio *c, const char *path, mode_t mode, const void *p, size_t n_bytes)
{
	cpio_add(c, path, S_IFREG | (mode & 07777), 0, NULL, p, n_bytes);
}

void cpio_add_symlink(struct cpio *c, const char *path, const char *target)
{
	cpio_add(c, path, S_IFLNK | 0777, 0, target, NULL, 0);
}

void cpio_add_node(struct cpio *c, const char *path, mode_t mode, unsigned int major,
		   unsigned int minor)
{
	cpio_add(c, path, S_IFCHR | (mode & 07777), makedev(major, minor), NULL, NULL, 0);
}

static int cpio_close(struct cpio *c, struct error *err)
{
	if (archive_write_close(c->archive) != ARCHIVE_OK)
		cpio_failed(c, "the end");
	return c->rc < 0 ? error_set(err, c->rc, "%s", error_text(&c->error)) : 0;
}

int cpio_finish(struct cpio *c, char **ret, size_t *ret_len, struct error *err)
{
	int r = cpio_close(c, err);

	if (r == 0) {
		*ret_len = c->bytes.len;
		*ret = str_take(&c->bytes);
	}
	cpio_free(c);
	return r;
}

int cpio_finish_fd(struct cpio *c, char **ret_sha256, uint64_t *ret_n_bytes, struct error *err)
{
	int r = cpio_close(c, err);

	if (r == 0) {
		*ret_n_bytes = c->n_bytes;
		*ret_sha256 = digest_finish(TAKE_PTR(c->digest));
	}
	cpio_free(c);
	return r;
}

void cpio_free(struct cpio *c)
{
	if (!c)
		return;
	archive_write_free(c->archive);
	str_finish(&c->bytes);
	free(c->path);
	if (c->digest)
		free(digest_finish(c->digest));
	error_finish(&c->error);
	free(c);
}
