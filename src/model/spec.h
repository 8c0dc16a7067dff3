/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel spec: `SOURCE[,SETTING]...`, one comma list in which `\,` is a
 * literal comma. man/ktoll.1 has the table of sources and settings. Parsing
 * looks at nothing outside the text.
 */
#ifndef KTOLL_SPEC_H
#define KTOLL_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/str.h"
#include "model/arch.h"

enum spec_kind {
	SPEC_DEBIAN, /* debian:[VERSION[-FLAVOUR]|PACKAGE] */
	SPEC_SOURCE, /* source:VERSION */
	SPEC_TREE,   /* tree:PATH */
	SPEC_IMAGE,  /* image:PATH */
};

/* An option that is asked for: `OPTION=VALUE` or `force:OPTION=VALUE`. */
struct spec_option {
	char *name;  /* with CONFIG_ */
	char *value; /* as in a .config: y, n, m, 250, 0x100, "text" */
	bool is_forced;
};

struct spec {
	char *text;         /* as given */
	enum spec_kind kind;
	char *source;       /* the source part with its prefix: "debian:6.1-rt" */
	const char *name;   /* what follows the prefix, in `source`: "6.1-rt", "" for the newest */
	const char *arch;   /* "x86_64" …, static; the host's unless said */
	bool is_arch_said;
	char *cpu;          /* NULL unless said */
	struct strv params;  /* boot parameters in their order, without the '+' */
	struct strv dropped; /* ktoll's boot parameters to leave out, without the '-' */
	/* For kernels that are built; elsewhere they are refused. */
	char *config;       /* "small", "debian", "defconfig" or a file; never NULL for these */
	struct spec_option *options; /* in their order; of two with one name the last holds */
	size_t n_options, cap_options;
	struct strv patches; /* files */
	char *cc;           /* "gcc" or "clang"; NULL unless said */
	bool debuginfo;
	/* For an image. */
	char *vmlinux, *config_file; /* NULL unless said */
};

/*
 * -EINVAL with the spec, a caret under the place and what is expected there.
 * On failure nothing is owned by the caller.
 */
int spec_parse(const char *text, struct spec *ret, struct error *err);
void spec_finish(struct spec *s);

/* Is it built here, from source: or tree:? */
bool spec_is_built(const struct spec *s);

#endif
