/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Debian packages for tests. */
#ifndef KTOLL_MAKEDEB_H
#define KTOLL_MAKEDEB_H

#include <archive.h>
#include <archive_entry.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

struct deb_member {
	const char *name;
	mode_t mode;	  /* with the type */
	const char *link; /* with S_IFREG a hard link; else NULL */
	const char *text;
};

static la_ssize_t deb_collect(struct archive *a, void *data, const void *p, size_t n)
{
	(void)a;
	str_add_bytes(data, p, n);
	return (la_ssize_t)n;
}

static void deb_put(struct archive *a, const struct deb_member *m, const void *p, size_t n_bytes)
{
	struct archive_entry *e = archive_entry_new();

	archive_entry_set_pathname(e, m->name);
	archive_entry_set_mode(e, m->mode);
	archive_entry_set_size(e, (int64_t)n_bytes);
	if (m->link && S_ISREG(m->mode))
		archive_entry_set_hardlink(e, m->link);
	else if (m->link)
		archive_entry_set_symlink(e, m->link);
	assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
	if (n_bytes)
		assert_int_equal(archive_write_data(a, p, n_bytes), n_bytes);
	archive_entry_free(e);
}

static void deb_put_text(struct archive *a, const struct deb_member *m)
{
	deb_put(a, m, m->text, m->text ? strlen(m->text) : 0);
}

/* Packed with "", "xz", "gzip" or "zstd"; `cut` bytes are missing at its end. */
static void make_deb(const char *path, const char *compression, const struct deb_member *members,
		     size_t n, size_t cut)
{
	_cleanup_str_ struct str tar = STR_INIT, ar = STR_INIT;
	const char *suffix = strcmp(compression, "gzip") == 0 ? "gz" : compression;
	_cleanup_free_ char *data_name = xasprintf("data.tar%s%s", *suffix ? "." : "", suffix);
	const struct deb_member version = { "debian-binary", S_IFREG | 0644, NULL, "2.0\n" },
				control = { "control.tar", S_IFREG | 0644, NULL, "not looked at" },
				data = { data_name, S_IFREG | 0644, NULL, NULL };
	struct archive *a = archive_write_new();

	archive_write_set_format_gnutar(a);
	if (*compression)
		assert_int_equal(archive_write_add_filter_by_name(a, compression), ARCHIVE_OK);
	archive_write_set_bytes_in_last_block(a, 1);
	archive_write_open(a, &tar, NULL, deb_collect, NULL);
	for (size_t i = 0; i < n; i++)
		deb_put_text(a, &members[i]);
	assert_int_equal(archive_write_free(a), ARCHIVE_OK);

	a = archive_write_new();
	archive_write_set_format_ar_svr4(a);
	archive_write_set_bytes_in_last_block(a, 1);
	archive_write_open(a, &ar, NULL, deb_collect, NULL);
	deb_put_text(a, &version);
	deb_put_text(a, &control);
	deb_put(a, &data, tar.s, tar.len);
	assert_int_equal(archive_write_free(a), ARCHIVE_OK);
	assert_true(cut < ar.len);
	assert_int_equal(file_write(path, ar.s, ar.len - cut, NULL), 0);
}

#endif
