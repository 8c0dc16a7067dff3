/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/image.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "sys/archive.h"
#include "sys/elf.h"

/* Fields of the setup header, Documentation/arch/x86/boot.rst. */
#define SETUP_SECTS	0x1f1
#define HEADER_MAGIC	0x202
#define PROTOCOL	0x206
#define PAYLOAD_OFFSET	0x248
#define PAYLOAD_LENGTH	0x24c
#define SECTOR_BYTES	512u
#define VMLINUX_MAX_BYTES (512u << 20)

static uint32_t u32_at(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* The compressed kernel in a bzImage. */
static bool find_payload(const char *image, size_t n, const char **ret, size_t *ret_n)
{
	uint64_t start, length;
	unsigned sects;
	uint16_t protocol;

	if (n < 0x1000 || memcmp(image + HEADER_MAGIC, "HdrS", 4) != 0)
		return false;
	memcpy(&protocol, image + PROTOCOL, sizeof(protocol));
	if (protocol < 0x208)
		return false;
	sects = (uint8_t)image[SETUP_SECTS];
	start = (uint64_t)((sects ? sects : 4) + 1) * SECTOR_BYTES + u32_at(image + PAYLOAD_OFFSET);
	length = u32_at(image + PAYLOAD_LENGTH);
	if (start >= n || length > n - start || length < 8)
		return false;
	*ret = image + start;
	/* The build appends the unpacked size, except to gzip, which has it in its own format. */
	*ret_n = memcmp(*ret, "\x1f\x8b", 2) == 0 ? length : length - 4;
	return true;
}

/* The vmlinux inside the image, or nothing. */
static char *unpack(const char *image_path, size_t *ret_n)
{
	_cleanup_free_ char *image = NULL;
	const char *payload;
	char *vmlinux;
	size_t n, n_payload;

	if (file_read(image_path, &image, &n, NULL) < 0 ||
	    !find_payload(image, n, &payload, &n_payload) ||
	    archive_unpack(payload, n_payload, VMLINUX_MAX_BYTES, &vmlinux, ret_n) < 0)
		return NULL;
	return vmlinux;
}

int image_unpack(struct kernel *k, struct error *err)
{
	const char *slash = strrchr(k->image_path, '/');
	_cleanup_free_ char *path = NULL, *bytes = NULL;
	struct elf_facts facts;
	size_t n;
	bool is_new;
	int r = 0;

	path = xasprintf("%.*svmlinux", slash ? (int)(slash + 1 - k->image_path) : 0, k->image_path);
	is_new = file_read(path, &bytes, &n, NULL) < 0;
	if (is_new)
		bytes = unpack(k->image_path, &n);
	if (!bytes || elf_read_facts(bytes, n, &facts) < 0)
		return 0;
	if (facts.build_id[0])
		k->build_id = xstrdup(facts.build_id);
	k->text_bytes = facts.text_bytes;
	if (!facts.has_pvh_entry)
		return 0;
	if (is_new)
		r = file_write(path, bytes, n, err);
	if (r == 0) {
		free(k->image_path);
		k->image_path = TAKE_PTR(path);
	}
	return r;
}
