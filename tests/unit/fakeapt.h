/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what asks Debian's archive, with a script in apt-get's place: their folder and its log. */
#ifndef KTOLL_FAKEAPT_H
#define KTOLL_FAKEAPT_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

static char *top; /* $FAKE of the script, and where the cache and the configuration are */
static struct str told; /* what was said of progress, a line each */

static char *at(const char *name)
{
	return path_join(top, name);
}

static void put(const char *name, const char *text)
{
	_cleanup_free_ char *path = at(name);

	assert_int_equal(file_write(path, text, strlen(text), NULL), 0);
}

static void tell(void *data, const char *sentence)
{
	(void)data;
	str_addf(&told, "%s\n", sentence);
}

/* What the script wrote into `log` since the last call, a comma after each. */
static void assert_asked(const char *expected)
{
	_cleanup_free_ char *path = at("log"), *log = NULL;

	if (!file_exists(path) || file_read(path, &log, NULL, NULL) < 0)
		log = xstrdup("");
	for (char *c = log; *c; c++)
		if (*c == '\n')
			*c = ',';
	unlink(path);
	assert_string_equal(log, expected);
}

/* As if the lists of amd64 had been read so long ago; `group` is "" or "-further". */
static void age(const char *group, unsigned seconds)
{
	_cleanup_free_ char *stamp = xasprintf("%s/ktoll/debian/lists-amd64%s/updated", top, group);
	struct timespec then[2] = { { .tv_sec = time(NULL) - seconds },
				    { .tv_sec = time(NULL) - seconds } };

	assert_int_equal(utimensat(AT_FDCWD, stamp, then, 0), 0);
}

/* As if what an index knows were of decades ago. */
static void age_index(const char *name)
{
	_cleanup_free_ char *path = at(name), *text = NULL;

	assert_int_equal(file_read(path, &text, NULL, NULL), 0);
	for (char *line = text; *line; line = strchr(line, '\n') + 1)
		*(strchr(line, '\n') - 10) = '0';
	assert_int_equal(file_write(path, text, strlen(text), NULL), 0);
}

/* An empty cache, and the script. */
static void fake_start(const char *script)
{
	_cleanup_free_ char *cache = at("ktoll"), *bin = at("apt-get");

	dir_remove(cache);
	assert_int_equal(dir_make(cache, NULL), 0);
	put("apt-get", script);
	assert_int_equal(chmod(bin, 0755), 0);
}

/* Runs the tests in a folder of their own, which `template` ("/tmp/…-XXXXXX") becomes. */
static int fake_run(char *template, int (*run)(void))
{
	_cleanup_free_ char *path = NULL;
	int r;

	top = mkdtemp(template);
	if (!top)
		return 1;
	path = xasprintf("%s:%s", top, getenv("PATH"));
	setenv("PATH", path, 1);
	setenv("FAKE", top, 1);
	setenv("XDG_CACHE_HOME", top, 1);
	setenv("XDG_CONFIG_HOME", top, 1);
	r = run();
	str_finish(&told);
	dir_remove(top);
	return r;
}

#endif
