/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void *checked(void *p)
{
	if (!p) {
		static const char msg[] = "ktoll: out of memory\n";
		ssize_t r = write(STDERR_FILENO, msg, sizeof(msg) - 1);

		(void)r;
		_exit(128);
	}
	return p;
}

void *xmalloc(size_t n_bytes)
{
	return checked(malloc(n_bytes ? n_bytes : 1));
}

void *xcalloc(size_t n, size_t size_bytes)
{
	return checked(calloc(n ? n : 1, size_bytes ? size_bytes : 1));
}

void *xrealloc(void *p, size_t n_bytes)
{
	return checked(realloc(p, n_bytes ? n_bytes : 1));
}

char *xstrdup(const char *s)
{
	return checked(strdup(s));
}

char *xstrndup(const char *s, size_t max_bytes)
{
	return checked(strndup(s, max_bytes));
}

void *xmemdup(const void *p, size_t n_bytes)
{
	void *q = xmalloc(n_bytes);

	if (n_bytes)
		memcpy(q, p, n_bytes);
	return q;
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *s = NULL;

	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	return checked(s);
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	return s;
}

void *array_grow(void *base, size_t n, size_t *cap, size_t size_bytes)
{
	if (n < *cap)
		return base;
	if (*cap > SIZE_MAX / 2 / size_bytes)
		checked(NULL);
	*cap = *cap ? *cap * 2 : 8;
	return xrealloc(base, *cap * size_bytes);
}

void cleanup_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}
