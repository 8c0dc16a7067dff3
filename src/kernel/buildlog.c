/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/buildlog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define LINE_MAX_BYTES 65536

/* "  CC      kernel/fork.o", "  AS [M]  …": what make prints as it compiles for the target. */
static bool is_object(const char *line)
{
	return str_has_prefix(line, "  CC  ") || str_has_prefix(line, "  AS  ") ||
	       str_has_prefix(line, "  CC [M]") || str_has_prefix(line, "  AS [M]");
}

static bool is_error(const char *line)
{
	static const char *const signs[] = {
		" error: ",		"fatal error",	      "undefined reference", "undefined symbol",
		"cannot find",		"No such file",	      "multiple definition", "No rule to make",
		"No space left",	"virtual memory exhausted", "command not found",
		"signal terminated",	"ERROR: ",	      "Permission denied",
		"is not clean",
	};

	if (str_has_prefix(line, "make") && strstr(line, "***") && strstr(line, "] Error"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (strstr(line, signs[i]))
			return true;
	return str_has_prefix(line, "error: ") || strstr(line, ":error: ");
}

static void take_line(struct buildlog *l, const char *line)
{
	struct strv *to = NULL;

	if (is_object(line)) {
		l->objects++;
		return;
	}
	if (strstr(line, "No space left on device"))
		l->host_error = ENOSPC;
	else if (!l->host_error && (strstr(line, "Killed signal terminated program") ||
				    strstr(line, "virtual memory exhausted")))
		l->host_error = ENOMEM;
	if (is_error(line))
		to = &l->errors;
	else if (strstr(line, "*** "))
		to = &l->stops;
	if (to && to->n < BUILDLOG_MAX_ERRORS) {
		strv_add(to, line);
		str_make_printable(to->v[to->n - 1]);
	}
}

void buildlog_feed(struct buildlog *l, const char *p, size_t n_bytes)
{
	while (n_bytes) {
		const char *end = memchr(p, '\n', n_bytes);
		size_t n = end ? (size_t)(end - p) : n_bytes;

		/* A line without an end is cut: nothing in it is looked for beyond that. */
		if (l->line.len < LINE_MAX_BYTES)
			str_add_bytes(&l->line, p, n);
		if (!end)
			return;
		take_line(l, str_text(&l->line));
		str_finish(&l->line);
		p = end + 1;
		n_bytes -= n + 1;
	}
}

void buildlog_finish(struct buildlog *l)
{
	str_finish(&l->line);
	strv_finish(&l->errors);
	strv_finish(&l->stops);
	*l = (struct buildlog){ 0 };
}

int buildlog_failed(struct buildlog *l, struct error *err)
{
	_cleanup_free_ char *lines = NULL;

	if (l->line.len) {
		take_line(l, str_text(&l->line));
		str_finish(&l->line);
	}
	if (l->host_error == ENOSPC)
		return error_set(err, ENOSPC, "the disk is full: make room, or set XDG_CACHE_HOME to "
				 "a folder on another disk");
	if (l->host_error)
		return error_set(err, l->host_error, "the compiler was killed for want of memory");
	lines = strv_join(l->errors.n ? &l->errors : &l->stops, "\n  ");
	return error_blame(err, ERROR_KERNEL, EIO, "%s%s", *lines ? "\n  " : "make failed",
			   lines);
}

int buildlog_explain(const char *out, const char *errors, struct error *err)
{
	struct buildlog l = { 0 };
	int r;

	buildlog_feed(&l, out, strlen(out));
	buildlog_feed(&l, errors, strlen(errors));
	r = buildlog_failed(&l, err);
	buildlog_finish(&l);
	return r;
}

struct name {
	const char *s;
	size_t n;
};

static int by_name(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int r = memcmp(x->s, y->s, x->n < y->n ? x->n : y->n);

	return r ? r : (x->n > y->n) - (x->n < y->n);
}

uint64_t buildlog_count_planned(const char *text)
{
	static const char sign[] = " -c -o ";
	struct name *names = NULL;
	size_t n = 0, cap = 0;
	uint64_t objects = 0;

	/* The command of each object has it, and the line that keeps the command once more. */
	for (const char *at = text; (at = strstr(at, sign));) {
		at += strlen(sign);
		*ARRAY_ADD(names, n, cap) = (struct name){ at, strcspn(at, " \n;'") };
	}
	if (n)
		qsort(names, n, sizeof(*names), by_name);
	for (size_t i = 0; i < n; i++)
		objects += !i || by_name(&names[i - 1], &names[i]) != 0;
	free(names);
	return objects;
}
