/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/studylive.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cmd/live.h"
#include "cmd/measure.h"
#include "engine/hostfacts.h"
#include "kernel/kconfig.h"
#include "model/arch.h"
#include "model/spec.h"

struct side {
	const struct study_part *part;
	const struct study_variant *variant;
};

static bool is_of_this_machine(const char *text)
{
	struct spec spec;
	bool is = spec_parse(text, &spec, NULL) == 0;

	if (is) {
		is = strcmp(spec.arch, arch_host()) == 0;
		spec_finish(&spec);
	}
	return is;
}

/* The one kernel that is named, in the one part that has it and is wanted. */
static int find_side(const struct study_run *s, struct side *ret)
{
	_cleanup_str_ struct str known = STR_INIT;
	size_t n = 0;

	for (size_t i = 0; i < s->study.n_parts; i++) {
		const struct study_part *p = &s->study.parts[i];

		for (size_t k = 0; k < p->n_variants; k++) {
			const struct study_variant *v = &p->variants[k];

			if (!is_of_this_machine(v->spec))
				continue;
			str_addf(&known, "%s%s of %s", known.len ? ", " : "", v->name, p->name);
			if (!strv_has(&s->only, v->name) || (study_run_names_part(s) && !strv_has(&s->only, p->name)))
				continue;
			*ret = (struct side){ p, v };
			n++;
		}
	}
	if (!known.len)
		return verb_usage(s->verb, "%s has no kernel of this machine's architecture, %s", s->name, arch_host());
	if (n != 1)
		return verb_usage(s->verb, "--engine live measures the kernel that runs: say with --only which of the study's it is, one of "
					   "%s", str_text(&known));
	return 0;
}

static bool has_word(const char *line, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = line; at && (at = strstr(at, word)); at++)
		if ((at == line || at[-1] == ' ') && (!at[n] || at[n] == ' ' || at[n] == '\n'))
			return true;
	return false;
}

/* "enforcing", "permissive" or "off"; static. */
static const char *selinux_state(void)
{
	_cleanup_free_ char *text = NULL;
	size_t n;

	if (file_read("/sys/fs/selinux/enforce", &text, &n, NULL) < 0)
		return "off";
	return *text == '1' ? "enforcing" : "permissive";
}

/* In a guest these parameters say what ktoll's init does; here it has been done by others. */
static const char *wanted_selinux(const char *param)
{
	static const char asked[] = "ktoll.selinux=";

	if (str_has_prefix(param, asked))
		return param + strlen(asked);
	return strcmp(param, "selinux=0") == 0 ? "off" : NULL;
}

static int check_param(const char *variant, const char *cmdline, const char *param, struct error *err)
{
	const char *selinux = wanted_selinux(param);

	if (selinux && strcmp(selinux, selinux_state()) != 0)
		return error_blame(err, ERROR_USAGE, EINVAL, "the running kernel is not '%s': SELinux is %s, and not %s", variant,
				   selinux_state(), selinux);
	if (selinux || str_has_prefix(param, "ktoll.") || strcmp(param, "selinux=1") == 0 || strcmp(param, "security=selinux") == 0)
		return 0;
	if (!has_word(cmdline, param))
		return error_blame(err, ERROR_USAGE, EINVAL, "the running kernel is not '%s': it was booted without %s", variant, param);
	return 0;
}

/* What the study asks of it, looked up in the configuration and on the command line that it runs with. */
static int check_kernel(const struct side *side, struct error *err)
{
	struct variant now;
	struct kconfig config = { 0 };
	struct spec spec;
	int r = spec_parse(side->variant->spec, &spec, err);

	if (r < 0)
		return r;
	hostfacts_variant(&now);
	if (now.kernel.config)
		kconfig_parse(now.kernel.config, strlen(now.kernel.config), &config);
	for (size_t i = 0; r == 0 && i < spec.n_options; i++) {
		const struct spec_option *o = &spec.options[i];

		if (!now.kernel.config)
			r = error_set(err, ENOENT, "the configuration of the running kernel is not known (/proc/config.gz, "
						   "/boot/config-%s): is it '%s'?", now.kernel.release, side->variant->name);
		else if (strcmp(kconfig_value(&config, o->name), o->value) != 0)
			r = error_blame(err, ERROR_USAGE, EINVAL, "the running kernel is not '%s': %s is %s, and not %s",
					side->variant->name, o->name, kconfig_value(&config, o->name), o->value);
	}
	for (size_t i = 0; r == 0 && i < spec.params.n; i++)
		r = check_param(side->variant->name, now.cmdline, spec.params.v[i], err);
	kconfig_finish(&config);
	variant_finish(&now);
	spec_finish(&spec);
	return r;
}

static int check_base(const struct side *side, const char *path, struct error *err)
{
	const char *base = side->part->variants[side->variant->base].name;
	_cleanup_record_ struct record *rec = NULL;
	struct run run = { 0 };
	bool is_there = false;
	int r;

	if (strcmp(base, side->variant->name) == 0)
		return 0;
	r = record_exists(path) ? record_open(path, false, &rec, err) : 0;
	if (r == 0 && rec)
		r = record_load(rec, &run, err);
	for (size_t i = 0; r == 0 && i < run.n_variants; i++)
		is_there |= strcmp(run.variants[i].name, base) == 0;
	run_finish(&run);
	if (r == 0 && !is_there)
		r = error_blame(err, ERROR_USAGE, ENOENT, "'%s' is compared with '%s', which is not in %s: boot into that one first",
				side->variant->name, base, path);
	return r;
}

static int measure(const struct study_run *s, const struct side *side, const struct measure *q, const char *path,
		   const struct show_options *show)
{
	_cleanup_strv_ struct strv workloads = { 0 };
	struct facts extra = { 0 };
	struct live_side l = {
		.verb = s->verb, .argc = s->argc, .argv = s->argv, .show = show, .name = side->variant->name, .output = path,
		.workloads = &workloads, .extra = &extra, .rounds = q->rounds, .block_ms = q->block_ms, .seed = q->plan.seed,
	};
	int status;

	study_run_workloads(s, side->part, &workloads);
	study_run_head(s, side->part, &extra);
	for (size_t i = 1; i < side->part->n_variants; i++) {
		_cleanup_free_ char *key = xasprintf("base.%s", side->part->variants[i].name);

		facts_add(&extra, key, side->part->variants[side->part->variants[i].base].name);
	}
	status = live_side(&l);
	facts_finish(&extra);
	return status;
}

static bool is_of_live(int key)
{
	return key == MEASURE_KEY_ROUNDS || key == MEASURE_KEY_BLOCK || key == MEASURE_KEY_SEED;
}

int study_live(const struct study_run *s, const struct show_options *show)
{
	_cleanup_error_ struct error err = ERROR_INIT;
	_cleanup_free_ char *folder = NULL, *path = NULL;
	struct measure q;
	struct side side = { 0 };
	int status = study_run_check(s), r;

	if (!status)
		status = find_side(s, &side);
	if (status)
		return status;
	r = check_kernel(&side, &err);
	if (r == 0)
		r = study_run_folder(s, &folder, &err);
	if (r == 0) {
		path = xasprintf("%s/%s-%s-live" RECORD_SUFFIX, folder, s->name, side.part->name);
		r = check_base(&side, path, &err);
	}
	if (r < 0)
		return verb_failed(r, &err);
	measure_init(&q, s->verb, s->argc, s->argv);
	for (size_t i = 0; !status && i < s->n_keys; i++)
		status = measure_option(&q, s->keys[i], s->values.v[i]);
	for (size_t i = 0; !status && i < s->n_keys; i++)
		if (!is_of_live(s->keys[i]))
			status = verb_usage(s->verb, "--engine live takes --rounds, --block and --seed: a boot is one of this machine");
	if (!status)
		status = measure(s, &side, &q, path, show);
	measure_finish(&q);
	return status;
}
