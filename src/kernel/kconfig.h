/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A resolved kernel configuration (.config): its options, sorted by name, and
 * the difference of two. "n", "is not set" and absent are the same value, "n".
 * Any bytes may be parsed: a line that is neither an option nor "is not set"
 * counts as a comment.
 */
#ifndef KTOLL_KCONFIG_H
#define KTOLL_KCONFIG_H

#include <stddef.h>

struct kconfig_option {
	char *name;  /* "CONFIG_PREEMPT" */
	char *value; /* as written: y, m, n, a number, a string with its quotes */
};

struct kconfig {
	struct kconfig_option *options; /* sorted by name (strcmp), every name once */
	size_t n, cap;
};

/* Of an option that is set twice the last one holds, as in the kernel's own scripts. */
void kconfig_parse(const char *text, size_t n_bytes, struct kconfig *ret);
void kconfig_finish(struct kconfig *c);

/* The value of an option, named with or without CONFIG_; "n" if it is not set. Borrowed. */
const char *kconfig_value(const struct kconfig *c, const char *option);

struct kconfig_change {
	char *option;      /* "CONFIG_PREEMPT" */
	char *base, *other; /* the values, "n" for none; never equal */
};

struct kconfig_diff {
	struct kconfig_change *changes; /* sorted by option */
	size_t n, cap;
};

void kconfig_diff(const struct kconfig *base, const struct kconfig *other,
		  struct kconfig_diff *ret);
void kconfig_diff_finish(struct kconfig_diff *d);

#endif
