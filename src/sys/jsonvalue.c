/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/jsonvalue.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sys/utf8.h"

/* struct json is jansson's value under another name. */
static json_t *to_jansson(struct json *v)
{
	return v ? (json_t *)v : json_null();
}

/* Every string is valid UTF-8 here: only memory can be missing, and asking for more of it ends. */
static void *checked(void *p)
{
	return p ? p : xmalloc(PTRDIFF_MAX);
}

struct json *json_new_object(void)
{
	return checked(json_object());
}

struct json *json_new_array(void)
{
	return checked(json_array());
}

void json_free(struct json *v)
{
	if (v)
		json_decref(to_jansson(v));
}

static struct json *new_string(const char *s)
{
	_cleanup_str_ struct str clean = STR_INIT;

	if (!s)
		return NULL;
	utf8_add(&clean, s);
	return checked(json_string(str_text(&clean)));
}

void json_set(struct json *object, const char *key, struct json *value)
{
	_cleanup_str_ struct str clean = STR_INIT;

	utf8_add(&clean, key);
	json_object_set_new(to_jansson(object), str_text(&clean), to_jansson(value));
}

void json_set_string(struct json *object, const char *key, const char *s)
{
	json_set(object, key, new_string(s));
}

void json_set_bool(struct json *object, const char *key, bool b)
{
	json_set(object, key, checked(json_boolean(b)));
}

void json_set_i64(struct json *object, const char *key, int64_t n)
{
	json_set(object, key, checked(json_integer((json_int_t)n)));
}

void json_set_u64(struct json *object, const char *key, uint64_t n)
{
	if (n > INT64_MAX)
		json_set_double(object, key, (double)n);
	else
		json_set(object, key, checked(json_integer((json_int_t)n)));
}

void json_set_double(struct json *object, const char *key, double d)
{
	json_set(object, key, isfinite(d) ? checked(json_real(d)) : NULL);
}

struct json *json_parse(const char *text)
{
	return (struct json *)json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
}

struct json *json_get(struct json *object, const char *key)
{
	return object ? (struct json *)json_object_get((json_t *)object, key) : NULL;
}

const char *json_text(const struct json *v)
{
	return v ? json_string_value((const json_t *)v) : NULL;
}

void json_add(struct json *array, struct json *value)
{
	json_array_append_new(to_jansson(array), to_jansson(value));
}

void json_add_string(struct json *array, const char *s)
{
	json_add(array, new_string(s));
}

/* jansson has one precision for all numbers: 0.1 would be 0.10000000000000001. */
static void dump_real(double d, struct str *out)
{
	char text[40];

	/* 15 digits always fit into a double, 17 tell any two apart (DBL_DIG, DBL_DECIMAL_DIG). */
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, d);
		if (strtod(text, NULL) == d)
			break;
	}
	/* Whatever the locale takes for the decimal point. */
	for (char *c = text; *c; c++)
		if (!strchr("0123456789+-e", *c))
			*c = '.';
	str_add(out, text);
	if (!strpbrk(text, ".e"))
		str_add(out, ".0");
}

static void dump_scalar(const json_t *v, struct str *out)
{
	_cleanup_free_ char *text = NULL;

	if (json_is_real(v)) {
		dump_real(json_real_value(v), out);
		return;
	}
	/* In ASCII: UTF-8 has control characters too, and this may go to a terminal. */
	text = checked(json_dumps(v, JSON_ENCODE_ANY | JSON_ENSURE_ASCII));
	str_add(out, text);
}

static void dump(json_t *v, unsigned depth, struct str *out);

static void new_line(unsigned depth, struct str *out)
{
	str_addf(out, "\n%*s", (int)(2 * depth), "");
}

static void dump_object(json_t *v, unsigned depth, struct str *out)
{
	const char *key, *separator = "";
	json_t *member;

	str_add(out, "{");
	json_object_foreach(v, key, member)
	{
		json_t *k = json_string(key);

		str_add(out, separator);
		new_line(depth + 1, out);
		dump_scalar(k, out);
		json_decref(k);
		str_add(out, ": ");
		dump(member, depth + 1, out);
		separator = ",";
	}
	new_line(depth, out);
	str_add(out, "}");
}

static void dump_array(json_t *v, unsigned depth, struct str *out)
{
	size_t n = json_array_size(v);

	str_add(out, "[");
	for (size_t i = 0; i < n; i++) {
		str_add(out, i ? "," : "");
		new_line(depth + 1, out);
		dump(json_array_get(v, i), depth + 1, out);
	}
	new_line(depth, out);
	str_add(out, "]");
}

static void dump(json_t *v, unsigned depth, struct str *out)
{
	if (json_is_object(v) && json_object_size(v))
		dump_object(v, depth, out);
	else if (json_is_array(v) && json_array_size(v))
		dump_array(v, depth, out);
	else
		dump_scalar(v, out);
}

void json_dump(const struct json *v, struct str *out)
{
	dump((json_t *)(uintptr_t)v, 0, out);
	str_add(out, "\n");
}
