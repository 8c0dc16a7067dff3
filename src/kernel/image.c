/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/image.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "sys/archive.h"
#include "sys/elf.h"

/* Fields of the setup header, Documentation/arch/x86/boot.rst. */
#define SETUP_SECTS	0x1f1
#define HEADER_MAGIC	0x202
#define PROTOCOL	0x206
#define KERNEL_VERSION	0x20e
#define XLOADFLAGS	0x236
#define PAYLOAD_OFFSET	0x248
#define PAYLOAD_LENGTH	0x24c
#define HEADER_BYTES	0x1000u
#define SECTOR_BYTES	512u
#define XLF_KERNEL_64	1

/* The header that arm64 and RISC-V share, Documentation/arch/{arm64/booting,riscv/boot-image-header}.rst. */
#define FLAT_SIZE	 16
#define FLAT_MAGIC	 56
#define FLAT_HEADER_BYTES 64

/* drivers/firmware/efi/libstub/zboot-header.S */
#define ZBOOT_MAGIC	    4
#define ZBOOT_OFFSET	    8
#define ZBOOT_LENGTH	    12
#define ZBOOT_HEADER_BYTES 64

#define VMLINUX_MAX_BYTES (512u << 20)
#define CONFIG_MAX_BYTES  (16u << 20)
#define BANNER_MAX_BYTES  512

static uint32_t u32_at(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint16_t u16_at(const char *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* ---- what any kernel has in it ---- */

/* The first word of a text that need not end, as far as it can be printed. */
static char *word_at(const char *p, const char *end)
{
	const char *stop = p;

	while (stop < end && isgraph((unsigned char)*stop) && stop - p < BANNER_MAX_BYTES)
		stop++;
	return stop > p ? xstrndup(p, (size_t)(stop - p)) : NULL;
}

static void find_banner(const char *bytes, size_t n, struct image *i)
{
	static const char mark[] = "Linux version ";
	const char *end = bytes + n, *at = bytes;

	while ((at = memmem(at, (size_t)(end - at), mark, strlen(mark)))) {
		const char *stop = at + strlen(mark);

		/* Not a format: "Linux version %s". */
		if (stop < end && isdigit((unsigned char)*stop)) {
			char *release = word_at(stop, end);

			free(i->release);
			i->release = release;
			while (stop < end && *stop && *stop != '\n' && stop - at < BANNER_MAX_BYTES)
				stop++;
			i->banner = xstrndup(at, (size_t)(stop - at));
			str_make_printable(i->banner);
			return;
		}
		at = stop;
	}
}

/* CONFIG_IKCONFIG: kernel/configs.c puts a packed .config between two marks. */
static void find_config(const char *bytes, size_t n, struct image *i)
{
	const char *start = memmem(bytes, n, "IKCFG_ST", 8), *end;
	_cleanup_free_ char *text = NULL;
	size_t n_text;

	if (!start)
		return;
	start += 8;
	end = memmem(start, n - (size_t)(start - bytes), "IKCFG_ED", 8);
	if (end &&
	    archive_unpack(start, (size_t)(end - start), CONFIG_MAX_BYTES, &text, &n_text) == 0)
		i->config = xstrndup(text, n_text);
}

static int refuse(struct error *err, const char *what)
{
	return error_set(err, ENOEXEC, "%s", what);
}

/* ---- formats ---- */

static void note_elf(const struct elf_facts *f, struct image *i)
{
	i->arch = f->arch;
	if (f->build_id[0])
		i->build_id = xstrdup(f->build_id);
	i->sizes = f->sizes;
}

static const char *flat_arch(const char *bytes, size_t n)
{
	if (n < FLAT_HEADER_BYTES)
		return NULL;
	if (memcmp(bytes + FLAT_MAGIC, "ARM\x64", 4) == 0)
		return "aarch64";
	return memcmp(bytes + FLAT_MAGIC, "RSC\x05", 4) == 0 ? "riscv64" : NULL;
}

static int parse_flat(const char *bytes, size_t n, struct image *i, struct error *err)
{
	i->arch = flat_arch(bytes, n);
	memcpy(&i->sizes.loaded, bytes + FLAT_SIZE, sizeof(i->sizes.loaded));
	find_banner(bytes, n, i);
	find_config(bytes, n, i);
	return i->banner ? 0 : refuse(err, "it has the header of an Image, but no Linux in it");
}

/* On these QEMU knows how to hand a machine over to an Image, but not to an ELF file. */
static bool wants_flat(const char *arch)
{
	return strcmp(arch, "aarch64") == 0 || strcmp(arch, "riscv64") == 0;
}

static int parse_elf(void *bytes, size_t n, struct image *i, struct error *err)
{
	struct elf_facts f;

	if (elf_read_facts(bytes, n, &f) < 0)
		return refuse(err, "it is a damaged ELF file");
	if (!f.arch)
		return refuse(err, "it is an ELF file of an architecture that ktoll does not know: "
				   "32 bits, big-endian, or another");
	note_elf(&f, i);
	find_banner(bytes, n, i);
	find_config(bytes, n, i);
	if (!i->banner)
		return refuse(err, "it is an ELF file, but no Linux kernel");
	if (strcmp(f.arch, "x86_64") == 0 && !f.has_pvh_entry)
		return refuse(err, "it is a vmlinux that can only be started by its own boot code: "
				   "use the bzImage, or build it with CONFIG_PVH");
	if (wants_flat(f.arch) &&
	    (elf_flatten(bytes, n, VMLINUX_MAX_BYTES, &i->boot, &i->boot_bytes) < 0 ||
	     !str_equal(flat_arch(i->boot, i->boot_bytes), f.arch)))
		return refuse(err, "it is a vmlinux that no Image can be made of: use the Image");
	return 0;
}

/* The compressed kernel in a bzImage. */
static bool find_payload(const char *image, size_t n, const char **ret, size_t *ret_n)
{
	uint64_t start, length;
	unsigned sects = (uint8_t)image[SETUP_SECTS];

	if (u16_at(image + PROTOCOL) < 0x208)
		return false;
	start = (uint64_t)((sects ? sects : 4) + 1) * SECTOR_BYTES + u32_at(image + PAYLOAD_OFFSET);
	length = u32_at(image + PAYLOAD_LENGTH);
	if (start >= n || length > n - start || length < 8)
		return false;
	*ret = image + start;
	/* The build appends the unpacked size, except to gzip, which has it in its own format. */
	*ret_n = memcmp(*ret, "\x1f\x8b", 2) == 0 ? length : length - 4;
	return true;
}

static int parse_bzimage(const char *bytes, size_t n, struct image *i, struct error *err)
{
	size_t version = u16_at(bytes + KERNEL_VERSION) + SECTOR_BYTES, n_payload, n_inside;
	_cleanup_free_ char *inside = NULL;
	const char *payload;
	struct elf_facts f;

	if (u16_at(bytes + PROTOCOL) < 0x20c || !(u16_at(bytes + XLOADFLAGS) & XLF_KERNEL_64))
		return refuse(err, "it is an x86 kernel of 32 bits, or older than Linux 3.8");
	i->arch = "x86_64";
	if (version > SECTOR_BYTES && version < n)
		i->release = word_at(bytes + version, bytes + n);
	if (!find_payload(bytes, n, &payload, &n_payload))
		return refuse(err, "it is a bzImage that is cut off");
	if (archive_unpack(payload, n_payload, VMLINUX_MAX_BYTES, &inside, &n_inside) < 0 ||
	    elf_read_facts(inside, n_inside, &f) < 0 || !str_equal(f.arch, "x86_64"))
		return 0;
	note_elf(&f, i);
	find_banner(inside, n_inside, i);
	find_config(inside, n_inside, i);
	if (f.has_pvh_entry) {
		i->boot = TAKE_PTR(inside);
		i->boot_bytes = n_inside;
	}
	return 0;
}

static bool is_bzimage(const char *bytes, size_t n)
{
	return n >= HEADER_BYTES && memcmp(bytes + HEADER_MAGIC, "HdrS", 4) == 0;
}

static bool is_zboot(const char *bytes, size_t n)
{
	return n >= ZBOOT_HEADER_BYTES && memcmp(bytes, "MZ", 2) == 0 &&
	       memcmp(bytes + ZBOOT_MAGIC, "zimg", 4) == 0;
}

/* What is not packed. */
static int parse_plain(char *bytes, size_t n, struct image *i, struct error *err)
{
	if (n >= 4 && memcmp(bytes, "\x7f"
				    "ELF", 4) == 0)
		return parse_elf(bytes, n, i, err);
	if (flat_arch(bytes, n))
		return parse_flat(bytes, n, i, err);
	return refuse(err, "it is neither a bzImage, a vmlinux nor an Image, nor one of them packed");
}

static int parse_packed(char *packed, size_t n_packed, struct image *i, struct error *err)
{
	_cleanup_free_ char *inside = NULL;
	size_t n;
	int r;

	if (archive_unpack(packed, n_packed, VMLINUX_MAX_BYTES, &inside, &n) < 0)
		return parse_plain(packed, n_packed, i, err);
	r = parse_plain(inside, n, i, err);
	if (r == 0 && !i->boot) {
		i->boot = TAKE_PTR(inside);
		i->boot_bytes = n;
	}
	return r;
}

static int parse(char *bytes, size_t n, struct image *i, struct error *err)
{
	uint32_t start, length;

	if (is_bzimage(bytes, n))
		return parse_bzimage(bytes, n, i, err);
	if (!is_zboot(bytes, n))
		return flat_arch(bytes, n) ? parse_flat(bytes, n, i, err) :
					     parse_packed(bytes, n, i, err);
	start = u32_at(bytes + ZBOOT_OFFSET);
	length = u32_at(bytes + ZBOOT_LENGTH);
	if (start > n || length > n - start)
		return refuse(err, "it is an EFI zboot image that is cut off");
	return parse_packed(bytes + start, length, i, err);
}

int image_parse(void *bytes, size_t n_bytes, struct image *ret, struct error *err)
{
	struct image i = { 0 };
	int r = parse(bytes, n_bytes, &i, err);

	if (r < 0)
		image_finish(&i);
	else
		*ret = i;
	return r;
}

void image_finish(struct image *i)
{
	free(i->release);
	free(i->banner);
	free(i->build_id);
	free(i->config);
	free(i->boot);
	*i = (struct image){ 0 };
}

/* ---- for a kernel whose image is in the cache ---- */

static void note(struct kernel *k, struct image *i)
{
	if (!k->build_id)
		k->build_id = TAKE_PTR(i->build_id);
	if (!k->release)
		k->release = TAKE_PTR(i->release);
	k->sizes = i->sizes;
}

static int read_image(const char *path, struct image *ret)
{
	_cleanup_free_ char *bytes = NULL;
	size_t n;

	if (!file_exists(path) || file_read(path, &bytes, &n, NULL) < 0)
		return -ENOENT;
	return image_parse(bytes, n, ret, NULL);
}

/* Where the unpacked image goes, beside the image. */
static char *unpacked_path(const char *image_path)
{
	const char *slash = strrchr(image_path, '/'), *base = slash ? slash + 1 : image_path;

	return xasprintf("%.*s%s", (int)(base - image_path), image_path,
			 strcmp(base, "vmlinux") == 0 ? "Image" : "vmlinux");
}

int image_unpack(struct kernel *k, struct error *err)
{
	_cleanup_free_ char *path = unpacked_path(k->image_path);
	struct image i;
	/* What is there is of an earlier call; if it is damaged it is made anew. */
	bool is_there = read_image(path, &i) == 0;
	int r = 0;

	if (!is_there && read_image(k->image_path, &i) < 0)
		return 0;
	if (!is_there && i.boot)
		r = file_write(path, i.boot, i.boot_bytes, err);
	if (r == 0 && (is_there || i.boot)) {
		free(k->image_path);
		k->image_path = TAKE_PTR(path);
	}
	if (r == 0)
		note(k, &i);
	image_finish(&i);
	return r;
}
