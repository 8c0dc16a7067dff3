/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/textparts.h"

#include <stdarg.h>

#include "base/alloc.h"
#include "sys/utf8.h"

void text_line(const struct text *t, const char *fmt, ...)
{
	_cleanup_free_ char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	for (char *c = s; *c; c++)
		if (*c == '\n' || *c == '\t')
			*c = ' ';
	utf8_add_printable(t->out, s);
	str_add(t->out, "\n");
}

const char *text_name(const struct text *t, size_t variant)
{
	return t->r->run->variants[variant].name;
}

void text_table(const struct text *t, struct table *tb)
{
	table_render(tb, t->options->width, t->options->colour, 2, t->out);
}
