/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain/mechanism.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/arch.h"
#include "model/embedded.h"
#include "sys/yaml.h"

extern const struct embedded embed_mechanisms[], embed_mechanisms_end[];

static const char *const site_names[] = { [SITE_BARRIER] = "barrier",
					  [SITE_ATOMIC] = "atomic",
					  [SITE_PATCHED] = "patched",
					  [SITE_STACK] = "stack",
					  [SITE_ENTRY] = "entry" };

const char *mechanism_rule_name(enum mechanism_rule rule)
{
	static const char *const names[RULE_N] = { "per-CPU operand", "call", "inlined", "function",
						   "instruction" };

	return names[rule];
}

static void finish(struct mechanism *m)
{
	free(m->name);
	free(m->about);
	strv_finish(&m->options);
	strv_finish(&m->functions);
	strv_finish(&m->inlined);
	for (size_t i = 0; i < m->n_percpu; i++)
		free(m->percpu[i].symbol);
	free(m->percpu);
	*m = (struct mechanism){ 0 };
}

void mechanisms_finish(struct mechanisms *m)
{
	for (size_t i = 0; i < m->n; i++)
		finish(&m->v[i]);
	free(m->v);
	*m = (struct mechanisms){ 0 };
}

/* ---- reading ---- */

struct document {
	const struct yaml *yaml;
	const char *arch;
	bool is_for_arch; /* the current entry */
	struct error *err;
};

typedef int (*take_fn)(struct document *d, const struct yaml_node *n, struct mechanism *m);

static int take_text(struct document *d, const struct yaml_node *n, char **ret)
{
	_cleanup_free_ char *text = yaml_text(n);

	if (!text || !*text || *ret)
		return yaml_blame(d->yaml, n, d->err, "a text is wanted");
	*ret = TAKE_PTR(text);
	return 0;
}

static int take_list(struct document *d, const struct yaml_node *n, struct strv *ret)
{
	if (yaml_kind(n) != YAML_SEQUENCE)
		return yaml_blame(d->yaml, n, d->err, "a list is wanted: [a, b]");
	for (size_t i = 0; i < yaml_count(n); i++) {
		_cleanup_free_ char *text = yaml_text(yaml_item(n, i));

		if (!text || !*text)
			return yaml_blame(d->yaml, yaml_item(n, i), d->err, "a name is wanted");
		strv_add(ret, text);
	}
	return 0;
}

static int take_name(struct document *d, const struct yaml_node *n, struct mechanism *m)
{
	return take_text(d, n, &m->name);
}

static int take_about(struct document *d, const struct yaml_node *n, struct mechanism *m)
{
	return take_text(d, n, &m->about);
}

static int take_options(struct document *d, const struct yaml_node *n, struct mechanism *m)
{
	return take_list(d, n, &m->options);
}

static int take_functions(struct document *d, const struct yaml_node *n, struct mechanism *m)
{
	return take_list(d, n, &m->functions);
}

static int take_inlined(struct document *d, const struct yaml_node *n, struct mechanism *m)
{
	return take_list(d, n, &m->inlined);
}

/* "pcpu_hot+8" */
static int take_percpu(struct document *d, const struct yaml_node *n, struct mechanism *m)
{
	_cleanup_strv_ struct strv list = { 0 };
	int r = take_list(d, n, &list);

	for (size_t i = 0; r == 0 && i < list.n; i++) {
		char *plus = strchr(list.v[i], '+');
		uint64_t offset = 0;

		if (plus && str_to_u64(plus + 1, 0, 1u << 20, &offset) < 0)
			return yaml_blame(d->yaml, yaml_item(n, i), d->err,
					  "a variable is wanted, or one and an offset: pcpu_hot+8");
		*ARRAY_ADD(m->percpu, m->n_percpu, m->cap_percpu) = (struct mechanism_percpu){
			xstrndup(list.v[i], plus ? (size_t)(plus - list.v[i]) : strlen(list.v[i])),
			offset };
	}
	return r;
}

static int take_site(struct document *d, const struct yaml_node *n, struct mechanism *m)
{
	_cleanup_free_ char *text = yaml_text(n);

	for (size_t i = 1; i < ARRAY_SIZE(site_names); i++)
		if (str_equal(text, site_names[i])) {
			m->site = (enum mechanism_site)i;
			return 0;
		}
	return yaml_blame(d->yaml, n, d->err, "site is one of barrier, atomic, patched, stack, entry");
}

static int take_arch(struct document *d, const struct yaml_node *n, struct mechanism *m)
{
	_cleanup_strv_ struct strv list = { 0 };
	int r = take_list(d, n, &list);

	(void)m;
	for (size_t i = 0; r == 0 && i < list.n; i++)
		if (!str_equal(arch_from_name(list.v[i]), list.v[i]))
			return yaml_blame(d->yaml, yaml_item(n, i), d->err,
					  "an architecture is wanted: x86_64, ppc64le, aarch64, riscv64");
	d->is_for_arch = strv_has(&list, d->arch);
	return r;
}

static int take_entry(struct document *d, const struct yaml_node *entry, struct mechanism *m)
{
	static const struct {
		const char *key;
		take_fn take;
	} keys[] = {
		{ "mechanism", take_name },	 { "about", take_about },
		{ "options", take_options },	 { "functions", take_functions },
		{ "inlined", take_inlined },	 { "percpu", take_percpu },
		{ "site", take_site },		 { "arch", take_arch },
	};
	int r = 0;

	if (!entry || yaml_kind(entry) != YAML_MAPPING)
		return yaml_blame(d->yaml, entry, d->err, "a mechanism is wanted: its keys with values");
	d->is_for_arch = true;
	for (size_t i = 0; r == 0 && i < yaml_count(entry); i++) {
		const struct yaml_node *key = yaml_key(entry, i);
		_cleanup_free_ char *name = yaml_text(key);
		size_t k = 0;

		while (k < ARRAY_SIZE(keys) && !str_equal(name, keys[k].key))
			k++;
		r = k < ARRAY_SIZE(keys) ?
			    keys[k].take(d, yaml_item(entry, i), m) :
			    yaml_blame(d->yaml, key, d->err,
				       "unknown key; known: mechanism, about, options, functions, "
				       "inlined, percpu, site, arch");
	}
	if (r == 0 && !m->name)
		r = yaml_blame(d->yaml, entry, d->err, "mechanism: its name is wanted");
	return r;
}

static struct mechanism *find(struct mechanisms *m, const char *name)
{
	for (size_t i = 0; i < m->n; i++)
		if (strcmp(m->v[i].name, name) == 0)
			return &m->v[i];
	return NULL;
}

/* To one that is there; what it has already holds. */
static void add_rules(struct mechanism *to, struct mechanism *from)
{
	strv_add_all(&to->options, &from->options);
	strv_add_all(&to->functions, &from->functions);
	strv_add_all(&to->inlined, &from->inlined);
	for (size_t i = 0; i < from->n_percpu; i++)
		*ARRAY_ADD(to->percpu, to->n_percpu, to->cap_percpu) =
			(struct mechanism_percpu){ xstrdup(from->percpu[i].symbol),
						   from->percpu[i].offset };
	if (!to->site)
		to->site = from->site;
	finish(from);
}

int mechanisms_parse(struct mechanisms *m, const char *file, const char *text, size_t n_bytes,
		     const char *arch, struct error *err)
{
	_cleanup_yaml_ struct yaml *y = NULL;
	const struct yaml_node *root;
	int r = yaml_parse(file, text, n_bytes, &y, err);

	if (r < 0)
		return r;
	struct document d = { .yaml = y, .arch = arch, .err = err };

	root = yaml_root(y);
	if (!root || yaml_kind(root) != YAML_SEQUENCE)
		return yaml_blame(y, root, err, "a list of mechanisms is wanted");
	for (size_t i = 0; r == 0 && i < yaml_count(root); i++) {
		struct mechanism one = { 0 }, *there;

		r = take_entry(&d, yaml_item(root, i), &one);
		there = r == 0 && d.is_for_arch ? find(m, one.name) : NULL;
		if (there)
			add_rules(there, &one);
		else if (r == 0 && d.is_for_arch)
			*ARRAY_ADD(m->v, m->n, m->cap) = one;
		else
			finish(&one);
	}
	return r;
}

int mechanisms_load(struct mechanisms *ret, const char *arch, struct error *err)
{
	struct mechanisms m = { 0 };
	int r = 0;

	for (const struct embedded *e = embed_mechanisms; r == 0 && e < embed_mechanisms_end; e++)
		r = mechanisms_parse(&m, e->name, e->text, (size_t)(e->end - e->text), arch, err);
	if (r < 0) {
		mechanisms_finish(&m);
		return r;
	}
	*ret = m;
	return 0;
}

/* ---- asking ---- */

/* A pattern has a '*'; most are plain names. */
static bool is_named(const struct strv *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (strchr(list->v[i], '*') ? fnmatch(list->v[i], name, 0) == 0 :
					      strcmp(list->v[i], name) == 0)
			return true;
	return false;
}

int mechanisms_of_function(const struct mechanisms *m, const char *name)
{
	for (size_t i = 0; i < m->n; i++)
		if (is_named(&m->v[i].functions, name))
			return (int)i;
	return -1;
}

int mechanisms_of_inlined(const struct mechanisms *m, const char *name)
{
	for (size_t i = 0; i < m->n; i++)
		if (is_named(&m->v[i].inlined, name))
			return (int)i;
	return mechanisms_of_function(m, name);
}

int mechanisms_of_site(const struct mechanisms *m, enum mechanism_site site)
{
	for (size_t i = 0; i < m->n && site; i++)
		if (m->v[i].site == site)
			return (int)i;
	return -1;
}
