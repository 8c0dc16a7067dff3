/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/built.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "kernel/buildcache.h"
#include "kernel/kbuild.h"
#include "kernel/kconfig.h"
#include "kernel/kconfigload.h"
#include "kernel/kconfigunmet.h"
#include "kernel/linuxsource.h"
#include "kernel/patched.h"
#include "kernel/patchfunctions.h"
#include "kernel/treestate.h"
#include "sys/filelock.h"
#include "sys/folder.h"

/* Goes up when the way of building changes, so that what was built another way is not used. */
#define RECIPE "2"

/* Objects of a small kernel, and what linking needs; a distribution's takes several times that. */
#define BUILD_BYTES (600ull << 20)

extern const char fragment_small[], fragment_small_x86_64[], fragment_small_ppc64le[],
	fragment_small_aarch64[], fragment_small_riscv64[];

/* One spec on its way. */
struct job {
	const struct spec *spec;
	const struct arch *arch;
	const struct built_hooks *hooks;
	char *tree;         /* as found: unpacked source, or the user's */
	char *content;      /* stands for what is in it */
	bool is_ours;       /* nobody edits it in place */
	char *package, *version; /* of linux-source */
	char *describe, *diff;   /* of the user's tree */
	char *patches;      /* digests */
	char *work;         /* the folder for this tree, architecture and compiler */
	int lock_fd;
	struct kbuild kb;
	struct built_config config;
};

static void job_finish(struct job *j)
{
	free(j->tree);
	free(j->content);
	free(j->package);
	free(j->version);
	free(j->describe);
	free(j->diff);
	free(j->patches);
	free(j->work);
	if (j->lock_fd >= 0)
		close(j->lock_fd);
	kbuild_finish(&j->kb);
	built_config_finish(&j->config);
}

void built_config_finish(struct built_config *c)
{
	free(c->tree);
	free(c->given);
	free(c->resolved);
	kernel_finish(&c->kernel);
	*c = (struct built_config){ 0 };
}

static void note(const struct job *j, const char *what)
{
	_cleanup_free_ char *sentence = xasprintf("%s %s", what, j->spec->text);

	if (j->hooks->note)
		j->hooks->note(j->hooks->data, sentence);
}

static void note_waiting(void *data)
{
	const struct job *j = data;

	if (j->hooks->note)
		j->hooks->note(j->hooks->data, "waiting for another ktoll that builds from this tree");
}

/* ---- the tree ---- */

static int find_source(struct job *j, struct error *err)
{
	struct linuxsource s;
	int r = linuxsource_find(j->spec, j->hooks->note, j->hooks->data, &s, err);

	if (r < 0)
		return r;
	j->content = xasprintf("%s %s", s.package, s.version);
	j->tree = TAKE_PTR(s.dir);
	j->package = TAKE_PTR(s.package);
	j->version = TAKE_PTR(s.version);
	j->is_ours = true;
	linuxsource_finish(&s);
	return 0;
}

static int find_tree(struct job *j, struct error *err)
{
	struct treestate t;
	int r = treestate_read(j->spec->name, &t, err);

	if (r < 0)
		return r;
	j->tree = TAKE_PTR(t.path);
	j->content = TAKE_PTR(t.content);
	j->describe = TAKE_PTR(t.describe);
	j->diff = TAKE_PTR(t.diff);
	treestate_finish(&t);
	return 0;
}

/* Everything that is known before anything is made. */
static int open_job(struct job *j, struct error *err)
{
	_cleanup_strv_ struct strv words = { 0 };
	_cleanup_free_ char *key = NULL, *copy = NULL;
	int r;

	j->arch = arch_find(j->spec->arch);
	r = j->spec->kind == SPEC_SOURCE ? find_source(j, err) : find_tree(j, err);
	if (r == 0)
		r = patched_digest(&j->spec->patches, &j->patches, err);
	if (r < 0)
		return r;
	strv_add(&words, j->tree);
	strv_add(&words, j->arch->name);
	strv_add(&words, j->spec->cc ? j->spec->cc : "gcc");
	strv_add(&words, *j->patches ? "patched" : "");
	key = buildcache_key(&words);
	r = buildcache_dir("work", key, &j->work, err);
	if (r < 0)
		return r;
	copy = path_join(j->work, "copy/tree");
	kbuild_init(&j->kb, *j->patches ? copy : j->tree, j->arch, j->spec->cc);
	return kbuild_check(&j->kb, err);
}

/* Configuring does not wait for a build of the same tree, unless they share a patched copy. */
static int lock(struct job *j, bool for_build, struct error *err)
{
	bool is_build = for_build || *j->patches;
	_cleanup_free_ char *path = path_join(j->work, is_build ? "lock" : "lock-config");
	int r = dir_make(j->work, err);

	if (r == 0)
		r = file_lock(path, note_waiting, j, err);
	if (r >= 0)
		j->lock_fd = r;
	return r < 0 ? r : 0;
}

static void unlock(struct job *j)
{
	if (j->lock_fd >= 0)
		close(j->lock_fd);
	j->lock_fd = -1;
}

/* The copy with the patches, where there are some. Needs the lock. */
static int make_copy(struct job *j, struct error *err)
{
	_cleanup_free_ char *dir = path_join(j->work, "copy"), *copy = NULL;
	int r;

	if (!*j->patches)
		return 0;
	r = dir_make(dir, err);
	if (r == 0)
		r = patched_make(dir, j->tree, j->content, j->is_ours, &j->spec->patches, &copy, err);
	return r;
}

/* Makes the tree ready, and an O= folder of its own for configuring and for building. */
static int enter(struct job *j, const char *name, struct error *err)
{
	_cleanup_free_ char *out = path_join(j->work, name);
	int r = make_copy(j, err);

	if (r == 0)
		r = kbuild_enter(&j->kb, out, j->spec->options, j->spec->n_options, err);
	return r;
}

/* ---- the configuration ---- */

static const char *small_of(const struct arch *arch)
{
	return strcmp(arch->name, "x86_64") == 0  ? fragment_small_x86_64 :
	       strcmp(arch->name, "ppc64le") == 0 ? fragment_small_ppc64le :
	       strcmp(arch->name, "aarch64") == 0 ? fragment_small_aarch64 :
						     fragment_small_riscv64;
}

static void add_debuginfo(struct str *st, const struct spec *spec, enum kbuild_base base)
{
	if (spec->debuginfo)
		str_add(st, "CONFIG_DEBUG_KERNEL=y\n# CONFIG_DEBUG_INFO_NONE is not set\n"
			    "CONFIG_DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT=y\n"
			    "# CONFIG_DEBUG_INFO_REDUCED is not set\n"
			    "# CONFIG_DEBUG_INFO_SPLIT is not set\n"
			    "# CONFIG_DEBUG_INFO_BTF is not set\n");
	else if (base != KBUILD_ALLNO && strcmp(spec->config, "debian") == 0)
		str_add(st, "CONFIG_DEBUG_INFO_NONE=y\n# CONFIG_DEBUG_INFO_BTF is not set\n");
}

/* The text that a configuration starts from, and how it is to be taken. */
static int config_text(struct job *j, enum kbuild_base *ret_base, char **ret, struct error *err)
{
	const struct spec *spec = j->spec;
	_cleanup_free_ char *text = NULL;
	struct str st = STR_INIT;
	int r = 0;

	*ret_base = KBUILD_TEXT;
	if (strcmp(spec->config, "small") == 0) {
		*ret_base = KBUILD_ALLNO;
		text = xasprintf("%s%s", fragment_small, small_of(j->arch));
	} else if (strcmp(spec->config, "defconfig") == 0) {
		*ret_base = KBUILD_DEFCONFIG;
		text = xstrdup("");
	} else if (strcmp(spec->config, "debian") == 0) {
		r = linuxsource_debian_config(spec, j->hooks->note, j->hooks->data, &text, err);
	} else {
		r = file_read(spec->config, &text, NULL, err);
		if (r < 0)
			error_context(err, r, "config=%s", spec->config);
	}
	if (r < 0)
		return r;
	str_addf(&st, "%s\n", text);
	/* Keys that are in Debian's build tree only. */
	if (strcmp(spec->config, "debian") == 0)
		str_add(&st, "CONFIG_SYSTEM_TRUSTED_KEYS=\"\"\nCONFIG_MODULE_SIG_KEY=\"\"\n");
	add_debuginfo(&st, spec, *ret_base);
	for (size_t i = 0; i < spec->n_options; i++)
		if (strcmp(spec->options[i].value, "n") == 0)
			str_addf(&st, "# %s is not set\n", spec->options[i].name);
		else
			str_addf(&st, "%s=%s\n", spec->options[i].name, spec->options[i].value);
	*ret = str_take(&st);
	return 0;
}

/* What decides what a build yields, whatever its configuration. */
static void add_origin(const struct job *j, struct strv *words)
{
	strv_add(words, RECIPE);
	strv_add(words, j->content);
	strv_add(words, j->patches);
	strv_add(words, j->arch->name);
	strv_add(words, j->kb.compiler);
	for (size_t i = 0; i < j->spec->n_options; i++)
		if (j->spec->options[i].is_forced)
			strv_addf(words, "%s=%s", j->spec->options[i].name, j->spec->options[i].value);
}

static int resolve(struct job *j, enum kbuild_base base, const char *text, const char *key,
		   struct error *err)
{
	struct built_config *c = &j->config;
	int r = lock(j, false, err);

	if (r < 0)
		return r;
	/* Another process may have resolved it while this one waited. */
	if (buildcache_load_config(key, &c->given, &c->resolved) < 0) {
		note(j, "configuring");
		r = enter(j, "config", err);
		if (r == 0)
			r = kbuild_config(&j->kb, base, text, &c->given, &c->resolved, err);
		if (r == 0)
			r = buildcache_store_config(key, c->given, c->resolved, err);
	}
	unlock(j);
	return r;
}

/* Kconfig drops what cannot be and says nothing: what was asked for is looked up in what came out. */
static int check_asked(const struct job *j, struct error *err)
{
	_cleanup_str_ struct str unmet = STR_INIT;
	struct kconfigtree tree = { 0 };
	struct kconfig resolved;
	int r = 0;

	kconfig_parse(j->config.resolved, strlen(j->config.resolved), &resolved);
	for (size_t i = 0; r == 0 && i < j->spec->n_options; i++) {
		const struct spec_option *o = &j->spec->options[i];
		const char *value = kconfig_value(&resolved, o->name);
		_cleanup_free_ char *why = NULL;

		if (strcmp(value, o->value) == 0)
			continue;
		if (!tree.n_files)
			r = kconfigload_tree(j->config.tree, j->arch->name, &tree, err);
		if (r == 0)
			why = kconfigunmet_reason(&tree, &resolved, o->name, o->value);
		str_addf(&unmet, "\n  %s=%s comes out as %s%s%s", o->name + strlen("CONFIG_"), o->value,
			 value, why ? ": " : "", why ? why : "");
	}
	kconfig_finish(&resolved);
	kconfigtree_finish(&tree);
	if (r == 0 && unmet.len)
		r = error_blame(err, ERROR_KERNEL, EINVAL, "%s cannot be configured as it was asked for:%s",
				j->spec->text, unmet.s);
	return r;
}

static int configure(struct job *j, struct error *err)
{
	_cleanup_strv_ struct strv words = { 0 };
	_cleanup_free_ char *text = NULL, *key = NULL;
	enum kbuild_base base = KBUILD_TEXT;
	int r = open_job(j, err);

	if (r == 0)
		r = config_text(j, &base, &text, err);
	if (r < 0)
		return r;
	add_origin(j, &words);
	strv_addf(&words, "base %d", base);
	strv_add(&words, text);
	key = buildcache_key(&words);
	if (buildcache_load_config(key, &j->config.given, &j->config.resolved) < 0)
		r = resolve(j, base, text, key, err);
	if (r == 0) {
		j->config.tree = xstrdup(j->kb.tree);
		r = check_asked(j, err);
	}
	return r;
}

static char *kernel_key(const struct job *j)
{
	_cleanup_strv_ struct strv words = { 0 };

	add_origin(j, &words);
	strv_add(&words, j->config.resolved);
	return buildcache_key(&words);
}

int built_check_patches(const struct spec *spec, const struct built_hooks *hooks, struct error *err)
{
	_cleanup_(job_finish) struct job j = { .spec = spec, .hooks = hooks, .lock_fd = -1 };
	int r = 0;

	if (!spec->patches.n)
		return 0;
	if (spec->kind == SPEC_SOURCE)
		r = find_source(&j, err);
	return r < 0 ? r : patched_check(j.tree ? j.tree : spec->name, &spec->patches, err);
}

int built_configure(const struct spec *spec, const struct built_hooks *hooks,
		    struct built_config *ret, struct error *err)
{
	_cleanup_(job_finish) struct job j = { .spec = spec, .hooks = hooks, .lock_fd = -1 };
	_cleanup_free_ char *key = NULL;
	int r = configure(&j, err);

	if (r == 0) {
		key = kernel_key(&j);
		buildcache_load_kernel(key, j.arch, &j.config.kernel);
		*ret = j.config;
		j.config = (struct built_config){ 0 };
	}
	return r;
}

/* ---- the kernel ---- */

/* What make is asked for, and what QEMU starts if it is not vmlinux itself. */
static void choose_targets(const struct job *j, struct strv *targets, const char **ret_image)
{
	struct kconfig c;

	*ret_image = NULL;
	kconfig_parse(j->config.resolved, strlen(j->config.resolved), &c);
	if (strcmp(j->arch->srcarch, "x86") == 0 && strcmp(kconfig_value(&c, "PVH"), "y") != 0) {
		strv_add(targets, "bzImage");
		*ret_image = "arch/x86/boot/bzImage";
	} else if (strcmp(j->arch->srcarch, "arm64") == 0) {
		strv_add(targets, "Image");
		*ret_image = "arch/arm64/boot/Image";
	} else if (strcmp(j->arch->srcarch, "riscv") == 0) {
		strv_add(targets, "Image");
		*ret_image = "arch/riscv/boot/Image";
	} else {
		strv_add(targets, "vmlinux");
	}
	kconfig_finish(&c);
}

static int store(const struct job *j, const char *key, const char *image, struct error *err)
{
	const char *out = j->kb.out;
	_cleanup_free_ char *vmlinux = path_join(out, "vmlinux");
	_cleanup_free_ char *image_path = image ? path_join(out, image) : NULL;
	_cleanup_free_ char *release_path = path_join(out, "include/config/kernel.release");
	_cleanup_free_ char *release = NULL;
	struct built_files files = { .vmlinux = vmlinux,
				     .image = image_path,
				     .compiler = j->kb.compiler,
				     .resolved = j->config.resolved,
				     .arch = j->arch->name,
				     .spec = j->spec->text };
	int r = file_read(release_path, &release, NULL, err);

	if (r < 0)
		return r;
	release[strcspn(release, "\n")] = 0;
	files.release = release;
	return buildcache_store_kernel(key, &files, err);
}

static int build(struct job *j, const char *key, struct error *err)
{
	_cleanup_strv_ struct strv targets = { 0 };
	_cleanup_free_ char *sentence = NULL;
	const char *image;
	uint64_t objects;
	int r = folder_check_room(j->work, BUILD_BYTES, "building a kernel", err);

	choose_targets(j, &targets, &image);
	if (r == 0)
		r = enter(j, "build", err);
	if (r < 0)
		return r;
	note(j, "building");
	r = kbuild_make(&j->kb, j->config.resolved, &targets, j->hooks->objects,
			j->hooks->data, &objects, err);
	if (r < 0)
		return error_context(err, r, "%s", j->spec->text);
	sentence = xasprintf("built %s: %llu objects", j->spec->text, (unsigned long long)objects);
	if (j->hooks->note)
		j->hooks->note(j->hooks->data, sentence);
	return store(j, key, image, err);
}

static int find(struct job *j, struct kernel *ret, struct error *err)
{
	_cleanup_free_ char *key = NULL;
	int r = configure(j, err);

	if (r < 0)
		return r;
	key = kernel_key(j);
	if (buildcache_load_kernel(key, j->arch, ret) == 0)
		return 0;
	r = lock(j, true, err);
	if (r < 0)
		return r;
	if (buildcache_load_kernel(key, j->arch, ret) == 0)
		return 0;
	r = build(j, key, err);
	if (r == 0 && buildcache_load_kernel(key, j->arch, ret) < 0)
		r = error_set(err, EIO, "%s was built but cannot be read in the cache", j->spec->text);
	return r;
}

int built_find(const struct spec *spec, const struct built_hooks *hooks, struct kernel *ret,
	       struct error *err)
{
	_cleanup_(job_finish) struct job j = { .spec = spec, .hooks = hooks, .lock_fd = -1 };
	struct kernel k = { 0 };
	int r = find(&j, &k, err);

	if (r < 0)
		return r;
	k.source = xstrdup(spec->source);
	r = patch_functions(&spec->patches, &k.patch_functions, err);
	if (r < 0) {
		kernel_finish(&k);
		return r;
	}
	k.package = TAKE_PTR(j.package);
	k.version = TAKE_PTR(j.version);
	k.tree = TAKE_PTR(j.describe);
	k.tree_diff = TAKE_PTR(j.diff);
	*ret = k;
	return 0;
}
