/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cyclictest: a line per thread, the last of each counts, because without -q they are printed
 * over and over:
 *
 *	T: 0 ( 2013) P:80 I:200 C:1546988 Min:      6 Act:   18 Avg:   16 Max:     306
 *
 * or, with a histogram, "# Max Latencies: 08721 08416" with a column per thread.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "readers/lines.h"
#include "readers/reader.h"

#define THREADS_MAX 4096

struct thread {
	double index, pid;
	double min_us, avg_us, max_us;
	size_t line; /* where it was last */
};

struct threads {
	struct thread *v;
	size_t n, cap;
	bool has_histogram;
};

static bool is_thread(const char *line)
{
	return str_has_prefix(line, "T:") && strstr(line, " C:");
}

static bool is_histogram(const char *line)
{
	return str_has_prefix(line, "# Max Latencies:");
}

static bool recognise(const char *text)
{
	return lines_any(text, is_thread) || lines_any(text, is_histogram);
}

static struct thread *thread_at(struct threads *t, double index)
{
	struct thread *new;

	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].index == index)
			return &t->v[i];
	if (t->n == THREADS_MAX)
		return NULL;
	new = ARRAY_ADD(t->v, t->n, t->cap);
	*new = (struct thread){ .index = index, .pid = -1, .min_us = -1, .avg_us = -1, .max_us = -1 };
	return new;
}

static bool scan_field(const char *line, const char *name, double *ret)
{
	const char *at = strstr(line, name);

	return at && scan_word(&at, name) && scan_number(&at, ret);
}

/* "Act:    6500 " and not "Act: 6500 "; a number that fills its column says nothing. */
static bool is_wide(const char *line, const char *name)
{
	const char *at = strstr(line, name);

	if (!at)
		return false;
	at += strlen(name);
	return *at == ' ' && strspn(at, " 0123456789") >= 9;
}

/*
 * With -N times are in nanoseconds. The line does not say so, but "Act:" and "Avg:" have 8 columns
 * then, not 5. A histogram has no such sign, and is taken for one in microseconds.
 */
static bool is_in_ns(const char *line)
{
	return is_wide(line, "Act:") || is_wide(line, "Avg:");
}

/* The figures of a thread; false for a line that is not complete. */
static bool scan_thread(const char *line, struct thread *ret)
{
	const char *at = line;

	return scan_word(&at, "T:") && scan_number(&at, &ret->index) && scan_word(&at, "(") &&
	       scan_number(&at, &ret->pid) && scan_word(&at, ")") &&
	       scan_field(at, "Min:", &ret->min_us) && scan_field(at, "Avg:", &ret->avg_us) &&
	       scan_field(at, "Max:", &ret->max_us);
}

static int take_thread(struct threads *t, const struct lines *l, struct error *err)
{
	struct thread new = { .line = l->number }, *old;
	double us = is_in_ns(l->line) ? 1e-3 : 1;

	if (!scan_thread(l->line, &new))
		return lines_bad(l, err, "the figures of the thread are not complete");
	new.min_us *= us;
	new.avg_us *= us;
	new.max_us *= us;
	old = thread_at(t, new.index);
	if (!old)
		return lines_bad(l, err, "more than %d threads", THREADS_MAX);
	if (old->pid >= 0 && old->pid != new.pid)
		return lines_bad(l, err, "a second run begins, with other threads");
	*old = new;
	return 0;
}

/* A column per thread, into the double at `offset` of each. */
static int take_columns(struct threads *t, const struct lines *l, const char *at, size_t offset,
			struct error *err)
{
	double v;

	for (double index = 0; *at; index++) {
		struct thread *to = thread_at(t, index);

		if (!to)
			return lines_bad(l, err, "more than %d threads", THREADS_MAX);
		if (!scan_number(&at, &v))
			return lines_bad(l, err, "this is no latency");
		to->line = l->number;
		memcpy((char *)to + offset, &v, sizeof(v));
	}
	return 0;
}

static int take_line(struct threads *t, const struct lines *l, struct error *err)
{
	const char *at = l->line;

	if (is_thread(at))
		return take_thread(t, l, err);
	if (scan_word(&at, "# Min Latencies:"))
		return take_columns(t, l, at, offsetof(struct thread, min_us), err);
	if (scan_word(&at, "# Avg Latencies:"))
		return take_columns(t, l, at, offsetof(struct thread, avg_us), err);
	if (scan_word(&at, "# Max Latencies:")) {
		if (t->has_histogram)
			return lines_bad(l, err, "a second run begins, with another histogram");
		t->has_histogram = true;
		return take_columns(t, l, at, offsetof(struct thread, max_us), err);
	}
	return 0;
}

static int add_all(const struct threads *t, const struct lines *l, struct readings *found,
		   struct error *err)
{
	double min = INFINITY, max = 0, sum = 0;
	int r;

	for (size_t i = 0; i < t->n; i++) {
		const struct thread *h = &t->v[i];

		/* Without a sample it prints a minimum of 1000000 and a maximum of 0. */
		if (h->min_us < 0 || h->avg_us < 0 || h->max_us < h->min_us)
			return error_set(err, EBADMSG, "line %zu: thread %.0f has no sample",
					 h->line, h->index);
		min = fmin(min, h->min_us);
		max = fmax(max, h->max_us);
		sum += h->avg_us / (double)t->n;
	}
	if (!t->n)
		return 0;
	r = readings_add(found, l, err, max, "us", false, "max latency");
	if (r == 0)
		r = readings_add(found, l, err, sum, "us", false, "mean latency");
	if (r == 0)
		r = readings_add(found, l, err, min, "us", false, "min latency");
	return r;
}

static int collect(struct lines *l, struct readings *found, struct error *err)
{
	_cleanup_free_ struct thread *all = NULL;
	struct threads t = { 0 };
	int r = 0;

	while (r == 0 && lines_next(l)) {
		r = take_line(&t, l, err);
		all = t.v;
	}
	return r < 0 ? r : add_all(&t, l, found, err);
}

const struct reader reader_cyclictest = { "cyclictest", recognise, collect, "T: 0 (...", NULL };
