/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debian/suites.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

/* By role, so that they need no change with the next release. */
static const char *const default_suites[] = { "stable", "stable-backports", "testing", "unstable",
					      "experimental" };

/* ---- the machine's release ---- */

static int read_sources_in(const char *dir, struct apt_sources *all, struct error *err)
{
	struct dirent **names = NULL;
	int n = scandir(dir, &names, NULL, alphasort), r = 0;

	for (int i = 0; i < n; i++) {
		bool list = str_has_suffix(names[i]->d_name, ".list");
		_cleanup_free_ char *path = path_join(dir, names[i]->d_name), *text = NULL;

		if (r == 0 && (list || str_has_suffix(names[i]->d_name, ".sources"))) {
			r = file_read(path, &text, NULL, err);
			/* apt, too, skips what this user may not read: a private archive. */
			if (r == -EACCES)
				r = 0;
			else if (r == 0 && list)
				apt_sources_parse_list(text, all);
			else if (r == 0)
				apt_sources_parse_deb822(text, all);
		}
		free(names[i]);
	}
	free(names);
	return r;
}

static int read_release(struct apt_sources *ret, struct error *err)
{
	_cleanup_free_ char *release = NULL, *codename = NULL, *id = NULL, *text = NULL;
	struct apt_sources all = { 0 };
	int r = 0;

	if (file_read("/etc/os-release", &release, NULL, NULL) == 0) {
		codename = os_release_value(release, "VERSION_CODENAME");
		id = os_release_value(release, "ID");
	}
	if (file_exists("/etc/apt/sources.list"))
		r = file_read("/etc/apt/sources.list", &text, NULL, err);
	if (text)
		apt_sources_parse_list(text, &all);
	if (r == 0)
		r = read_sources_in("/etc/apt/sources.list.d", &all, err);
	if (r == 0)
		apt_sources_select(&all, codename, str_equal(id, "debian"), ret);
	apt_sources_finish(&all);
	if (r == 0 && !ret->n)
		r = error_set(err, ENOENT,
			      "none of apt's sources here is the Debian archive%s%s: add one to "
			      "/etc/apt/sources.list.d, or run ktoll on Debian",
			      codename ? " of " : "", codename ? codename : "");
	return r;
}

/* ---- further ones ---- */

int suites_path(char **ret, struct error *err)
{
	_cleanup_free_ char *dir = NULL;
	int r = dir_config(&dir, err);

	if (r == 0)
		*ret = path_join(dir, "suites");
	return r;
}

/* Both end up in a file of apt's syntax. */
static bool is_suite(const char *s)
{
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr(".+-_/~", *s))
			return false;
	return true;
}

static bool is_address(const char *s)
{
	if (!strstr(s, ":/"))
		return false;
	for (; *s; s++)
		if (!isgraph((unsigned char)*s))
			return false;
	return true;
}

static int parse_line(char *line, const struct apt_source *like, struct apt_sources *ret)
{
	char *save = NULL, *first = strtok_r(line, " \t\r", &save);
	char *second = strtok_r(NULL, " \t\r", &save);

	if (!first)
		return 0;
	if (strtok_r(NULL, " \t\r", &save) || !is_suite(second ? second : first) ||
	    (second && !is_address(first)))
		return -EINVAL;
	apt_sources_add_like(ret, like, second ? first : NULL, second ? second : first, false);
	return 0;
}

int suites_parse(const char *text, const char *path, const struct apt_source *like,
		 struct apt_sources *ret, struct error *err)
{
	for (unsigned n_line = 1; *text; n_line++) {
		size_t n = strcspn(text, "\n");
		_cleanup_free_ char *line = xstrndup(text, n);

		line[strcspn(line, "#")] = 0;
		if (parse_line(line, like, ret) < 0)
			return error_set(err, EINVAL,
					 "%s:%u: a suite is wanted, as in `testing`, or an address "
					 "and a suite",
					 path, n_line);
		text += n + (text[n] == '\n');
	}
	return 0;
}

/* The release's own entry, not its updates. */
static const struct apt_source *main_entry(const struct apt_sources *release)
{
	for (size_t i = 0; i < release->n; i++)
		if (!strpbrk(release->v[i].suite, "-/"))
			return &release->v[i];
	return &release->v[0];
}

static bool has(const struct apt_sources *s, const char *uri, const char *suite)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->v[i].uri, uri) == 0 && strcmp(s->v[i].suite, suite) == 0)
			return true;
	return false;
}

static int read_further(struct apt_sources *ret, struct error *err)
{
	_cleanup_free_ char *path = NULL, *text = NULL;
	struct apt_sources release = { 0 };
	int r = read_release(&release, err);

	/* Without a home there is no such file, and no reason to fail. */
	if (r == 0 && suites_path(&path, NULL) == 0 && file_exists(path)) {
		r = file_read(path, &text, NULL, err);
		if (r == 0)
			r = suites_parse(text, path, main_entry(&release), ret, err);
	} else if (r == 0) {
		const struct apt_source *like = main_entry(&release);

		for (size_t i = 0; i < ARRAY_SIZE(default_suites); i++)
			if (!has(&release, like->uri, default_suites[i]))
				apt_sources_add_like(ret, like, NULL, default_suites[i], true);
	}
	apt_sources_finish(&release);
	return r;
}

int suites_read(enum suite_group group, struct apt_sources *ret, struct error *err)
{
	struct apt_sources s = { 0 };
	int r = group == SUITES_RELEASE ? read_release(&s, err) : read_further(&s, err);

	if (r < 0)
		apt_sources_finish(&s);
	else
		*ret = s;
	return r;
}
