/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/preempt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "kernel/kconfig.h"

static bool is_on(const struct kconfig *c, const char *option)
{
	return strcmp(kconfig_value(c, option), "y") == 0;
}

const char *preempt_models(const char *config, const char *release)
{
	unsigned major = 0, minor = 0;
	struct kconfig c;
	bool dynamic, rt, lazy;

	kconfig_parse(config, strlen(config), &c);
	dynamic = is_on(&c, "PREEMPT_DYNAMIC");
	rt = is_on(&c, "PREEMPT_RT");
	lazy = is_on(&c, "ARCH_HAS_PREEMPT_LAZY"); /* from 6.13, where the architecture has it */
	kconfig_finish(&c);
	if (!dynamic)
		return "";
	if (release)
		sscanf(release, "%u.%u", &major, &minor);
	if (rt)
		return lazy ? "full lazy" : "full";
	if (!lazy)
		return "none voluntary full";
	/* 7.0 gave none and voluntary up wherever there is lazy. */
	return major >= 7 ? "full lazy" : "none voluntary full lazy";
}

static bool has_word(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *w = words; *w; w += strspn(w, " ")) {
		size_t len = strcspn(w, " ");

		if (len == n && memcmp(w, word, n) == 0)
			return true;
		w += len;
	}
	return false;
}

int preempt_check(const struct kernel *k, const struct strv *params, struct error *err)
{
	const char *asked = NULL, *models;

	/* Of two the kernel takes the last. */
	for (size_t i = 0; i < params->n; i++)
		if (str_has_prefix(params->v[i], "preempt="))
			asked = params->v[i] + strlen("preempt=");
	if (!asked || !k->config)
		return 0;
	models = preempt_models(k->config, k->release);
	if (has_word(models, asked))
		return 0;
	if (!*models)
		return error_blame(err, ERROR_KERNEL, EINVAL,
				   "preempt=%s has no effect: this kernel cannot change its preemption "
				   "model at boot (no PREEMPT_DYNAMIC)", asked);
	return error_blame(err, ERROR_KERNEL, EINVAL, "preempt=%s: this kernel has only: %s", asked,
			   models);
}
