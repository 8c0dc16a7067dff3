/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

/* Xen's xen/interface/elfnote.h: the physical address of the 32-bit PVH entry. */
#define XEN_ELFNOTE_PHYS32_ENTRY 18

static void read_notes(Elf_Data *data, struct elf_facts *f)
{
	size_t at = 0, name, desc;
	GElf_Nhdr h;

	while ((at = gelf_getnote(data, at, &h, &name, &desc)) > 0) {
		const char *owner = (const char *)data->d_buf + name;
		const uint8_t *value = (const uint8_t *)data->d_buf + desc;

		if (h.n_namesz == 4 && memcmp(owner, "GNU", 4) == 0 &&
		    h.n_type == NT_GNU_BUILD_ID && 2 * h.n_descsz < sizeof(f->build_id))
			for (size_t i = 0; i < h.n_descsz; i++)
				snprintf(f->build_id + 2 * i, 3, "%02x", value[i]);
		if (h.n_namesz == 4 && memcmp(owner, "Xen", 4) == 0 &&
		    h.n_type == XEN_ELFNOTE_PHYS32_ENTRY)
			f->has_pvh_entry = true;
	}
}

static const char *arch_of(Elf *elf)
{
	GElf_Ehdr h;

	if (!gelf_getehdr(elf, &h) || h.e_ident[EI_CLASS] != ELFCLASS64 ||
	    h.e_ident[EI_DATA] != ELFDATA2LSB)
		return NULL;
	switch (h.e_machine) {
	case EM_X86_64:
		return "x86_64";
	case EM_PPC64:
		return "ppc64le";
	case EM_AARCH64:
		return "aarch64";
	case EM_RISCV:
		return "riscv64";
	default:
		return NULL;
	}
}

/* ---- code ---- */

struct span {
	uint64_t start, end;
};

struct spans {
	struct span *v;
	size_t n, cap;
};

static int by_start(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Aliases have the same span, and code in assembly has functions within functions. */
static uint64_t bytes_covered(struct spans *s)
{
	uint64_t covered = 0, end = 0;

	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), by_start);
	for (size_t i = 0; i < s->n; i++) {
		uint64_t start = s->v[i].start > end ? s->v[i].start : end;

		if (s->v[i].end <= start)
			continue;
		covered += s->v[i].end - start;
		end = s->v[i].end;
	}
	return covered;
}

static bool is_kept_code(Elf *elf, size_t names, size_t section)
{
	GElf_Shdr h;
	const char *name;

	if (!gelf_getshdr(elf_getscn(elf, section), &h) || !(h.sh_flags & SHF_EXECINSTR))
		return false;
	name = elf_strptr(elf, names, h.sh_name);
	return name && !str_has_prefix(name, ".init") && !str_has_prefix(name, ".exit");
}

static uint64_t code_bytes(Elf *elf, size_t names, Elf_Scn *symtab)
{
	Elf_Data *data = elf_getdata(symtab, NULL);
	struct spans functions = { 0 };
	uint64_t covered;
	GElf_Sym s;

	for (int i = 0; gelf_getsym(data, i, &s); i++)
		if (GELF_ST_TYPE(s.st_info) == STT_FUNC && s.st_shndx != SHN_UNDEF &&
		    s.st_shndx < SHN_LORESERVE && s.st_size <= UINT64_MAX - s.st_value &&
		    is_kept_code(elf, names, s.st_shndx))
			*ARRAY_ADD(functions.v, functions.n, functions.cap) =
				(struct span){ s.st_value, s.st_value + s.st_size };
	covered = bytes_covered(&functions);
	free(functions.v);
	return covered;
}

static void read_sections(Elf *elf, struct elf_facts *f)
{
	uint64_t in_memory = 0;
	size_t names;
	Elf_Scn *s = NULL;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return;
	while ((s = elf_nextscn(elf, s))) {
		GElf_Shdr h;
		const char *name;

		if (!gelf_getshdr(s, &h))
			continue;
		name = elf_strptr(elf, names, h.sh_name);
		if (name && strcmp(name, ".text") == 0)
			f->sizes.text = h.sh_size;
		if (name && strcmp(name, ".data") == 0)
			f->sizes.data = h.sh_size;
		if (h.sh_type == SHT_SYMTAB)
			f->sizes.code = code_bytes(elf, names, s);
		if (h.sh_flags & SHF_ALLOC)
			in_memory += h.sh_size;
	}
	if (in_memory)
		f->sizes.loaded = in_memory;
}

static Elf *open_memory(void *bytes, size_t n_bytes)
{
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory(bytes, n_bytes);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		return elf;
	elf_end(elf);
	return NULL;
}

char *elf_notes_build_id(void *bytes, size_t n_bytes)
{
	Elf_Data data = { .d_buf = bytes, .d_type = ELF_T_NHDR, .d_size = n_bytes, .d_align = 4,
			  .d_version = EV_CURRENT };
	struct elf_facts f = { 0 };

	elf_version(EV_CURRENT);
	read_notes(&data, &f);
	return *f.build_id ? xstrdup(f.build_id) : NULL;
}

int elf_read_facts(void *bytes, size_t n_bytes, struct elf_facts *ret)
{
	Elf *elf = open_memory(bytes, n_bytes);
	struct elf_facts f = { 0 };
	size_t n = 0;

	if (!elf)
		return -EBADMSG;
	f.arch = arch_of(elf);
	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr h;
		Elf_Data *data;

		if (!gelf_getphdr(elf, (int)i, &h))
			continue;
		if (h.p_type == PT_LOAD)
			f.sizes.loaded += h.p_memsz;
		if (h.p_type != PT_NOTE)
			continue;
		data = elf_getdata_rawchunk(elf, (int64_t)h.p_offset, h.p_filesz, ELF_T_NHDR);
		if (data)
			read_notes(data, &f);
	}
	read_sections(elf, &f);
	elf_end(elf);
	*ret = f;
	return 0;
}

/* The program header `i` if it has bytes in the file, all of them. */
static bool get_load(Elf *elf, size_t i, size_t n_bytes, GElf_Phdr *ret)
{
	return gelf_getphdr(elf, (int)i, ret) && ret->p_filesz && ret->p_offset <= n_bytes &&
	       ret->p_filesz <= n_bytes - ret->p_offset;
}

int elf_flatten(void *bytes, size_t n_bytes, size_t max_bytes, char **ret, size_t *ret_bytes)
{
	Elf *elf = open_memory(bytes, n_bytes);
	uint64_t low = UINT64_MAX, size = 0;
	_cleanup_free_ char *flat = NULL;
	GElf_Phdr h;
	size_t n = 0;

	if (!elf)
		return -EBADMSG;
	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++)
		if (get_load(elf, i, n_bytes, &h) && h.p_type == PT_LOAD && h.p_paddr < low)
			low = h.p_paddr;
	for (size_t i = 0; i < n; i++) {
		uint64_t at;

		if (!get_load(elf, i, n_bytes, &h) || h.p_type != PT_LOAD)
			continue;
		at = h.p_paddr - low;
		/* The file's size is below the limit of any file that is read. */
		if (at > max_bytes || h.p_filesz > max_bytes - at) {
			elf_end(elf);
			return -EBADMSG;
		}
		if (at + h.p_filesz > size)
			size = at + h.p_filesz;
	}
	flat = xcalloc(1, size + 1);
	for (size_t i = 0; i < n; i++)
		if (get_load(elf, i, n_bytes, &h) && h.p_type == PT_LOAD)
			memcpy(flat + (h.p_paddr - low), (char *)bytes + h.p_offset, h.p_filesz);
	elf_end(elf);
	if (!size)
		return -EBADMSG;
	*ret = TAKE_PTR(flat);
	*ret_bytes = size;
	return 0;
}

size_t elf_cut(void *bytes, size_t n_bytes)
{
	Elf *elf = open_memory(bytes, n_bytes);
	Elf64_Ehdr *header = bytes;
	uint64_t end = sizeof(*header);
	GElf_Phdr h;
	size_t n = 0;

	if (!elf)
		return n_bytes;
	elf_getphdrnum(elf, &n);
	if (!arch_of(elf) || !n || header->e_phoff > n_bytes ||
	    n > (n_bytes - header->e_phoff) / sizeof(Elf64_Phdr)) {
		elf_end(elf);
		return n_bytes;
	}
	if (header->e_phoff + n * sizeof(Elf64_Phdr) > end)
		end = header->e_phoff + n * sizeof(Elf64_Phdr);
	for (size_t i = 0; i < n; i++)
		if (get_load(elf, i, n_bytes, &h) && h.p_offset + h.p_filesz > end)
			end = h.p_offset + h.p_filesz;
	elf_end(elf);
	header->e_shoff = 0;
	header->e_shnum = 0;
	header->e_shstrndx = 0;
	return end;
}

/* A text in the file, which ends in it; NULL for none. Owned by the caller. */
static char *text_at(const char *bytes, size_t n_bytes, uint64_t at)
{
	return at < n_bytes && memchr(bytes + at, 0, n_bytes - at) ? xstrdup(bytes + at) : NULL;
}

/* Where in the file an address is; UINT64_MAX for nowhere. */
static uint64_t offset_of(Elf *elf, size_t n_headers, size_t n_bytes, uint64_t address)
{
	GElf_Phdr h;

	for (size_t i = 0; i < n_headers; i++)
		if (get_load(elf, i, n_bytes, &h) && h.p_type == PT_LOAD && address >= h.p_vaddr &&
		    address - h.p_vaddr < h.p_filesz)
			return h.p_offset + (address - h.p_vaddr);
	return UINT64_MAX;
}

static int read_dynamic(Elf *elf, size_t n_headers, const char *bytes, size_t n_bytes,
			Elf_Data *data, struct elf_needs *ret)
{
	uint64_t strings = UINT64_MAX;
	GElf_Dyn d;

	for (int i = 0; gelf_getdyn(data, i, &d) && d.d_tag != DT_NULL; i++)
		if (d.d_tag == DT_STRTAB)
			strings = offset_of(elf, n_headers, n_bytes, d.d_un.d_ptr);
	for (int i = 0; gelf_getdyn(data, i, &d) && d.d_tag != DT_NULL; i++) {
		_cleanup_free_ char *text = NULL;

		if (d.d_tag != DT_NEEDED && d.d_tag != DT_RUNPATH && d.d_tag != DT_RPATH)
			continue;
		if (strings < n_bytes && d.d_un.d_val < n_bytes)
			text = text_at(bytes, n_bytes, strings + d.d_un.d_val);
		if (!text)
			return -EBADMSG;
		if (d.d_tag == DT_NEEDED) {
			strv_add(&ret->needed, text);
		} else {
			free(ret->folders);
			ret->folders = TAKE_PTR(text);
		}
	}
	return 0;
}

int elf_read_needs(void *bytes, size_t n_bytes, struct elf_needs *ret)
{
	Elf *elf = open_memory(bytes, n_bytes);
	struct elf_needs needs = { 0 };
	size_t n = 0;
	int r = 0;

	if (!elf)
		return -EBADMSG;
	needs.arch = arch_of(elf);
	elf_getphdrnum(elf, &n);
	for (size_t i = 0; r == 0 && i < n; i++) {
		Elf_Data *data;
		GElf_Phdr h;

		if (!get_load(elf, i, n_bytes, &h))
			continue;
		if (h.p_type == PT_INTERP) {
			free(needs.interpreter);
			needs.interpreter = text_at(bytes, n_bytes, h.p_offset);
			r = needs.interpreter ? 0 : -EBADMSG;
		}
		if (h.p_type != PT_DYNAMIC)
			continue;
		data = elf_getdata_rawchunk(elf, (int64_t)h.p_offset, h.p_filesz, ELF_T_DYN);
		r = data ? read_dynamic(elf, n, bytes, n_bytes, data, &needs) : -EBADMSG;
	}
	elf_end(elf);
	if (r < 0)
		elf_needs_finish(&needs);
	else
		*ret = needs;
	return r;
}

void elf_needs_finish(struct elf_needs *n)
{
	free(n->interpreter);
	strv_finish(&n->needed);
	free(n->folders);
	*n = (struct elf_needs){ 0 };
}

static bool find_in_section(Elf *elf, Elf_Scn *scn, const char *name, uint64_t *ret)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Shdr h;
	GElf_Sym sym;

	if (!data || !gelf_getshdr(scn, &h) || h.sh_type != SHT_SYMTAB)
		return false;
	for (int i = 0; gelf_getsym(data, i, &sym); i++) {
		const char *s = elf_strptr(elf, h.sh_link, sym.st_name);

		if (s && sym.st_shndx != SHN_UNDEF && strcmp(s, name) == 0) {
			*ret = sym.st_value;
			return true;
		}
	}
	return false;
}

int elf_find_symbol(const char *path, const char *name, uint64_t *ret)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf_Scn *scn = NULL;
	bool found = false;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	while (!found && elf && (scn = elf_nextscn(elf, scn)))
		found = find_in_section(elf, scn, name, ret);
	elf_end(elf);
	return found ? 0 : -ENOENT;
}
