/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/verb.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "sys/utf8.h"

struct parser {
	struct option *longs;
	char *shorts;
	size_t n;
};

#define KEY_HELP 256

static bool has_letter(const struct option_row *row)
{
	return row->key < KEY_LONG(0);
}

void verb_options_init(struct options *o, const struct verb *v, int argc, char **argv)
{
	struct parser *p = xcalloc(1, sizeof(*p));
	struct str shorts = STR_INIT;

	while (v->options[p->n].name)
		p->n++;
	p->longs = xcalloc(p->n + 2, sizeof(*p->longs));
	str_add(&shorts, ":h");
	for (size_t i = 0; i < p->n; i++) {
		const struct option_row *row = &v->options[i];

		p->longs[i] = (struct option){ row->name, row->arg ? required_argument : no_argument,
					       NULL, row->key };
		if (has_letter(row))
			str_addf(&shorts, "%c%s", row->key, row->arg ? ":" : "");
	}
	p->longs[p->n] = (struct option){ "help", no_argument, NULL, KEY_HELP };
	p->shorts = str_take(&shorts);
	*o = (struct options){ .verb = v, .argc = argc, .argv = argv, .parser = p };
	optind = 0;
	opterr = 0;
}

void verb_options_finish(struct options *o)
{
	struct parser *p = o->parser;

	free(p->longs);
	free(p->shorts);
	free(p);
	*o = (struct options){ 0 };
}

int verb_option(struct options *o, const char **value)
{
	struct parser *p = o->parser;
	int at = optind ? optind : 1;
	int r = getopt_long(o->argc, o->argv, p->shorts, p->longs, NULL);

	*value = optarg;
	o->first_operand = optind;
	switch (r) {
	case -1:
		return 0;
	case 'h':
	case KEY_HELP:
		verb_help(o->verb);
		return -EAGAIN;
	case ':':
		verb_usage(o->verb, "the option %s needs a value", o->argv[optind - 1]);
		return -EINVAL;
	case '?':
		if (optopt && (unsigned)optopt < 128 && o->argv[at][0] == '-' &&
		    o->argv[at][1] != '-')
			verb_usage(o->verb, "no option -%c", optopt);
		else
			verb_usage(o->verb, "no option %s, or it takes no value",
				   o->argv[optind - 1]);
		return -EINVAL;
	default:
		return r;
	}
}

int verb_option_status(int r)
{
	return r == -EAGAIN ? EXIT_DONE : EXIT_USAGE;
}

static void print_filtered(FILE *to, const char *before, const char *after, const char *fmt, va_list ap)
{
	_cleanup_free_ char *text = xvasprintf(fmt, ap);
	_cleanup_str_ struct str printable = STR_INIT;

	utf8_add_printable(&printable, text);
	fprintf(to, "%s%s%s", before, str_text(&printable), after);
}

void verb_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_filtered(stderr, "ktoll: ", "\n", fmt, ap);
	va_end(ap);
}

void verb_print(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_filtered(stdout, "", "", fmt, ap);
	va_end(ap);
}

int verb_failed(int rc, const struct error *err)
{
	verb_say("%s", error_text(err));
	if (rc == -ECANCELED)
		return EXIT_INTERRUPTED;
	switch (err->blame) {
	case ERROR_KERNEL:
		return EXIT_UNMEASURED;
	case ERROR_USAGE:
		return EXIT_USAGE;
	default:
		return EXIT_HOST;
	}
}

char *verb_command(int argc, char **argv)
{
	struct str s = STR_INIT;

	str_add(&s, "ktoll");
	for (int i = 0; i < argc; i++) {
		str_add(&s, " ");
		str_add_quoted(&s, argv[i]);
	}
	return str_take(&s);
}

int verb_usage(const struct verb *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_filtered(stderr, "ktoll: ", "", fmt, ap);
	va_end(ap);
	fprintf(stderr, "; see ktoll %s --help\n", v->name);
	return EXIT_USAGE;
}

void verb_help(const struct verb *v)
{
	printf("usage: ktoll %s [OPTION]...%s%s\n%s.\n\n", v->name, *v->operands ? " " : "",
	       v->operands, v->summary);
	for (const struct option_row *row = v->options; row->name; row++) {
		_cleanup_free_ char *left =
			xasprintf("--%s%s%s", row->name, row->arg ? " " : "", row->arg ? row->arg : "");

		if (has_letter(row))
			printf("  -%c, %-24s %s\n", row->key, left, row->help);
		else
			printf("      %-24s %s\n", left, row->help);
	}
	printf("  -h, %-24s %s\n\nThe manual: man ktoll-%s\n", "--help", "show this", v->name);
}
