/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that never fails: running out of it ends the program with a
 * sentence, so that no caller has an untested path. Also the cleanup
 * attribute for owned locals and the one growth rule for arrays.
 */
#ifndef KTOLL_ALLOC_H
#define KTOLL_ALLOC_H

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

void *xmalloc(size_t n_bytes);
void *xcalloc(size_t n, size_t size_bytes);
void *xrealloc(void *p, size_t n_bytes);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t max_bytes);
void *xmemdup(const void *p, size_t n_bytes);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

/* Room for one more element of `size_bytes`: the new base of the array. Doubles, from 8. */
void *array_grow(void *base, size_t n, size_t *cap, size_t size_bytes);

/* The address of a new, zeroed last element of the array `base` with `n` used of `cap`. */
#define ARRAY_ADD(base, n, cap)                                                                    \
	((base) = array_grow((base), (n), &(cap), sizeof(*(base))),                                \
	 __builtin_memset(&(base)[(n)], 0, sizeof(*(base))), &(base)[(n)++])

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static inline void cleanup_freep(void *pp)
{
	free(*(void **)pp);
}
void cleanup_closep(int *fd);

#define _cleanup_(f) __attribute__((cleanup(f)))
#define _cleanup_free_ _cleanup_(cleanup_freep)
#define _cleanup_close_ _cleanup_(cleanup_closep)

/* Defines `name##p` for _cleanup_(): calls `name` unless the local is NULL. */
#define DEFINE_CLEANUP(type, name)                                                                 \
	static inline void name##p(type *pp)                                                       \
	{                                                                                          \
		if (*pp)                                                                           \
			name(*pp);                                                                 \
	}

/* Gives up ownership: the pointer's value, and NULL left behind. */
#define TAKE_PTR(p)                                                                                \
	({                                                                                         \
		__typeof__(p) *_pp = &(p);                                                         \
		__typeof__(p) _v = *_pp;                                                           \
		*_pp = NULL;                                                                       \
		_v;                                                                                \
	})

#endif
