/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small kernel tree in text: preemption options in the shape of the real
 * ones, and whatever else the language has.
 */
#ifndef KTOLL_MINIKCONFIG_H
#define KTOLL_MINIKCONFIG_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "kernel/kconfigtree.h"

static const char mini_top[] =
	"# the whole tree\n"
	"mainmenu \"Mini/$(ARCH) $(KERNELVERSION)\"\n"
	"comma := ,\n"
	"cc-option = $(success,$(CC) -Werror $(1) -c -x c /dev/null -o /dev/null)\n"
	"$(error-if,$(failure,command -v $(CC)),no compiler)\n"
	"\n"
	"config MODULES\n"
	"\tbool \"Loadable modules\"\n"
	"\tmodules\n"
	"\thelp\n"
	"\t  Text with words of the language:\n"
	"\t    config NOT_ME\n"
	"\n"
	"\t  select NOT_ME_EITHER\n"
	"config EXPERT\n"
	"\tbool \"For experts\"\n"
	"config CC_VERSION_TEXT\n"
	"\tstring\n"
	"\tdefault \"$(CC_VERSION_TEXT)\"\n"
	"config CC_HAS_FENCE\n"
	"\tdef_bool $(cc-option,-mfence=(a$(comma)b))\n"
	"config FENCE\n"
	"\tbool \"Fences\" if EXPERT\n"
	"\tdepends on CC_HAS_FENCE && \\\n"
	"\t\t!64BIT\n"
	"\tdefault y\n"
	"source \"kernel/Kconfig.$(SUB)\"\n"
	"source \"arch/$(SRCARCH)/Kconfig\"\n"
	"source \"$(UNKNOWN)/Kconfig\"\n";

static const char mini_preempt[] =
	"config PREEMPT_BUILD\n"
	"\tbool\n"
	"\tselect PREEMPTION\n"
	"\tselect UNINLINE_SPIN_UNLOCK if !ARCH_INLINE_SPIN_UNLOCK\n"
	"config PREEMPT_VOLUNTARY_BUILD\n"
	"\tbool\n"
	"choice\n"
	"\tprompt \"Model\"\n"
	"\tdefault PREEMPT_NONE\n"
	"config PREEMPT_NONE\n"
	"\tbool \"None\"\n"
	"config PREEMPT_VOLUNTARY\n"
	"\tbool \"Voluntary\"\n"
	"\tdepends on !ARCH_NO_PREEMPT\n"
	"\tselect PREEMPT_VOLUNTARY_BUILD if !PREEMPT_DYNAMIC\n"
	"config PREEMPT\n"
	"\tbool \"Full\"\n"
	"\tdepends on !ARCH_NO_PREEMPT\n"
	"\tselect PREEMPT_BUILD\n"
	"if EXPERT\n"
	"config PREEMPT_RT\n"
	"\tbool \"Real time\"\n"
	"\tdepends on ARCH_SUPPORTS_RT\n"
	"\tselect PREEMPTION\n"
	"endif\n"
	"endchoice\n"
	"config PREEMPT_COUNT\n"
	"       bool\n"
	"config PREEMPTION\n"
	"       bool\n"
	"       select PREEMPT_COUNT\n"
	"config PREEMPT_DYNAMIC\n"
	"\tbool \"Chosen at boot\"\n"
	"\tdepends on HAVE_PREEMPT_DYNAMIC\n"
	"\tselect PREEMPT_BUILD\n"
	"config PREEMPT_RCU\n"
	"\tbool\n"
	"\tdefault y if PREEMPTION\n"
	"config TASKS_RCU\n"
	"\tdef_bool PREEMPTION\n"
	"\tdepends on NEED_TASKS_RCU\n"
	"config NEED_TASKS_RCU\n"
	"\tbool\n"
	"\tdefault y\n"
	"config UNINLINE_SPIN_UNLOCK\n"
	"\tbool\n"
	"if !DEBUG_SPINLOCK\n"
	"config INLINE_READ_UNLOCK\n"
	"\tdef_bool y\n"
	"\tdepends on !PREEMPTION || ARCH_INLINE_READ_UNLOCK\n"
	"endif\n"
	"config DEBUG_SPINLOCK\n"
	"\tbool \"Check spinlocks\"\n"
	"\tselect UNINLINE_SPIN_UNLOCK\n"
	"menu \"Debugging\"\n"
	"\tdepends on DEBUG_KERNEL\n"
	"config DEBUG_PREEMPT\n"
	"\tbool \"Check preemption\"\n"
	"\tdepends on PREEMPTION\n"
	"config DEBUG_ATOMIC_SLEEP\n"
	"\tbool \"Sleep in atomic\"\n"
	"\tselect PREEMPT_COUNT\n"
	"endmenu\n"
	"config DEBUG_KERNEL\n"
	"\tbool \"Debugging options\"\n"
	"config NR_CPUS\n"
	"\tint \"CPUs\"\n"
	"\trange 2 64 if EXPERT\n"
	"\trange 1 8\n"
	"\tdefault 8 if PREEMPTION\n"
	"\tdefault 4\n"
	"config NR_QUEUES\n"
	"\tint\n"
	"\tdefault NR_CPUS\n"
	"config WIDE\n"
	"\tdef_bool NR_CPUS >= 8\n"
	"config NET_TEST\n"
	"\ttristate \"Net\"\n"
	"\tdepends on m || EXPERT\n"
	"\timply TEXT_HELPER\n"
	"config TEXT_HELPER\n"
	"\tbool \"Helper\"\n"
	"config TICKS\n"
	"\tint\n"
	"\tdefault 1000 if EXPERT\n"
	"\tdefault 250\n";

static const char mini_arch[] =
	"config X86\n"
	"\tdef_bool y\n"
	"\tselect HAVE_PREEMPT_DYNAMIC if HAVE_CALLS\n"
	"config HAVE_CALLS\n"
	"\tdef_bool y\n"
	"config HAVE_PREEMPT_DYNAMIC\n"
	"\tbool\n"
	"config 64BIT\n"
	"\tbool \"64 bit\" if \"$(ARCH)\" = \"x86\"\n"
	"\tdefault \"$(ARCH)\" != \"i386\"\n"
	"config ARCH_SUPPORTS_RT\n"
	"\tbool\n"
	"config EXPERT\n"
	"\tdefault y if 64BIT = n\n"
	"\ttransitional\n";

static int mini_read(void *data, const char *path, char **ret, size_t *ret_n_bytes)
{
	const char *text = strcmp(path, "Kconfig") == 0		       ? mini_top :
			   strcmp(path, "kernel/Kconfig.preempt") == 0 ? mini_preempt :
			   strcmp(path, "arch/x86/Kconfig") == 0       ? mini_arch :
									 NULL;

	(void)data;
	if (!text)
		return -ENOENT;
	*ret = xstrdup(text);
	*ret_n_bytes = strlen(text);
	return 0;
}

static inline int mini_parse(struct kconfigtree *ret)
{
	static const struct kconfigtree_variable variables[] = {
		{ "ARCH", "x86_64" }, { "SRCARCH", "x86" }, { "SUB", "preempt" }
	};

	return kconfigtree_parse(mini_read, NULL, "Kconfig", variables, ARRAY_SIZE(variables), ret,
				 NULL);
}

/* What all configs of it have, whatever the preemption. */
#define MINI_ALWAYS                                                                                \
	"CONFIG_X86=y\nCONFIG_64BIT=y\nCONFIG_HAVE_CALLS=y\nCONFIG_HAVE_PREEMPT_DYNAMIC=y\n"       \
	"CONFIG_NEED_TASKS_RCU=y\nCONFIG_CC_HAS_FENCE=y\n"

#define MINI_VOLUNTARY                                                                             \
	MINI_ALWAYS "CONFIG_PREEMPT_VOLUNTARY=y\nCONFIG_PREEMPT_VOLUNTARY_BUILD=y\n"               \
		    "CONFIG_INLINE_READ_UNLOCK=y\nCONFIG_NR_CPUS=4\nCONFIG_NR_QUEUES=4\n"

#define MINI_DYNAMIC                                                                               \
	MINI_ALWAYS "CONFIG_PREEMPT_VOLUNTARY=y\nCONFIG_PREEMPT_DYNAMIC=y\n"                       \
		    "CONFIG_PREEMPT_BUILD=y\nCONFIG_PREEMPTION=y\nCONFIG_PREEMPT_COUNT=y\n"        \
		    "CONFIG_PREEMPT_RCU=y\nCONFIG_TASKS_RCU=y\nCONFIG_UNINLINE_SPIN_UNLOCK=y\n"    \
		    "CONFIG_NR_CPUS=8\nCONFIG_NR_QUEUES=8\nCONFIG_WIDE=y\n"

#endif
