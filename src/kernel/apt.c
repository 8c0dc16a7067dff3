/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/apt.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "kernel/aptsources.h"
#include "sys/child.h"

/*
 * Lists are 10 MB and a kernel up to 100 MB: slow lines get time, hung ones end with apt's
 * own timeout.
 */
#define UPDATE_DEADLINE_MS (15 * 60 * 1000)
#define DOWNLOAD_DEADLINE_MS (60 * 60 * 1000)
#define ASK_DEADLINE_MS (60 * 1000)

struct apt {
	char *dir;
	char *config; /* path of the private apt.conf */
	char *sources_path;
	char *stamp; /* written after a complete update */
	char *debian_arch;
	struct apt_sources sources;
};

/* ---- the private configuration ---- */

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

static int read_system_sources(struct apt_sources *ret, struct error *err)
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

/*
 * Read after the system's configuration, so lists that add up there are
 * cleared first: foreign architectures, and hooks that need root.
 */
static char *format_config(const struct apt *a)
{
	struct str c = STR_INIT;

	str_addf(&c, "Dir::State \"%s\";\n", a->dir);
	str_addf(&c, "Dir::State::lists \"%s/lists\";\n", a->dir);
	str_addf(&c, "Dir::State::status \"%s/status\";\n", a->dir);
	str_addf(&c, "Dir::State::extended_states \"%s/extended_states\";\n", a->dir);
	str_addf(&c, "Dir::Cache \"%s/cache\";\n", a->dir);
	str_addf(&c, "Dir::Cache::archives \"%s/cache/archives\";\n", a->dir);
	/* Two files of 40 MB that save less than a second. */
	str_add(&c, "Dir::Cache::pkgcache \"\";\nDir::Cache::srcpkgcache \"\";\n");
	str_add(&c, "Dir::Etc::sourcelist \"/dev/null\";\n");
	str_addf(&c, "Dir::Etc::sourceparts \"%s/sources\";\n", a->dir);
	str_add(&c, "Dir::Etc::preferences \"/dev/null\";\n");
	str_add(&c, "Dir::Etc::preferencesparts \"/dev/null\";\n");
	str_addf(&c, "#clear APT::Architectures;\nAPT::Architecture \"%s\";\n", a->debian_arch);
	str_addf(&c, "APT::Architectures { \"%s\"; };\n", a->debian_arch);
	str_add(&c, "#clear APT::Update::Pre-Invoke;\n#clear APT::Update::Post-Invoke;\n"
		    "#clear APT::Update::Post-Invoke-Success;\n");
	/*
	 * No other user: the cache may lie where only its owner can go. Without root it
	 * does nothing.
	 */
	str_add(&c, "APT::Sandbox::User \"root\";\n");
	str_add(&c, "Acquire::Languages \"none\";\n");
	/* Plain text, which is read here without apt's help. */
	str_add(&c, "Acquire::GzipIndexes \"false\";\n");
	/* An index that could not be fetched is a failure, not a warning. */
	str_add(&c, "APT::Update::Error-Mode \"any\";\n");
	str_add(&c, "Acquire::Retries \"2\";\nAcquire::http::Timeout \"20\";\n"
		    "Acquire::https::Timeout \"20\";\n");
	return str_take(&c);
}

/* Touches the file only where it says something else. */
static int keep_file(const char *path, const char *text, struct error *err)
{
	_cleanup_free_ char *there = NULL;

	if (file_exists(path) && file_read(path, &there, NULL, NULL) == 0 &&
	    strcmp(there, text) == 0)
		return 0;
	return file_write(path, text, strlen(text), err);
}

static int write_sources(struct apt *a, bool with_backports, struct error *err)
{
	_cleanup_free_ char *text = apt_sources_format(&a->sources, with_backports);

	return keep_file(a->sources_path, text, err);
}

/*
 * New sources when the system's have changed; what an update found to be without backports
 * stays so.
 */
static int follow_system(struct apt *a, struct error *err)
{
	_cleanup_free_ char *with = apt_sources_format(&a->sources, true);
	_cleanup_free_ char *without = apt_sources_format(&a->sources, false), *there = NULL;

	if (file_exists(a->sources_path)) {
		int r = file_read(a->sources_path, &there, NULL, err);

		if (r < 0 || str_equal(there, with) || str_equal(there, without))
			return r;
	}
	unlink(a->stamp);
	return write_sources(a, true, err);
}

static int make_folders(const struct apt *a, struct error *err)
{
	static const char *const below[] = { "lists/partial", "cache/archives/partial", "sources" };
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(below); i++) {
		_cleanup_free_ char *path = path_join(a->dir, below[i]);

		r = dir_make(path, err);
	}
	return r;
}

int apt_open(const char *dir, const char *debian_arch, struct apt **ret, struct error *err)
{
	_cleanup_free_ char *config = NULL, *status = path_join(dir, "status");
	struct apt *a;
	int r;

	/* apt.conf has no way to write either in a string. */
	if (strpbrk(dir, "\"\n"))
		return error_set(err, EINVAL,
				 "apt cannot work in a folder of this name, set XDG_CACHE_HOME: %s",
				 dir);
	a = xcalloc(1, sizeof(*a));
	a->dir = xstrdup(dir);
	a->config = path_join(dir, "apt.conf");
	a->sources_path = path_join(dir, "sources/debian.sources");
	a->stamp = path_join(dir, "updated");
	a->debian_arch = xstrdup(debian_arch);
	r = read_system_sources(&a->sources, err);
	if (r == 0)
		r = make_folders(a, err);
	config = format_config(a);
	if (r == 0)
		r = keep_file(a->config, config, err);
	if (r == 0)
		r = keep_file(status, "", err);
	if (r == 0)
		r = follow_system(a, err);
	if (r < 0)
		apt_free(a);
	else
		*ret = a;
	return r;
}

void apt_free(struct apt *a)
{
	if (!a)
		return;
	apt_sources_finish(&a->sources);
	free(a->dir);
	free(a->config);
	free(a->sources_path);
	free(a->stamp);
	free(a->debian_arch);
	free(a);
}

uint64_t apt_lists_age_s(const struct apt *a)
{
	struct stat st;
	time_t now = time(NULL);

	/* From the future: a clock was set back, nothing can be said. */
	if (stat(a->stamp, &st) < 0 || st.st_mtime > now)
		return UINT64_MAX;
	return (uint64_t)(now - st.st_mtime);
}

/* ---- running it ---- */

/* The first line of apt's errors and warnings that holds one of the words, as a text of its own. */
static char *line_with(const char *said, const char *const *words, size_t n_words)
{
	for (const char *s = said; *s;) {
		size_t n = strcspn(s, "\n");
		_cleanup_free_ char *line = xstrndup(s, n);

		for (size_t i = 0; i < n_words; i++)
			if (strcasestr(line, words[i])) {
				str_make_printable(line);
				return TAKE_PTR(line);
			}
		s += n + (s[n] == '\n');
	}
	return NULL;
}

/* "E: " and "W: " in front of a line say nothing. */
static const char *without_tag(const char *line)
{
	while (*line == ' ')
		line++;
	if ((line[0] == 'E' || line[0] == 'W') && line[1] == ':' && line[2] == ' ')
		return line + 3;
	return line;
}

/* Of "Failed to fetch URI  REASON" the reason. */
static const char *reason_in(const char *line)
{
	const char *reason = strstr(line, "  ");

	return str_has_prefix(without_tag(line), "Failed to fetch") && reason ? reason + 2 :
										without_tag(line);
}

int apt_explain(const char *what, const char *said, struct error *err)
{
	static const char *const full[] = { "No space left", "enough free space", "Disk quota" };
	/* 404 before the network: one mirror may be down while another answers. */
	static const char *const gone[] = { "404 ", "was not found", "Unable to locate",
					    "Can't find a source", "no candidate" };
	static const char *const offline[] = { "Temporary failure resolving", "Could not resolve",
					       "Could not connect",	   "Unable to connect",
					       "unreachable",		   "timed out",
					       "Connection failed",	   "Connection refused",
					       "Cannot initiate the connection",
					       "Something wicked happened" };
	static const char *const any[] = { "E: ", "W: " };
	_cleanup_free_ char *line = NULL;

	line = line_with(said, full, ARRAY_SIZE(full));
	if (line)
		return error_set(err, ENOSPC,
				 "cannot %s, the disk is full: make room, or set XDG_CACHE_HOME to "
				 "a folder on another disk",
				 what);
	line = line_with(said, gone, ARRAY_SIZE(gone));
	if (line)
		return error_set(err, ENOENT, "cannot %s, the archive does not have it: %s", what,
				 without_tag(line));
	line = line_with(said, offline, ARRAY_SIZE(offline));
	if (line)
		return error_set(err, ENETUNREACH,
				 "cannot %s without a network (%s): connect, or use a kernel that "
				 "`ktoll list kernels` shows as cached",
				 what, reason_in(line));
	line = line_with(said, any, ARRAY_SIZE(any));
	return error_set(err, EIO, "cannot %s, apt-get says: %s", what,
			 line ? without_tag(line) : "nothing");
}

/*
 * Runs it and maps what it says. If wanted, `ret_out` gets standard output on
 * success and `ret_said` standard error when apt-get failed.
 */
static int run(char *const argv[], uint64_t deadline_ms, const char *what, char **ret_out,
	       char **ret_said, struct error *err)
{
	struct child_result result;
	int r = child_run(argv, deadline_ms, &result, err);

	if (r == -ENOENT) {
		error_set(err, r,
			  "cannot %s, there is no apt-get on this machine: run ktoll on Debian or "
			  "in a Debian container",
			  what);
	} else if (r < 0) {
		error_context(err, r, "cannot %s", what);
	} else if (!child_is_success(result.status)) {
		r = apt_explain(what, str_text(&result.err), err);
		if (ret_said)
			*ret_said = str_take(&result.err);
	} else if (ret_out) {
		*ret_out = str_take(&result.out);
	}
	child_result_finish(&result);
	return r;
}

int apt_update(struct apt *a, struct error *err)
{
	char *argv[] = { "apt-get", "-c", a->config, "-q", "update", NULL };
	_cleanup_free_ char *said = NULL;
	int r = write_sources(a, true, err);

	if (r == 0)
		r = run(argv, UPDATE_DEADLINE_MS, "read the package lists", NULL, &said, err);
	/*
	 * A release that is no longer or not yet stable, or a small mirror, has
	 * no backports; they are ktoll's addition, so do without.
	 */
	if (r < 0 && said && strstr(said, "-backports") &&
	    strstr(said, "does not have a Release")) {
		r = write_sources(a, false, err);
		if (r == 0)
			r = run(argv, UPDATE_DEADLINE_MS, "read the package lists", NULL, NULL,
				err);
		if (r == 0 && err)
			error_finish(err);
	}
	if (r < 0)
		return r;
	return file_write(a->stamp, "", 0, err);
}

int apt_packages(struct apt *a, struct packages *ret, struct error *err)
{
	/* Lists which are not there are not named. */
	char *argv[] = { "apt-get",    "-c", a->config,		       "indextargets",
			 "--format",   "$(RELEASE) $(FILENAME)", "Created-By: Packages", NULL };
	_cleanup_free_ char *targets = NULL;
	struct packages packages = { 0 };
	char *save = NULL;
	int r = run(argv, ASK_DEADLINE_MS, "find the package lists", &targets, NULL, err);

	if (r < 0)
		return r;
	for (char *line = strtok_r(targets, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		_cleanup_free_ char *text = NULL;
		char *path = strchr(line, ' ');
		size_t n;

		if (!path)
			continue;
		*path++ = 0;
		r = file_read(path, &text, &n, err);
		if (r < 0) {
			packages_finish(&packages);
			return r;
		}
		packages_parse(text, n, line, &packages);
	}
	*ret = packages;
	return 0;
}

int apt_download(struct apt *a, const char *dir, const struct package *const *packages, size_t n,
		 struct error *err)
{
	_cleanup_free_ char *what = xasprintf("fetch %s", packages[0]->name);
	/* apt-get puts them into the working directory; env changes it for apt-get alone. */
	_cleanup_strv_ struct strv argv = { 0 };

	strv_add(&argv, "env");
	strv_add(&argv, "-C");
	strv_add(&argv, dir);
	strv_add(&argv, "apt-get");
	strv_add(&argv, "-c");
	strv_add(&argv, a->config);
	strv_add(&argv, "-q");
	strv_add(&argv, "download");
	for (size_t i = 0; i < n; i++)
		strv_addf(&argv, "%s=%s", packages[i]->name, packages[i]->version);
	return run(argv.v, DOWNLOAD_DEADLINE_MS, what, NULL, NULL, err);
}
