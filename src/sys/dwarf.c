/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

/* Deeper than that no compiler inlines; what says so is no compiler's. */
#define MAX_DEPTH 256

static uint32_t visit_site(Dwarf_Die *die, uint32_t outer, const struct dwarf_visitor *v)
{
	/* Follows DW_AT_abstract_origin. */
	const char *name = dwarf_diename(die);
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	uint32_t site;

	if (!name)
		return outer;
	site = v->enter(v->data, outer, name);
	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		v->range(v->data, site, start, end);
	return site;
}

/* Children of a function or of a block in it. */
static void visit_children(Dwarf_Die *parent, uint32_t outer, unsigned depth,
			   const struct dwarf_visitor *v)
{
	Dwarf_Die die;

	if (depth > MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_inlined_subroutine:
			visit_children(&die, visit_site(&die, outer, v), depth + 1, v);
			break;
		case DW_TAG_lexical_block:
			visit_children(&die, outer, depth + 1, v);
			break;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* An abstract function, of which the inlined ones are instances, has no addresses. */
static void visit_unit(Dwarf_Die *unit, const struct dwarf_visitor *v)
{
	Dwarf_Die die;

	if (dwarf_child(unit, &die) != 0)
		return;
	do {
		if (dwarf_tag(&die) == DW_TAG_subprogram &&
		    (dwarf_hasattr(&die, DW_AT_low_pc) || dwarf_hasattr(&die, DW_AT_ranges)))
			visit_children(&die, 0, 0, v);
	} while (dwarf_siblingof(&die, &die) == 0);
}

int dwarf_visit_inlines(const char *path, const struct dwarf_visitor *v, struct error *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	Dwarf_CU *unit = NULL;
	bool any = false;
	Dwarf *d;
	int r;

	if (fd < 0)
		return error_set(err, errno, "cannot open %s: %s", path, strerror(errno));
	d = dwarf_begin(fd, DWARF_C_READ);
	if (!d)
		return error_set(err, ENODATA, "%s has no debug information", path);
	for (;;) {
		Dwarf_Die die;

		r = dwarf_get_units(d, unit, &unit, NULL, NULL, &die, NULL);
		if (r != 0)
			break;
		any = true;
		visit_unit(&die, v);
	}
	if (r < 0)
		r = error_set(err, EBADMSG, "%s: its debug information is damaged: %s", path,
			      dwarf_errmsg(-1));
	else
		r = any ? 0 : error_set(err, ENODATA, "%s has no debug information", path);
	dwarf_end(d);
	return r;
}

bool dwarf_is_in(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	Dwarf *d = fd < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ);
	bool yes = d && dwarf_get_units(d, NULL, &(Dwarf_CU *){ NULL }, NULL, NULL, NULL, NULL) == 0;

	dwarf_end(d);
	return yes;
}
