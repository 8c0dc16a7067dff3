/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/configside.h"

#include <errno.h>

#include "base/alloc.h"
#include "cmd/kernelfind.h"
#include "cmd/progress.h"
#include "kernel/built.h"
#include "kernel/kconfigload.h"

void config_side_finish(struct config_side *s)
{
	spec_finish(&s->spec);
	kernel_finish(&s->kernel);
	free(s->given);
	kconfigtree_finish(&s->tree);
}

static int side_configure(const struct spec *spec, struct config_side *ret, struct error *err)
{
	struct built_hooks hooks = { progress_note, NULL, NULL };
	struct built_config c;
	int r = built_configure(spec, &hooks, &c, err);

	if (r < 0)
		return r;
	ret->kernel = c.kernel;
	c.kernel = (struct kernel){ 0 };
	ret->given = TAKE_PTR(c.given);
	if (!ret->kernel.config)
		ret->kernel.config = TAKE_PTR(c.resolved);
	r = kconfigload_tree(c.tree, spec->arch, &ret->tree, err);
	built_config_finish(&c);
	return r;
}

/* Fills all but the spec: the one place that knows where a kernel's config comes from. */
static int side_resolve(const struct spec *spec, struct config_side *ret, struct error *err)
{
	int r;

	if (spec_is_built(spec))
		return side_configure(spec, ret, err);
	r = kernel_find(spec, &ret->kernel, err);
	if (r == 0 && !ret->kernel.config)
		r = error_set(err, ENODATA, "the configuration of %s is not known: name it with config=FILE",
			      spec->text);
	return r;
}

int config_side_make(const char *text, struct config_side *ret, struct error *err)
{
	int r = spec_parse(text, &ret->spec, err);

	return r < 0 ? r : side_resolve(&ret->spec, ret, err);
}

struct configdiff_side config_side_view(const struct config_side *s)
{
	return (struct configdiff_side){ .name = s->spec.text,
					 .config = s->kernel.config,
					 .given = s->given,
					 .asked = s->spec.options,
					 .n_asked = s->spec.n_options,
					 .tree = s->tree.n_files ? &s->tree : NULL };
}
