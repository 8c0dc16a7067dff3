/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/listed.h"

#include "base/alloc.h"
#include "report/number.h"
#include "report/textparts.h"

static void add_insn(struct table *tb, const struct listed_insn *in)
{
	_cleanup_free_ char *offset = xasprintf("+0x%llx", (unsigned long long)in->offset);
	_cleanup_free_ char *text =
		in->target ? xasprintf("%s <%s>", in->text, in->target) : xstrdup(in->text);

	table_add_row(tb);
	table_set(tb, 0, number_text(in->per_op, false).s);
	table_set(tb, 1, offset);
	table_set(tb, 2, text);
	table_set(tb, 3, in->mechanism ? in->mechanism : "");
	table_set(tb, 4, in->inlined ? in->inlined : "");
}

void listed_text(const char *title, const struct listed_insn *v, size_t n,
		 const struct report_options *options, struct str *out)
{
	const struct text t = { .options = options, .out = out };
	_cleanup_table_ struct table *tb = table_new();

	text_line(&t, "%s", title);
	table_add_column(tb, "per operation", TABLE_RIGHT);
	table_add_column(tb, "at", TABLE_RIGHT);
	table_add_column(tb, "instruction", TABLE_SHRINK);
	table_add_column(tb, "mechanism", TABLE_SHRINK);
	table_add_column(tb, "inlined from", TABLE_SHRINK);
	for (size_t i = 0; i < n; i++)
		add_insn(tb, &v[i]);
	text_table(&t, tb);
	str_add(out, "\n");
}
