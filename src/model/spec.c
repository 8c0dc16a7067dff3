/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static const struct {
	const char *prefix;
	enum spec_kind kind;
} sources[] = {
	{ "debian:", SPEC_DEBIAN },
	{ "source:", SPEC_SOURCE },
	{ "tree:", SPEC_TREE },
	{ "image:", SPEC_IMAGE },
};

/* Where in the text something is wrong. */
struct place {
	const char *text;
	size_t at;
	struct error *err;
};

/* The sentence with the spec under it and a caret at the place, `offset` further on. */
static int misplaced(const struct place *p, size_t offset, const char *what)
{
	_cleanup_free_ char *shown = xstrdup(p->text);
	size_t at = p->at + offset;

	for (char *c = shown; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	return error_blame(p->err, ERROR_USAGE, EINVAL,
			   "bad kernel spec, column %zu: %s\n  %s\n  %*s^", at + 1, what, shown,
			   (int)at, "");
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

/* A path ends up in files of make's and apt's syntax: control characters never belong there. */
static bool is_path(const char *s)
{
	if (!*s)
		return false;
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			return false;
	return true;
}

static int set_once(char **to, const char *value)
{
	free(*to);
	*to = xstrdup(value);
	return 0;
}

static int set_arch(struct spec *s, const char *value, const struct place *p)
{
	s->arch = arch_from_name(value);
	s->is_arch_said = true;
	if (!s->arch) {
		_cleanup_str_ struct str known = STR_INIT;

		str_add(&known, "unknown architecture; known: ");
		for (size_t i = 0; arch_at(i); i++)
			str_addf(&known, "%s%s", i ? ", " : "", arch_at(i)->name);
		return misplaced(p, 0, str_equal(value, "s390x") || str_equal(value, "s390") ?
				 "s390x is not supported: its kernel and user space share addresses, "
				 "so that an address does not say who executed it" : str_text(&known));
	}
	return 0;
}

static int set_cpu(struct spec *s, const char *value, const struct place *p)
{
	/* Ends up in a list that QEMU splits at commas itself; a model is one word. */
	for (const char *c = value; *c; c++)
		if (!isgraph((unsigned char)*c))
			return misplaced(p, 0, "a CPU model of QEMU is wanted");
	if (!*value)
		return misplaced(p, 0, "a CPU model of QEMU is wanted");
	return set_once(&s->cpu, value);
}

/* The agent reads it from the kernel's command line. */
static int set_memcg(struct spec *s, const char *value, const struct place *p)
{
	if (strcmp(value, "root") != 0)
		return misplaced(p, 0, "memcg=root is wanted: programs then run in the root memory cgroup");
	strv_add(&s->params, "ktoll.memcg=root");
	return 0;
}

static int set_config(struct spec *s, const char *value, const struct place *p)
{
	if (!is_path(value))
		return misplaced(p, 0, "small, debian, defconfig or a file is wanted");
	return set_once(s->kind == SPEC_IMAGE ? &s->config_file : &s->config, value);
}

static int set_patch(struct spec *s, const char *value, const struct place *p)
{
	if (!is_path(value))
		return misplaced(p, 0, "a patch file is wanted");
	strv_add(&s->patches, value);
	return 0;
}

static int set_cc(struct spec *s, const char *value, const struct place *p)
{
	const char *version = str_has_prefix(value, "gcc")   ? value + 3 :
			      str_has_prefix(value, "clang") ? value + 5 :
								NULL;

	if (!version || (*version && (*version != '-' || !version[1] ||
				      version[1 + strspn(version + 1, "0123456789")])))
		return misplaced(p, 0, "gcc or clang is wanted, or one of a version: gcc-12");
	return set_once(&s->cc, value);
}

static int set_debuginfo(struct spec *s, const char *value, const struct place *p)
{
	if (strcmp(value, "y") != 0 && strcmp(value, "n") != 0)
		return misplaced(p, 0, "debuginfo=y is wanted");
	s->debuginfo = *value == 'y';
	return 0;
}

static int set_vmlinux(struct spec *s, const char *value, const struct place *p)
{
	if (!is_path(value))
		return misplaced(p, 0, "a vmlinux file is wanted");
	return set_once(&s->vmlinux, value);
}

/* Length of a Kconfig symbol's name at the start, CONFIG_ included; 0 if there is none. */
static size_t option_name_length(const char *s)
{
	size_t n = 0;

	if (!isupper((unsigned char)*s) && !isdigit((unsigned char)*s))
		return 0;
	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return n;
}

/* A value as a .config has it: text gets its quotes. */
static char *option_value(const char *value)
{
	size_t digits = strspn(value + (*value == '-'), "0123456789");
	bool is_hex = str_has_prefix(value, "0x") && value[2] &&
		      !value[2 + strspn(value + 2, "0123456789abcdefABCDEF")];

	if (strcmp(value, "y") == 0 || strcmp(value, "n") == 0 || strcmp(value, "m") == 0 ||
	    is_hex || (digits && !value[digits + (*value == '-')]) || *value == '"')
		return xstrdup(value);
	return xasprintf("\"%s\"", value);
}

static int add_option(struct spec *s, const char *setting, size_t skip, const struct place *p)
{
	const char *name = setting + skip;
	size_t n = option_name_length(name);
	_cleanup_free_ char *with_prefix = NULL;
	const char *value = name + n + 1;
	struct spec_option *o;

	if (!n || name[n] != '=')
		return misplaced(p, skip, "an option is wanted: OPTION=VALUE");
	if (!spec_is_built(s))
		return misplaced(p, 0, "only a kernel that is built here can have options set: "
				 "source: and tree:");
	for (const char *c = value; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f || (*c == '"' && c != value && c[1]))
			return misplaced(p, skip + n + 1, "a value is wanted: y, n, m, a number or text");
	with_prefix = xasprintf("%s%.*s", str_has_prefix(name, "CONFIG_") ? "" : "CONFIG_", (int)n, name);
	for (size_t i = 0; i < s->n_options; i++)
		if (strcmp(s->options[i].name, with_prefix) == 0) {
			free(s->options[i].value);
			s->options[i].value = option_value(value);
			s->options[i].is_forced = skip > 0;
			return 0;
		}
	o = ARRAY_ADD(s->options, s->n_options, s->cap_options);
	*o = (struct spec_option){ TAKE_PTR(with_prefix), option_value(value), skip > 0 };
	return 0;
}

/*
 * A kernel that is built here gets what SELinux needs. The last two parameters are for the kernel,
 * whatever its default is; the first one is for the agent, which loads the policy.
 */
static int set_selinux(struct spec *s, const char *value, const struct place *p)
{
	static const char *const options[] = { "SECURITY=y", "SECURITY_NETWORK=y", "AUDIT=y",
					       "SECURITY_SELINUX=y", "SECURITY_SELINUX_DEVELOP=y",
					       "SECURITY_SELINUX_BOOTPARAM=y" };
	bool is_off = strcmp(value, "off") == 0;
	int r = 0;

	if (!is_off && strcmp(value, "enforcing") != 0 && strcmp(value, "permissive") != 0)
		return misplaced(p, 0, "enforcing, permissive or off is wanted");
	for (size_t i = 0; r == 0 && !is_off && spec_is_built(s) && i < ARRAY_SIZE(options); i++)
		r = add_option(s, options[i], 0, p);
	if (is_off) {
		strv_add(&s->params, "selinux=0");
		return r;
	}
	strv_addf(&s->params, "ktoll.selinux=%s", value);
	strv_add(&s->params, "security=selinux");
	strv_add(&s->params, "selinux=1");
	return r;
}

#define ANY   (1u << SPEC_DEBIAN | 1u << SPEC_SOURCE | 1u << SPEC_TREE | 1u << SPEC_IMAGE)
#define BUILT (1u << SPEC_SOURCE | 1u << SPEC_TREE)
#define IMAGE (1u << SPEC_IMAGE)

static const struct {
	const char *name;
	unsigned kinds;
	int (*set)(struct spec *s, const char *value, const struct place *p);
} settings[] = {
	{ "arch=", ANY, set_arch },
	{ "cpu=", ANY, set_cpu },
	{ "memcg=", ANY, set_memcg },
	{ "selinux=", ANY, set_selinux },
	{ "config=", BUILT | IMAGE, set_config },
	{ "patch=", BUILT, set_patch },
	{ "cc=", BUILT, set_cc },
	{ "debuginfo=", BUILT, set_debuginfo },
	{ "vmlinux=", IMAGE, set_vmlinux },
};

static int add_setting(struct spec *s, const char *setting, const struct place *p)
{
	if (setting[0] == '+' || setting[0] == '-') {
		if (!setting[1] || !is_param(setting + 1))
			return misplaced(p, 0, "a boot parameter is wanted after '+' or '-': one word, "
					 "or quoted with \"");
		strv_add(setting[0] == '+' ? &s->params : &s->dropped, setting + 1);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		size_t n = strlen(settings[i].name);
		struct place value = { p->text, p->at + n, p->err };

		if (!str_has_prefix(setting, settings[i].name))
			continue;
		if (!(settings[i].kinds & 1u << s->kind))
			return misplaced(p, 0, settings[i].kinds == BUILT ?
					 "this setting is for kernels that are built here: source: and tree:" :
					 settings[i].kinds == IMAGE ?
					 "this setting is for image:" :
					 "this setting is for source:, tree: and image:");
		return settings[i].set(s, setting + n, &value);
	}
	if (str_has_prefix(setting, "force:"))
		return add_option(s, setting, strlen("force:"), p);
	if (option_name_length(setting))
		return add_option(s, setting, 0, p);
	return misplaced(p, 0, "unknown setting; known: arch=ARCH, cpu=MODEL, memcg=root, selinux=MODE, config=CONFIG, "
			 "OPTION=VALUE, force:OPTION=VALUE, patch=FILE, cc=COMPILER, debuginfo=y, "
			 "vmlinux=FILE, +PARAM, -PARAM");
}

static int set_source(struct spec *s, const char *source, const struct place *p)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sources) && !n; i++)
		if (str_has_prefix(source, sources[i].prefix)) {
			s->kind = sources[i].kind;
			n = strlen(sources[i].prefix);
		}
	if (!n)
		return misplaced(p, 0, "a source is wanted first: debian:[VERSION], source:VERSION, "
				 "tree:PATH or image:PATH");
	s->source = xstrdup(source);
	s->name = s->source + n;
	if (s->kind == SPEC_DEBIAN && !is_word(s->name))
		return misplaced(p, n, "a version or a package name is wanted");
	if (s->kind == SPEC_SOURCE && (!*s->name || !is_word(s->name)))
		return misplaced(p, n, "a version is wanted: source:6.1");
	if ((s->kind == SPEC_TREE || s->kind == SPEC_IMAGE) && !is_path(s->name))
		return misplaced(p, n, "a path is wanted");
	if (spec_is_built(s))
		s->config = xstrdup("small");
	return 0;
}

int spec_parse(const char *text, struct spec *ret, struct error *err)
{
	struct place p = { .text = text, .err = err };
	struct spec s = { 0 };
	struct str part = STR_INIT;
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
		r = s.source ? add_setting(&s, str_text(&part), &p) :
			       set_source(&s, str_text(&part), &p);
		if (r < 0 || !text[i])
			break;
		str_finish(&part);
		p.at = i + 1;
	}
	str_finish(&part);
	if (r == 0 && !s.arch)
		r = error_set(err, ENOTSUP, "ktoll does not know this machine's architecture: name the "
			      "kernel's, as in arch=x86_64");
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
	free(s->config);
	for (size_t i = 0; i < s->n_options; i++) {
		free(s->options[i].name);
		free(s->options[i].value);
	}
	free(s->options);
	strv_finish(&s->patches);
	free(s->cc);
	free(s->vmlinux);
	free(s->config_file);
	*s = (struct spec){ 0 };
}

bool spec_is_built(const struct spec *s)
{
	return s->kind == SPEC_SOURCE || s->kind == SPEC_TREE;
}
