/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debian/debversion.h"

#include <ctype.h>
#include <string.h>

static int order_of(int c)
{
	if (isdigit(c) || !c)
		return 0;
	if (isalpha(c))
		return c;
	return c == '~' ? -1 : c + 256;
}

static int part_compare(const char *a, const char *a_end, const char *b, const char *b_end)
{
#define AT(p, end) ((p) < (end) ? (unsigned char)*(p) : 0)
	while (a < a_end || b < b_end) {
		int first = 0;

		while ((a < a_end && !isdigit(AT(a, a_end))) ||
		       (b < b_end && !isdigit(AT(b, b_end)))) {
			int x = order_of(AT(a, a_end)), y = order_of(AT(b, b_end));

			if (x != y)
				return x - y;
			a += a < a_end;
			b += b < b_end;
		}
		while (AT(a, a_end) == '0')
			a++;
		while (AT(b, b_end) == '0')
			b++;
		while (isdigit(AT(a, a_end)) && isdigit(AT(b, b_end))) {
			if (!first)
				first = AT(a, a_end) - AT(b, b_end);
			a++;
			b++;
		}
		if (isdigit(AT(a, a_end)))
			return 1;
		if (isdigit(AT(b, b_end)))
			return -1;
		if (first)
			return first;
	}
	return 0;
#undef AT
}

struct version_parts {
	const char *epoch, *epoch_end, *upstream, *upstream_end, *revision, *end;
};

static struct version_parts version_split(const char *v)
{
	struct version_parts p = { .epoch = v, .epoch_end = v, .upstream = v };
	const char *colon = strchr(v, ':'), *dash;

	if (colon) {
		p.epoch_end = colon;
		p.upstream = colon + 1;
	}
	p.end = v + strlen(v);
	dash = strrchr(p.upstream, '-');
	p.upstream_end = dash ? dash : p.end;
	p.revision = dash ? dash + 1 : p.end;
	return p;
}

int deb_version_compare(const char *a, const char *b)
{
	struct version_parts x = version_split(a), y = version_split(b);
	int r = part_compare(x.epoch, x.epoch_end, y.epoch, y.epoch_end);

	if (r == 0)
		r = part_compare(x.upstream, x.upstream_end, y.upstream, y.upstream_end);
	if (r == 0)
		r = part_compare(x.revision, x.end, y.revision, y.end);
	return r;
}
