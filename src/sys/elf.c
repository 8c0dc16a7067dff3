/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/elf.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

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

static void read_sections(Elf *elf, struct elf_facts *f)
{
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
			f->text_bytes = h.sh_size;
		else if (name && strcmp(name, ".data") == 0)
			f->data_bytes = h.sh_size;
		if (h.sh_flags & SHF_ALLOC)
			f->loaded_bytes += h.sh_size;
	}
}

int elf_read_facts(void *bytes, size_t n_bytes, struct elf_facts *ret)
{
	struct elf_facts f = { 0 };
	Elf *elf;
	size_t n = 0;

	elf_version(EV_CURRENT);
	elf = elf_memory(bytes, n_bytes);
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return -EBADMSG;
	}
	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr h;
		Elf_Data *data;

		if (!gelf_getphdr(elf, (int)i, &h) || h.p_type != PT_NOTE)
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
