/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/debsearch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/str.h"
#include "sys/folder.h"

DEFINE_CLEANUP(struct apt *, apt_free)

struct group {
	struct apt *apt; /* NULL until it is looked at, and for a group without suites */
	uint64_t age_s;
};

struct search {
	struct debsearch *s;
	bool has_fallback; /* what the cache has may do for when the archive cannot be asked */
	struct group groups[SUITES_GROUPS];
	struct packages packages;
	struct error why; /* the first failure to read lists */
	int why_rc;
};

void debsearch_tell(const struct debsearch *s, const char *sentence)
{
	if (s->progress)
		s->progress(s->data, sentence);
}

/* ---- what the cache knows ---- */

enum known { KNOWN_NOT, KNOWN_OLD, KNOWN_FRESH };

static enum known look_in_index(const struct debsearch *s, struct debindex_entry *ret)
{
	uint64_t now = (uint64_t)time(NULL);

	if (debindex_resolved(s->cache.dir, s->arch, s->key, ret) < 0)
		return KNOWN_NOT;
	if (!s->ops->has(s, ret->package, ret->version)) {
		debindex_entry_finish(ret);
		return KNOWN_NOT;
	}
	return ret->time_s > now || now - ret->time_s >= LISTS_FRESH_S ? KNOWN_OLD : KNOWN_FRESH;
}

/* ---- the lists ---- */

/* The packages of a group's lists, which know where they came from. */
static int add_packages(struct apt *apt, unsigned group, struct packages *ret, struct error *err)
{
	size_t first = ret->n;
	int r = apt_packages(apt, ret, err);

	for (size_t i = first; i < ret->n; i++)
		ret->v[i].group = group;
	return r;
}

static int update(struct search *q, enum suite_group g, struct error *err)
{
	int r = lists_update(q->s->cache.dir, g, q->groups[g].apt, q->s->progress, q->s->data, err);

	if (r == 0)
		q->groups[g].age_s = 0;
	return r;
}

/* Adds the group's packages, from lists that are less than a day old where that can be had. */
static int read_group(struct search *q, enum suite_group g, struct error *err)
{
	_cleanup_error_ struct error failed = ERROR_INIT;
	struct group *group = &q->groups[g];
	int r = lists_open(q->s->cache.dir, g, q->s->arch, &group->apt, err);

	if (r < 0 || !group->apt)
		return r;
	group->age_s = apt_lists_age_s(group->apt);
	/* One long wait for a network that is not there is enough. */
	if (group->age_s >= LISTS_FRESH_S && q->why_rc != -ENETUNREACH) {
		r = update(q, g, &failed);
		/* Old lists could choose an older kernel than the fallback, never a newer one. */
		if (r < 0 && (!lists_is_about_archive(r) || q->has_fallback)) {
			*err = failed;
			failed = ERROR_INIT;
			return r;
		}
		if (r < 0 && q->why_rc == 0) {
			q->why_rc = r;
			q->why = failed;
			failed = ERROR_INIT;
		}
	}
	return add_packages(group->apt, g, &q->packages, err);
}

/* Reads anew what is older than a moment; 0 if nothing is. */
static int read_anew(struct search *q, struct error *err)
{
	struct packages packages = { 0 };
	bool any = false;
	int r = 0;

	for (int g = 0; r == 0 && g < SUITES_GROUPS; g++)
		if (q->groups[g].apt && q->groups[g].age_s >= LISTS_JUST_READ_S &&
		    q->groups[g].age_s < LISTS_FRESH_S) {
			any = true;
			r = update(q, g, err);
		}
	for (int g = 0; r == 0 && any && g < SUITES_GROUPS; g++)
		if (q->groups[g].apt)
			r = add_packages(q->groups[g].apt, (unsigned)g, &packages, err);
	if (r < 0 || !any) {
		packages_finish(&packages);
		return r;
	}
	packages_finish(&q->packages);
	q->packages = packages;
	return 1;
}

/* Lists which were never complete know nothing of what is missing in them. */
static bool is_never_complete(const struct search *q)
{
	for (int g = 0; g < SUITES_GROUPS; g++)
		if (q->groups[g].apt && q->groups[g].age_s == UINT64_MAX)
			return true;
	return false;
}

static int explain_missing(struct search *q, struct error *err)
{
	if (q->why_rc < 0 && is_never_complete(q)) {
		*err = q->why;
		q->why = ERROR_INIT;
		return q->why_rc;
	}
	return q->s->ops->explain(q->s, &q->packages, err);
}

static int choose(struct search *q, const struct package **ret, struct error *err)
{
	const struct package *p = NULL;
	int r = 0;

	for (int g = 0; !p && g < SUITES_GROUPS; g++) {
		r = read_group(q, g, err);
		if (r < 0)
			return r;
		p = q->s->ops->choose(q->s, &q->packages);
	}
	if (!p) {
		r = read_anew(q, err);
		/* What the lists say is worth more than "no network". */
		if (r < 0 && !lists_is_about_archive(r))
			return r;
		if (r < 0)
			error_finish(err);
		p = r > 0 ? q->s->ops->choose(q->s, &q->packages) : NULL;
	}
	if (!p)
		return explain_missing(q, err);
	*ret = p;
	return 0;
}

/* ---- the download ---- */

static int fetch(struct search *q, const struct package *p, struct error *err)
{
	struct debsearch *s = q->s;
	_cleanup_free_ char *sentence = NULL, *dir = NULL;
	const struct package *parts[2];
	size_t n = packages_parts(&q->packages, p, parts);
	uint64_t bytes = 0;
	int r;

	for (size_t i = 0; i < n; i++)
		bytes += parts[i]->size_bytes;
	r = folder_check_room(s->cache.dir, bytes + s->ops->room_bytes(bytes), p->name, err);
	if (r == 0)
		r = debcache_scratch(&s->cache, &dir, err);
	if (r < 0)
		return r;
	sentence = xasprintf("fetching %s (%llu MB)", p->name,
			     (unsigned long long)((bytes + 500000) / 1000000));
	debsearch_tell(s, sentence);
	r = apt_download(q->groups[p->group].apt, dir, parts, n, err);
	if (r == 0)
		r = s->ops->store(s, dir, p, err);
	debcache_scratch_remove(&s->cache);
	if (r == 0 && !s->ops->has(s, p->name, p->version))
		r = error_set(err, EIO, "%s was fetched but cannot be read in %s", p->name,
			      s->cache.dir);
	return r;
}

/* In the cache, fetched if need be; from lists that name what is gone, once more with new ones. */
static int have(struct search *q, const struct package **p, struct error *err)
{
	_cleanup_error_ struct error failed = ERROR_INIT;
	int r = q->s->ops->has(q->s, (*p)->name, (*p)->version) ? 0 : fetch(q, *p, err);

	if (r != -ENOENT || read_anew(q, &failed) <= 0)
		return r;
	error_finish(err);
	*p = q->s->ops->choose(q->s, &q->packages);
	if (!*p)
		return explain_missing(q, err);
	return q->s->ops->has(q->s, (*p)->name, (*p)->version) ? 0 : fetch(q, *p, err);
}

/* ---- the search ---- */

static int remember(struct search *q, const struct package *p, struct error *err)
{
	uint64_t now = (uint64_t)time(NULL), age_s = 0;
	struct debindex_entry e = { .arch = (char *)q->s->arch,
				    .name = (char *)q->s->key,
				    .package = p->name,
				    .version = p->version };

	for (int g = 0; g < SUITES_GROUPS; g++)
		if (q->groups[g].apt && q->groups[g].age_s > age_s)
			age_s = q->groups[g].age_s;
	e.time_s = age_s < now ? now - age_s : 0;
	return debindex_remember(q->s->cache.dir, &e, err);
}

static int find_with_apt(struct search *q, char **ret_package, char **ret_version,
			 struct error *err)
{
	const struct package *p = NULL;
	int r = choose(q, &p, err);

	if (r == 0)
		r = have(q, &p, err);
	if (r == 0)
		r = remember(q, p, err);
	if (r < 0)
		return r;
	if (q->why_rc < 0) {
		_cleanup_free_ char *sentence = xasprintf(
			"%s; a newer kernel may be missing in what is there", error_text(&q->why));

		debsearch_tell(q->s, sentence);
	}
	*ret_package = xstrdup(p->name);
	*ret_version = xstrdup(p->version);
	return 0;
}

static int find(struct debsearch *s, struct debindex_entry *e, char **ret_package,
		char **ret_version, struct error *err)
{
	_cleanup_error_ struct error why = ERROR_INIT;
	struct search q = { .s = s };
	enum known known;
	int r = debcache_lock(&s->cache, s->progress, s->data, err);

	if (r < 0)
		return r;
	/* Another process may have fetched it while this one waited. */
	debindex_entry_finish(e);
	known = look_in_index(s, e);
	q.has_fallback = known == KNOWN_OLD;
	if (known != KNOWN_FRESH)
		r = find_with_apt(&q, ret_package, ret_version, &why);
	if (lists_is_about_archive(r) && q.has_fallback) {
		_cleanup_free_ char *sentence = xasprintf("%s; using %s %s from the cache",
							  error_text(&why), e->package, e->version);

		debsearch_tell(s, sentence);
		known = KNOWN_FRESH;
		r = 0;
	}
	if (known == KNOWN_FRESH) {
		*ret_package = TAKE_PTR(e->package);
		*ret_version = TAKE_PTR(e->version);
	}
	if (r < 0)
		error_blame(err, why.blame, r, "%s", error_text(&why));
	for (int g = 0; g < SUITES_GROUPS; g++)
		apt_free(q.groups[g].apt);
	packages_finish(&q.packages);
	error_finish(&q.why);
	return r;
}

int debsearch_find(struct debsearch *s, char **ret_package, char **ret_version, struct error *err)
{
	struct debindex_entry e = { 0 };
	int r = 0;

	if (look_in_index(s, &e) == KNOWN_FRESH) {
		*ret_package = TAKE_PTR(e.package);
		*ret_version = TAKE_PTR(e.version);
	} else {
		r = find(s, &e, ret_package, ret_version, err);
	}
	debindex_entry_finish(&e);
	return r;
}

void debsearch_lists(const struct debcache *cache, const char *arch, struct packages *ret)
{
	for (int g = 0; g < SUITES_GROUPS; g++) {
		_cleanup_(apt_freep) struct apt *apt = NULL;

		/* Without lists, without apt: there is nothing to offer, and no reason to fail. */
		if (!lists_exist(cache->dir, g, arch) ||
		    lists_open(cache->dir, g, arch, &apt, NULL) < 0 || !apt)
			continue;
		add_packages(apt, (unsigned)g, ret, NULL);
	}
}
