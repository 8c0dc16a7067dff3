/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mappings of a YAML file by tables: which keys there are, and what takes the
 * value of each. Unknown keys are refused with the names of those that are known. All
 * return 0 or -EINVAL with file, line and column.
 */
#ifndef KTOLL_YAMLKEYS_H
#define KTOLL_YAMLKEYS_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "sys/yaml.h"

struct yamlkeys {
	struct yaml *yaml;
	struct error *err;
	void *data; /* the caller's */
};

typedef int (*yamlkeys_take)(const struct yamlkeys *d, const struct yaml_node *n, void *to);

struct yamlkey {
	const char *name;
	yamlkeys_take take;
	size_t at; /* offset in what is filled */
};

/* `what` is for the sentence: "a workload". */
int yamlkeys_take_mapping(const struct yamlkeys *d, const struct yaml_node *n, const char *what,
			  const struct yamlkey *keys, size_t n_keys, void *to);

/* Into a char *, which is freed before; the second also an empty one. */
int yamlkeys_take_text(const struct yamlkeys *d, const struct yaml_node *n, void *to);
int yamlkeys_take_any_text(const struct yamlkeys *d, const struct yaml_node *n, void *to);
/* Texts into a struct strv. */
int yamlkeys_take_list(const struct yamlkeys *d, const struct yaml_node *n, void *to);
int yamlkeys_number(const struct yamlkeys *d, const struct yaml_node *n, uint64_t min, uint64_t max, uint64_t *ret);
/* Into a uint64_t: up to 2^32 - 1. */
int yamlkeys_take_number(const struct yamlkeys *d, const struct yaml_node *n, void *to);
int yamlkeys_take_bool(const struct yamlkeys *d, const struct yaml_node *n, void *to);

#endif
