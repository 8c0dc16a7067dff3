/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel spec: `SOURCE[,SETTING]...`, one comma list in which `\,` is a
 * literal comma. SOURCE is `debian:[VERSION[-FLAVOUR]|PACKAGE]`; a SETTING is
 * `arch=ARCH`, `cpu=MODEL`, `+PARAM`, a boot parameter, or `-PARAM`, one of
 * ktoll's own boot parameters that is to be left out. Parsing looks at nothing
 * outside the text.
 */
#ifndef KTOLL_SPEC_H
#define KTOLL_SPEC_H

#include <stddef.h>

#include "base/error.h"
#include "base/str.h"

struct spec {
	char *text;         /* as given */
	char *source;       /* the source part with its prefix: "debian:6.1-rt" */
	const char *name;   /* what follows the prefix, in `source`: "6.1-rt", "" for the newest */
	const char *arch;   /* "x86_64" …, static; the host's unless said */
	char *cpu;          /* NULL unless said */
	struct strv params;  /* boot parameters in their order, without the '+' */
	struct strv dropped; /* ktoll's boot parameters to leave out, without the '-' */
};

/*
 * -EINVAL with the spec, a caret under the place and what is expected there.
 * On failure nothing is owned by the caller.
 */
int spec_parse(const char *text, struct spec *ret, struct error *err);
void spec_finish(struct spec *s);

/* The kernel's name of the architecture ktoll runs on ("x86_64"), static; NULL if it is not supported. */
const char *arch_host(void);
/* The kernel's static name of an architecture given as Debian or the kernel calls it; NULL if unknown. */
const char *arch_from_name(const char *name);
/* Debian's name of it ("amd64"), static. */
const char *arch_to_debian(const char *arch);

#endif
