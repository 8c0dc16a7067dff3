/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/gated.h"

#include "base/alloc.h"
#include "sys/jsonvalue.h"

static const char *const words[] = { "within", "BEYOND", "undecided" };
static const char *const names[] = { "within", "beyond", "undecided" };

/* One line, and one line only. */
static void add_line(struct str *out, char *line)
{
	for (char *c = line; *c; c++)
		if (*c == '\n' || *c == '\t')
			*c = ' ';
	str_make_printable(line);
	str_addf(out, "%s\n", line);
}

void gated_text(const struct gated_line *v, size_t n, const char *record, struct str *out)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *line = xasprintf("%-9s  %s, %s: %s", words[v[i].answer], v[i].workload,
						      v[i].other, v[i].reason);

		add_line(out, line);
	}
	str_addf(out, "record: %s\n", record);
}

/* Documentation/dev-tools/ktap.rst of the kernel. '#' begins a directive, so there is none in a description. */
void gated_ktap(const struct gated_line *v, size_t n, struct str *out)
{
	str_addf(out, "KTAP version 1\n1..%zu\n", n);
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *name = xasprintf("%s %s", v[i].workload, v[i].other);
		_cleanup_free_ char *line = NULL;

		for (char *c = name; *c; c++)
			if (*c == '#')
				*c = '_';
		line = xasprintf("%s %zu %s # %s%s", v[i].answer == GATED_NOT_OK ? "not ok" : "ok", i + 1, name,
				 v[i].answer == GATED_SKIP ? "SKIP " : "", v[i].reason);
		add_line(out, line);
	}
}

void gated_json(const struct gated_line *v, size_t n, double limit, const char *record, struct str *out)
{
	_cleanup_json_ struct json *o = json_new_object();
	struct json *a = json_new_array();

	for (size_t i = 0; i < n; i++) {
		struct json *k = json_new_object();

		json_set_string(k, "workload", v[i].workload);
		json_set_string(k, "other", v[i].other);
		json_set_string(k, "answer", names[v[i].answer]);
		json_set_string(k, "reason", v[i].reason);
		json_add(a, k);
	}
	json_set_string(o, "schema", "ktoll/gate/1");
	json_set_double(o, "limit", limit);
	json_set(o, "workloads", a);
	json_set_string(o, "record", record);
	json_dump(o, out);
}
