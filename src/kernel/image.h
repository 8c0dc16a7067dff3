/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A compressed x86 image, unpacked on the host: the guest then starts in the
 * kernel itself and does not spend a third of its boot in the decompressor.
 */
#ifndef KTOLL_IMAGE_H
#define KTOLL_IMAGE_H

#include "base/error.h"
#include "model/kernel.h"

/*
 * Puts the vmlinux inside k->image_path beside it, once, and makes it the
 * image if it can be started by QEMU; fills in build_id and text_bytes. An
 * image that is packed in an unknown way is left as it is. Fails only if the
 * disk does.
 */
int image_unpack(struct kernel *k, struct error *err);

#endif
