/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/kernelfind.h"

#include "cmd/progress.h"
#include "kernel/built.h"
#include "kernel/debian.h"
#include "kernel/image.h"
#include "kernel/imagefile.h"

static unsigned builds;
static bool is_compiling;

static void on_objects(void *unused, uint64_t done, uint64_t total, double elapsed_s)
{
	builds += !is_compiling;
	is_compiling = true;
	progress_objects(unused, done, total, elapsed_s);
}

unsigned kernel_builds(void)
{
	return builds;
}

int kernel_check(const struct spec *spec, struct error *err)
{
	const struct built_hooks hooks = { .note = progress_note };

	return spec_is_built(spec) ? built_check_patches(spec, &hooks, err) : 0;
}

int kernel_find(const struct spec *spec, struct kernel *ret, struct error *err)
{
	struct built_hooks hooks = { progress_note, on_objects, NULL };
	struct kernel k = { 0 };
	int r;

	is_compiling = false;
	if (spec_is_built(spec))
		return built_find(spec, &hooks, ret, err);
	if (spec->kind == SPEC_IMAGE)
		return imagefile_find(spec, progress_note, NULL, ret, err);
	r = debian_find(spec, progress_note, NULL, &k, err);
	if (r == 0)
		r = image_unpack(&k, err);
	if (r < 0)
		kernel_finish(&k);
	else
		*ret = k;
	return r;
}
