/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/yaml.h"

#include <errno.h>
#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "sys/utf8.h"

struct yaml {
	struct fy_document *document;
	char *file;
};

static struct fy_node *of(const struct yaml_node *n)
{
	return (struct fy_node *)n;
}

/* What libfyaml says, the first of it; lines and columns from 0 on. */
static int parse_error(struct fy_diag *diag, const char *file, struct error *err)
{
	struct fy_diag_error *e;
	void *at = NULL;

	e = fy_diag_errors_iterate(diag, &at);
	if (!e)
		return error_set(err, EINVAL, "%s:1:1: this is no YAML", file);
	return error_set(err, EINVAL, "%s:%d:%d: %s", file, e->line, e->column, e->msg);
}

/* The first scalar at or below a node: only those have a place. */
static const struct fy_mark *mark_of(struct fy_node *n)
{
	while (n && !fy_node_is_scalar(n)) {
		if (fy_node_is_mapping(n)) {
			struct fy_node_pair *pair = fy_node_mapping_get_by_index(n, 0);

			n = pair ? fy_node_pair_key(pair) : NULL;
		} else {
			n = fy_node_sequence_get_by_index(n, 0);
		}
	}
	return n ? fy_token_start_mark(fy_node_get_scalar_token(n)) : NULL;
}

int yaml_blame(const struct yaml *y, const struct yaml_node *n, struct error *err, const char *fmt,
	       ...)
{
	const struct fy_mark *m = n ? mark_of(of(n)) : NULL;
	_cleanup_free_ char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	if (!m)
		return error_set(err, EINVAL, "%s: %s", y->file, s);
	return error_set(err, EINVAL, "%s:%d:%d: %s", y->file, m->line + 1, m->column + 1, s);
}

/* Depth is bounded: libfyaml refuses more than 64 levels. */
static int check(const struct yaml *y, struct fy_node *n, struct error *err)
{
	const struct yaml_node *node = (const struct yaml_node *)n;
	int r = 0;

	if (!n)
		return 0;
	if (fy_node_is_alias(n))
		return yaml_blame(y, node, err, "aliases are not taken");
	if (fy_node_get_tag_token(n))
		return yaml_blame(y, node, err, "tags are not taken");
	if (fy_node_is_scalar(n))
		return 0;
	for (size_t i = 0; r == 0 && i < yaml_count(node); i++) {
		r = check(y, of(yaml_key(node, i)), err);
		if (r == 0)
			r = check(y, of(yaml_item(node, i)), err);
	}
	return r;
}

/*
 * libfyaml 0.7 does not come back from some directives ("%YAML …" and what looks like one), of
 * which nothing here needs any. Where one begins; NULL. All that YAML 1.1 calls a line break counts.
 */
static const char *find_directive(const char *text, size_t n_bytes)
{
	static const char *const before[] = { "\n", "\r", "\xc2\x85", "\xe2\x80\xa8",
					      "\xe2\x80\xa9", "\xef\xbb\xbf" };

	for (size_t i = 0; i < n_bytes; i++) {
		if (text[i] != '%')
			continue;
		if (!i)
			return text;
		for (size_t b = 0; b < ARRAY_SIZE(before); b++) {
			size_t n = strlen(before[b]);

			if (i >= n && memcmp(text + i - n, before[b], n) == 0)
				return text + i;
		}
	}
	return NULL;
}

/*
 * The first "? key", whose key is a mapping or a list. Nothing here needs one, and libfyaml 0.7
 * reads freed memory when it gives up on "? -:<tab>-".
 */
static const char *find_complex_key(const char *text, size_t n_bytes)
{
	char before = '\n'; /* the last character that is no blank, or the line's beginning */

	for (size_t i = 0; i < n_bytes; i++) {
		char next = i + 1 < n_bytes ? text[i + 1] : '\n';

		if (text[i] == '?' && strchr(" \t\r\n", next) && strchr("\n-?:{[,!&", before))
			return text + i;
		if (text[i] != ' ' && text[i] != '\t')
			before = text[i] == '\r' ? '\n' : text[i];
	}
	return NULL;
}

/* The first byte that belongs to no character. */
static const char *find_stray(const char *text, size_t n_bytes)
{
	for (size_t i = 0, n; i < n_bytes; i += n) {
		/* A character that is cut off at the end must not be looked for behind it. */
		char last[5] = { 0 };

		memcpy(last, text + i, n_bytes - i < 4 ? n_bytes - i : 4);
		n = utf8_length(last);
		if (!n)
			return text + i;
	}
	return NULL;
}

static int line_of(const char *text, const char *at)
{
	int line = 1;

	for (const char *s = text; s < at; s++)
		line += *s == '\n';
	return line;
}

int yaml_parse(const char *file, const char *text, size_t n_bytes, struct yaml **ret,
	       struct error *err)
{
	struct fy_diag_cfg diag_cfg;
	struct fy_parse_cfg cfg = { .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG };
	const char *directive = find_directive(text, n_bytes);
	_cleanup_yaml_ struct yaml *y = NULL;
	const char *stray;
	int r = 0;

	if (directive)
		return error_set(err, EINVAL, "%s:%d:1: directives are not taken", file,
				 line_of(text, directive));
	stray = find_stray(text, n_bytes);
	if (stray)
		return error_set(err, EINVAL, "%s:%d: bytes that are no text in UTF-8", file,
				 line_of(text, stray));
	stray = find_complex_key(text, n_bytes);
	if (stray)
		return error_set(err, EINVAL, "%s:%d: keys behind '?' are not taken", file, line_of(text, stray));
	fy_diag_cfg_default(&diag_cfg);
	diag_cfg.fp = NULL;
	diag_cfg.output_fn = NULL;
	cfg.diag = fy_diag_create(&diag_cfg);
	if (!cfg.diag)
		return error_set(err, ENOMEM, "%s: cannot be parsed", file);
	fy_diag_set_collect_errors(cfg.diag, true);
	y = xcalloc(1, sizeof(*y));
	y->file = xstrdup(file);
	y->document = fy_document_build_from_string(&cfg, text, n_bytes);
	if (!y->document)
		r = parse_error(cfg.diag, file, err);
	else
		r = check(y, fy_document_root(y->document), err);
	fy_diag_destroy(cfg.diag);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(y);
	return 0;
}

void yaml_free(struct yaml *y)
{
	if (!y)
		return;
	fy_document_destroy(y->document);
	free(y->file);
	free(y);
}

const struct yaml_node *yaml_root(const struct yaml *y)
{
	return (const struct yaml_node *)fy_document_root(y->document);
}

enum yaml_kind yaml_kind(const struct yaml_node *n)
{
	if (fy_node_is_mapping(of(n)))
		return YAML_MAPPING;
	return fy_node_is_sequence(of(n)) ? YAML_SEQUENCE : YAML_SCALAR;
}

size_t yaml_count(const struct yaml_node *n)
{
	int count = 0;

	if (fy_node_is_mapping(of(n)))
		count = fy_node_mapping_item_count(of(n));
	else if (fy_node_is_sequence(of(n)))
		count = fy_node_sequence_item_count(of(n));
	return count > 0 ? (size_t)count : 0;
}

const struct yaml_node *yaml_item(const struct yaml_node *n, size_t i)
{
	struct fy_node *f = of(n);

	if (fy_node_is_mapping(f))
		return (const struct yaml_node *)fy_node_pair_value(
			fy_node_mapping_get_by_index(f, (int)i));
	return (const struct yaml_node *)fy_node_sequence_get_by_index(f, (int)i);
}

const struct yaml_node *yaml_key(const struct yaml_node *n, size_t i)
{
	if (!fy_node_is_mapping(of(n)))
		return NULL;
	return (const struct yaml_node *)fy_node_pair_key(
		fy_node_mapping_get_by_index(of(n), (int)i));
}

const struct yaml_node *yaml_get(const struct yaml_node *n, const char *key)
{
	for (size_t i = 0; i < yaml_count(n); i++) {
		const struct yaml_node *k = yaml_key(n, i);
		_cleanup_free_ char *text = k ? yaml_text(k) : NULL;

		if (str_equal(text, key))
			return yaml_item(n, i);
	}
	return NULL;
}

char *yaml_text(const struct yaml_node *n)
{
	_cleanup_free_ char *bytes = NULL;
	struct str s = STR_INIT;
	const char *text;
	size_t length;

	if (!n || yaml_kind(n) != YAML_SCALAR)
		return NULL;
	text = fy_node_get_scalar(of(n), &length);
	if (!text || memchr(text, 0, length))
		return NULL;
	bytes = xstrndup(text, length);
	utf8_add_printable(&s, bytes);
	return str_take(&s);
}
