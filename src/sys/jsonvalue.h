/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON text, built and read. The only place that knows jansson. A value is owned by
 * the object or array it was put into; only the outermost one is freed. Keys
 * are written in the order they were set. Strings may hold any bytes: what is
 * no UTF-8 becomes U+FFFD. The text is ASCII, everything else is escaped.
 */
#ifndef KTOLL_JSON_H
#define KTOLL_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/str.h"

struct json;

struct json *json_new_object(void);
struct json *json_new_array(void);
void json_free(struct json *v);
DEFINE_CLEANUP(struct json *, json_free)
#define _cleanup_json_ _cleanup_(json_freep)

/* Setting a key again replaces its value. `set` and `add` take the value over; NULL is null. */
void json_set(struct json *object, const char *key, struct json *value);
void json_set_string(struct json *object, const char *key, const char *s); /* NULL: null */
void json_set_bool(struct json *object, const char *key, bool b);
void json_set_i64(struct json *object, const char *key, int64_t n);
/* An integer; above 2^63-1, which readers refuse as one, the nearest double. */
void json_set_u64(struct json *object, const char *key, uint64_t n);
/* The shortest text that reads back as the same double; null for NAN and infinities. */
void json_set_double(struct json *object, const char *key, double d);

/* One value out of a text; NULL if it is none. Owned by the caller. */
struct json *json_parse(const char *text);
/* A member of an object, borrowed; NULL if there is none, or `object` is NULL or no object. */
struct json *json_get(struct json *object, const char *key);
/* The text of a string, borrowed; NULL for anything else. */
const char *json_text(const struct json *v);

void json_add(struct json *array, struct json *value);
void json_add_string(struct json *array, const char *s);

/* Adds the text, indented by two spaces a level, with a newline at the end. */
void json_dump(const struct json *v, struct str *out);

#endif
