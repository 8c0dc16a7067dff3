/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debian/aptsources.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"

/* Options worth keeping, as a .list and as a .sources file call them: how an archive is trusted. */
static const char *const kept_options[][2] = {
	{ "trusted", "Trusted" },
	{ "check-valid-until", "Check-Valid-Until" },
	{ "check-date", "Check-Date" },
	{ "allow-insecure", "Allow-Insecure" },
	{ "allow-weak", "Allow-Weak" },
};

/* The next word of *s (blanks and newlines separate), NULL at the end. Owned by the caller. */
static char *next_word(const char **s)
{
	const char *start;

	while (isspace((unsigned char)**s))
		(*s)++;
	start = *s;
	while (**s && !isspace((unsigned char)**s))
		(*s)++;
	return *s > start ? xstrndup(start, (size_t)(*s - start)) : NULL;
}

static struct apt_source *add(struct apt_sources *ret, const char *uri, const char *suite,
			      const char *components, const char *signed_by, const char *options)
{
	struct apt_source *s = ARRAY_ADD(ret->v, ret->n, ret->cap);

	s->uri = xstrdup(uri);
	s->suite = xstrdup(suite);
	s->components = xstrdup(components);
	s->signed_by = signed_by ? xstrdup(signed_by) : NULL;
	s->options = xstrdup(options);
	return s;
}

void apt_sources_add_like(struct apt_sources *ret, const struct apt_source *like, const char *uri,
			  const char *suite, bool is_optional)
{
	/* `add` moves the array, and `like` may be in it. */
	struct apt_source l = *like;
	bool is_own = !uri && strcmp(suite, l.suite) == 0;

	/*
	 * Kernels are in main; the rest would only make the lists longer. Who trusts an entry without a signature has
	 * not said so of another suite: of the options only the key goes along.
	 */
	add(ret, uri ? uri : l.uri, suite, "main", l.signed_by, is_own ? l.options : "")->is_optional = is_optional;
}

/* ---- deb [option=value …] uri suite component … ---- */

static void parse_options(const char *text, char **signed_by, struct str *options)
{
	for (;;) {
		_cleanup_free_ char *word = next_word(&text);
		char *value = word ? strchr(word, '=') : NULL;

		if (!word)
			return;
		if (!value)
			continue;
		*value++ = 0;
		if (strcasecmp(word, "signed-by") == 0) {
			free(*signed_by);
			*signed_by = xstrdup(value);
			/* A list of keyrings: commas here, blanks in a .sources file. */
			for (char *c = *signed_by; *c; c++)
				if (*c == ',')
					*c = ' ';
		}
		for (size_t i = 0; i < ARRAY_SIZE(kept_options); i++)
			if (strcasecmp(word, kept_options[i][0]) == 0)
				str_addf(options, "%s: %s\n", kept_options[i][1], value);
	}
}

static void parse_line(const char *s, struct apt_sources *ret)
{
	_cleanup_free_ char *type = next_word(&s), *signed_by = NULL, *uri = NULL, *suite = NULL;
	_cleanup_str_ struct str options = STR_INIT;

	if (!type || strcmp(type, "deb") != 0)
		return;
	while (isspace((unsigned char)*s))
		s++;
	if (*s == '[') {
		const char *close = strchr(s, ']');
		_cleanup_free_ char *inside = NULL;

		if (!close)
			return;
		inside = xstrndup(s + 1, (size_t)(close - s) - 1);
		parse_options(inside, &signed_by, &options);
		s = close + 1;
	}
	uri = next_word(&s);
	suite = next_word(&s);
	while (isspace((unsigned char)*s))
		s++;
	if (uri && suite && *s)
		add(ret, uri, suite, s, signed_by, str_text(&options));
}

void apt_sources_parse_list(const char *text, struct apt_sources *ret)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		_cleanup_free_ char *line = xstrndup(text, n);

		line[strcspn(line, "#")] = 0;
		for (size_t end = strlen(line); end && isspace((unsigned char)line[end - 1]);)
			line[--end] = 0;
		parse_line(line, ret);
		text += n + (text[n] == '\n');
	}
}

/* ---- deb822 ---- */

struct field {
	char *name, *value; /* continuation lines joined by newlines, each keeping its blank */
};

struct stanza {
	struct field *v;
	size_t n, cap;
};

static const char *stanza_get(const struct stanza *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcasecmp(s->v[i].name, name) == 0)
			return s->v[i].value;
	return NULL;
}

static bool has_word(const char *list, const char *wanted)
{
	for (char *word; (word = next_word(&list));) {
		bool found = strcmp(word, wanted) == 0;

		free(word);
		if (found)
			return true;
	}
	return false;
}

static void stanza_add(const struct stanza *s, struct apt_sources *ret)
{
	const char *uris = stanza_get(s, "URIs"), *suites = stanza_get(s, "Suites");
	const char *types = stanza_get(s, "Types"), *components = stanza_get(s, "Components");
	const char *enabled = stanza_get(s, "Enabled");
	_cleanup_str_ struct str options = STR_INIT;

	if (!uris || !suites || !components || !types || !has_word(types, "deb"))
		return;
	if (enabled && (strcasecmp(enabled, "no") == 0 || strcasecmp(enabled, "false") == 0))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(kept_options); i++) {
		const char *value = stanza_get(s, kept_options[i][1]);

		if (value)
			str_addf(&options, "%s: %s\n", kept_options[i][1], value);
	}
	for (char *uri; (uri = next_word(&uris)); free(uri)) {
		const char *rest = suites;

		for (char *suite; (suite = next_word(&rest)); free(suite))
			add(ret, uri, suite, components, stanza_get(s, "Signed-By"),
			    str_text(&options));
	}
}

static void stanza_finish(struct stanza *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->v[i].name);
		free(s->v[i].value);
	}
	free(s->v);
	*s = (struct stanza){ 0 };
}

static void stanza_line(struct stanza *s, char *line)
{
	char *colon;
	struct field *f;

	if (isspace((unsigned char)line[0])) {
		if (s->n) {
			char *value = xasprintf("%s\n%s", s->v[s->n - 1].value, line);

			free(s->v[s->n - 1].value);
			s->v[s->n - 1].value = value;
		}
		return;
	}
	colon = strchr(line, ':');
	if (!colon)
		return;
	*colon++ = 0;
	while (isspace((unsigned char)*colon))
		colon++;
	f = ARRAY_ADD(s->v, s->n, s->cap);
	f->name = xstrdup(line);
	f->value = xstrdup(colon);
}

void apt_sources_parse_deb822(const char *text, struct apt_sources *ret)
{
	struct stanza stanza = { 0 };

	while (*text) {
		size_t n = strcspn(text, "\n");
		_cleanup_free_ char *line = xstrndup(text, n);

		text += n + (text[n] == '\n');
		if (line[0] == '#')
			continue;
		for (size_t end = strlen(line); end && isspace((unsigned char)line[end - 1]);)
			line[--end] = 0;
		if (*line) {
			stanza_line(&stanza, line);
			continue;
		}
		stanza_add(&stanza, ret);
		stanza_finish(&stanza);
	}
	stanza_add(&stanza, ret);
	stanza_finish(&stanza);
}

/* ---- which are Debian's ---- */

/* "bookworm", "bookworm-updates", "bookworm-security", "bookworm/updates", "bookworm-backports". */
static bool suite_belongs_to(const char *suite, const char *release)
{
	static const char *const tails[] = { "", "-updates", "-security", "/updates",
					     "-backports" };
	size_t n = strlen(release);

	if (strncmp(suite, release, n) != 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(tails); i++)
		if (strcmp(suite + n, tails[i]) == 0)
			return true;
	return false;
}

/*
 * Does a part of the address's path start with "debian", be it the last or the one above a
 * snapshot's date?
 */
static bool address_is_debian(const char *uri)
{
	_cleanup_free_ char *copy = xstrdup(uri);
	const char *path = strstr(copy, ":/");
	char *slash;
	size_t n;

	if (!path)
		return false;
	for (int level = 0; level < 2; level++) {
		for (n = strlen(copy); n && copy[n - 1] == '/';)
			copy[--n] = 0;
		slash = strrchr(copy, '/');
		if (!slash || slash < path)
			return false;
		if (str_has_prefix(slash + 1, "debian"))
			return true;
		/* 20250520T000000Z */
		if (strlen(slash + 1) != 16 || !isdigit((unsigned char)slash[1]))
			return false;
		*slash = 0;
	}
	return false;
}

static bool is_debians(const struct apt_source *s)
{
	if (s->signed_by)
		return strstr(s->signed_by, "debian-archive") != NULL ||
		       /* A key written out says nothing of its owner. */
		       (strchr(s->signed_by, '\n') && address_is_debian(s->uri));
	return address_is_debian(s->uri);
}

static bool is_in(const struct apt_sources *list, const char *uri, const char *suite)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->v[i].uri, uri) == 0 && strcmp(list->v[i].suite, suite) == 0)
			return true;
	return false;
}

/* The entries of one release; true if its own suite is among them. */
static bool select_release(const struct apt_sources *all, const char *release, bool any_owner,
			   struct apt_sources *ret)
{
	bool found = false;

	for (size_t i = 0; i < all->n; i++) {
		const struct apt_source *s = &all->v[i];

		if (!suite_belongs_to(s->suite, release) || !has_word(s->components, "main") ||
		    (!any_owner && !is_debians(s)) || is_in(ret, s->uri, s->suite))
			continue;
		apt_sources_add_like(ret, s, NULL, s->suite, false);
		found |= strcmp(s->suite, release) == 0;
	}
	return found;
}

static void add_backports(struct apt_sources *ret, const char *release)
{
	_cleanup_free_ char *suite = xasprintf("%s-backports", release);

	for (size_t i = 0; i < ret->n; i++)
		if (strcmp(ret->v[i].suite, suite) == 0) {
			ret->v[i].is_optional = true;
			return;
		}
	for (size_t i = 0; i < ret->n; i++)
		if (strcmp(ret->v[i].suite, release) == 0) {
			apt_sources_add_like(ret, &ret->v[i], NULL, suite, true);
			return;
		}
}

void apt_sources_select(const struct apt_sources *all, const char *codename, bool is_debian,
			struct apt_sources *ret)
{
	static const char *const by_role[] = { "stable", "oldstable", "testing", "sid",
					       "unstable" };

	for (int any_owner = 0; any_owner <= (int)is_debian; any_owner++) {
		for (size_t i = 0; i <= ARRAY_SIZE(by_role); i++) {
			const char *release = i ? by_role[i - 1] : codename;

			if (!release)
				continue;
			if (select_release(all, release, any_owner, ret)) {
				if (strcmp(release, "sid") != 0 &&
				    strcmp(release, "unstable") != 0)
					add_backports(ret, release);
				return;
			}
			/* Security updates without what they update: not this release's entries. */
			apt_sources_finish(ret);
		}
	}
}

/* As apt writes an entry that it complains about: no slash at the address's end. */
static char *shown(const struct apt_source *s)
{
	size_t n = strlen(s->uri);

	while (n && s->uri[n - 1] == '/')
		n--;
	return xasprintf("'%.*s %s Release'", (int)n, s->uri, s->suite);
}

static bool is_named(const struct strv *names, const char *name)
{
	for (size_t i = 0; names && i < names->n; i++)
		if (strcmp(names->v[i], name) == 0)
			return true;
	return false;
}

bool apt_sources_lacking(const struct apt_sources *s, const char *said, struct strv *ret)
{
	static const char mark[] = "does not have a Release";
	size_t complaints = 0;

	for (const char *c = said; (c = strstr(c, mark)); c++)
		complaints++;
	for (size_t i = 0; i < s->n; i++) {
		_cleanup_free_ char *name = shown(&s->v[i]);
		const char *at = s->v[i].is_optional ? strstr(said, name) : NULL;

		if (at && strncmp(at + strlen(name), " does not have", 14) == 0)
			strv_add(ret, name);
	}
	return ret->n && ret->n == complaints;
}

char *apt_sources_format(const struct apt_sources *s, const struct strv *lacking)
{
	struct str text = STR_INIT;

	for (size_t i = 0; i < s->n; i++) {
		const struct apt_source *e = &s->v[i];
		_cleanup_free_ char *name = shown(e);

		if (is_named(lacking, name))
			continue;
		/* Targets: other programs add indexes of their own to what apt fetches. */
		str_addf(&text,
			 "Types: deb\nURIs: %s\nSuites: %s\nComponents: %s\nTargets: Packages\n",
			 e->uri, e->suite, e->components);
		if (e->signed_by)
			str_addf(&text, "Signed-By: %s\n", e->signed_by);
		str_addf(&text, "%s\n", e->options);
	}
	return str_take(&text);
}

void apt_sources_finish(struct apt_sources *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->v[i].uri);
		free(s->v[i].suite);
		free(s->v[i].components);
		free(s->v[i].signed_by);
		free(s->v[i].options);
	}
	free(s->v);
	*s = (struct apt_sources){ 0 };
}

char *os_release_value(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *s = text; *s;) {
		size_t len = strcspn(s, "\n");

		if (len > n && strncmp(s, name, n) == 0 && s[n] == '=') {
			const char *value = s + n + 1, *end = s + len;

			if (end - value >= 2 && (*value == '"' || *value == '\'') &&
			    end[-1] == *value) {
				value++;
				end--;
			}
			return end > value ? xstrndup(value, (size_t)(end - value)) : NULL;
		}
		s += len + (s[len] == '\n');
	}
	return NULL;
}
