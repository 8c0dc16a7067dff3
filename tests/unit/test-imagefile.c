/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels as files, all made here: each format with what must be found in it, packages in
 * the layouts of distributions, and what is no kernel.
 */
#include <archive.h>
#include <archive_entry.h>
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "kernel/cached.h"
#include "kernel/image.h"
#include "kernel/imagefile.h"
#include "model/spec.h"
#include "sys/archive.h"
#include "sys/digest.h"
#include "sys/elf.h"

#define FORMAT "Linux version %s (%s)"
#define BANNER "Linux version 6.1.0-t-amd64 (me@here) (cc 12) #1 SMP Debian 6.1.1-1"
#define CONFIG "# Linux\nCONFIG_PREEMPT=y\n"
#define TEXT_BYTES 0x400
#define DATA_BYTES 0x100
#define BSS_BYTES  0x1000

static char *dir; /* everything of these tests */

/* ---- writing archives ---- */

static la_ssize_t collect(struct archive *a, void *data, const void *p, size_t n)
{
	(void)a;
	str_add_bytes(data, p, n);
	return (la_ssize_t)n;
}

static void put(struct archive *a, const char *name, const void *p, size_t n)
{
	struct archive_entry *e = archive_entry_new();

	archive_entry_set_pathname(e, name);
	archive_entry_set_mode(e, S_IFREG | 0644);
	archive_entry_set_size(e, (int64_t)n);
	assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
	assert_int_equal(archive_write_data(a, p, n), n);
	archive_entry_free(e);
}

static struct archive *begin(int (*format)(struct archive *), const char *filter, struct str *to)
{
	struct archive *a = archive_write_new();

	assert_int_equal(format(a), ARCHIVE_OK);
	if (filter)
		assert_int_equal(archive_write_add_filter_by_name(a, filter), ARCHIVE_OK);
	archive_write_set_bytes_in_last_block(a, 1);
	assert_int_equal(archive_write_open(a, to, NULL, collect, NULL), ARCHIVE_OK);
	return a;
}

static struct str packed(const char *filter, const struct str *what)
{
	struct str st = STR_INIT;
	struct archive *a = begin(archive_write_set_format_raw, filter, &st);

	put(a, "x", what->s, what->len);
	assert_int_equal(archive_write_free(a), ARCHIVE_OK);
	return st;
}

struct member {
	const char *name;
	const struct str *content;
};

static struct str package(bool is_rpm, const char *filter, const struct member *members, size_t n)
{
	/* A lead, and two headers without an entry: all that is needed to get to the payload. */
	static const char lead[96] = "\xed\xab\xee\xdb\3", header[16] = "\x8e\xad\xe8\1";
	struct str payload = STR_INIT, st = STR_INIT;
	struct archive *a = begin(is_rpm ? archive_write_set_format_cpio_newc :
					   archive_write_set_format_gnutar,
				  filter, &payload);

	for (size_t i = 0; i < n; i++)
		put(a, members[i].name, members[i].content->s, members[i].content->len);
	assert_int_equal(archive_write_free(a), ARCHIVE_OK);
	if (is_rpm) {
		str_add_bytes(&st, lead, sizeof(lead));
		str_add_bytes(&st, header, sizeof(header));
		str_add_bytes(&st, header, sizeof(header));
		str_add_bytes(&st, payload.s, payload.len);
	} else {
		a = begin(archive_write_set_format_ar_svr4, NULL, &st);
		put(a, "debian-binary", "2.0\n", 4);
		put(a, "data.tar.xz", payload.s, payload.len);
		assert_int_equal(archive_write_free(a), ARCHIVE_OK);
	}
	str_finish(&payload);
	return st;
}

/* ---- making kernels ---- */

static void pad_to(struct str *st, size_t n)
{
	static const char zero[4096];

	while (st->len < n)
		str_add_bytes(st, zero, n - st->len < sizeof(zero) ? n - st->len : sizeof(zero));
}

static struct str elf_config(void)
{
	struct str text = STR_INIT, gz;

	str_add(&text, CONFIG);
	gz = packed("gzip", &text);
	str_finish(&text);
	return gz;
}

/* .text with the banner, and with a header of `flat` at its start; .data with the config. */
static struct str vmlinux(unsigned machine, bool with_pvh, bool with_config, const char *flat)
{
	static const char names[] = "\0.text\0.data\0.bss\0.shstrtab\0.init.text";
	static const char gnu[] = "\4\0\0\0\4\0\0\0\3\0\0\0GNU\0\xde\xad\xbe\xef";
	static const char pvh[] = "\4\0\0\0\4\0\0\0\x12\0\0\0Xen\0\0\0\0\1";
	struct str st = STR_INIT, config = elf_config();
	Elf64_Ehdr h = { .e_ident = ELFMAG,
			 .e_type = ET_EXEC,
			 .e_machine = (uint16_t)machine,
			 .e_version = EV_CURRENT,
			 .e_phoff = sizeof(h),
			 .e_shoff = 0x2000,
			 .e_ehsize = sizeof(h),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 3,
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = 5,
			 .e_shstrndx = 4 };
	Elf64_Phdr p[] = {
		{ .p_type = PT_LOAD, .p_offset = 0x1000, .p_paddr = 0x100000, .p_filesz = TEXT_BYTES,
		  .p_memsz = TEXT_BYTES, .p_align = 1 },
		{ .p_type = PT_LOAD, .p_offset = 0x1800, .p_paddr = 0x100800, .p_filesz = DATA_BYTES,
		  .p_memsz = DATA_BYTES + BSS_BYTES, .p_align = 1 },
		{ .p_type = PT_NOTE, .p_offset = 0x1c00, .p_filesz = with_pvh ? 40 : 20,
		  .p_align = 4 },
	};
	Elf64_Shdr s[] = {
		{ 0 },
		{ .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		  .sh_offset = 0x1000, .sh_size = TEXT_BYTES },
		{ .sh_name = 7, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_WRITE,
		  .sh_offset = 0x1800, .sh_size = DATA_BYTES },
		{ .sh_name = 13, .sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC | SHF_WRITE,
		  .sh_size = BSS_BYTES },
		{ .sh_name = 18, .sh_type = SHT_STRTAB, .sh_offset = 0x1d00,
		  .sh_size = sizeof(names) },
	};

	h.e_ident[EI_CLASS] = ELFCLASS64;
	h.e_ident[EI_DATA] = ELFDATA2LSB;
	h.e_ident[EI_VERSION] = EV_CURRENT;
	str_add_bytes(&st, &h, sizeof(h));
	str_add_bytes(&st, p, sizeof(p));
	pad_to(&st, 0x1000);
	if (flat)
		str_add_bytes(&st, flat, 64);
	str_add(&st, FORMAT "\n");
	str_add(&st, BANNER "\n");
	pad_to(&st, 0x1800);
	if (with_config) {
		str_add(&st, "IKCFG_ST");
		str_add_bytes(&st, config.s, config.len);
		str_add(&st, "IKCFG_ED");
	}
	assert_true(st.len <= 0x1800 + DATA_BYTES);
	pad_to(&st, 0x1c00);
	str_add_bytes(&st, gnu, 20);
	str_add_bytes(&st, pvh, 20);
	pad_to(&st, 0x1d00);
	str_add_bytes(&st, names, sizeof(names));
	pad_to(&st, 0x2000);
	str_add_bytes(&st, s, sizeof(s));
	str_finish(&config);
	return st;
}

static const char *flat_header(const char *magic)
{
	static char header[64];
	uint64_t size = 0x123000;

	memset(header, 0, sizeof(header));
	memcpy(header, "MZ", 2);
	memcpy(header + 16, &size, sizeof(size));
	memcpy(header + 56, magic, 4);
	return header;
}

static struct str flat_image(const char *magic)
{
	struct str st = STR_INIT;

	str_add_bytes(&st, flat_header(magic), 64);
	pad_to(&st, 0x800);
	str_add(&st, BANNER "\n");
	pad_to(&st, 0x1000);
	return st;
}

static void set16(struct str *st, size_t at, uint16_t v)
{
	memcpy(st->s + at, &v, sizeof(v));
}

static void set32(struct str *st, size_t at, uint32_t v)
{
	memcpy(st->s + at, &v, sizeof(v));
}

/* With one sector of setup, so that the kernel proper starts at 1024. */
static struct str bzimage(const struct str *payload, bool has_size_behind)
{
	struct str st = STR_INIT;
	uint32_t unpacked = 0;

	pad_to(&st, 1024 + 256);
	memcpy(st.s + 0x202, "HdrS", 4);
	st.s[0x1f1] = 1;
	set16(&st, 0x206, 0x20f);
	set16(&st, 0x20e, 0x100);
	memcpy(st.s + 0x300, "6.1.0-header (me) #1", 20);
	set16(&st, 0x236, 1);
	set32(&st, 0x248, 256);
	str_add_bytes(&st, payload->s, payload->len);
	if (has_size_behind)
		str_add_bytes(&st, &unpacked, sizeof(unpacked));
	set32(&st, 0x24c, (uint32_t)(st.len - 1280));
	pad_to(&st, 0x4000);
	return st;
}

static struct str zboot(const struct str *payload)
{
	struct str st = STR_INIT;

	pad_to(&st, 128);
	memcpy(st.s, "MZ\0\0zimg", 8);
	set32(&st, 8, 128);
	set32(&st, 12, (uint32_t)payload->len);
	memcpy(st.s + 24, "gzip", 4);
	str_add_bytes(&st, payload->s, payload->len);
	return st;
}

/* ---- formats ---- */

static void assert_parsed(const struct str *file, const char *arch, const struct str *boot,
			  const char *config)
{
	struct image i;

	assert_int_equal(image_parse(file->s, file->len, &i, NULL), 0);
	assert_string_equal(i.arch, arch);
	assert_string_equal(i.release, "6.1.0-t-amd64");
	assert_string_equal(i.banner, BANNER);
	assert_true(str_equal(i.config, config));
	assert_int_equal(i.boot_bytes, boot ? boot->len : 0);
	if (boot)
		assert_memory_equal(i.boot, boot->s, boot->len);
	image_finish(&i);
}

static void test_elf(void **state)
{
	struct str x86 = vmlinux(EM_X86_64, true, true, NULL);
	struct str ppc = vmlinux(EM_PPC64, false, false, NULL), gz = packed("gzip", &ppc);
	struct image i;

	(void)state;
	assert_parsed(&x86, "x86_64", NULL, CONFIG);
	assert_parsed(&ppc, "ppc64le", NULL, NULL);
	assert_parsed(&gz, "ppc64le", &ppc, NULL);
	assert_int_equal(image_parse(x86.s, x86.len, &i, NULL), 0);
	assert_string_equal(i.build_id, "deadbeef");
	assert_int_equal(i.sizes.text, TEXT_BYTES);
	assert_int_equal(i.sizes.data, DATA_BYTES);
	assert_int_equal(i.sizes.loaded, TEXT_BYTES + DATA_BYTES + BSS_BYTES);
	image_finish(&i);
	str_finish(&x86);
	str_finish(&ppc);
	str_finish(&gz);
}

/* Sections .init.text and .symtab behind those of `elf`, which end with the file. */
static void add_symbols(struct str *elf, const Elf64_Sym *symbols, size_t n)
{
	const Elf64_Shdr s[] = {
		{ .sh_name = 28, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		  .sh_offset = 0x1000, .sh_size = 0x100 },
		{ .sh_type = SHT_SYMTAB, .sh_offset = elf->len + 2 * sizeof(Elf64_Shdr), .sh_link = 4,
		  .sh_size = n * sizeof(*symbols), .sh_entsize = sizeof(*symbols), .sh_addralign = 8 },
	};

	str_add_bytes(elf, s, sizeof(s));
	str_add_bytes(elf, symbols, n * sizeof(*symbols));
	((Elf64_Ehdr *)elf->s)->e_shnum += 2;
}

#define SYMBOL(type, section, value, size)                                                         \
	{ .st_info = ELF64_ST_INFO(STB_GLOBAL, (type)), .st_shndx = (section),                     \
	  .st_value = (value), .st_size = (size) }

static void test_code_size(void **state)
{
	static const Elf64_Sym symbols[] = {
		SYMBOL(STT_NOTYPE, 0, 0, 0),
		SYMBOL(STT_FUNC, 1, 0x1200, 0x10),  /* 16 */
		SYMBOL(STT_FUNC, 1, 0x1000, 0x20),  /* 32 */
		SYMBOL(STT_FUNC, 1, 0x1000, 0x28),  /* an alias that is longer: 8 more */
		SYMBOL(STT_FUNC, 1, 0x1008, 0x10),  /* within it */
		SYMBOL(STT_FUNC, 1, 0x1020, 0x10),  /* its last half: 8 more */
		SYMBOL(STT_NOTYPE, 1, 0x1300, 64),  /* none of these is code that stays: */
		SYMBOL(STT_OBJECT, 1, 0x1300, 64),
		SYMBOL(STT_FUNC, 2, 0x1300, 64),    /* .data */
		SYMBOL(STT_FUNC, 5, 0x1300, 64),    /* .init.text */
		SYMBOL(STT_FUNC, 0, 0x1300, 64),
		SYMBOL(STT_FUNC, 99, 0x1300, 64),
		SYMBOL(STT_FUNC, SHN_ABS, 0x1300, 64),
		SYMBOL(STT_FUNC, 1, UINT64_MAX - 8, 64),
	};
	struct str elf = vmlinux(EM_X86_64, true, false, NULL), plain = STR_INIT;
	struct elf_facts f;

	(void)state;
	str_add_bytes(&plain, elf.s, elf.len);
	add_symbols(&elf, symbols, ARRAY_SIZE(symbols));
	assert_int_equal(elf_read_facts(elf.s, elf.len, &f), 0);
	assert_int_equal(f.sizes.code, 16 + 32 + 8 + 8);
	assert_int_equal(f.sizes.text, TEXT_BYTES);
	/* A stripped file has a .text, but how much of it is code is not known. */
	assert_int_equal(elf_read_facts(plain.s, plain.len, &f), 0);
	assert_int_equal(f.sizes.code, 0);
	assert_int_equal(f.sizes.text, TEXT_BYTES);
	str_finish(&elf);
	str_finish(&plain);
}

static void test_elf_to_image(void **state)
{
	struct str elf = vmlinux(EM_AARCH64, false, true, flat_header("ARM\x64"));
	struct image i;

	(void)state;
	/* From the first segment on, the second at its distance in memory. */
	assert_int_equal(image_parse(elf.s, elf.len, &i, NULL), 0);
	assert_int_equal(i.boot_bytes, 0x800 + DATA_BYTES);
	assert_memory_equal(i.boot, elf.s + 0x1000, TEXT_BYTES);
	assert_memory_equal(i.boot + 0x800, elf.s + 0x1800, DATA_BYTES);
	assert_int_equal(i.sizes.text, TEXT_BYTES);
	image_finish(&i);
	str_finish(&elf);
	/* Without the header at its start nobody knows how to start it. */
	elf = vmlinux(EM_AARCH64, false, true, NULL);
	assert_int_equal(image_parse(elf.s, elf.len, &i, NULL), -ENOEXEC);
	str_finish(&elf);
}

static void test_cut(void **state)
{
	struct str elf = vmlinux(EM_X86_64, true, false, NULL);
	struct elf_facts f;
	size_t n;

	(void)state;
	n = elf_cut(elf.s, elf.len);
	assert_int_equal(n, 0x1c00 + 40);
	assert_int_equal(elf_read_facts(elf.s, n, &f), 0);
	assert_true(f.has_pvh_entry);
	assert_string_equal(f.build_id, "deadbeef");
	assert_int_equal(f.sizes.text, 0);
	assert_int_equal(f.sizes.loaded, TEXT_BYTES + DATA_BYTES + BSS_BYTES);
	assert_int_equal(elf_cut((char *)"no ELF", 6), 6);
	str_finish(&elf);
}

static void test_bzimage(void **state)
{
	struct str elf = vmlinux(EM_X86_64, true, true, NULL), gz = packed("gzip", &elf);
	struct str xz = packed("xz", &elf), bz = bzimage(&gz, false), with_xz = bzimage(&xz, true);
	struct str no_pvh = vmlinux(EM_X86_64, false, false, NULL), gz2 = packed("gzip", &no_pvh);
	struct str plain = bzimage(&gz2, false), odd = bzimage(&elf, false);
	struct image i;

	(void)state;
	assert_parsed(&bz, "x86_64", &elf, CONFIG);
	assert_parsed(&with_xz, "x86_64", &elf, CONFIG);
	/* It is the bzImage that boots, but what is inside is known all the same. */
	assert_parsed(&plain, "x86_64", NULL, NULL);
	/* Packed in an unknown way: its header says the release. */
	assert_int_equal(image_parse(odd.s, odd.len, &i, NULL), 0);
	assert_string_equal(i.release, "6.1.0-header");
	assert_null(i.boot);
	assert_int_equal(i.sizes.text, 0);
	image_finish(&i);
	str_finish(&elf);
	str_finish(&gz);
	str_finish(&xz);
	str_finish(&bz);
	str_finish(&with_xz);
	str_finish(&no_pvh);
	str_finish(&gz2);
	str_finish(&plain);
	str_finish(&odd);
}

static void test_flat(void **state)
{
	struct str arm = flat_image("ARM\x64"), riscv = flat_image("RSC\x05");
	struct str gz = packed("gzip", &riscv), zstd = packed("zstd", &arm), z = zboot(&zstd);
	struct image i;

	(void)state;
	assert_parsed(&arm, "aarch64", NULL, NULL);
	assert_parsed(&riscv, "riscv64", NULL, NULL);
	assert_parsed(&gz, "riscv64", &riscv, NULL);
	assert_parsed(&z, "aarch64", &arm, NULL);
	assert_int_equal(image_parse(arm.s, arm.len, &i, NULL), 0);
	assert_int_equal(i.sizes.loaded, 0x123000);
	assert_null(i.build_id);
	image_finish(&i);
	str_finish(&arm);
	str_finish(&riscv);
	str_finish(&gz);
	str_finish(&zstd);
	str_finish(&z);
}

static void test_any_bytes(void **state)
{
	struct str elf = vmlinux(EM_X86_64, true, true, NULL), gz = packed("gzip", &elf);
	struct str files[] = { elf, bzimage(&gz, false), flat_image("ARM\x64"), zboot(&gz), gz };

	(void)state;
	/* Cut off anywhere it is refused, or less is known of it; never read beyond its end. */
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		for (size_t n = 0; n < files[i].len; n += n < 1024 ? 1 : 37) {
			char *exact = xmemdup(files[i].s, n);
			struct image image;

			if (image_parse(exact, n, &image, NULL) == 0)
				image_finish(&image);
			free(exact);
		}
		str_finish(&files[i]);
	}
}

/* ---- the source image: ---- */

static char *write_file(const char *name, const struct str *st)
{
	char *path = path_join(dir, name);

	assert_int_equal(file_write(path, st->len ? st->s : "", st->len, NULL), 0);
	return path;
}

static int find(const char *text, struct kernel *k, struct error *err)
{
	struct spec spec;
	int r;

	assert_int_equal(spec_parse(text, &spec, err), 0);
	r = imagefile_find(&spec, NULL, NULL, k, err);
	spec_finish(&spec);
	return r;
}

static void assert_refused(const char *text, int rc, const char *part)
{
	struct error err = ERROR_INIT;
	struct kernel k;

	assert_int_equal(find(text, &k, &err), rc);
	if (!strstr(error_text(&err), part))
		fail_msg("%s: %s", text, error_text(&err));
	error_finish(&err);
}

/* Among what the cache holds is one that this spec asked for. */
static void assert_listed(const char *spec)
{
	struct cached *list;
	size_t n, n_found = 0;

	assert_int_equal(cached_list(&list, &n, NULL), 0);
	for (size_t i = 0; i < n; i++)
		if (str_equal(list[i].what, spec)) {
			n_found++;
			assert_string_equal(list[i].arch, "x86_64");
			assert_string_equal(list[i].release, "6.1.0-t-amd64");
		}
	assert_int_equal(n_found, 1);
	cached_free(list, n);
}

static void test_find(void **state)
{
	struct str elf = vmlinux(EM_X86_64, true, false, NULL), gz = packed("gzip", &elf);
	struct str file = bzimage(&gz, false), beside = STR_INIT;
	_cleanup_free_ char *path = write_file("vmlinuz-6.1.0-t-amd64", &file), *config = NULL;
	_cleanup_free_ char *spec = xasprintf("image:%s", path), *bytes = NULL, *sha = NULL;
	struct kernel k;
	size_t n;

	(void)state;
	str_add(&beside, CONFIG);
	config = write_file("config-6.1.0-t-amd64", &beside);
	assert_int_equal(find(spec, &k, NULL), 0);
	assert_string_equal(k.source, spec);
	assert_string_equal(k.arch, "x86_64");
	assert_string_equal(k.release, "6.1.0-t-amd64");
	assert_string_equal(k.build_id, "deadbeef");
	assert_string_equal(k.config, CONFIG);
	assert_int_equal(k.sizes.data, DATA_BYTES);
	assert_null(k.package);
	sha = digest_sha256(file.s, file.len);
	assert_string_equal(k.content, sha);
	assert_int_equal(file_read(k.image_path, &bytes, &n, NULL), 0);
	assert_int_equal(n, elf.len);
	assert_memory_equal(bytes, elf.s, n);
	assert_listed(spec);
	/* A damaged copy is replaced. */
	assert_int_equal(file_write(k.image_path, "x", 1, NULL), 0);
	kernel_finish(&k);
	assert_int_equal(find(spec, &k, NULL), 0);
	free(bytes);
	assert_int_equal(file_read(k.image_path, &bytes, &n, NULL), 0);
	assert_int_equal(n, elf.len);
	/* What was there is used while the file's content is the same. */
	kernel_finish(&k);
	unlink(config);
	assert_int_equal(find(spec, &k, NULL), 0);
	assert_null(k.config);
	kernel_finish(&k);
	str_finish(&elf);
	str_finish(&gz);
	str_finish(&file);
	str_finish(&beside);
}

static void test_arch(void **state)
{
	struct str file = flat_image("RSC\x05");
	_cleanup_free_ char *path = write_file("Image", &file);
	_cleanup_free_ char *detected = xasprintf("image:%s", path);
	_cleanup_free_ char *right = xasprintf("image:%s,arch=riscv64", path);
	_cleanup_free_ char *wrong = xasprintf("image:%s,arch=aarch64", path);
	struct kernel k;

	(void)state;
	assert_int_equal(find(detected, &k, NULL), 0);
	assert_string_equal(k.arch, "riscv64");
	kernel_finish(&k);
	assert_int_equal(find(right, &k, NULL), 0);
	kernel_finish(&k);
	assert_refused(wrong, -EINVAL, "is a kernel for riscv64, but arch=aarch64 was said");
	str_finish(&file);
}

static void test_companions(void **state)
{
	struct str file = flat_image("ARM\x64"), text = STR_INIT;
	struct str elf = vmlinux(EM_AARCH64, false, false, NULL);
	struct str other = vmlinux(EM_X86_64, true, false, NULL), banner = elf;
	_cleanup_free_ char *path = write_file("Image-a", &file), *v = write_file("vmlinux", &elf);
	_cleanup_free_ char *o = write_file("other", &other), *no = NULL, *c = NULL;
	_cleanup_free_ char *spec = NULL, *bad = NULL, *odd = NULL, *renamed = NULL;
	struct kernel k;
	char *at;

	(void)state;
	str_add(&text, CONFIG);
	c = write_file("my-config", &text);
	spec = xasprintf("image:%s,vmlinux=%s,config=%s", path, v, c);
	assert_int_equal(find(spec, &k, NULL), 0);
	assert_string_equal(k.build_id, "deadbeef");
	assert_int_equal(k.sizes.text, TEXT_BYTES);
	assert_int_equal(k.sizes.loaded, TEXT_BYTES + DATA_BYTES + BSS_BYTES);
	assert_string_equal(k.config, CONFIG);
	kernel_finish(&k);
	/* Of another architecture; and of another build, which the banner tells. */
	bad = xasprintf("image:%s,vmlinux=%s", path, o);
	assert_refused(bad, -EINVAL, "is no ELF file for aarch64");
	at = memmem(banner.s, banner.len, "#1 SMP", 6);
	at[1] = '2';
	no = write_file("rebuilt", &banner);
	odd = xasprintf("image:%s,vmlinux=%s", path, no);
	assert_refused(odd, -EINVAL, "is of another build than");
	renamed = xasprintf("image:%s,config=%s", path, path);
	assert_refused(renamed, -EINVAL, "is no kernel configuration");
	str_finish(&file);
	str_finish(&text);
	str_finish(&elf);
	str_finish(&other);
}

static void test_packages(void **state)
{
	static const struct {
		const char *image, *config, *filter;
		bool is_rpm;
	} layouts[] = {
		{ "./boot/vmlinuz-6.1", "./boot/config-6.1", "xz", false }, /* Debian, make deb-pkg */
		{ "./usr/lib/modules/7.2/vmlinuz", NULL, "xz", false }, /* Debian from 6.19 on */
		{ "./lib/modules/6.1/vmlinuz", "./lib/modules/6.1/config", "zstd", true }, /* Fedora */
		{ "./usr/lib/modules/6.1/vmlinuz", "./usr/lib/modules/6.1/config", "xz", true },
		{ "/boot/vmlinux-6.1", "/boot/config-6.1", "gzip", true },
	};
	struct str elf = vmlinux(EM_X86_64, true, false, NULL), gz = packed("gzip", &elf);
	struct str image = bzimage(&gz, false), config = STR_INIT, junk = STR_INIT;
	_cleanup_free_ char *sha = digest_sha256(image.s, image.len);

	(void)state;
	str_add(&config, CONFIG);
	str_add(&junk, "module");
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct member m[] = { { "./lib/modules/6.1/kernel/a.ko", &junk },
				      { "./usr/lib/debug/boot/vmlinuz-6.1", &junk },
				      { layouts[i].image, &image },
				      { layouts[i].config, &config } };
		struct str file = package(layouts[i].is_rpm, layouts[i].filter, m,
					  layouts[i].config ? 4 : 3);
		_cleanup_free_ char *path = write_file("package", &file);
		_cleanup_free_ char *spec = xasprintf("image:%s", path);
		struct kernel k;

		/* Absolute names are what a hostile package has. */
		if (layouts[i].image[0] == '/') {
			assert_refused(spec, -EBADMSG, "leads out of its folder");
			str_finish(&file);
			continue;
		}
		assert_int_equal(find(spec, &k, NULL), 0);
		assert_string_equal(k.release, "6.1.0-t-amd64");
		assert_string_equal(k.content, sha);
		assert_true(str_equal(k.config, layouts[i].config ? CONFIG : NULL));
		kernel_finish(&k);
		str_finish(&file);
	}
	str_finish(&elf);
	str_finish(&gz);
	str_finish(&image);
	str_finish(&config);
	str_finish(&junk);
}

static void test_no_kernels(void **state)
{
	struct str empty = STR_INIT, text = STR_INIT, rpm, deb, cut, hollow, i386, bare;
	struct str elf = vmlinux(EM_X86_64, true, false, NULL), gz = packed("gzip", &elf);
	const struct {
		const char *name;
		const struct str *content;
		int rc;
		const char *part;
	} cases[] = {
		{ "empty", &empty, -ENOEXEC, "is empty" },
		{ "text", &text, -ENOEXEC, "it is neither a bzImage, a vmlinux nor an Image" },
		{ "modules.rpm", &rpm, -ENOEXEC, "kernel-core of Fedora" },
		{ "stub.deb", &deb, -ENOEXEC, "linux-binary of Debian" },
		{ "cut.rpm", &cut, -EBADMSG, "is not a usable package" },
		{ "program", &hollow, -ENOEXEC, "but no Linux kernel" },
		{ "old", &i386, -ENOEXEC, "32 bits" },
		{ "vmlinux-without", &bare, -ENOEXEC, "CONFIG_PVH" },
	};
	struct member module = { "./lib/modules/6.1/kernel/a.ko", &gz };
	char *at;

	(void)state;
	str_add(&text, "hello, world\n");
	rpm = package(true, "gzip", &module, 1);
	deb = package(false, "xz", &module, 1);
	cut = package(true, "gzip", &module, 1);
	cut.len -= 40;
	hollow = vmlinux(EM_X86_64, true, false, NULL);
	at = memmem(hollow.s, hollow.len, BANNER, strlen(BANNER));
	memset(at, ' ', strlen(BANNER));
	i386 = bzimage(&gz, false);
	set16(&i386, 0x236, 0);
	bare = vmlinux(EM_X86_64, false, false, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *path = write_file(cases[i].name, cases[i].content);
		_cleanup_free_ char *spec = xasprintf("image:%s", path);

		assert_refused(spec, cases[i].rc, cases[i].part);
	}
	{
		_cleanup_free_ char *folder = xasprintf("image:%s", dir);

		assert_refused(folder, -EISDIR, "is a folder: name the file in it");
	}
	assert_refused("image:/nonexistent", -ENOENT, "cannot read the image /nonexistent");
	assert_refused("image:/dev/null", -EINVAL, "is no regular file");
	str_finish(&text);
	str_finish(&rpm);
	str_finish(&deb);
	str_finish(&cut);
	str_finish(&hollow);
	str_finish(&i386);
	str_finish(&bare);
	str_finish(&elf);
	str_finish(&gz);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elf),	   cmocka_unit_test(test_code_size), cmocka_unit_test(test_elf_to_image),
		cmocka_unit_test(test_cut),	   cmocka_unit_test(test_bzimage),
		cmocka_unit_test(test_flat),	   cmocka_unit_test(test_any_bytes),
		cmocka_unit_test(test_find),	   cmocka_unit_test(test_arch),
		cmocka_unit_test(test_companions), cmocka_unit_test(test_packages),
		cmocka_unit_test(test_no_kernels),
	};
	char template[] = "/tmp/ktoll-test-imagefile-XXXXXX";
	int r;

	dir = mkdtemp(template);
	if (!dir)
		return 1;
	setenv("XDG_CACHE_HOME", dir, 1);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	dir_remove(dir);
	return r;
}
