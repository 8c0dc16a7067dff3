/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debian/apt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "debian/aptsources.h"
#include "sys/archive.h"
#include "sys/child.h"

/*
 * Lists are 10 MB and a kernel up to 100 MB: slow lines get time, hung ones end with apt's
 * own timeout.
 */
#define UPDATE_DEADLINE_MS (15 * 60 * 1000)
#define DOWNLOAD_DEADLINE_MS (60 * 60 * 1000)
#define ASK_DEADLINE_MS (60 * 1000)

/* Debian's longest list has 65 MB. */
#define LIST_MAX_BYTES (512u << 20)

struct apt {
	char *dir;
	char *config; /* path of the private apt.conf */
	char *sources_path; /* the entries in use */
	char *wanted_path;  /* all entries, of which an archive may lack some */
	char *stamp; /* written after a complete update */
	char *targets_path; /* the suite and path of each list, as apt says; not there: to be asked */
	char *debian_arch;
	struct apt_sources sources;
};

/* ---- the private configuration ---- */

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
	str_add(&c, "Acquire::Languages \"none\";\n");
	/* 200 MB of lists for an architecture would be 70 MB packed. */
	str_add(&c, "Acquire::GzipIndexes \"true\";\n");
	/* An index that could not be fetched is a failure, not a warning. */
	str_add(&c, "APT::Update::Error-Mode \"any\";\n");
	str_add(&c, "Acquire::Retries \"2\";\nAcquire::http::Timeout \"20\";\n"
		    "Acquire::https::Timeout \"20\";\n");
	return str_take(&c);
}

static bool says(const char *path, const char *text)
{
	_cleanup_free_ char *there = NULL;

	return file_exists(path) && file_read(path, &there, NULL, NULL) == 0 &&
	       strcmp(there, text) == 0;
}

/* Touches the file only where it says something else. */
static int keep_file(const char *path, const char *text, struct error *err)
{
	if (says(path, text))
		return 0;
	return file_write(path, text, strlen(text), err);
}

static int write_sources(struct apt *a, const struct strv *lacking, struct error *err)
{
	_cleanup_free_ char *text = apt_sources_format(&a->sources, lacking);

	return keep_file(a->sources_path, text, err);
}

/*
 * New sources and settings when those of the system or ours have changed: the lists are then
 * no longer those. What an update found to be without some entries stays so.
 */
static int follow_system(struct apt *a, struct error *err)
{
	_cleanup_free_ char *all = apt_sources_format(&a->sources, NULL), *config = format_config(a);
	int r;

	if (says(a->wanted_path, all) && says(a->config, config) && file_exists(a->sources_path))
		return 0;
	unlink(a->stamp);
	unlink(a->targets_path);
	r = file_write(a->config, config, strlen(config), err);
	if (r == 0)
		r = write_sources(a, NULL, err);
	if (r == 0)
		r = file_write(a->wanted_path, all, strlen(all), err);
	return r;
}

static int make_folders(const struct apt *a, struct error *err)
{
	static const char *const below[] = { "lists/partial", "cache/archives/partial", "sources" };
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(below); i++) {
		_cleanup_free_ char *path = path_join(a->dir, below[i]);

		r = dir_make(path, err);
	}
	/* apt's own user has to get from here to the folder that apt gives it, whatever the umask. */
	if (r == 0 && geteuid() == 0) {
		_cleanup_free_ char *lists = path_join(a->dir, "lists");

		if (chmod(a->dir, 0755) < 0 || chmod(lists, 0755) < 0)
			r = error_set(err, errno, "cannot change the mode of %s: %s", lists, strerror(errno));
	}
	return r;
}

int apt_open(const char *dir, const char *debian_arch, struct apt_sources *sources,
	     struct apt **ret, struct error *err)
{
	_cleanup_free_ char *status = path_join(dir, "status");
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
	a->wanted_path = path_join(dir, "wanted");
	a->stamp = path_join(dir, "updated");
	a->targets_path = path_join(dir, "targets");
	a->debian_arch = xstrdup(debian_arch);
	a->sources = *sources;
	*sources = (struct apt_sources){ 0 };
	r = make_folders(a, err);
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
	free(a->wanted_path);
	free(a->stamp);
	free(a->targets_path);
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
	static const char *const keys[] = { "NO_PUBKEY", "EXPKEYSIG", "is not signed" };
	static const char *const any[] = { "E: ", "W: " };
	_cleanup_free_ char *line = NULL;

	line = line_with(said, full, ARRAY_SIZE(full));
	if (line)
		return error_set(err, ENOSPC,
				 "cannot %s, the disk is full: make room, or set XDG_CACHE_HOME to "
				 "a folder on another disk",
				 what);
	line = line_with(said, keys, ARRAY_SIZE(keys));
	if (line)
		return error_set(err, ENOKEY,
				 "cannot %s, they are signed with a key that this machine does not "
				 "have: install a newer debian-archive-keyring, or name other suites "
				 "in the file suites, see ktoll(1) (%s)",
				 what, without_tag(line));
	line = line_with(said, gone, ARRAY_SIZE(gone));
	if (line)
		return error_set(err, ENOENT, "cannot %s, the archive does not have it: %s", what,
				 without_tag(line));
	line = line_with(said, offline, ARRAY_SIZE(offline));
	if (line)
		return error_set(err, ENETUNREACH,
				 "cannot %s without a network (%s): connect, or use what is in the "
				 "cache, see `ktoll list kernels`",
				 what, reason_in(line));
	line = line_with(said, any, ARRAY_SIZE(any));
	return error_set(err, EIO, "cannot %s, apt-get says: %s", what,
			 line ? without_tag(line) : "nothing");
}

/*
 * apt warns and goes on if its downloads would have to run as root. What comes from the network is not given to that: the lists
 * and packages that it has fetched so are not used.
 */
static int check_sandbox(const char *what, const char *said, struct error *err)
{
	static const char *const words[] = { "is performed unsandboxed", "can not drop privileges" };
	_cleanup_free_ char *line = line_with(said, words, ARRAY_SIZE(words));

	if (!line)
		return 0;
	return error_set(err, EPERM, "will not %s as root: apt-get could not run its downloads as its own user. Run ktoll as "
			 "another user, or see to it that _apt can write (%s)", what, without_tag(line));
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
	} else {
		r = check_sandbox(what, str_text(&result.err), err);
		if (r == 0 && ret_out)
			*ret_out = str_take(&result.out);
	}
	child_result_finish(&result);
	return r;
}

int apt_update(struct apt *a, struct error *err)
{
	/* By a relative path: apt's own user need not be able to go to the folder by its whole one, as in root's home. */
	char *argv[] = { "env", "-C", a->dir, "apt-get", "-c", a->config, "-o", "Dir::State::lists=./lists", "-q", "update", NULL };
	_cleanup_strv_ struct strv lacking = { 0 };
	_cleanup_free_ char *said = NULL;
	int r = write_sources(a, NULL, err);

	unlink(a->targets_path);
	if (r == 0)
		r = run(argv, UPDATE_DEADLINE_MS, "read the package lists", NULL, &said, err);
	/*
	 * A release that is no longer or not yet stable has no backports, a small mirror
	 * lacks whole suites; they are ktoll's addition, so do without.
	 */
	if (r < 0 && said && apt_sources_lacking(&a->sources, said, &lacking)) {
		r = write_sources(a, &lacking, err);
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

/* A list as apt keeps it: packed, or plain where packing would not pay. */
static int read_list(const char *path, char **ret, size_t *ret_n, struct error *err)
{
	_cleanup_free_ char *bytes = NULL;
	size_t n;
	int r = file_read(path, &bytes, &n, err);

	if (r < 0)
		return r;
	if (archive_unpack(bytes, n, LIST_MAX_BYTES, ret, ret_n) == 0)
		return 0;
	*ret = TAKE_PTR(bytes);
	*ret_n = n;
	return 0;
}

/* apt reads all of its lists before it says where they are: a second or two, once per update. */
static int read_targets(struct apt *a, char **ret, struct error *err)
{
	/* Lists which are not there are not named. */
	char *argv[] = { "apt-get",    "-c", a->config,		       "indextargets",
			 "--format",   "$(RELEASE) $(FILENAME)", "Created-By: Packages", NULL };
	int r;

	if (file_exists(a->targets_path) && file_read(a->targets_path, ret, NULL, NULL) == 0)
		return 0;
	r = run(argv, ASK_DEADLINE_MS, "find the package lists", ret, NULL, err);
	return r < 0 ? r : file_write(a->targets_path, *ret, strlen(*ret), err);
}

int apt_packages(struct apt *a, struct packages *ret, struct error *err)
{
	_cleanup_free_ char *targets = NULL;
	char *save = NULL;
	int r = read_targets(a, &targets, err);

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
		/* Somebody has tidied up: as if it had never been there. */
		if (!file_exists(path))
			continue;
		r = read_list(path, &text, &n, err);
		if (r < 0)
			return r;
		packages_parse(text, n, line, ret);
	}
	return 0;
}

/* ---- where downloads go ---- */

/*
 * If apt is started as root, its downloads run as a user of its own, who must be able to write where they go by a whole path:
 * a folder of that user outside of the cache. Of anybody else it is `dir` itself.
 */
static int drop_open(const char *dir, char **ret, struct error *err)
{
	_cleanup_free_ char *drop = NULL;
	const struct passwd *user;

	if (geteuid() != 0) {
		*ret = xstrdup(dir);
		return 0;
	}
	user = getpwnam("_apt");
	if (!user)
		return error_set(err, ENOENT, "there is no user _apt, as whom apt-get would download: run ktoll as another user than root");
	drop = xstrdup("/var/tmp/ktoll-apt-XXXXXX");
	if (!mkdtemp(drop))
		return error_set(err, errno, "cannot create a folder in /var/tmp for downloads: %s", strerror(errno));
	if (chown(drop, user->pw_uid, (gid_t)-1) < 0 || chmod(drop, 0755) < 0) {
		int r = error_set(err, errno, "cannot give %s to _apt: %s", drop, strerror(errno));

		rmdir(drop);
		return r;
	}
	*ret = TAKE_PTR(drop);
	return 0;
}

static int take_file(int from_fd, const char *name, const char *dir, struct error *err)
{
	_cleanup_close_ int fd = openat(from_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	_cleanup_free_ char *path = path_join(dir, name);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return error_set(err, EIO, "what apt-get has fetched is no file: %s", name);
	return file_copy_from(fd, path, err);
}

/* Packages only, and none that is a link: the folder was another user's. */
static int take_debs(const char *drop, const char *dir, struct error *err)
{
	DIR *d = opendir(drop);
	const struct dirent *e;
	int r = 0;

	/* From here on nothing can be put there by another one. */
	if (!d || fchown(dirfd(d), 0, (gid_t)-1) < 0)
		r = error_set(err, errno, "cannot read %s: %s", drop, strerror(errno));
	while (r == 0 && (e = readdir(d)))
		if (str_has_suffix(e->d_name, ".deb"))
			r = take_file(dirfd(d), e->d_name, dir, err);
	if (d)
		closedir(d);
	return r;
}

/* Brings what was fetched into `dir` if `r` is 0; returns the first error. */
static int drop_close(char *drop, const char *dir, int r, struct error *err)
{
	if (strcmp(drop, dir) != 0) {
		if (r == 0)
			r = take_debs(drop, dir, err);
		dir_remove(drop);
	}
	free(drop);
	return r;
}

int apt_download(struct apt *a, const char *dir, const struct package *const *packages, size_t n,
		 struct error *err)
{
	_cleanup_free_ char *what = xasprintf("fetch %s", packages[0]->name);
	/* apt-get puts them into the working directory; env changes it for apt-get alone. */
	_cleanup_strv_ struct strv argv = { 0 };
	char *drop;
	int r = drop_open(dir, &drop, err);

	if (r < 0)
		return r;
	strv_add(&argv, "env");
	strv_add(&argv, "-C");
	strv_add(&argv, drop);
	strv_add(&argv, "apt-get");
	strv_add(&argv, "-c");
	strv_add(&argv, a->config);
	strv_add(&argv, "-q");
	strv_add(&argv, "download");
	for (size_t i = 0; i < n; i++)
		strv_addf(&argv, "%s=%s", packages[i]->name, packages[i]->version);
	r = run(argv.v, DOWNLOAD_DEADLINE_MS, what, NULL, NULL, err);
	return drop_close(drop, dir, r, err);
}

/* ---- with all that they depend on ---- */

void apt_debs_finish(struct apt_debs *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->v[i].name);
		free(d->v[i].version);
		free(d->v[i].file);
		free(d->v[i].hash);
	}
	free(d->v);
	*d = (struct apt_debs){ 0 };
}

/* NAME_VERSION_ARCH.deb, where a version's colon is %3a. */
static bool split_file(const char *file, struct apt_deb *d)
{
	const char *version = strchr(file, '_');
	const char *arch = version ? strchr(version + 1, '_') : NULL;
	char *colon;

	if (!arch || strchr(file, '/') || !str_has_suffix(file, ".deb"))
		return false;
	d->name = xstrndup(file, (size_t)(version - file));
	version++;
	d->version = xstrndup(version, (size_t)(arch - version));
	colon = strcasestr(d->version, "%3a");
	if (colon) {
		*colon = ':';
		memmove(colon + 1, colon + 3, strlen(colon + 3) + 1);
	}
	if (package_name_is_valid(d->name) && package_version_is_valid(d->version))
		return true;
	free(d->name);
	free(d->version);
	return false;
}

static int by_file(const void *a, const void *b)
{
	return strcmp(((const struct apt_deb *)a)->file, ((const struct apt_deb *)b)->file);
}

/* Lines of 'URI' FILE SIZE HASH, among others. */
static int parse_uris(char *text, struct apt_debs *ret, struct error *err)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *file = line[0] == '\'' ? strstr(line, "' ") : NULL, *words = NULL;
		char *size, *hash;
		struct apt_deb d = { 0 };

		if (!file)
			continue;
		file = strtok_r(file + 2, " ", &words);
		size = strtok_r(NULL, " ", &words);
		hash = strtok_r(NULL, " ", &words);
		if (!hash || str_to_u64(size, 0, UINT64_MAX, &d.size_bytes) < 0 ||
		    !split_file(file, &d)) {
			apt_debs_finish(ret);
			return error_set(err, EIO, "apt-get says what cannot be understood: %s", line);
		}
		d.file = xstrdup(file);
		d.hash = xstrdup(hash);
		*ARRAY_ADD(ret->v, ret->n, ret->cap) = d;
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_file);
	return 0;
}

/* "9999" is newer than whatever is asked for. */
static int write_there(const struct strv *there, const char *path, struct error *err)
{
	_cleanup_str_ struct str text = STR_INIT;

	for (size_t i = 0; i < there->n; i++)
		str_addf(&text,
			 "Package: %s\nStatus: install ok installed\nArchitecture: all\n"
			 "Multi-Arch: foreign\nVersion: 9999\n\n",
			 there->v[i]);
	return keep_file(path, str_text(&text), err);
}

static int write_preferences(const char *suite, const char *path, struct error *err)
{
	_cleanup_free_ char *text = NULL;

	if (suite)
		text = xasprintf("Package: *\nPin: release a=%s\nPin-Priority: 990\n", suite);
	return keep_file(path, text ? text : "", err);
}

static int install(struct apt *a, const char *how, const char *archives, uint64_t deadline_ms,
		   const struct apt_wish *wish, char **ret_out, struct error *err)
{
	_cleanup_free_ char *what = xasprintf("fetch packages for %s", a->debian_arch);
	_cleanup_free_ char *status = path_join(a->dir, "status-there");
	_cleanup_free_ char *preferences = path_join(a->dir, "preferences-there");
	_cleanup_strv_ struct strv argv = { 0 };
	int r = write_there(wish->there, status, err);

	if (r == 0)
		r = write_preferences(wish->suite, preferences, err);
	if (r < 0)
		return r;
	strv_add(&argv, "apt-get");
	strv_add(&argv, "-c");
	strv_add(&argv, a->config);
	strv_add(&argv, "-qq");
	strv_add(&argv, how);
	strv_add(&argv, "--no-install-recommends");
	strv_add(&argv, "-o");
	strv_addf(&argv, "Dir::State::status=%s", status);
	strv_add(&argv, "-o");
	strv_addf(&argv, "Dir::Etc::preferences=%s", preferences);
	strv_add(&argv, "-o");
	strv_addf(&argv, "Dir::Cache::archives=%s", archives);
	/* Not all lists have the one that is said otherwise. */
	strv_add(&argv, "-o");
	strv_add(&argv, "Acquire::ForceHash=SHA256");
	strv_add(&argv, "install");
	strv_add_all(&argv, wish->packages);
	return run(argv.v, deadline_ms, what, ret_out, NULL, err);
}

int apt_closure(struct apt *a, const struct apt_wish *wish, struct apt_debs *ret,
		struct error *err)
{
	/* Where there is nothing: apt does not name what it has. */
	_cleanup_free_ char *archives = path_join(a->dir, "cache/archives"), *out = NULL;
	int r;

	for (size_t i = 0; i < wish->packages->n; i++) {
		const char *name = wish->packages->v[i];

		/* apt takes other words for patterns, files, or something to remove. */
		if (!package_name_is_valid(name) || str_has_suffix(name, "-") ||
		    str_has_suffix(name, "."))
			return error_set(err, ENOENT, "there can be no package called %s", name);
	}
	r = install(a, "--print-uris", archives, ASK_DEADLINE_MS, wish, &out, err);
	return r < 0 ? r : parse_uris(out, ret, err);
}

int apt_closure_download(struct apt *a, const char *dir, const struct apt_wish *wish,
			 struct error *err)
{
	_cleanup_free_ char *partial = NULL;
	char *drop;
	int r = drop_open(dir, &drop, err);

	if (r < 0)
		return r;
	partial = path_join(drop, "partial");
	r = dir_make(partial, err);
	if (r == 0)
		r = install(a, "--download-only", drop, DOWNLOAD_DEADLINE_MS, wish, NULL, err);
	return drop_close(drop, dir, r, err);
}
