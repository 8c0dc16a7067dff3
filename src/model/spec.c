/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/alloc.h"

static const struct {
	const char *kernel, *debian, *also;
} arches[] = {
	{ "x86_64", "amd64", "x86-64" },
};

const char *arch_from_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(arches); i++)
		if (strcmp(name, arches[i].kernel) == 0 || strcmp(name, arches[i].debian) == 0 ||
		    strcmp(name, arches[i].also) == 0)
			return arches[i].kernel;
	return NULL;
}

const char *arch_to_debian(const char *arch)
{
	for (size_t i = 0; i < ARRAY_SIZE(arches); i++)
		if (strcmp(arch, arches[i].kernel) == 0)
			return arches[i].debian;
	return NULL;
}

const char *arch_host(void)
{
	struct utsname u;

	return uname(&u) < 0 ? NULL : arch_from_name(u.machine);
}

/* The sentence with the spec under it and a caret at the place. */
static int misplaced(struct error *err, const char *text, size_t at, const char *what)
{
	_cleanup_free_ char *shown = xstrdup(text);

	for (char *c = shown; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	return error_blame(err, ERROR_USAGE, EINVAL, "bad kernel spec, column %zu: %s\n  %s\n  %*s^",
			   at + 1, what, shown, (int)at, "");
}

/* A parameter ends up on the kernel's command line: what would break it up is refused. */
static bool is_param(const char *s)
{
	bool quoted = false;

	for (; *s; s++) {
		if (*s == '"')
			quoted = !quoted;
		if (!isprint((unsigned char)*s) || (*s == ' ' && !quoted))
			return false;
	}
	return !quoted;
}

static bool is_word(const char *s)
{
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr(".+-_:~", *s))
			return false;
	return true;
}

static int add_setting(struct spec *s, const char *text, size_t at, const char *setting,
		       struct error *err)
{
	const char *value = strchr(setting, '=');

	if (setting[0] == '+' || setting[0] == '-') {
		if (!setting[1] || !is_param(setting + 1))
			return misplaced(err, text, at,
					 "a boot parameter is wanted after '+' or '-': one word, "
					 "or quoted with \"");
		strv_add(setting[0] == '+' ? &s->params : &s->dropped, setting + 1);
		return 0;
	}
	if (str_has_prefix(setting, "arch=")) {
		s->arch = arch_from_name(value + 1);
		if (!s->arch)
			return misplaced(err, text, at + 5, "unknown architecture; known: x86_64");
		return 0;
	}
	if (str_has_prefix(setting, "cpu=")) {
		/* Ends up in a list that QEMU splits at commas itself; a model is one word. */
		for (const char *c = value + 1; *c; c++)
			if (!isgraph((unsigned char)*c))
				return misplaced(err, text, at + 4, "a CPU model of QEMU is wanted");
		if (!value[1])
			return misplaced(err, text, at + 4, "a CPU model of QEMU is wanted");
		free(s->cpu);
		s->cpu = xstrdup(value + 1);
		return 0;
	}
	return misplaced(err, text, at, "unknown setting; known: arch=ARCH, cpu=MODEL, +PARAM, "
			 "-PARAM");
}

int spec_parse(const char *text, struct spec *ret, struct error *err)
{
	struct spec s = { 0 };
	struct str part = STR_INIT;
	size_t start = 0;
	int r = 0;

	s.text = xstrdup(text);
	s.arch = arch_host();
	for (size_t i = 0;; i++) {
		if (text[i] == '\\' && text[i + 1] == ',') {
			str_add(&part, ",");
			i++;
			continue;
		}
		if (text[i] && text[i] != ',') {
			str_add_bytes(&part, text + i, 1);
			continue;
		}
		if (!s.source) {
			const char *colon = strchr(str_text(&part), ':');

			s.source = xstrdup(str_text(&part));
			if (!str_has_prefix(s.source, "debian:"))
				r = misplaced(err, text, 0,
					      "a source is wanted first: debian:, debian:VERSION, "
					      "debian:VERSION-FLAVOUR or debian:PACKAGE");
			else if (!is_word(s.source))
				r = misplaced(err, text, (size_t)(colon - str_text(&part)) + 1,
					      "a version or a package name is wanted");
			else
				s.name = strchr(s.source, ':') + 1;
		} else {
			r = add_setting(&s, text, start, str_text(&part), err);
		}
		if (r < 0 || !text[i])
			break;
		str_finish(&part);
		start = i + 1;
	}
	str_finish(&part);
	if (r == 0 && !s.arch)
		r = error_set(err, ENOTSUP,
			      "this machine's architecture is not supported: x86_64 is");
	if (r < 0) {
		spec_finish(&s);
		return r;
	}
	*ret = s;
	return 0;
}

void spec_finish(struct spec *s)
{
	free(s->text);
	free(s->source);
	free(s->cpu);
	strv_finish(&s->params);
	strv_finish(&s->dropped);
	*s = (struct spec){ 0 };
}
