/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that boot, and what they say about themselves: the only place that
 * knows their formats. A bzImage, an ELF vmlinux, an Image of arm64 or RISC-V,
 * and the last two packed, by gzip and its like or as an EFI zboot image.
 *
 * Packed images are unpacked on the host: the guest then starts in the kernel
 * itself and does not spend a third of its boot in the decompressor.
 */
#ifndef KTOLL_IMAGE_H
#define KTOLL_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/kernel.h"

struct image {
	const char *arch; /* static */
	char *release;    /* "6.1.0-57-amd64"; NULL if it could not be found */
	char *banner;     /* "Linux version …", which tells two builds apart; NULL with what is inside */
	char *build_id;   /* hex; NULL if it is not known */
	struct elf_sizes sizes;
	char *config;     /* that the kernel was built to carry in itself; NULL without one */
	/*
	 * What QEMU is to start, owned; NULL with 0 bytes for the file as it is. A bzImage whose
	 * inside cannot be unpacked, or not be started by itself, is left as it is.
	 */
	char *boot;
	size_t boot_bytes;
};

/*
 * Any bytes may be given; they are not changed, but libelf wants them writable. -ENOEXEC with
 * a sentence for what is no kernel that could be started: "it is …".
 */
int image_parse(void *bytes, size_t n_bytes, struct image *ret, struct error *err);
void image_finish(struct image *i);

/*
 * Unpacks k->image_path beside it, once, and makes that the image if QEMU is to start it;
 * fills in what the image says and `k` does not have yet. One that is packed in an unknown way
 * is left as it is. Fails only if the disk does.
 */
int image_unpack(struct kernel *k, struct error *err);

#endif
