/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debian/packages.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "debian/debversion.h"

#define IMAGE "linux-image-"

/* ---- names ---- */

/*
 * Where the flavour starts in "6.1.0-57-rt-amd64": after the first '-' that a
 * letter follows. A release candidate's "-rc3" still is version, and a page
 * size ("7.2-64k") a flavour.
 */
static const char *flavour_in(const char *release)
{
	for (const char *c = strchr(release, '-'); c; c = strchr(c + 1, '-')) {
		if (c[1] == 'r' && c[2] == 'c' && isdigit((unsigned char)c[3]))
			continue;
		if (isalpha((unsigned char)c[1]) || strcmp(c, "-16k") == 0 ||
		    strcmp(c, "-64k") == 0)
			return c + 1;
	}
	return NULL;
}

/* Fills release, abi and flavour where the name has them. */
static void split_name(struct package *p)
{
	const char *flavour;
	char *release;
	size_t n;

	if (!str_has_prefix(p->name, IMAGE))
		return;
	release = xstrdup(p->name + strlen(IMAGE));
	n = strlen(release);
	p->is_unsigned = str_has_suffix(release, "-unsigned");
	if (p->is_unsigned)
		release[n - strlen("-unsigned")] = 0;
	flavour = isdigit((unsigned char)release[0]) ? flavour_in(release) : NULL;
	if (!flavour) {
		free(release);
		return;
	}
	p->abi = xstrndup(release, (size_t)(flavour - release) - 1);
	p->flavour = xstrdup(flavour);
	p->release = release;
}

const char *flavour_plain(const char *arch)
{
	static const char *const plain[][2] = { { "x86_64", "amd64" },
						{ "aarch64", "arm64" },
						{ "ppc64le", "powerpc64le" } };

	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		if (strcmp(plain[i][0], arch) == 0)
			return plain[i][1];
	return arch;
}

/*
 * What a spec calls a flavour: "" for the plain one, "rt" for rt-amd64, "64k" for
 * powerpc64le-64k.
 */
static char *flavour_word(const char *flavour, const char *plain)
{
	size_t n = strlen(flavour), m = strlen(plain);

	if (strcmp(flavour, plain) == 0)
		return xstrdup("");
	if (n > m + 1 && str_has_suffix(flavour, plain) && flavour[n - m - 1] == '-')
		return xstrndup(flavour, n - m - 1);
	if (n > m + 1 && str_has_prefix(flavour, plain) && flavour[m] == '-')
		return xstrdup(flavour + m + 1);
	return xstrdup(flavour);
}

static bool flavour_matches(const char *flavour, const char *wanted, const char *plain)
{
	_cleanup_free_ char *word = flavour_word(flavour, plain);

	if (!wanted)
		return !*word;
	return strcmp(word, wanted) == 0 || strcmp(flavour, wanted) == 0;
}

/* "6.1" of "6.1.0-57" or "6.1.192-3"; all of it if it has no two numbers. Owned by the caller. */
static char *series_of(const char *version)
{
	const char *c = version;

	for (int dots = 0; isdigit((unsigned char)*c) || (*c == '.' && !dots++);)
		c++;
	while (c > version && c[-1] == '.')
		c--;
	return xstrndup(version, c > version ? (size_t)(c - version) : strlen(version));
}

/* "6.1" is the start of "6.1.0-57", but not of "6.12". */
static bool version_starts_with(const char *version, const char *start)
{
	size_t n = strlen(start);
	const char *colon = strchr(version, ':');

	if (colon)
		version = colon + 1;
	return strncmp(version, start, n) == 0 &&
	       (!version[n] || !isalnum((unsigned char)version[n]));
}

/* ---- Packages ---- */

/* The value of a one-line field in a stanza; NULL if it is not there. Owned by the caller. */
static char *field(const char *stanza, const char *end, const char *name)
{
	size_t n = strlen(name);

	for (const char *s = stanza; s < end;) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));

		if (!stop)
			stop = end;
		if ((size_t)(stop - s) > n && s[n] == ':' && strncasecmp(s, name, n) == 0) {
			s += n + 1;
			while (s < stop && (*s == ' ' || *s == '\t'))
				s++;
			while (stop > s && isspace((unsigned char)stop[-1]))
				stop--;
			return memchr(s, 0, (size_t)(stop - s)) ? NULL :
								  xstrndup(s, (size_t)(stop - s));
		}
		s = stop + 1;
	}
	return NULL;
}

/* Names and versions become parts of paths and arguments: only what policy allows in them. */
static bool is_word(const char *s, const char *also)
{
	if (!isalnum((unsigned char)*s))
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr(also, *s))
			return false;
	return true;
}

bool package_name_is_valid(const char *s)
{
	return is_word(s, "+-.");
}

bool package_version_is_valid(const char *s)
{
	return is_word(s, "+-.:~");
}

/* The first package name with the prefix in a Depends field. Owned by the caller. */
static char *dependency(const char *depends, const char *prefix)
{
	for (const char *c = depends; (c = strstr(c, prefix)); c++) {
		size_t n = strcspn(c, " ,|(:\t");

		if (c == depends || strchr(" ,|", c[-1]))
			return xstrndup(c, n);
	}
	return NULL;
}

static void package_finish(struct package *p)
{
	free(p->name);
	free(p->version);
	free(p->depends);
	free(p->suite);
	free(p->release);
	free(p->abi);
	free(p->flavour);
	free(p->follows);
}

static void parse_stanza(const char *s, const char *end, const char *suite, struct packages *ret)
{
	static const char *const wanted[] = { IMAGE, "linux-binary-", "linux-base-",
					      "linux-source-", "linux-config-" };
	struct package p = { 0 };
	_cleanup_free_ char *size = NULL;
	bool is_wanted = false;

	p.name = field(s, end, "Package");
	for (size_t i = 0; p.name && i < ARRAY_SIZE(wanted); i++)
		is_wanted |= str_has_prefix(p.name, wanted[i]);
	if (!is_wanted || !package_name_is_valid(p.name) || str_has_suffix(p.name, "-dbg") ||
	    str_has_suffix(p.name, "-dbgsym") || str_has_suffix(p.name, "-template"))
		goto drop;
	p.version = field(s, end, "Version");
	if (!p.version || !package_version_is_valid(p.version))
		goto drop;
	p.depends = field(s, end, "Depends");
	if (!p.depends)
		p.depends = xstrdup("");
	size = field(s, end, "Size");
	if (size)
		str_to_u64(size, 0, UINT64_MAX, &p.size_bytes);
	p.suite = xstrdup(suite);
	p.is_backport = strstr(suite, "-backports") != NULL;
	p.is_experimental = str_equal(suite, "experimental") || str_equal(suite, "rc-buggy");
	split_name(&p);
	if (str_has_prefix(p.name, IMAGE))
		p.follows = dependency(p.depends, IMAGE);
	p.is_kernel = p.release && !p.follows;
	*ARRAY_ADD(ret->v, ret->n, ret->cap) = p;
	return;
drop:
	package_finish(&p);
}

void packages_parse(const char *text, size_t n_bytes, const char *suite, struct packages *ret)
{
	static const char mark[] = "Package: linux-";
	const char *end = text + n_bytes, *s = text, *hit;

	/* Straight to the few that are about kernels: a list has 50 MB. */
	while ((hit = memmem(s, (size_t)(end - s), mark, strlen(mark)))) {
		const char *start = hit, *stop = memmem(hit, (size_t)(end - hit), "\n\n", 2);

		if (!stop)
			stop = end;
		while (start > s && !(start[-1] == '\n' && (start - 1 == s || start[-2] == '\n')))
			start--;
		parse_stanza(start, stop, suite, ret);
		s = stop;
	}
}

void packages_finish(struct packages *p)
{
	for (size_t i = 0; i < p->n; i++)
		package_finish(&p->v[i]);
	free(p->v);
	*p = (struct packages){ 0 };
}

/* ---- requests ---- */

int package_request_parse(const char *name, struct package_request *ret, struct error *err)
{
	struct package_request r = { 0 };

	if (!*name) {
		r.kind = REQUEST_NEWEST;
	} else if (isdigit((unsigned char)*name) && is_word(name, "+-.~")) {
		const char *flavour = flavour_in(name);

		r.kind = REQUEST_SERIES;
		r.series = flavour ? xstrndup(name, (size_t)(flavour - name) - 1) : xstrdup(name);
		r.flavour = flavour ? xstrdup(flavour) : NULL;
	} else if (str_has_prefix(name, IMAGE) && package_name_is_valid(name)) {
		r.kind = REQUEST_PACKAGE;
		r.package = xstrdup(name);
	} else {
		return error_blame(err, ERROR_USAGE, EINVAL,
				   "debian:%s is no kernel: say debian:, a version as in "
				   "debian:6.1 or debian:6.1-rt, or a package as in "
				   "debian:linux-image-6.1.0-57-amd64",
				   name);
	}
	*ret = r;
	return 0;
}

void package_request_finish(struct package_request *r)
{
	free(r->series);
	free(r->flavour);
	free(r->package);
	*r = (struct package_request){ 0 };
}

static bool is_better(const struct package *p, const struct package *best)
{
	int order;

	if (!best)
		return true;
	if (p->group != best->group)
		return p->group < best->group;
	if (p->is_experimental != best->is_experimental)
		return best->is_experimental;
	order = deb_version_compare(p->version, best->version);
	return order > 0 || (order == 0 && best->is_unsigned && !p->is_unsigned);
}

static bool request_matches(const struct package *p, const struct package_request *r,
			    const char *plain)
{
	if (!p->is_kernel || !flavour_matches(p->flavour, r->flavour, plain))
		return false;
	if (r->kind == REQUEST_NEWEST)
		return !p->is_backport;
	return version_starts_with(p->version, r->series) ||
	       version_starts_with(p->abi, r->series);
}

/* As is_better(), but a group's backports come last in it. */
static bool is_better_name(const struct package *p, const struct package *best)
{
	if (best && p->group == best->group && p->is_backport != best->is_backport)
		return best->is_backport;
	return is_better(p, best);
}

static const struct package *choose_named(const struct packages *p, const char *name)
{
	/* Meta packages follow one another at most this deep in any Debian. */
	for (int depth = 0; depth < 4; depth++) {
		const struct package *best = NULL;

		for (size_t i = 0; i < p->n; i++)
			if (strcmp(p->v[i].name, name) == 0 && is_better_name(&p->v[i], best))
				best = &p->v[i];
		if (!best || best->is_kernel)
			return best;
		if (!best->follows)
			return NULL;
		name = best->follows;
	}
	return NULL;
}

const struct package *packages_choose(const struct packages *p, const struct package_request *r,
				      const char *arch)
{
	const struct package *best = NULL;

	if (r->kind == REQUEST_PACKAGE)
		return choose_named(p, r->package);
	for (size_t i = 0; i < p->n; i++)
		if (request_matches(&p->v[i], r, flavour_plain(arch)) && is_better(&p->v[i], best))
			best = &p->v[i];
	return best;
}

const struct package *packages_named(const struct packages *p, const char *name)
{
	const struct package *best = NULL;

	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->v[i].name, name) == 0 && is_better(&p->v[i], best))
			best = &p->v[i];
	return best;
}

/* A release candidate's packages are called the same in each of its versions. */
static const struct package *part_named(const struct packages *p, const char *name,
					const struct package *of)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->v[i].name, name) == 0 && p->v[i].group == of->group &&
		    strcmp(p->v[i].version, of->version) == 0)
			return &p->v[i];
	return packages_named(p, name);
}

size_t packages_parts(const struct packages *p, const struct package *chosen,
		      const struct package *ret[2])
{
	static const char *const prefixes[] = { "linux-binary-", "linux-base-" };
	size_t n = 0;

	for (size_t i = 0; chosen->release && i < ARRAY_SIZE(prefixes); i++) {
		/* With the release: the plain linux-base is a set of scripts. */
		_cleanup_free_ char *full = xasprintf("%s%s", prefixes[i], chosen->release);
		_cleanup_free_ char *name = dependency(chosen->depends, full);
		const struct package *part = name ? part_named(p, name, chosen) : NULL;

		if (part)
			ret[n++] = part;
	}
	if (n == 0)
		ret[n++] = chosen;
	return n;
}

/* The series in "linux-source-6.1"; NULL for another name, also for "linux-source-6.1-rt". */
static const char *series_in(const char *name, const char *prefix)
{
	const char *series = str_has_prefix(name, prefix) ? name + strlen(prefix) : NULL;

	return series && *series && !series[strspn(series, "0123456789.")] ? series : NULL;
}

const struct package *packages_versioned(const struct packages *p, const char *prefix,
					 const char *version)
{
	const struct package *best = NULL;

	for (size_t i = 0; i < p->n; i++) {
		const char *series = series_in(p->v[i].name, prefix);

		if (series &&
		    (strcmp(series, version) == 0 || version_starts_with(p->v[i].version, version)) &&
		    is_better(&p->v[i], best))
			best = &p->v[i];
	}
	return best;
}

static int higher_first(const void *a, const void *b)
{
	return deb_version_compare(*(char *const *)b, *(char *const *)a);
}

void packages_series(const struct packages *p, const char *prefix, struct strv *ret)
{
	size_t first = ret->n;

	for (size_t i = 0; i < p->n; i++) {
		const char *series = series_in(p->v[i].name, prefix);
		bool is_there = !series;

		for (size_t j = first; j < ret->n && !is_there; j++)
			is_there = strcmp(ret->v[j], series) == 0;
		if (!is_there)
			strv_add(ret, series);
	}
	if (ret->n > first)
		qsort(ret->v + first, ret->n - first, sizeof(*ret->v), higher_first);
}

/* ---- what there is instead ---- */

static int newest_first(const void *a, const void *b)
{
	const struct package_offer *x = a, *y = b;
	int r = deb_version_compare(y->package->version, x->package->version);

	return r ? r : strcmp(x->spec, y->spec);
}

size_t packages_offers(const struct packages *p, const char *arch, struct package_offer **ret)
{
	const char *plain = flavour_plain(arch);
	struct package_offer *offers = NULL;
	size_t n = 0, cap = 0;

	for (size_t i = 0; i < p->n; i++) {
		_cleanup_free_ char *series = NULL, *word = NULL, *spec = NULL;
		struct package_offer *o = NULL;

		if (!p->v[i].is_kernel)
			continue;
		series = series_of(p->v[i].version);
		word = flavour_word(p->v[i].flavour, plain);
		spec = xasprintf("debian:%s%s%s", series, *word ? "-" : "", word);
		for (size_t j = 0; j < n && !o; j++)
			if (strcmp(offers[j].spec, spec) == 0)
				o = &offers[j];
		if (!o) {
			o = ARRAY_ADD(offers, n, cap);
			o->spec = TAKE_PTR(spec);
		}
		if (is_better(&p->v[i], o->package))
			o->package = &p->v[i];
	}
	if (n)
		qsort(offers, n, sizeof(*offers), newest_first);
	*ret = offers;
	return n;
}

void package_offers_free(struct package_offer *offers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(offers[i].spec);
	free(offers);
}

static int explain_superseded(const struct packages *p, const char *name, const char *arch,
			      struct error *err)
{
	_cleanup_free_ char *series = NULL, *word = NULL;
	struct package gone = { .name = (char *)name };
	struct package_request r = { .kind = REQUEST_SERIES };
	const struct package *newest = NULL;

	split_name(&gone);
	if (gone.release) {
		r.series = series = series_of(gone.abi);
		r.flavour = gone.flavour;
		newest = packages_choose(p, &r, arch);
		word = flavour_word(gone.flavour, flavour_plain(arch));
	}
	if (newest)
		error_set(err, ENOENT,
			  "%s is no longer in the archive; the newest of its series is %s: "
			  "use debian:%s%s%s",
			  name, newest->name, series, *word ? "-" : "", word);
	free(gone.release);
	free(gone.abi);
	free(gone.flavour);
	return newest ? -ENOENT : 0;
}

int packages_explain_missing(const struct packages *p, const struct package_request *r,
			     const char *arch, struct error *err)
{
	_cleanup_strv_ struct strv names = { 0 };
	_cleanup_free_ char *list = NULL, *asked = NULL;
	struct package_offer *offers = NULL;
	size_t n;

	if (r->kind == REQUEST_PACKAGE && explain_superseded(p, r->package, arch, err) < 0)
		return -ENOENT;
	n = packages_offers(p, arch, &offers);
	for (size_t i = 0; i < n; i++)
		strv_add(&names, offers[i].spec);
	package_offers_free(offers, n);
	if (!names.n)
		return error_set(err, ENOENT,
				 "no suite that was read has kernel packages for %s: use another "
				 "arch=, or name other suites in the file suites, see ktoll(1)",
				 arch);
	list = strv_join(&names, ", ");
	if (r->kind == REQUEST_PACKAGE)
		asked = xasprintf("no kernel package %s", r->package);
	else if (r->kind == REQUEST_SERIES)
		asked = xasprintf("no Debian kernel %s%s%s", r->series, r->flavour ? "-" : "",
				  r->flavour ? r->flavour : "");
	else
		asked = xstrdup("no kernel of this release's own suites");
	return error_set(err, ENOENT, "apt offers %s for %s; it has %s", asked, arch, list);
}
