/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own build system, driven from outside: one source tree, one
 * architecture, one compiler, and an O= folder at a time. The tree is only read.
 * Whoever calls holds the lock of the O= folder.
 *
 * kbuild_init() and kbuild_check(), then per O= folder kbuild_enter(), and
 * kbuild_config() as often as wanted or kbuild_make().
 */
#ifndef KTOLL_KBUILD_H
#define KTOLL_KBUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "model/arch.h"
#include "model/spec.h"

struct kbuild {
	const struct arch *arch;
	char *tree;      /* the source */
	char *out;       /* O=; after kbuild_enter() */
	char *log;       /* what make said in the last kbuild_make() */
	char *cross;     /* CROSS_COMPILE=: "powerpc64le-linux-gnu-", "" for the host's own */
	char *cc;        /* "powerpc64le-linux-gnu-gcc-12" */
	char *kconfig;   /* the top Kconfig to use instead of the tree's; NULL for that one */
	char *compiler;  /* first line of the compiler's --version; after kbuild_check() */
	bool has_ccache; /* after kbuild_check() */
};

/* `cc` as in a spec, NULL for gcc. Looks at nothing. */
void kbuild_init(struct kbuild *kb, const char *tree, const struct arch *arch, const char *cc);
void kbuild_finish(struct kbuild *kb);

/* Are make, the compilers and the other tools there? -ENOENT names the first that is not, and its package. */
int kbuild_check(struct kbuild *kb, struct error *err);

/* The command that installs what building for an architecture lacks here: "apt install flex …"; NULL if nothing. Owned by the caller. */
char *kbuild_packages(const struct arch *arch);

/* Where a configuration starts from. */
enum kbuild_base {
	KBUILD_ALLNO,     /* everything off that `text` does not name */
	KBUILD_DEFCONFIG, /* the architecture's default, and `text` on top */
	KBUILD_TEXT,      /* `text`, and the default for what it does not name */
};

/*
 * Works in the O= folder `out`, which is made if it is not there, from now on. Options that
 * are forced need the tree: the O= folder gets a top Kconfig file in which each has one more
 * definition in front of all others, without a condition, whose default is the value. Without
 * them the tree's own is used.
 */
int kbuild_enter(struct kbuild *kb, const char *out, const struct spec_option *options, size_t n,
		 struct error *err);

/*
 * Resolves a configuration in the O= folder. `text` has lines of a .config, of
 * two lines for one option the last holds. `ret_given` is what was fed to the
 * kernel's configurator, `ret_resolved` what came out; both owned by the caller.
 */
int kbuild_config(const struct kbuild *kb, enum kbuild_base base, const char *text,
		  char **ret_given, char **ret_resolved, struct error *err);


/* Called now and then. `total` is what make has to compile this time, objects. */
typedef void (*kbuild_progress)(void *data, uint64_t done, uint64_t total, double elapsed_s);

/*
 * Builds `targets` (such as "vmlinux") with this resolved configuration.
 * `ret_objects` is the number of objects compiled. A tree that does not build
 * is the kernel's fault, and the error has its first error lines; -ENOSPC,
 * -ENOMEM and -ECANCELED are not.
 */
int kbuild_make(const struct kbuild *kb, const char *resolved, const struct strv *targets,
		kbuild_progress progress, void *data, uint64_t *ret_objects, struct error *err);

#endif
