/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/utf8.h"

#include <stdint.h>

/* Lead byte, and the second byte's limits, from table 3-7 of the Unicode standard. */
static const struct {
	uint8_t lead_lo, lead_hi, second_lo, second_hi, length;
} forms[] = {
	{ 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
	{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
	{ 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

size_t utf8_length(const char *s)
{
	const uint8_t *b = (const uint8_t *)s;

	if (b[0] < 0x80)
		return b[0] != 0;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (b[0] < forms[i].lead_lo || b[0] > forms[i].lead_hi)
			continue;
		if (b[1] < forms[i].second_lo || b[1] > forms[i].second_hi)
			return 0;
		for (size_t k = 2; k < forms[i].length; k++)
			if ((b[k] & 0xc0) != 0x80)
				return 0;
		return forms[i].length;
	}
	return 0;
}

void utf8_add(struct str *out, const char *s)
{
	while (*s) {
		size_t n = utf8_length(s);

		if (n)
			str_add_bytes(out, s, n);
		else
			str_add(out, "\xef\xbf\xbd");
		s += n ? n : 1;
	}
}

static uint32_t code_point(const char *s, size_t n)
{
	const uint8_t *b = (const uint8_t *)s;
	uint32_t c = n == 1 ? b[0] : b[0] & (0xffu >> (n + 1));

	for (size_t i = 1; i < n; i++)
		c = c << 6 | (b[i] & 0x3f);
	return c;
}

static bool acts_on_terminal(uint32_t c)
{
	if (c < 0x20)
		return c != '\n' && c != '\t';
	return (c >= 0x7f && c < 0xa0) ||                  /* DEL and C1, with the 8-bit CSI */
	       c == 0x61c || c == 0x200e || c == 0x200f || /* direction marks … */
	       (c >= 0x2028 && c <= 0x202e) ||             /* separators, embeddings, overrides */
	       (c >= 0x2066 && c <= 0x2069);               /* isolates */
}

void utf8_add_printable(struct str *out, const char *s)
{
	while (*s) {
		size_t n = utf8_length(s);

		if (!n || acts_on_terminal(code_point(s, n)))
			str_add(out, "?");
		else
			str_add_bytes(out, s, n);
		s += n ? n : 1;
	}
}
