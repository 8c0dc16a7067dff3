/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results that are documents: hyperfine's JSON, a side for each command with its runs; stress-ng's
 * YAML, a metric for each stressor. JSON is read as the YAML that it is.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "readers/reader.h"
#include "sys/yaml.h"

static double number_of(const struct yaml_node *n)
{
	_cleanup_free_ char *text = n && yaml_kind(n) == YAML_SCALAR ? yaml_text(n) : NULL;
	char *end;
	double v = text ? strtod(text, &end) : NAN;

	return text && end != text && !*end && isfinite(v) ? v : NAN;
}

/* The whole text that the lines are of: comments of '#' are YAML's own. */
static int parse(struct lines *l, struct str *text, struct yaml **ret, struct error *err)
{
	while (lines_next(l)) {
		/* Blanks in front are gone from l->line, and YAML needs them. */
		const char *start = l->line;

		while (start > l->copy && start[-1] != '\0' && start[-1] != '\n')
			start--;
		str_addf(text, "%s\n", start);
	}
	return yaml_parse("input", str_text(text), text->len, ret, err);
}

static bool is_hyperfine(const char *text)
{
	return strstr(text, "\"results\"") && strstr(text, "\"times\"") && strstr(text, "\"command\"");
}

static int read_hyperfine(struct lines *l, struct series_list *ret, struct error *err)
{
	_cleanup_str_ struct str text = STR_INIT;
	_cleanup_yaml_ struct yaml *y = NULL;
	int r = parse(l, &text, &y, err);
	const struct yaml_node *results = r == 0 && yaml_root(y) ? yaml_get(yaml_root(y), "results") : NULL;

	for (size_t i = 0; results && i < yaml_count(results); i++) {
		const struct yaml_node *one = yaml_item(results, i), *times = yaml_get(one, "times");
		const struct yaml_node *command = yaml_get(one, "command");
		_cleanup_free_ char *name = command ? yaml_text(command) : NULL;
		struct series *s;

		if (!name || !times)
			return yaml_blame(y, one, err, "a result with command and times is wanted");
		s = series_of(ret, name, "time");
		free(s->unit);
		s->unit = xstrdup("s");
		s->better = BETTER_LOWER;
		for (size_t k = 0; k < yaml_count(times); k++) {
			double v = number_of(yaml_item(times, k));

			if (isnan(v))
				return yaml_blame(y, yaml_item(times, k), err, "a time in seconds is wanted");
			series_add(s, v);
		}
	}
	return r;
}

static bool is_stress(const char *text)
{
	return strstr(text, "stress-ng-version:") && strstr(text, "stressor:");
}

static int read_stress(struct lines *l, struct series_list *ret, struct error *err)
{
	static const struct {
		const char *key, *metric, *unit;
	} figures[] = {
		{ "bogo-ops-per-second-real-time", "bogo-ops/s, real time", "ops/s" },
		{ "bogo-ops-per-second-usr-sys-time", "bogo-ops/s, user and system time", "ops/s" },
	};
	_cleanup_str_ struct str text = STR_INIT;
	_cleanup_yaml_ struct yaml *y = NULL;
	int r = parse(l, &text, &y, err);
	const struct yaml_node *metrics = r == 0 && yaml_root(y) ? yaml_get(yaml_root(y), "metrics") : NULL;

	for (size_t i = 0; metrics && i < yaml_count(metrics); i++) {
		const struct yaml_node *one = yaml_item(metrics, i), *name_node = yaml_get(one, "stressor");
		_cleanup_free_ char *name = name_node ? yaml_text(name_node) : NULL;

		for (size_t k = 0; name && k < ARRAY_SIZE(figures); k++) {
			_cleanup_free_ char *metric = xasprintf("%s: %s", name, figures[k].metric);
			double v = number_of(yaml_get(one, figures[k].key));
			struct series *s;

			if (isnan(v))
				continue;
			if (number_of(yaml_get(one, "bogo-ops")) == 0)
				return yaml_blame(y, one, err, "%s did nothing: 0 bogo-ops", name);
			s = series_of(ret, NULL, metric);
			free(s->unit);
			s->unit = xstrdup(figures[k].unit);
			s->better = BETTER_HIGHER;
			series_add(s, v);
		}
	}
	return r;
}

const struct reader reader_hyperfine = { "hyperfine", is_hyperfine, NULL, NULL, read_hyperfine };
const struct reader reader_stress_ng_yaml = { "stress-ng-yaml", is_stress, NULL, NULL, read_stress };
