/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/about.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

char *about_value(const char *about, const char *key)
{
	size_t n = strlen(key);

	for (const char *s = about; *s;) {
		size_t len = strcspn(s, "\n");

		if (len > n + 2 && strncmp(s, key, n) == 0 && s[n] == ':' && s[n + 1] == ' ')
			return xstrndup(s + n + 2, len - n - 2);
		s += len + (s[len] == '\n');
	}
	return NULL;
}

uint64_t about_number(const char *about, const char *key)
{
	_cleanup_free_ char *value = about_value(about, key);
	uint64_t n;

	return value && str_to_u64(value, 0, UINT64_MAX, &n) == 0 ? n : 0;
}

void about_add(struct str *about, const char *key, const char *value)
{
	if (value)
		str_addf(about, "%s: %.*s\n", key, (int)strcspn(value, "\n"), value);
}

void about_add_image(struct str *about, const struct kernel *k)
{
	about_add(about, "release", k->release);
	about_add(about, "build-id", k->build_id);
	str_addf(about, "code: %llu\ntext: %llu\ndata: %llu\nloaded: %llu\n",
		 (unsigned long long)k->sizes.code, (unsigned long long)k->sizes.text,
		 (unsigned long long)k->sizes.data, (unsigned long long)k->sizes.loaded);
}

void about_read_image(const char *about, struct kernel *k)
{
	k->release = about_value(about, "release");
	k->build_id = about_value(about, "build-id");
	k->sizes.code = about_number(about, "code");
	k->sizes.text = about_number(about, "text");
	k->sizes.data = about_number(about, "data");
	k->sizes.loaded = about_number(about, "loaded");
}
