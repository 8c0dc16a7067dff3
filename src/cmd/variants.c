/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/variants.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "cmd/kernelfind.h"
#include "engine/machine.h"
#include "kernel/preempt.h"
#include "model/spec.h"

static bool name_taken(const struct run *run, const char *name)
{
	for (size_t i = 0; i < run->n_variants; i++)
		if (strcmp(run->variants[i].name, name) == 0)
			return true;
	return false;
}

/* The given name, or the spec without its source's prefix; numbered if it is there already. */
static char *variant_name(const struct run *run, const char *given, const char *spec)
{
	_cleanup_free_ char *name = xstrdup(given ? given : spec);

	if (!given && str_has_prefix(name, "image:")) {
		/* The file's name, and what else the spec says. */
		char *end = name + strcspn(name, ","), *slash = memrchr(name, '/', (size_t)(end - name));
		char *shorter = xstrdup(slash ? slash + 1 : name + strlen("image:"));

		free(name);
		name = shorter;
	} else if (!given && str_has_prefix(name, "debian:")) {
		const char *rest = name + strlen("debian:");
		char *shorter = xasprintf("%s%s", *rest && *rest != ',' ? "" : "newest", rest);

		free(name);
		name = shorter;
	}
	for (unsigned i = 2; name_taken(run, name); i++) {
		char *numbered = xasprintf("%.*s#%u", (int)strcspn(name, "#"), name, i);

		free(name);
		name = numbered;
	}
	return TAKE_PTR(name);
}

static int find_kernel(const struct spec *spec, struct kernel *ret, struct error *err)
{
	struct kernel k = { 0 };
	int r = kernel_find(spec, &k, err);

	if (r < 0)
		return r;
	r = preempt_check(&k, &spec->params, err);
	if (r < 0) {
		error_context(err, r, "%s", spec->text);
		kernel_finish(&k);
		return r;
	}
	*ret = k;
	return 0;
}

/* All guests of a run are of one architecture: instructions of two are not to be compared. */
static int check_arch(const char *arch, const char *first, const struct spec *spec,
		      struct error *err)
{
	if (!machine_find(arch))
		return error_blame(err, ERROR_USAGE, ENOTSUP, "%s: there is no machine for %s",
				   spec->text, arch);
	if (first && strcmp(arch, first) != 0)
		return error_blame(err, ERROR_USAGE, EINVAL,
				   "%s is for %s and the base for %s: instructions of two "
				   "architectures cannot be compared", spec->text, arch, first);
	return 0;
}

const char *variants_operand(const struct measure *q, const char *operand)
{
	for (size_t i = 0; i < q->names.n; i++)
		if (strcmp(q->names.v[i], operand) == 0)
			return q->specs.v[i];
	return operand;
}

/* Of an image only the file says what it is. */
int variants_check(const struct measure *q, char **operands, int n, struct error *err)
{
	const char *first = NULL;
	int r = 0;

	for (int i = 0; r == 0 && i < n; i++) {
		struct spec spec;

		r = spec_parse(variants_operand(q, operands[i]), &spec, err);
		if (r < 0)
			return r;
		if (spec.kind != SPEC_IMAGE) {
			r = check_arch(spec.arch, first, &spec, err);
			first = spec.arch; /* static */
		}
		if (r == 0)
			r = kernel_check(&spec, err);
		spec_finish(&spec);
	}
	return r;
}

static void add_setting(struct str *to, const char *mark, const char *setting)
{
	str_addf(to, ",%s", mark);
	for (const char *c = setting; *c; c++)
		str_add(to, *c == ',' ? "\\," : (char[]){ *c, '\0' });
}

static bool has_setting(const char *spec, const char *mark, const char *setting)
{
	_cleanup_str_ struct str wanted = STR_INIT;
	const char *at = spec;

	add_setting(&wanted, mark, setting);
	while ((at = strstr(at, str_text(&wanted)))) {
		at += wanted.len;
		if (!*at || *at == ',')
			return true;
	}
	return false;
}

/*
 * A spec with what the workloads need of the kernel: options if it is built here, and boot
 * parameters. Owned by the caller.
 */
static char *with_needs(const struct measure *q, const char *text, bool is_built)
{
	struct str s = STR_INIT;

	str_add(&s, text);
	for (size_t i = 0; i < q->asked.n; i++) {
		const struct workload *w = &q->asked.v[i].workload;

		for (size_t k = 0; is_built && k < w->options.n; k++)
			if (!has_setting(text, "", w->options.v[k]))
				add_setting(&s, "", w->options.v[k]);
		for (size_t k = 0; k < w->params.n; k++)
			if (!has_setting(text, "+", w->params.v[k]))
				add_setting(&s, "+", w->params.v[k]);
	}
	return str_take(&s);
}

char *variants_spec(const struct measure *q, const char *operand)
{
	const char *asked = variants_operand(q, operand);
	bool is_built = false;
	struct spec spec;

	if (spec_parse(asked, &spec, NULL) == 0) {
		is_built = spec_is_built(&spec);
		spec_finish(&spec);
	}
	return with_needs(q, asked, is_built);
}

int variants_refill(struct measure *q, size_t variant, struct error *err)
{
	struct variant *v = &q->run.variants[variant];
	struct kernel k = { 0 };
	struct spec spec;
	int r = spec_parse(v->spec, &spec, err);

	if (r < 0)
		return r;
	r = find_kernel(&spec, &k, err);
	spec_finish(&spec);
	if (r < 0)
		return r;
	kernel_finish(&v->kernel);
	v->kernel = k;
	return 0;
}

int variants_add(struct measure *q, const char *operand, struct error *err)
{
	const char *asked = variants_operand(q, operand), *given = asked == operand ? NULL : operand;
	_cleanup_free_ char *text = NULL;
	const char *first = q->run.n_variants ? q->run.variants[0].kernel.arch : NULL;
	struct spec spec;
	struct variant v = { 0 };
	int r = spec_parse(asked, &spec, err);

	if (r < 0)
		return r;
	spec_finish(&spec);
	text = variants_spec(q, operand);
	r = spec_parse(text, &spec, err);
	if (r < 0)
		return r;
	r = find_kernel(&spec, &v.kernel, err);
	if (r == 0 && (r = check_arch(v.kernel.arch, first, &spec, err)) < 0)
		kernel_finish(&v.kernel);
	if (r == 0) {
		v.name = variant_name(&q->run, given, asked);
		v.spec = xstrdup(text);
		v.cpu = TAKE_PTR(spec.cpu);
		q->plan.selinux |= initramfs_wants_selinux(&spec.params);
		v.params = spec.params;
		v.dropped = spec.dropped;
		spec.params = spec.dropped = (struct strv){ 0 };
		*ARRAY_ADD(q->run.variants, q->run.n_variants, q->cap_variants) = v;
	}
	spec_finish(&spec);
	return r;
}
