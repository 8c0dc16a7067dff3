/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels that people have as files, the `image:` source of a spec: an image,
 * or the .deb or .rpm package that it comes in. The files are only read. What
 * is started is a copy in the cache, in a folder that is called by the SHA-256
 * of the file: whoever builds on while a kernel is measured does not change it.
 */
#ifndef KTOLL_IMAGEFILE_H
#define KTOLL_IMAGEFILE_H

#include "base/error.h"
#include "kernel/debsearch.h"
#include "model/kernel.h"
#include "model/spec.h"

/*
 * Makes the kernel of an `image:` spec bootable. `progress` may be NULL. The
 * caller owns what `ret` holds: kernel_finish(). ret->arch is the image's.
 * -ENOENT, -EISDIR and so on for the path; -ENOEXEC for what is no kernel, -EINVAL for
 * one of another architecture than the spec's, or a vmlinux= of another build.
 */
int imagefile_find(const struct spec *spec, debian_progress progress, void *data,
		   struct kernel *ret, struct error *err);

#endif
