/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading YAML. The only place that knows libfyaml. A document is a tree of
 * mappings, sequences and scalars; tags, aliases and directives are
 * refused, and so is a key that is there twice. Errors name file, line and column. Any
 * bytes may be parsed.
 */
#ifndef KTOLL_YAML_H
#define KTOLL_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/error.h"

struct yaml;      /* a document */
struct yaml_node; /* in it, and no longer than it */

enum yaml_kind {
	YAML_SCALAR,
	YAML_SEQUENCE,
	YAML_MAPPING,
};

/* `file` is the name for sentences. The text is borrowed and has to live as long. */
int yaml_parse(const char *file, const char *text, size_t n_bytes, struct yaml **ret,
	       struct error *err);
void yaml_free(struct yaml *y);
DEFINE_CLEANUP(struct yaml *, yaml_free)
#define _cleanup_yaml_ _cleanup_(yaml_freep)

/* The outermost node; NULL for an empty document. */
const struct yaml_node *yaml_root(const struct yaml *y);

enum yaml_kind yaml_kind(const struct yaml_node *n);
/* Items of a sequence, pairs of a mapping; 0 for a scalar. */
size_t yaml_count(const struct yaml_node *n);
/* Item i of a sequence, or the value of pair i of a mapping. */
const struct yaml_node *yaml_item(const struct yaml_node *n, size_t i);
/* The key of pair i of a mapping, and the value of a key; NULL if it is not there. */
const struct yaml_node *yaml_key(const struct yaml_node *n, size_t i);
const struct yaml_node *yaml_get(const struct yaml_node *n, const char *key);

/* The text of a scalar, owned, fit to print; NULL for anything else. */
char *yaml_text(const struct yaml_node *n);

/* Fills `err` with "FILE:LINE:COLUMN: SENTENCE" about the place of a node: -EINVAL. */
int yaml_blame(const struct yaml *y, const struct yaml_node *n, struct error *err, const char *fmt,
	       ...) __attribute__((format(printf, 4, 5)));

#endif
